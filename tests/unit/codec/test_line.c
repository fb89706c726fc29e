/* test_line.c: the line through a list, in fixed point. */
#include "list_case.h"

#include <math.h>

#include "codec/line.h"

/* Ao et al. 2011, 2.1 and 2.2: slopes 98 / 10 and 234 / 10 through the means 27.2 and 44.4. */
static void lines_by_hand(void **unused)
{
    (void)unused;
    const uint32_t cup[] = {13, 16, 17, 40, 50}, other[] = {8, 26, 30, 40, 118};
    rp__line line = rp__line_fit(cup, 5);
    assert_int_equal(line.a, 0x9CCCCCC); /* 9.8 */
    for (uint32_t i = 0; i < 5; i++)     /* 7.6 17.4 27.2 37 46.8, but 37 is not reached */
        assert_int_equal(rp__line_at(line, i), ((const int64_t[]){7, 17, 27, 36, 46})[i]);
    line = rp__line_fit(other, 5);
    assert_int_equal(line.a, 0x17666666); /* 23.4 */
    for (uint32_t i = 0; i < 5; i++)      /* -2.4 21 44.4 67.8 91.2 */
        assert_int_equal(rp__line_at(line, i), ((const int64_t[]){-3, 21, 44, 67, 91})[i]);
}

static void one_docid_is_level(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {4000000000U};
    rp__line line = rp__line_fit(docids, 1);
    assert_int_equal(line.a, 0);
    assert_int_equal(rp__line_at(line, 0), 4000000000U);
    assert_int_equal(rp__line_at(line, UINT32_MAX), 4000000000U);
}

static void even_lists_are_met(void **unused)
{
    (void)unused;
    static uint32_t docids[5000];
    for (uint32_t gap = 1; gap < 500000; gap = gap * 3 + 1) {
        for (uint32_t i = 0; i < 5000; i++)
            docids[i] = 7 + gap * i;
        rp__line line = rp__line_fit(docids, 5000);
        assert_int_equal(line.a, (int64_t)gap << RP_LINE_SHIFT);
        for (uint32_t i = 0; i < 5000; i++)
            assert_int_equal(rp__line_at(line, i), docids[i]);
    }
}

/* Against double, and the two facts that the codecs build on: a line through rising docids rises by at
 * least 1 a slot, and what docids stray from it spans less than 2^32. */
static void random_lists_of_every_shape(void **unused)
{
    (void)unused;
    uint64_t rng = 4;
    for (int round = 0; round < 600; round++) {
        uint32_t n = 1 + random_length(&rng, 5000), *docids = malloc(n * sizeof *docids);
        make_docids(&rng, (shape)(round % N_SHAPES), n, UINT32_MAX, docids);
        rp__line line = rp__line_fit(docids, n);
        double mean_x = (n - 1) / 2.0, mean = 0, xy = 0, xx = 0;
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (uint32_t i = 0; i < n; i++)
            mean += docids[i] / (double)n;
        for (uint32_t i = 0; i < n; i++) {
            int64_t strays = docids[i] - rp__line_at(line, i);
            least = strays < least ? strays : least;
            most = strays > most ? strays : most;
            xy += (i - mean_x) * (docids[i] - mean);
            xx += (i - mean_x) * (i - mean_x);
        }
        double slope = (double)line.a / (1 << RP_LINE_SHIFT);
        assert_true(fabs(slope - xy / xx) <= 1e-6 * slope);
        assert_true(fabs((double)rp__line_at(line, 0) - (mean - slope * mean_x)) < 4);
        assert_true(line.a >= 1 << RP_LINE_SHIFT);
        assert_true(most - least <= UINT32_MAX);
        free(docids);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_by_hand),
        cmocka_unit_test(one_docid_is_level),
        cmocka_unit_test(even_lists_are_met),
        cmocka_unit_test(random_lists_of_every_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
