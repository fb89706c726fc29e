/* test_gpu_index.c: an index on the emulated device has the bytes of the files, and lists point into it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/gpu_index.h"
#include "base/arena.h"
#include "unit/tiny_index.h"

enum { DOCS = 700 };

static tiny_index tiny;

static int open_index(void **state)
{
    (void)state;
    const char *texts[DOCS];
    for (int i = 0; i < DOCS; i++)
        texts[i] = i % 3 ? "common other words" : "common fox";
    tiny_open(&tiny, texts, DOCS, (tiny_options){0});
    return 0;
}

static int close_index(void **state)
{
    (void)state;
    tiny_close(&tiny);
    return 0;
}

static void open_device(rp__device *device, size_t memory)
{
    rp_error err;
    rp__emulated_device_configure(&(rp__emulated_device_options){.memory = memory});
    assert_int_equal(rp__device_open(device, rp__emulated_device_driver(), 0, &err), RP_OK);
}

static void the_device_has_the_bytes_of_the_files(void **state)
{
    (void)state;
    rp__device device;
    rp__gpu_index index;
    open_device(&device, 0);
    assert_int_equal(rp__gpu_index_open(&index, &device, tiny.index.segment, 0), RP_OK);
    assert_true(index.residency->n >= 2);
    for (size_t i = 0; i < index.residency->n; i++) {
        const uint8_t *host;
        size_t bytes;
        assert_true(rp__segment_section(tiny.index.segment, i, &host, &bytes));
        unsigned char *copy = malloc(bytes + 1);
        assert_int_equal(rp__device_copy_out(&device, copy, index.residency->sections[i].at, bytes),
                         RP_OK);
        assert_int_equal(rp__device_wait(&device), RP_OK);
        assert_memory_equal(copy, host, bytes);
        free(copy);
    }
    rp__gpu_index_close(&index);
    rp__device_close(&device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

static void lists_point_into_it(void **state)
{
    (void)state;
    rp__device device;
    rp__gpu_index index;
    rp__arena arena;
    rp__term term;
    rp__list list;
    karg_list got;
    rp__arena_init(&arena, 1 << 20);
    open_device(&device, 0);
    assert_int_equal(rp__gpu_index_open(&index, &device, tiny.index.segment, 0), RP_OK);
    assert_int_equal(rp__segment_find(tiny.index.segment, "common", 6, &term), RP_OK);
    assert_int_equal(rp__segment_list(tiny.index.segment, &term, &arena, &list), RP_OK);
    assert_true(rp__gpu_index_list(&index, &list, &got));
    assert_int_equal(got.n, DOCS);
    assert_int_equal(got.n_blocks, list.n_blocks);
    uint32_t *last = malloc(list.n_blocks * sizeof *last);
    assert_int_equal(rp__device_copy_out(&device, last, got.last, list.n_blocks * sizeof *last),
                     RP_OK);
    assert_int_equal(rp__device_wait(&device), RP_OK);
    assert_memory_equal(last, list.last, list.n_blocks * sizeof *last);
    free(last);
    assert_int_equal(rp__gpu_index_at(&index, NULL), 0);
    assert_int_equal(rp__gpu_index_at(&index, &list), 0);
    rp__gpu_index_close(&index);
    rp__device_close(&device);
    rp__arena_reset(&arena);
}

static void too_little_memory_is_said(void **state)
{
    (void)state;
    rp__device device;
    rp__gpu_index index;
    open_device(&device, 0);
    assert_int_equal(rp__gpu_index_open(&index, &device, tiny.index.segment, 100), RP_NO_MEMORY);
    rp__device_close(&device);
    open_device(&device, 100);
    assert_int_equal(rp__gpu_index_open(&index, &device, tiny.index.segment, 0), RP_NO_MEMORY);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp__device_close(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_has_the_bytes_of_the_files),
        cmocka_unit_test(lists_point_into_it),
        cmocka_unit_test(too_little_memory_is_said),
    };
    return cmocka_run_group_tests(tests, open_index, close_index);
}
