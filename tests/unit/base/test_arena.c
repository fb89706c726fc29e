/* test_arena.c: alignment, the cap, marks, reuse of memory, and no leak. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

static void aligns_everything_to_64(void **state)
{
    (void)state;
    rp__arena arena;
    rp__arena_init(&arena, 1 << 20);
    for (size_t bytes = 0; bytes < 200; bytes += 7) {
        void *p = rp__arena_alloc(&arena, bytes);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, 0xAA, bytes);
    }
    rp__arena_reset(&arena);
}

static void gives_blocks_that_do_not_overlap(void **state)
{
    (void)state;
    rp__arena arena;
    rp__arena_init(&arena, 16 << 20);
    uint8_t *blocks[300];
    for (size_t i = 0; i < 300; i++) {
        blocks[i] = rp__arena_alloc(&arena, 1 + i * 13);
        assert_non_null(blocks[i]);
        memset(blocks[i], (int)(i & 0xFF), 1 + i * 13);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t j = 0; j < 1 + i * 13; j++)
            assert_int_equal(blocks[i][j], i & 0xFF);
    rp__arena_reset(&arena);
}

static void keeps_to_its_cap(void **state)
{
    (void)state;
    rp__arena arena;
    rp__arena_init(&arena, 1024);
    assert_null(rp__arena_alloc(&arena, 1025));
    assert_non_null(rp__arena_alloc(&arena, 1024));
    assert_null(rp__arena_alloc(&arena, 0));
    rp__arena_clear(&arena);
    assert_non_null(rp__arena_alloc(&arena, 960));
    assert_non_null(rp__arena_alloc(&arena, 1));
    assert_null(rp__arena_alloc(&arena, 1));
    rp__arena_reset(&arena);
}

static void refuses_sizes_that_overflow(void **state)
{
    (void)state;
    rp__arena arena;
    rp__arena_init(&arena, SIZE_MAX);
    assert_null(rp__arena_alloc(&arena, SIZE_MAX));
    assert_null(rp__arena_alloc(&arena, SIZE_MAX - 63));
    assert_null(rp__arena_array(&arena, SIZE_MAX / 2, 3));
    assert_null(rp__arena_zero(&arena, SIZE_MAX / 2, 3));
    assert_null(rp__arena_copy(&arena, "", SIZE_MAX));
    assert_int_equal(arena.used, 0);
    rp__arena_reset(&arena);
}

static void zeroes_reused_memory(void **state)
{
    (void)state;
    static const uint8_t zeros[500];
    rp__arena arena;
    rp__arena_init(&arena, 1 << 20);
    memset(rp__arena_alloc(&arena, 500), 0xFF, 500);
    rp__arena_clear(&arena);
    assert_memory_equal(rp__arena_zero(&arena, 100, 5), zeros, 500);
    rp__arena_reset(&arena);
}

static void copies_with_a_nul_behind(void **state)
{
    (void)state;
    rp__arena arena;
    rp__arena_init(&arena, 1 << 20);
    memset(rp__arena_alloc(&arena, 256), 0xFF, 256);
    rp__arena_clear(&arena);
    assert_string_equal(rp__arena_copy(&arena, "wing span", 4), "wing");
    assert_string_equal(rp__arena_copy(&arena, NULL, 0), "");
    rp__arena_reset(&arena);
}

static void goes_back_to_a_mark(void **state)
{
    (void)state;
    rp__arena arena;
    rp__arena_init(&arena, 64 << 20);
    char *kept = rp__arena_copy(&arena, "kept", 4);
    rp__arena_mark mark = rp__arena_get_mark(&arena);
    char *first = rp__arena_alloc(&arena, 64);
    for (size_t i = 0; i < 10; i++)
        assert_non_null(rp__arena_alloc(&arena, 100000));
    rp__arena_rewind(&arena, mark);
    assert_int_equal(arena.used, mark.used);
    assert_string_equal(kept, "kept");
    assert_ptr_equal(rp__arena_alloc(&arena, 64), first);
    rp__arena_reset(&arena);
}

static void reuses_its_memory_after_clear(void **state)
{
    (void)state;
    rp__arena arena;
    rp__arena_init(&arena, 64 << 20);
    for (size_t i = 0; i < 10; i++)
        assert_non_null(rp__arena_alloc(&arena, 100000));
    uint64_t calls = rp__alloc_count();
    for (int round = 0; round < 5; round++) {
        rp__arena_clear(&arena);
        for (size_t i = 0; i < 10; i++)
            assert_non_null(rp__arena_alloc(&arena, 100000));
    }
    assert_int_equal(rp__alloc_count(), calls);
    rp__arena_reset(&arena);
}

static void gives_all_back(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    rp__arena arena;
    rp__arena_init(&arena, 64 << 20);
    for (size_t i = 0; i < 20; i++)
        assert_non_null(rp__arena_alloc(&arena, i * 10000));
    rp__arena_clear(&arena);
    assert_non_null(rp__arena_alloc(&arena, 10));
    rp__arena_reset(&arena);
    assert_int_equal(rp__alloc_in_use(), before);
    rp__arena_reset(&arena);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    rp__arena arena;
    rp__arena_init(&arena, 1 << 20);
    rp__alloc_fail_at(1, true);
    assert_null(rp__arena_alloc(&arena, 1));
    assert_null(rp__arena_copy(&arena, "x", 1));
    rp__alloc_fail_at(0, false);
    assert_int_equal(arena.used, 0);
    assert_non_null(rp__arena_alloc(&arena, 1));
    rp__arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligns_everything_to_64),
        cmocka_unit_test(gives_blocks_that_do_not_overlap),
        cmocka_unit_test(keeps_to_its_cap),
        cmocka_unit_test(refuses_sizes_that_overflow),
        cmocka_unit_test(zeroes_reused_memory),
        cmocka_unit_test(copies_with_a_nul_behind),
        cmocka_unit_test(goes_back_to_a_mark),
        cmocka_unit_test(reuses_its_memory_after_clear),
        cmocka_unit_test(gives_all_back),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
