/* test_synth_lists.c: lists rise, are as long as they should be, cluster by order, and meet by topic;
 * the numbers that they are made of have their means. */
#include "engine/synth.h"

#include <math.h>

#include "base/alloc.h"
#include "codec/regression.h"
#include "unit/files.h"

enum { DOCS = 300000, NUMBERS = 200000 };

static uint32_t docids[DOCS], tfs[DOCS], others[DOCS];
static double densities[4096];

static void begin(rp__synth_model *m, rp_synth_order order)
{
    assert_int_equal(rp__synth_lists_init(m, rp__synth_rows_at(0), DOCS, 5, order), RP_OK);
    assert_true(m->n_sites > 1 && m->n_sites <= 4096);
    assert_int_equal(m->begins[0], 0);
    assert_int_equal(m->begins[m->n_sites], DOCS);
}

static void test_numbers(void **state)
{
    (void)state;
    rp__synth_random r = rp__synth_random_of(1, 2);
    rp__synth_layers layers;
    rp__synth_random_layers(&layers);
    double sum = 0, squares = 0, far = 0;
    for (int i = 0; i < NUMBERS; i++) {
        double x = rp__synth_random_exponential(&r, &layers);
        sum += x;
        squares += x * x;
        far += x > 8;
    }
    assert_true(fabs(sum / NUMBERS - 1) < 0.01);
    assert_true(fabs(squares / NUMBERS - 2) < 0.05);
    assert_true(far / NUMBERS > exp(-8) / 2 && far / NUMBERS < exp(-8) * 2);
    static const double shapes[] = {0.05, 0.7, 3, 40};
    for (size_t s = 0; s < 4; s++) {
        sum = squares = 0;
        for (int i = 0; i < NUMBERS; i++) {
            double x = rp__synth_random_gamma(&r, shapes[s]);
            sum += x;
            squares += (x - shapes[s]) * (x - shapes[s]);
        }
        assert_true(fabs(sum / NUMBERS / shapes[s] - 1) < 0.05);
        assert_true(fabs(squares / NUMBERS / shapes[s] - 1) < 0.1);
    }
}

static void test_lengths(void **state)
{
    (void)state;
    for (int order = RP_SYNTH_CRAWL; order <= RP_SYNTH_RANK; order++) {
        rp__synth_model m;
        begin(&m, (rp_synth_order)order);
        for (uint64_t rank = 0; rank < 10000000; rank = rank * 3 / 2 + 1) {
            uint32_t n = rp__synth_lists_draw(&m, rank, densities, docids, tfs);
            double wanted = rp__synth_lists_share(m.row, rank) * DOCS;
            assert_true(n >= 1 && n <= rp__synth_lists_most(&m, rank));
            assert_true(fabs(n - wanted) <= 8 * sqrt(wanted) + 2);
            for (uint32_t i = 0; i < n; i++) {
                assert_true(docids[i] < DOCS && (i == 0 || docids[i - 1] < docids[i]));
                assert_true(tfs[i] >= 1 && tfs[i] <= 50);
            }
        }
        rp__synth_lists_reset(&m);
    }
}

static void test_ranks(void **state)
{
    (void)state;
    const rp__synth_row *row = rp__synth_rows_at(0);
    for (uint64_t rank = 0; rank < 1000000; rank = rank * 2 + 1) {
        uint64_t back = rp__synth_lists_rank(row, rp__synth_lists_share(row, rank) * 0.999999999);
        assert_true(back == rank);
    }
}

/* The same list, alone or after others. */
static void test_repeatable(void **state)
{
    (void)state;
    rp__synth_model m;
    begin(&m, RP_SYNTH_CRAWL);
    uint32_t n = rp__synth_lists_draw(&m, 77, densities, docids, tfs);
    rp__synth_lists_draw(&m, 78, densities, others, tfs);
    assert_int_equal(rp__synth_lists_draw(&m, 77, densities, others, tfs), n);
    assert_memory_equal(docids, others, n * sizeof *docids);
    rp__synth_lists_reset(&m);
}

static double mean_contraction(rp_synth_order order)
{
    enum { LISTS = 40 };
    double sum = 0;
    rp__synth_model m;
    begin(&m, order);
    for (uint64_t rank = 200; rank < 200 + LISTS; rank++) {
        uint32_t n = rp__synth_lists_draw(&m, rank, densities, docids, tfs);
        sum += rp__regression_contraction(docids, n);
    }
    rp__synth_lists_reset(&m);
    return sum / LISTS;
}

static void test_orders(void **state)
{
    (void)state;
    double crawl = mean_contraction(RP_SYNTH_CRAWL), random = mean_contraction(RP_SYNTH_RANDOM);
    double rank = mean_contraction(RP_SYNTH_RANK);
    assert_true(random < crawl / 3 && crawl < rank);
}

static uint32_t count_common(uint32_t n, uint32_t n_others)
{
    uint32_t common = 0;
    for (uint32_t i = 0, j = 0; i < n && j < n_others;) {
        uint32_t x = docids[i], y = others[j];
        common += x == y;
        i += x <= y;
        j += y <= x;
    }
    return common;
}

/* Two terms of one topic meet more often than chance has it, two of different ones about as often. */
static void test_topics(void **state)
{
    (void)state;
    enum { PAIRS = 20 };
    rp__synth_model m;
    double same = 0, different = 0;
    begin(&m, RP_SYNTH_RANDOM);
    for (uint64_t i = 0; i < PAIRS; i++) {
        uint64_t rank = 1000 + i;
        uint32_t n = rp__synth_lists_draw(&m, rank, densities, docids, tfs);
        uint32_t n_other = rp__synth_lists_draw(&m, rank + RP_SYNTH_TOPICS, densities, others, tfs);
        same += count_common(n, n_other) / ((double)n * n_other / DOCS);
        n_other = rp__synth_lists_draw(&m, rank + 1, densities, others, tfs);
        different += count_common(n, n_other) / ((double)n * n_other / DOCS);
    }
    assert_true(same / PAIRS > 10);
    assert_true(different / PAIRS < 1.5);
    rp__synth_lists_reset(&m);
}

static void test_document_lengths(void **state)
{
    (void)state;
    rp__synth_model m;
    double logs = 0;
    begin(&m, RP_SYNTH_CRAWL);
    for (uint32_t d = 0; d < DOCS; d++) {
        uint32_t length = rp__synth_lists_length(&m, d);
        assert_true(length >= 50 && length <= 60000);
        logs += log(length);
    }
    assert_true(fabs(logs / DOCS - m.row->length_log) < 0.05);
    rp__synth_lists_reset(&m);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 2; n++) {
        rp__synth_model m;
        uint64_t before = rp__alloc_in_use();
        rp__alloc_fail_at(n, false);
        assert_int_equal(rp__synth_lists_init(&m, rp__synth_rows_at(0), DOCS, 5, RP_SYNTH_CRAWL),
                         RP_NO_MEMORY);
        rp__alloc_fail_at(0, false);
        rp__synth_lists_reset(&m);
        assert_true(rp__alloc_in_use() == before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_topics),
        cmocka_unit_test(test_document_lengths),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
