/* test_term_queries.c: queries of an index's own terms: two to four that differ, all known, in many ratios of lengths; the same for
 * the same seed. */
#include "unit/tiny_index.h"

#include "lab/lab.h"
#include "lab/term_queries.h"

enum { TEXTS = 256, WORDS = 10 };

/* The i-th term is in every 2^i-th text. */
static void open_terms(tiny_index *tiny)
{
    static char texts[TEXTS][WORDS * 8];
    const char *all[TEXTS];
    for (unsigned i = 0; i < TEXTS; i++) {
        char *at = texts[i];
        for (unsigned k = 0; k < WORDS; k++)
            if (i % (1U << k) == 0)
                at += sprintf(at, "t%u u%u ", k, k);
        all[i] = texts[i];
    }
    tiny_open(tiny, all, TEXTS, (tiny_options){0});
}

static void queries_are_of_known_terms(void **state)
{
    (void)state;
    tiny_index tiny;
    rp__bench_query_set set, again;
    rp_error err = {0};
    rp_searcher *searcher;
    bool has_terms[5] = {false};
    open_terms(&tiny);
    assert_int_equal(rp__term_queries_make(&set, &tiny.index, 200, 7, &err), RP_OK);
    assert_int_equal(rp__term_queries_make(&again, &tiny.index, 200, 7, &err), RP_OK);
    assert_int_equal(set.n, 200);
    assert_int_equal(again.n, 200);
    assert_int_equal(rp_searcher_new(&tiny.index, NULL, &searcher, &err), RP_OK);
    for (size_t i = 0; i < set.n; i++) {
        const rp_topic *topic = &set.at[i].topic;
        rp__lab_question q;
        assert_int_equal(rp__lab_query_look(searcher, topic->query, topic->query_bytes, &q, &err),
                         RP_OK);
        assert_true(q.words >= 2 && q.words <= 4 && q.known == q.words);
        has_terms[q.words] = true;
        assert_string_equal(set.at[i].phrase, again.at[i].phrase);
    }
    assert_true(has_terms[2] && has_terms[3] && has_terms[4]);
    rp_searcher_free(searcher);
    rp__bench_query_set_free(&again);
    rp__bench_query_set_free(&set);
    tiny_close(&tiny);
}

static void one_term_is_too_few(void **state)
{
    (void)state;
    static const char *const one[] = {"alone"};
    tiny_index tiny;
    rp__bench_query_set set;
    rp_error err = {0};
    tiny_open(&tiny, one, 1, (tiny_options){0});
    assert_int_equal(rp__term_queries_make(&set, &tiny.index, 10, 7, &err), RP_NOT_FOUND);
    assert_non_null(strstr(err.text, "too few terms"));
    rp__bench_query_set_free(&set);
    tiny_close(&tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_of_known_terms),
        cmocka_unit_test(one_term_is_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
