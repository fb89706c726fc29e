/* test_regression.c: R^2, deviations and contraction against lists whose values are known, and against
 * the definition. */
#include "codec/regression.h"

#include <math.h>

#include "list_case.h"

static void assert_near(double have, double want, double within)
{
    if (!(fabs(have - want) <= within))
        fail_msg("%.17g instead of %.17g", have, want);
}

static void a_straight_list_leaves_nothing_to_search(void **unused)
{
    (void)unused;
    for (uint32_t gap = 1; gap <= 1000; gap *= 10) {
        uint32_t docids[1000];
        for (uint32_t i = 0; i < 1000; i++)
            docids[i] = 7 + i * gap;
        assert_near(rp__regression_determination(docids, 1000), 1, 1e-12);
        assert_near(rp__regression_contraction(docids, 1000), 0, 1e-9);
        assert_near(rp__regression_local(docids, 1000, 256).most, 0, 1e-9);
    }
}

static void one_docid_lies_on_its_line(void **unused)
{
    (void)unused;
    const uint32_t docid = UINT32_MAX - 1;
    rp__deviation d = rp__regression_deviation(&docid, 1);
    assert_near(rp__regression_determination(&docid, 1), 1, 0);
    assert_near(d.left + d.right + rp__regression_contraction(&docid, 1), 0, 0);
}

/* Docids 0 1 5: slope 2.5, mean 2, R^2 = 5^2 / (2 * 14); the line's inverse gives 0.2 0.6 2.2. */
static void values_by_hand(void **unused)
{
    (void)unused;
    const uint32_t docids[] = {0, 1, 5};
    rp__deviation d = rp__regression_deviation(docids, 3);
    assert_near(rp__regression_determination(docids, 3), 25.0 / 28, 1e-15);
    assert_near(d.left, 0.2, 1e-15);
    assert_near(d.right, 0.4, 1e-15);
    assert_near(rp__regression_contraction(docids, 3), 0.2, 1e-15);
}

/* R^2 is one less the share of squares that the line leaves; every rank is in its range. */
static void random_lists_by_definition(void **unused)
{
    (void)unused;
    uint64_t rng = 1;
    uint32_t *docids = malloc(5000 * sizeof *docids);
    for (int round = 0; round < 200; round++) {
        uint32_t n = 1 + random_length(&rng, 4999);
        make_docids(&rng, (shape)(round % N_SHAPES), n,
                    (uint32_t)(n + random_below(&rng, 1U << 30)), docids);
        double sum = 0, product = 0, ranks = 0, squares = 0, left_over = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += docids[i];
        for (uint32_t i = 0; i < n; i++) {
            double x = i - (n - 1) / 2.0, y = docids[i] - sum / n;
            product += x * y;
            ranks += x * x;
            squares += y * y;
        }
        rp__deviation d = rp__regression_deviation(docids, n);
        for (uint32_t i = 0; i < n; i++) {
            double x = i - (n - 1) / 2.0, y = docids[i] - sum / n;
            double rank = y * ranks / product + (n - 1) / 2.0;
            left_over += (y - x * product / ranks) * (y - x * product / ranks);
            assert_true(i >= rank - d.left - 1e-6 * n && i <= rank + d.right + 1e-6 * n);
        }
        assert_near(rp__regression_determination(docids, n), 1 - left_over / squares, 1e-8);
    }
    free(docids);
}

/* The more linear the whole, the smaller the ratio; lines of segments lie closer than one for all. */
static void segments_contract_more(void **unused)
{
    (void)unused;
    enum { N = 100000 };
    uint64_t rng = 2;
    uint32_t *docids = malloc(N * sizeof *docids);
    make_docids(&rng, CLUSTERED, N, 1U << 30, docids);
    rp__contraction local = rp__regression_local(docids, N, 256);
    assert_true(local.mean <= local.most);
    double bent = rp__regression_contraction(docids, N), bent_fit;
    bent_fit = rp__regression_determination(docids, N);
    make_docids(&rng, UNIFORM, N, 1U << 30, docids);
    assert_true(rp__regression_contraction(docids, N) < 0.02);
    assert_true(rp__regression_determination(docids, N) > 0.999);
    assert_true(bent > rp__regression_contraction(docids, N));
    assert_true(bent_fit < rp__regression_determination(docids, N));
    rp__contraction one = rp__regression_local(docids, N, N);
    assert_near(one.most, rp__regression_contraction(docids, N), 0);
    assert_near(one.mean, one.most, 0);
    free(docids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_list_leaves_nothing_to_search),
        cmocka_unit_test(one_docid_lies_on_its_line),
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(random_lists_by_definition),
        cmocka_unit_test(segments_contract_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
