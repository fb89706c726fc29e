/* test_random_list.c: moments against the closed form in exact integers, against enumeration and against
 * the variance; the widths of the paper's Table 5, and of lists drawn at random. */
#include "lab/random_list.h"

#include <math.h>

#include "codec/line.h"
#include "unit/codec/list_case.h"

__extension__ typedef __int128 wide;

static void assert_close(double have, double want, double relative)
{
    if (!(fabs(have - want) <= relative * fabs(want)))
        fail_msg("%.17g instead of %.17g", have, want);
}

static wide power_of(wide x, uint32_t r)
{
    wide all = 1;
    while (r-- > 0)
        all *= x;
    return all;
}

static wide rising(wide x, uint32_t p) /* x (x+1) ... (x+p-1) */
{
    wide all = 1;
    for (uint32_t i = 0; i < p; i++)
        all *= x + i;
    return all;
}

static wide binomial(wide n, wide k)
{
    wide all = 1;
    for (wide i = 1; i <= k; i++)
        all = all * (n - k + i) / i;
    return k < 0 || k > n ? 0 : all;
}

/* Ways to put l things into j boxes, none empty. */
static wide stirling(uint32_t l, uint32_t j)
{
    wide row[32] = {1};
    for (uint32_t a = 1; a <= l; a++)
        for (uint32_t b = a; b + 1 > 0; b--)
            row[b] = b ? row[b] * b + row[b - 1] : 0;
    return row[j];
}

/* Theorem E.3 times (n+1)^r (n+1)_r, which makes every term an integer; r even. */
static double closed_form(wide m, wide n, wide i, uint32_t r)
{
    wide top = 0, unit = rising(n + 1, r);
    for (uint32_t l = 0; l <= r; l++)
        for (uint32_t j = 0; j <= l; j++) {
            wide expected = rising(i, j) * rising(m + 1, j) * (unit / rising(n + 1, j));
            wide term = binomial(r, l) * stirling(l, j) * expected * power_of((m + 1) * i, r - l) *
                        power_of(n + 1, l);
            top += (r - j) % 2 ? -term : term;
        }
    return (double)top / (double)unit / (double)power_of(n + 1, r);
}

static void moments_are_those_of_theorem_e3(void **unused)
{
    (void)unused;
    for (uint64_t m = 1; m <= 24; m++)
        for (uint64_t n = 1; n <= m; n++)
            for (uint64_t i = 1; i <= n; i++)
                for (uint32_t r = 2; r <= 6; r += 2)
                    assert_close(rp__random_list_moment(m, n, i, r),
                                 closed_form((wide)m, (wide)n, (wide)i, r), 1e-12);
}

/* All docids that the i-th can be, with the number of lists in which it is. */
static void high_moments_by_enumeration(void **unused)
{
    (void)unused;
    const uint32_t orders[] = {1, 3, 22};
    for (uint64_t m = 30; m <= 60; m += 15)
        for (uint64_t n = 1; n <= m; n += 4)
            for (uint64_t i = 1; i <= n; i++)
                for (size_t o = 0; o < 3; o++) {
                    long double sum = 0, mean = (long double)(m + 1) * i / (n + 1);
                    for (uint64_t k = i; k <= m - n + i; k++)
                        sum += (long double)binomial((wide)k - 1, (wide)i - 1) *
                               (long double)binomial((wide)(m - k), (wide)(n - i)) *
                               powl(fabsl((long double)k - mean), orders[o]);
                    assert_close(rp__random_list_moment(m, n, i, orders[o]),
                                 (double)(sum / (long double)binomial((wide)m, (wide)n)), 1e-11);
                }
}

/* Formula (6), and that of the normal distribution, which a docid in the middle nearly has. */
static void moments_of_long_lists(void **unused)
{
    (void)unused;
    const uint64_t m = 1 << 24, sizes[] = {1, 2, 1000, 100000, 2000000, m - 5, m};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint64_t part = 1; part <= 4; part++) {
            uint64_t n = sizes[s], i = (n * part + 3) / 4;
            double variance = (double)i * (double)(1 + m) * (double)(1 - i + n) * (double)(m - n) /
                              ((double)(1 + n) * (double)(1 + n) * (double)(2 + n));
            assert_close(rp__random_list_variance(m, n, i), variance, 1e-14);
            assert_close(rp__random_list_moment(m, n, i, 2), variance, 1e-9);
        }
    double normal = 1, sigma = sqrt(rp__random_list_variance(m, 1000000, 500000));
    for (uint32_t odd = 1; odd < 22; odd += 2)
        normal *= odd * sigma * sigma;
    assert_close(rp__random_list_moment(m, 1000000, 500000, 22), normal, 1e-3);
}

/* The least t with Pr(|X - E(X)| >= t) < epsilon, counted, lies below what the moment shows. */
static void the_distance_is_a_bound(void **unused)
{
    (void)unused;
    const wide m = 60, n = 20, i = 10;
    for (double epsilon = 0.1; epsilon > 1e-6; epsilon /= 10) {
        double t = rp__random_list_distance(60, 20, 22, epsilon), outside = 0;
        for (wide k = i; k <= m - n + i; k++)
            if (fabs((double)k - rp__random_list_mean(60, 20, 10)) >= t)
                outside += (double)(binomial(k - 1, i - 1) * binomial(m - k, n - i)) /
                           (double)binomial(m, n);
        assert_true(outside <= epsilon);
        assert_true(t < rp__random_list_distance(60, 20, 2, epsilon));
    }
    assert_int_equal(rp__random_list_width(100, 100, 22, 1e-5), 0);
}

