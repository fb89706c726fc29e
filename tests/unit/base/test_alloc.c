/* test_alloc.c: counters, overflow checks, growth, and failures on demand. */
#include "base/alloc.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void gives_a_pointer_for_zero_bytes(void **state)
{
    (void)state;
    void *a = rp__alloc(0), *b = rp__alloc_zero(0, 8), *c = rp__alloc_array(8, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    rp__free(a);
    rp__free(b);
    rp__free(c);
    rp__free(NULL);
}

static void zeroes(void **state)
{
    (void)state;
    static const uint8_t zeros[1000];
    uint8_t *p = rp__alloc_zero(250, 4);
    assert_non_null(p);
    assert_memory_equal(p, zeros, sizeof zeros);
    rp__free(p);
}

static void refuses_sizes_that_overflow(void **state)
{
    (void)state;
    size_t half = SIZE_MAX / 2 + 1;
    assert_null(rp__alloc_array(half, 2));
    assert_null(rp__alloc_zero(half, 2));
    char *p = rp__alloc(4);
    assert_non_null(p);
    p[0] = 'x';
    assert_null(rp__alloc_resize(p, half, 2));
    assert_int_equal(p[0], 'x');
    rp__free(p);
}

static void counts_what_is_in_use(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use(), calls = rp__alloc_count();
    rp__alloc_reset_peak();
    assert_int_equal(rp__alloc_peak(), before);
    void *p = rp__alloc(1000);
    assert_true(rp__alloc_in_use() >= before + 1000);
    p = rp__alloc_resize(p, 5000, 1);
    assert_non_null(p);
    uint64_t high = rp__alloc_in_use();
    assert_true(high >= before + 5000 && high < before + 6000);
    rp__free(p);
    assert_int_equal(rp__alloc_in_use(), before);
    assert_true(rp__alloc_peak() >= high);
    assert_int_equal(rp__alloc_count(), calls + 2);
}

enum { THREADS = 8, ROUNDS = 20000, KEPT = 100, PIECE = 500 };

/* Each thread frees what the one before it has allocated. */
static void *allocate_and_free(void *arg)
{
    void **kept = arg;
    for (int i = 0; i < ROUNDS; i++) {
        rp__free(kept[i % KEPT]);
        kept[i % KEPT] = rp__alloc(PIECE);
    }
    return NULL;
}

/* Bytes and calls of all threads, also of those that have ended, and a peak that is near. */
static void counts_of_threads_add_up(void **state)
{
    (void)state;
    static void *kept[THREADS][KEPT];
    const uint64_t before = rp__alloc_in_use(), calls = rp__alloc_count();
    rp__alloc_reset_peak();
    for (int turn = 0; turn < 2; turn++) {
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, allocate_and_free, kept[i]), 0);
        for (size_t i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    const uint64_t held = THREADS * KEPT * (uint64_t)PIECE, own = THREADS * 32 * UINT64_C(1024);
    assert_int_equal(rp__alloc_count() - calls, 2 * THREADS * (uint64_t)ROUNDS);
    assert_in_range(rp__alloc_in_use() - before, held, held + held / 8);
    assert_in_range(rp__alloc_peak() - before + own, held, held + held / 8 + 2 * own);
    for (size_t i = 0; i < THREADS; i++)
        for (size_t k = 0; k < KEPT; k++)
            rp__free(kept[i][k]);
    assert_int_equal(rp__alloc_in_use(), before);
}

static void grows_by_doubling_and_keeps_contents(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t cap = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(rp__alloc_grow(&array, &cap, i + 1, sizeof *array));
        array[i] = i;
    }
    assert_true(cap >= 1000 && cap <= 2000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    uint64_t calls = rp__alloc_count();
    assert_true(rp__alloc_grow(&array, &cap, cap, sizeof *array));
    assert_int_equal(rp__alloc_count(), calls);
    rp__free(array);
}

static void leaves_all_as_it_was_when_growing_fails(void **state)
{
    (void)state;
    uint8_t *array = NULL;
    size_t cap = 0;
    assert_true(rp__alloc_grow(&array, &cap, 3, 1));
    memcpy(array, "abc", 3);
    uint8_t *old = array;
    size_t old_cap = cap;
    assert_false(rp__alloc_grow(&array, &cap, SIZE_MAX, 8));
    rp__alloc_fail_at(1, false);
    assert_false(rp__alloc_grow(&array, &cap, 100, 1));
    rp__alloc_fail_at(0, false);
    assert_ptr_equal(array, old);
    assert_int_equal(cap, old_cap);
    assert_memory_equal(array, "abc", 3);
    rp__free(array);
}

static void grows_large_arrays_by_a_quarter(void **state)
{
    (void)state;
    uint8_t *array = NULL;
    size_t cap = 0;
    assert_true(rp__alloc_grow(&array, &cap, 3 << 20, 1));
    assert_int_equal(cap, 3 << 20);
    assert_true(rp__alloc_grow(&array, &cap, (3 << 20) + 1, 1));
    assert_int_equal(cap, (3 << 20) / 4 * 5);
    rp__free(array);
}

static void keeps_the_limit_of_the_thread(void **state)
{
    (void)state;
    enum { SMALL = 1000, LARGE = 4 << 20 };
    uint64_t limit = rp__alloc_in_use() + LARGE, before = rp__alloc_set_limit(limit);
    assert_int_equal(before, 0);
    void *small = rp__alloc(SMALL);
    assert_non_null(small);
    assert_false(rp__alloc_was_refused());
    assert_null(rp__alloc(LARGE));
    assert_true(rp__alloc_was_refused());
    assert_null(rp__alloc_zero(LARGE, 1));
    assert_null(rp__alloc_random(LARGE, 1));
    assert_null(rp__alloc_resize(small, LARGE + 1, 1));
    small = rp__alloc_resize(small, LARGE / 2, 1);
    assert_non_null(small);
    small = rp__alloc_resize(small, SMALL, 1);
    assert_int_equal(rp__alloc_set_limit(before), limit);
    void *large = rp__alloc(LARGE);
    assert_non_null(large);
    rp__free(large);
    rp__free(small);
}

static void fails_once_at_the_nth(void **state)
{
    (void)state;
    rp__alloc_fail_at(2, false);
    void *a = rp__alloc(1), *b = rp__alloc(1), *c = rp__alloc(1);
    rp__alloc_fail_at(0, false);
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    rp__free(a);
    rp__free(c);
}

static void fails_from_the_nth_on_when_sticky(void **state)
{
    (void)state;
    rp__alloc_fail_at(2, true);
    void *a = rp__alloc(1), *b = rp__alloc_zero(1, 1), *c = rp__alloc_array(1, 1);
    void *d = rp__alloc_resize(NULL, 1, 1);
    rp__alloc_fail_at(0, false);
    assert_non_null(a);
    assert_null(b);
    assert_null(c);
    assert_null(d);
    rp__free(a);
    a = rp__alloc(1);
    assert_non_null(a);
    rp__free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_a_pointer_for_zero_bytes),
        cmocka_unit_test(zeroes),
        cmocka_unit_test(refuses_sizes_that_overflow),
        cmocka_unit_test(counts_what_is_in_use),
        cmocka_unit_test(counts_of_threads_add_up),
        cmocka_unit_test(grows_by_doubling_and_keeps_contents),
        cmocka_unit_test(grows_large_arrays_by_a_quarter),
        cmocka_unit_test(keeps_the_limit_of_the_thread),
        cmocka_unit_test(leaves_all_as_it_was_when_growing_fails),
        cmocka_unit_test(fails_once_at_the_nth),
        cmocka_unit_test(fails_from_the_nth_on_when_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
