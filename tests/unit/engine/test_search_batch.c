/* test_search_batch.c: many queries at once have the answers that each has alone, in their places, whatever the
 * threads; on the emulated GPU in groups of any size. Memory may run out at any point. */
#include "unit/tiny_index.h"

#include "base/alloc.h"
#include "engine/searcher.h"

enum { N = 70 };

static const char *const texts[] = {
    "the quick brown fox",
    "the lazy dog",
    "quick quick dog jumps over the lazy fox",
    "wi fi router and a fox trot",
    "",
    "dog dog dog",
    "the fox and the dog",
    "quick dog",
    "lazy brown dog and lazy quick fox",
};

static const char *const asked[] = {
    "fox",           "quick dog",
    "\"lazy dog\"",  "dog -fox",
    "+fox dog the",  "(",
    "nowhere",       "",
    "qu*",           "+quick +fox lazy",
    "a ^2",          "dog AND nobody",
    "\"the fox\"",   "(fox dog)",
    "fox^3 quick^0",
};

static void fill(rp_batch_query *queries, bool plain)
{
    for (size_t i = 0; i < N; i++) {
        const char *text = asked[i % (sizeof asked / sizeof asked[0])];
        queries[i] = (rp_batch_query){.query = text, .query_bytes = strlen(text), .plain = plain};
    }
}

static void free_all(rp_batch_query *queries)
{
    for (size_t i = 0; i < N; i++)
        rp_hits_free(&queries[i].hits);
}

static void expect_alone(const rp_index *index, rp_search_options options,
                         const rp_batch_query *got)
{
    rp_searcher *searcher;
    rp_hits want;
    rp_error err = {0};
    options.processor = "cpu";
    options.plain = got->plain;
    assert_int_equal(rp_searcher_new(index, &options, &searcher, &err), RP_OK);
    rp_status status = rp_searcher_search(searcher, got->query, got->query_bytes, &want, &err);
    assert_int_equal(got->status, status);
    if (status != RP_OK)
        assert_string_equal(got->err.text, err.text);
    assert_int_equal(got->hits.n, want.n);
    assert_int_equal(got->hits.is_or_fallback, want.is_or_fallback);
    for (size_t i = 0; i < want.n; i++) {
        assert_int_equal(got->hits.at[i].docid, want.at[i].docid);
        assert_int_equal(got->hits.at[i].fixed, want.at[i].fixed);
        assert_string_equal(got->hits.at[i].name, want.at[i].name);
    }
    rp_hits_free(&want);
    rp_searcher_free(searcher);
}

static void answers_are_those_of_each_alone(void **state)
{
    (void)state;
    static const char *const processors[] = {"cpu", "gpu"};
    tiny_index tiny;
    rp_batch_query queries[N];
    rp_error err = {0};
    tiny_open(&tiny, texts, sizeof texts / sizeof texts[0], (tiny_options){0});
    for (size_t how = 0; how < 12; how++) {
        rp_search_options options = {.k = 3,
                                     .mode = (rp_mode)(how % 3),
                                     .processor = processors[how / 6],
                                     .gpu = "emulated"};
        rp_batch_report report;
        rp_searcher *searcher;
        assert_int_equal(rp_searcher_new(&tiny.index, &options, &searcher, &err), RP_OK);
        for (size_t threads = 1; threads <= 5; threads += 2) {
            rp_batch_options batch = {.threads = threads, .elements = how % 2 ? 0 : 7};
            fill(queries, how % 2);
            assert_int_equal(rp_searcher_batch(searcher, queries, N, &batch, &report, &err), RP_OK);
            for (size_t i = 0; i < N; i++)
                expect_alone(&tiny.index, options, &queries[i]);
            assert_true(how < 6 ? report.groups == 0 : report.n_grouped > 0);
            assert_string_equal(queries[0].hits.processor, processors[how / 6]); /* a word, */
            assert_string_equal(queries[1].hits.processor, processors[how / 6]); /* two, */
            if (how % 2 == 0)
                assert_string_equal(queries[2].hits.processor, processors[how / 6]); /* a phrase */
            free_all(queries);
        }
        assert_int_equal(rp_searcher_batch(searcher, NULL, 0, NULL, NULL, &err), RP_OK);
        rp_searcher_free(searcher);
    }
    tiny_close(&tiny);
}

static void too_many_threads_are_refused(void **state)
{
    (void)state;
    tiny_index tiny;
    rp_batch_query queries[N];
    rp_error err = {0};
    rp_searcher *searcher;
    tiny_open(&tiny, texts, sizeof texts / sizeof texts[0], (tiny_options){0});
    assert_int_equal(rp_searcher_new(&tiny.index, NULL, &searcher, &err), RP_OK);
    fill(queries, true);
    rp_status status =
        rp_searcher_batch(searcher, queries, N, &(rp_batch_options){.threads = 257}, NULL, &err);
    assert_int_equal(status, RP_LIMIT);
    assert_non_null(strstr(err.text, "257 threads"));
    rp_searcher_free(searcher);
    tiny_close(&tiny);
}

/* Every allocation of a call fails once: a query is answered, or says that there is no memory. */
static void memory_may_run_out(void **state)
{
    (void)state;
    tiny_index tiny;
    rp_batch_query queries[N];
    rp_error err = {0};
    const rp_search_options options = {.processor = "gpu", .gpu = "emulated", .mode = RP_MODE_AND};
    tiny_open(&tiny, texts, sizeof texts / sizeof texts[0], (tiny_options){0});
    for (uint64_t at = 1, asks = 1; asks; at++) {
        rp_searcher *searcher;
        assert_int_equal(rp_searcher_new(&tiny.index, &options, &searcher, &err), RP_OK);
        fill(queries, true);
        rp__alloc_fail_at(at, false);
        uint64_t before = rp__alloc_count();
        rp_status status = rp_searcher_batch(searcher, queries, N, NULL, NULL, &err);
        asks = rp__alloc_count() - before >= at;
        rp__alloc_fail_at(0, false);
        assert_true(status == RP_OK || status == RP_NO_MEMORY);
        for (size_t i = 0; i < N && status == RP_OK; i++)
            if (queries[i].status != RP_NO_MEMORY)
                expect_alone(&tiny.index, options, &queries[i]);
        free_all(queries);
        rp_searcher_free(searcher);
    }
    tiny_close(&tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_each_alone),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
