/* test_device.c: a device through the emulated driver: memory, order of work, kernels, faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device.h"
#include "backend/gpu/emulated.h"
#include "backend/gpu/kernels/args.h"

static void open_device(rp__device *device, const rp__emulated_options *options)
{
    rp_error err = {.text = ""};
    rp__emulated_configure(options);
    if (rp__device_open(device, rp__emulated_driver(), 0, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void a_kernel_copies(void **state)
{
    (void)state;
    enum { WORDS = 1000, BYTES = 16 * WORDS };
    for (uint64_t seed = 0; seed < 20; seed++) {
        rp__device d;
        rp__cu_ptr from, to;
        unsigned char in[BYTES], out[BYTES];
        for (size_t i = 0; i < BYTES; i++)
            in[i] = (unsigned char)rand();
        open_device(&d, &(rp__emulated_options){.seed = seed});
        assert_int_equal(rp__device_alloc(&d, BYTES, &from), RP_OK);
        assert_int_equal(rp__device_alloc(&d, BYTES, &to), RP_OK);
        assert_int_equal(rp__device_copy_in(&d, from, in, BYTES), RP_OK);
        karg_copy args = {.from = from, .to = to, .n = WORDS};
        assert_int_equal(
            rp__device_launch(&d, RP_KERNEL_copy_kernel, (rp__launch){4, 64, 0}, &args), RP_OK);
        assert_int_equal(rp__device_copy_out(&d, out, to, BYTES), RP_OK);
        assert_int_equal(rp__device_wait(&d), RP_OK);
        assert_memory_equal(in, out, BYTES);
        rp__device_free(&d, from);
        rp__device_free(&d, to);
        rp__device_close(&d);
        assert_int_equal(rp__emulated_in_use(), 0);
    }
}

static void memory_ends(void **state)
{
    (void)state;
    rp__device d;
    rp__cu_ptr a, b;
    open_device(&d, &(rp__emulated_options){.memory = 1 << 20});
    assert_int_equal(rp__device_alloc(&d, 900 << 10, &a), RP_OK);
    assert_int_equal(rp__device_alloc(&d, 200 << 10, &b), RP_NO_MEMORY);
    assert_false(d.is_lost);
    rp__device_free(&d, a);
    assert_int_equal(rp__device_alloc(&d, 200 << 10, &b), RP_OK);
    rp__device_free(&d, b);
    rp__device_close(&d);
}

/* Whatever call fails, nothing is left behind, and a fatal fault is remembered. */
static void every_call_may_fail(void **state)
{
    (void)state;
    static const int codes[] = {RP_CU_NO_MEMORY, RP_CU_LAUNCH_FAILED, RP_CU_ILLEGAL_ADDRESS, 999};
    for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++)
        for (uint64_t at = 1; at < 40; at++) {
            rp__device d;
            rp__cu_ptr from = 0, to = 0;
            unsigned char in[64] = {1}, out[64];
            rp_error err = {.text = ""};
            karg_copy args = {.n = 4};
            rp__emulated_configure(&(rp__emulated_options){.fail_at = at, .fail_code = codes[c]});
            rp_status status = rp__device_open(&d, rp__emulated_driver(), 0, &err);
            if (status != RP_OK) {
                assert_true(err.text[0] != 0);
                assert_int_equal(rp__emulated_in_use(), 0);
                continue;
            }
            status = rp__device_alloc(&d, 64, &from);
            if (status == RP_OK)
                status = rp__device_alloc(&d, 64, &to);
            args.from = from;
            args.to = to;
            if (status == RP_OK)
                status = rp__device_copy_in(&d, from, in, 64);
            if (status == RP_OK)
                status =
                    rp__device_launch(&d, RP_KERNEL_copy_kernel, (rp__launch){1, 32, 0}, &args);
            if (status == RP_OK)
                status = rp__device_copy_out(&d, out, to, 64);
            if (status == RP_OK)
                status = rp__device_wait(&d);
            if (status == RP_OK)
                assert_memory_equal(in, out, 64);
            if (status == RP_UNAVAILABLE) {
                assert_true(d.fault.text[0] != 0);
                assert_int_equal(d.is_lost, rp__driver_is_fatal(codes[c]));
            }
            rp__device_free(&d, from);
            rp__device_free(&d, to);
            rp__device_close(&d);
            assert_int_equal(rp__emulated_in_use(), 0);
        }
}

static void no_such_device(void **state)
{
    (void)state;
    rp__device d;
    rp_error err = {.text = ""};
    rp__emulated_configure(&(rp__emulated_options){.devices = 2});
    assert_int_equal(rp__device_open(&d, rp__emulated_driver(), 2, &err), RP_UNAVAILABLE);
    assert_non_null(strstr(err.text, "no GPU 2"));
    assert_int_equal(rp__device_open(&d, rp__emulated_driver(), 1, &err), RP_OK);
    rp__device_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_copies),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(no_such_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
