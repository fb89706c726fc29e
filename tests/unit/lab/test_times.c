/* test_times.c: percentiles of times, by rank. */
#include "lab/times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void sorted(void **state)
{
    (void)state;
    uint64_t times[] = {30, 10, UINT64_MAX, 0, 20};
    rp__times_sort(times, 5);
    const uint64_t want[] = {0, 10, 20, 30, UINT64_MAX};
    assert_memory_equal(times, want, sizeof want);
}

static void shares(void **state)
{
    (void)state;
    uint64_t times[100];
    for (uint64_t i = 0; i < 100; i++)
        times[i] = 100 + i;
    assert_int_equal(rp__times_at(times, 100, 0), 100);
    assert_int_equal(rp__times_at(times, 100, 0.5), 150);
    assert_int_equal(rp__times_at(times, 100, 0.99), 199);
    assert_int_equal(rp__times_at(times, 100, 1), 199);
    assert_int_equal(rp__times_at(times, 1, 0.5), 100);
    assert_int_equal(rp__times_at(times, 0, 0.5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorted), cmocka_unit_test(shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
