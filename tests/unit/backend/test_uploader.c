/* test_uploader.c: bytes gathered from anywhere arrive in their order, however many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/residency/uploader.h"
#include "oracle/chance.h"

enum { BYTES = 9 << 20, GAP = 1 << 10 };

static uint8_t *from, *back;

static int make_bytes(void **state)
{
    (void)state;
    from = malloc(BYTES);
    back = malloc(BYTES);
    chance_seed(1);
    for (size_t i = 0; i < BYTES; i += 8) {
        uint64_t x = chance_below(UINT64_MAX);
        memcpy(from + i, &x, 8);
    }
    return 0;
}

static int free_bytes(void **state)
{
    (void)state;
    free(from);
    free(back);
    return 0;
}

/* Several stretches, each put in several parts; all of them, or a status. */
static rp_status fetch_all(rp__uploader *f, rp__cu_ptr to)
{
    rp_status status = RP_OK;
    for (size_t at = 0, n; status == RP_OK && at < BYTES; at += n) {
        n = 1 + chance_below(3 << 20);
        n = n < BYTES - at ? n : BYTES - at;
        rp__uploader_begin(f, to + at);
        (void)rp__uploader_put(f, "what is forgotten", 9);
        rp__uploader_begin(f, to + at);
        for (size_t put = 0, part; status == RP_OK && put < n; put += part) {
            part = 1 + chance_below(GAP * GAP / 2);
            part = part < n - put ? part : n - put;
            status = rp__uploader_put(f, from + at + put, part);
        }
        if (status == RP_OK)
            status = rp__uploader_send(f);
    }
    return status;
}

static void bytes_arrive(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        rp_error err;
        rp__device device;
        rp__uploader f;
        rp__cu_ptr to;
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
        assert_int_equal(rp__device_open(&device, rp__emulated_device_driver(), 0, &err), RP_OK);
        assert_int_equal(rp__device_alloc(&device, BYTES, &to), RP_OK);
        assert_int_equal(rp__uploader_open(&f, &device, 1 << 20), RP_OK);
        for (uint64_t round = 1; round < 3; round++) {
            assert_int_equal(fetch_all(&f, to), RP_OK);
            assert_int_equal(rp__uploader_wait(&f), RP_OK);
            assert_true(f.bytes >= round * BYTES);
            assert_int_equal(rp__device_copy_out(&device, back, to, BYTES), RP_OK);
            assert_int_equal(rp__device_wait(&device), RP_OK);
            assert_memory_equal(back, from, BYTES);
        }
        rp__uploader_close(&f);
        rp__device_free(&device, to);
        rp__device_close(&device);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

static void every_call_may_fail(void **state)
{
    (void)state;
    for (uint64_t at = 1; at < 60; at++) {
        rp_error err;
        rp__device device;
        rp__uploader f = {0};
        rp__cu_ptr to;
        rp__emulated_device_configure(&(rp__emulated_device_options){0});
        assert_int_equal(rp__device_open(&device, rp__emulated_device_driver(), 0, &err), RP_OK);
        assert_int_equal(rp__device_alloc(&device, BYTES, &to), RP_OK);
        uint64_t calls = rp__emulated_device_calls();
        rp__device_free(&device, to);
        rp__device_close(&device);
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.fail_at = calls + at, .fail_code = RP_CU_NO_MEMORY});
        assert_int_equal(rp__device_open(&device, rp__emulated_device_driver(), 0, &err), RP_OK);
        assert_int_equal(rp__device_alloc(&device, BYTES, &to), RP_OK);
        if (rp__uploader_open(&f, &device, 1 << 20) == RP_OK) {
            rp_status status = fetch_all(&f, to);
            assert_true(status == RP_OK || status == RP_NO_MEMORY);
            (void)rp__uploader_wait(&f);
            if (status != RP_OK) { /* the next one goes well */
                assert_int_equal(fetch_all(&f, to), RP_OK);
                assert_int_equal(rp__uploader_wait(&f), RP_OK);
                assert_int_equal(rp__device_copy_out(&device, back, to, BYTES), RP_OK);
                assert_int_equal(rp__device_wait(&device), RP_OK);
                assert_memory_equal(back, from, BYTES);
            }
        }
        rp__uploader_close(&f);
        rp__device_free(&device, to);
        rp__device_close(&device);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_arrive),
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, make_bytes, free_bytes);
}