/* Table 5, whatever its K is. */
static void widths_of_table_5(void **unused)
{
    (void)unused;
    const uint32_t thousands[] = {100, 200, 400, 800, 1000, 2000};
    const uint32_t want[] = {18, 18, 17, 17, 17, 16};
    for (uint32_t k = 1000; k <= 1024; k += 24)
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(rp__random_list_width(1 << 24, (uint64_t)thousands[i] * k, 22, 1e-5),
                             want[i]);
    assert_int_equal(rp__random_list_width(1 << 24, 1 << 20, 22, 1e-5), 17);
    assert_int_equal(rp__random_list_width(1 << 24, 1 << 21, 22, 1e-5), 16);
}

static long double log_binomial(long double n, long double k)
{
    return lgammal(n + 1) - lgammal(k + 1) - lgammal(n - k + 1);
}

/* The least whole t with Pr(|X - E(X)| >= t) < epsilon of the docid in the middle, from the tails inward. */
static double counted_distance(uint64_t m, uint64_t n, double epsilon)
{
    uint64_t i = (n + 1) / 2;
    double mean = rp__random_list_mean(m, n, i), t = 9 * sqrt(rp__random_list_variance(m, n, i));
    long double outside = 0, all = log_binomial((long double)m, (long double)n);
    for (t = floor(t); t > 0; t--) {
        const double at[2] = {floor(mean - t), ceil(mean + t)};
        for (int side = 0; side < 2; side++)
            outside += expl(log_binomial(at[side] - 1, (long double)(i - 1)) +
                            log_binomial((long double)m - at[side], (long double)(n - i)) - all);
        if (outside >= epsilon)
            return t + 1;
    }
    return 0;
}

/* What the 22nd moment shows is less than a bit above what is so. */
static void the_width_is_within_one_bit(void **unused)
{
    (void)unused;
    for (uint64_t n = 100000; n <= 2000000; n *= 2) {
        double counted = counted_distance(1 << 24, n, 1e-5);
        double shown = rp__random_list_distance(1 << 24, n, 22, 1e-5);
        uint32_t width = rp__random_list_width(1 << 24, n, 22, 1e-5);
        assert_true(shown > counted && shown < 1.2 * counted);
        assert_in_range((uint32_t)ceil(log2(counted) + 1), width - 1, width);
    }
}

/* n docids below m: each is taken with the chance that is left. */
static void draw(uint64_t *rng, uint64_t m, uint64_t n, uint32_t *out)
{
    for (uint64_t k = 0, left = n; left > 0; k++)
        if (random_below(rng, m - k) < left) {
            *out++ = (uint32_t)k;
            left--;
        }
}

typedef struct widths {
    double segments; /* the mean over segments of 256 */
    uint32_t list;   /* of one width for all */
} widths;

/* Of distances from the line, made positive by the least of all. */
static widths widths_of(const uint32_t *docids, uint32_t n)
{
    widths w = {0, 0};
    rp__line line = rp__line_fit(docids, n);
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        int64_t distance = docids[i] - rp__line_at(line, i);
        least = distance < least ? distance : least;
    }
    for (uint32_t at = 0; at < n; at += 256) {
        uint32_t most = 0, count = n - at < 256 ? n - at : 256;
        for (uint32_t i = at; i < at + count; i++) {
            uint32_t v = (uint32_t)(docids[i] - rp__line_at(line, i) - least);
            most = v > most ? v : most;
        }
        w.segments += (double)rp__bits_width(most) * count / n;
        w.list = rp__bits_width(most) > w.list ? rp__bits_width(most) : w.list;
    }
    return w;
}

/* A list strays 2.5 standard deviations of its middle docid from its lowest to its highest point, on
 * average and less with the line that fits it best, while the bound allows 4.9 to either side; so one
 * width for the list is about two bits below the bound, and widths by segment another one. */
static void random_lists_take_fewer_bits(void **unused)
{
    (void)unused;
    const uint32_t sizes[] = {100000, 200000, 400000, 800000, 1000000, 2000000};
    uint64_t rng = 5;
    uint32_t *docids = malloc(2000000 * sizeof *docids);
    for (size_t s = 0; s < 6; s++) {
        uint32_t bound = rp__random_list_width(1 << 24, sizes[s], 22, 1e-5);
        for (int round = 0; round < 3; round++) {
            draw(&rng, 1 << 24, sizes[s], docids);
            widths w = widths_of(docids, sizes[s]);
            assert_in_range(w.list, bound - 3, bound);
            assert_true(w.segments > bound - 4.5 && w.segments < w.list);
        }
    }
    free(docids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_those_of_theorem_e3),
        cmocka_unit_test(high_moments_by_enumeration),
        cmocka_unit_test(moments_of_long_lists),
        cmocka_unit_test(the_distance_is_a_bound),
        cmocka_unit_test(widths_of_table_5),
        cmocka_unit_test(the_width_is_within_one_bit),
        cmocka_unit_test(random_lists_take_fewer_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
