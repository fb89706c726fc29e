/* test_synth_log.c: words bear one rank each; queries have the shares and the lengths of their row. */
#include "engine/synth.h"

#include <math.h>

#include "base/alloc.h"
#include "unit/files.h"

enum { QUERIES = 20000 };

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void test_words(void **state)
{
    (void)state;
    enum { WORDS = 30000 };
    static char words[WORDS][RP_SYNTH_WORD_MOST];
    for (uint64_t i = 0; i < WORDS; i++) {
        size_t n = rp__synth_log_word(i, words[i]);
        assert_int_equal(n, strlen(words[i]));
        assert_int_equal(n, i < 100 ? 2 : i < 10100 ? 4 : 6);
        assert_int_equal(strspn(words[i], "abcdefghijklmnoprstuvwxyz"), n);
    }
    qsort(words, WORDS, sizeof *words, by_text);
    for (size_t i = 1; i < WORDS; i++)
        assert_true(strcmp(words[i - 1], words[i]) < 0);
    char last[RP_SYNTH_WORD_MOST];
    assert_true(rp__synth_log_word((1ULL << 37) - 1, last) < RP_SYNTH_WORD_MOST);
}

static void expect_different(const rp__synth_log *log)
{
    for (uint32_t q = 0, at = 0; q < log->n_queries; at = log->ends[q++])
        for (uint32_t j = at; j < log->ends[q]; j++)
            for (uint32_t l = at; l < j; l++)
                assert_true(log->asked[j] != log->asked[l]);
}

static void test_shares(void **state)
{
    (void)state;
    for (size_t i = 0; rp__synth_rows_at(i); i++) {
        const rp__synth_row *row = rp__synth_rows_at(i);
        if (row->queries->expanded)
            continue;
        rp__synth_model m;
        rp__synth_log log;
        double counts[RP_SYNTH_SHARES] = {0}, sum = 0;
        assert_int_equal(rp__synth_lists_init(&m, row, row->docs, 3, RP_SYNTH_CRAWL), RP_OK);
        assert_int_equal(rp__synth_log_draw(&log, &m, QUERIES), RP_OK);
        for (uint32_t q = 0, at = 0; q < QUERIES; at = log.ends[q++]) {
            uint32_t k = log.ends[q] - at;
            assert_true(k >= 1 && k <= RP_SYNTH_SHARES);
            counts[k - 1]++;
        }
        expect_different(&log);
        assert_null(log.weights);
        for (size_t k = 0; k < RP_SYNTH_SHARES; k++)
            sum += row->queries->shares[k];
        for (size_t k = 0; k < RP_SYNTH_SHARES; k++)
            assert_true(fabs(counts[k] / QUERIES - row->queries->shares[k] / sum) < 0.015);
        for (size_t t = 1; t < log.n_terms; t++)
            assert_true(strcmp(log.terms[t - 1].word, log.terms[t].word) < 0);
        rp__synth_log_reset(&log);
        rp__synth_lists_reset(&m);
    }
}

/* All terms of the vocabulary are there; the user's own words weigh most. */
static void test_expanded(void **state)
{
    (void)state;
    for (size_t i = 0; rp__synth_rows_at(i); i++) {
        const rp__synth_row *row = rp__synth_rows_at(i);
        const rp__synth_queries *q = row->queries;
        rp__synth_model m;
        rp__synth_log log;
        if (!q->expanded)
            continue;
        assert_int_equal(rp__synth_lists_init(&m, row, 100000, 3, RP_SYNTH_CRAWL), RP_OK);
        assert_int_equal(rp__synth_log_draw(&log, &m, 200), RP_OK);
        assert_int_equal(log.n_terms, row->vocabulary);
        assert_int_equal(log.ends[199], 200 * q->expanded);
        expect_different(&log);
        for (uint32_t t = 0; t < log.ends[199]; t++)
            assert_in_range(log.weights[t], t % q->expanded < q->own ? 100 : 5,
                            t % q->expanded < q->own ? 300 : 100);
        rp__synth_log_reset(&log);
        rp__synth_lists_reset(&m);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    rp__synth_model m;
    assert_int_equal(rp__synth_lists_init(&m, rp__synth_rows_at(0), 5000, 3, RP_SYNTH_CRAWL),
                     RP_OK);
    for (uint64_t n = 1; n <= 4; n++) {
        rp__synth_log log;
        uint64_t before = rp__alloc_in_use();
        rp__alloc_fail_at(n, false);
        assert_int_equal(rp__synth_log_draw(&log, &m, 100), RP_NO_MEMORY);
        rp__alloc_fail_at(0, false);
        assert_true(rp__alloc_in_use() == before);
    }
    rp__synth_lists_reset(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_expanded),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
