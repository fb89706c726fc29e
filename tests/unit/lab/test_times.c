/* test_times.c: sorted times, few and many, and their percentiles. */
#include "lab/times.h"

#include "base/random.h"
#include "unit/files.h"

static int rising(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* As qsort does, whatever their number and their bits are. */
static void test_sort(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 4095, 4096, 5000, 60000};
    static const unsigned bits[] = {0, 1, 10, 11, 12, 30, 44, 63, 64};
    rp__random random;
    rp__random_init(&random, 3);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof bits / sizeof *bits; j++) {
            const size_t n = sizes[i];
            uint64_t *times = calloc(n + 1, sizeof *times), *want = calloc(n + 1, sizeof *want);
            for (size_t t = 0; t < n; t++)
                want[t] = times[t] = bits[j] ? rp__random_next(&random) >> (64 - bits[j]) : 0;
            rp__times_sort(times, n);
            qsort(want, n, sizeof *want, rising);
            assert_memory_equal(times, want, (n + 1) * sizeof *want);
            free(times);
            free(want);
        }
}

static void test_percentiles(void **state)
{
    (void)state;
    uint64_t times[] = {50, 10, 40, 20, 30};
    assert_int_equal(rp__times_median(times, 5), 30);
    assert_int_equal(rp__times_at(times, 5, 0), 10);
    assert_int_equal(rp__times_at(times, 5, 0.99), 50);
    assert_int_equal(rp__times_at(times, 5, 1), 50);
    assert_int_equal(rp__times_at(times, 0, 0.5), 0);
    assert_true(rp__times_in(times, 5, 0.5, RP_TIMES_US) == 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_percentiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
