/* test_histogram.c: shares of values against those of the sorted values. */
#include "lab/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "lab/times.h"

static rp__histogram h, other; /* too large for a stack */

static void small_values_are_exact(void **state)
{
    (void)state;
    h = (rp__histogram){0};
    assert_int_equal(rp__histogram_at(&h, 0.5), 0);
    for (uint64_t i = 1; i <= 100; i++)
        rp__histogram_add(&h, i);
    assert_int_equal(rp__histogram_at(&h, 0.5), 50);
    assert_int_equal(rp__histogram_at(&h, 0.99), 99);
    assert_int_equal(rp__histogram_at(&h, 1), 100);
    assert_int_equal(h.sum, 5050);
}

/* Of any size, and in two parts. */
static void others_are_near(void **state)
{
    enum { N = 20000 };
    static uint64_t values[N];
    static const double shares[] = {0.01, 0.5, 0.9, 0.99, 0.999, 1};
    rp__random random;
    (void)state;
    rp__random_init(&random, 3);
    h = other = (rp__histogram){0};
    for (size_t i = 0; i < N; i++) {
        values[i] = rp__random_next(&random) >> rp__random_below(&random, 64);
        rp__histogram_add(i % 2 ? &h : &other, values[i]);
    }
    rp__histogram_merge(&h, &other);
    rp__times_sort(values, N);
    assert_int_equal(h.n, N);
    assert_int_equal(h.most, values[N - 1]);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const uint64_t want = values[(size_t)(shares[i] * N + 0.5) - 1];
        const uint64_t got = rp__histogram_at(&h, shares[i]);
        assert_true(got >= want && got - want <= want / 128);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_values_are_exact),
                                       cmocka_unit_test(others_are_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
