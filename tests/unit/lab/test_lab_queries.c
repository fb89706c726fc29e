/* test_lab_queries.c: searches of the laboratory are those of the searcher, and questions are counted. */
#include "unit/tiny_index.h"

#include "lab/lab.h"
#include "riposte/search.h"

static const char *const few[] = {
    "the quick brown fox", "the lazy dog", "quick quick dog jumps over the lazy fox",
    "a fox trot",          "dog dog dog",
};

static rp_searcher *searcher_of(const tiny_index *tiny, rp_search_options options)
{
    rp_error err = {0};
    rp_searcher *searcher;
    if (rp_searcher_new(&tiny->index, &options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

static void test_same_answer(void **state)
{
    static const char *const queries[] = {"dog",     "quick fox", "the lazy dog",
                                          "nowhere", "the",       "\"lazy dog\" OR fox"};
    for (int mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++) {
        rp_searcher *searcher = searcher_of(
            *state, (rp_search_options){.mode = (rp_mode)mode, .k = 2, .total = RP_TOTAL_EXACT});
        for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
            rp_hits hits;
            rp__lab_answer answer;
            size_t bytes = strlen(queries[i]);
            assert_int_equal(rp_searcher_search(searcher, queries[i], bytes, &hits, NULL), RP_OK);
            assert_int_equal(rp__lab_search(searcher, queries[i], bytes, &answer, NULL), RP_OK);
            assert_int_equal(answer.n, hits.n);
            for (size_t h = 0; h < hits.n; h++) {
                assert_int_equal(answer.at[h].docid, hits.at[h].docid);
                assert_int_equal(answer.at[h].fixed, hits.at[h].fixed);
            }
            assert_int_equal(answer.total, hits.total);
            assert_int_equal(answer.total_is_exact, hits.total_is_exact);
            assert_int_equal(answer.postings, hits.postings);
            rp_hits_free(&hits);
        }
        rp_searcher_free(searcher);
    }
}

static void test_total_only(void **state)
{
    rp_searcher *searcher = searcher_of(*state, (rp_search_options){.total = RP_TOTAL_ONLY});
    rp__lab_answer answer;
    assert_int_equal(rp__lab_search(searcher, "dog fox", 7, &answer, NULL), RP_OK);
    assert_int_equal(answer.n, 0);
    assert_int_equal(answer.total, 5);
    assert_true(answer.total_is_exact);
    rp_searcher_free(searcher);
}

static void test_errors(void **state)
{
    rp_searcher *searcher = searcher_of(*state, (rp_search_options){0});
    rp_error err = {0};
    rp__lab_answer answer = {.n = 7};
    rp__lab_question question = {.words = 7};
    assert_int_equal(rp__lab_search(searcher, "(dog", 4, &answer, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "column"));
    assert_int_equal(answer.n, 0);
    assert_int_equal(rp__lab_query_look(searcher, "(dog", 4, &question, &err), RP_USAGE);
    assert_int_equal(question.words, 0);
    rp_searcher_free(searcher);
}

static void expect_question(rp_searcher *searcher, const char *query, size_t words, size_t known,
                            uint64_t postings)
{
    rp__lab_question question;
    assert_int_equal(rp__lab_query_look(searcher, query, strlen(query), &question, NULL), RP_OK);
    assert_int_equal(question.words, words);
    assert_int_equal(question.known, known);
    assert_int_equal(question.postings, postings);
}

static void test_questions(void **state)
{
    rp_searcher *searcher = searcher_of(*state, (rp_search_options){.mode = RP_MODE_AND});
    expect_question(searcher, "dog", 1, 1, 3);
    expect_question(searcher, "dog fox dog", 2, 2, 6);
    expect_question(searcher, "dog nowhere", 2, 1, 3);
    expect_question(searcher, "\"lazy dog\" fox^2", 3, 3, 8);
    rp_searcher_free(searcher);
}

static int set_up(void **state)
{
    static tiny_index tiny;
    tiny_open(&tiny, few, sizeof few / sizeof *few, (tiny_options){0});
    *state = &tiny;
    return 0;
}

static int tear_down(void **state)
{
    tiny_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_answer),
        cmocka_unit_test(test_total_only),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_questions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
