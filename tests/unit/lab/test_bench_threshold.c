/* test_bench_threshold.c: the best thresholds for times that are given, by hand. */
#include "unit/tiny_index.h"

#include "lab/bench_threshold.h"

/* Lists: a 4, b 3, c 2, d 1 documents. */
static const char *const texts[] = {"a b c d", "a b c", "a b", "a"};
static const char *const asked[] = {"a d", "a c", "a b", "a b c"};
enum { N = sizeof asked / sizeof *asked };

static tiny_index tiny;
static rp__bench_query queries[N];
static rp__bench_query_set set = {.at = queries, .n = N};
static rp_searcher *searcher;

static int open_all(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    tiny_open(&tiny, texts, sizeof texts / sizeof *texts, (tiny_options){0});
    for (size_t i = 0; i < N; i++)
        queries[i].topic = (rp_topic){.query = asked[i], .query_bytes = strlen(asked[i])};
    return rp_searcher_new(&tiny.index, &(rp_search_options){.processor = "cpu"}, &searcher, &err);
}

static int close_all(void **state)
{
    (void)state;
    rp_searcher_free(searcher);
    tiny_close(&tiny);
    return 0;
}

static rp__bench_operation operation(const char *processor, uint64_t best[N])
{
    return (rp__bench_operation){.form = "and:10",
                                 .options = {.processor = processor, .threads = 1},
                                 .searchers = &searcher,
                                 .best = best};
}

/* Lists but the longest have 1, 2, 3, 5 postings; all 5, 6, 7, 9, as many as blocks that an AND may read. */
static void the_best_are_found(void **state)
{
    (void)state;
    uint64_t cpu[N] = {1000, 2000, 9000, 10000}, gpu[N] = {4000, 4000, 4000, 4000},
             any[N] = {1000, 4000, 4000, 4000};
    rp__bench_operation operations[] = {operation("gpu", gpu), operation("auto", any),
                                        operation("cpu", cpu)};
    const rp__bench_queries bench = {.set = &set, .operations = operations, .n = 3};
    rp__bench_placement p;
    assert_int_equal(rp__bench_threshold_find(&bench, "and:10", &p, NULL), RP_OK);
    assert_true(p.cpu == 5.5 && p.gpu == 4 && p.perfect == 2.75 && p.automatic == 3.25);
    assert_int_equal(p.by_blocks.min_postings, 7);
    assert_true(p.by_blocks.mean == 2.75);
    assert_int_equal(p.by_rest.min_postings, 3);
    assert_true(p.by_rest.mean == 2.75);
    assert_int_equal(p.by_all.min_postings, 7);
    assert_true(p.by_all.mean == 2.75);
}

static void one_processor_may_be_better_throughout(void **state)
{
    (void)state;
    uint64_t slow[N] = {9000, 9000, 9000, 9000}, fast[N] = {1000, 1000, 1000, 1000};
    rp__bench_operation operations[] = {operation("cpu", slow), operation("gpu", fast)};
    rp__bench_queries bench = {.set = &set, .operations = operations, .n = 2};
    rp__bench_placement p;
    assert_int_equal(rp__bench_threshold_find(&bench, "and:10", &p, NULL), RP_OK);
    assert_int_equal(p.by_blocks.min_postings, 0);
    assert_true(p.by_blocks.mean == 1 && p.automatic == 0);
    operations[0].best = fast;
    operations[1].best = slow;
    assert_int_equal(rp__bench_threshold_find(&bench, "and:10", &p, NULL), RP_OK);
    assert_true(p.by_all.min_postings == UINT64_MAX && p.by_all.mean == 1);
    bench.n = 1;
    assert_int_equal(rp__bench_threshold_find(&bench, "and:10", &p, NULL), RP_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_are_found),
        cmocka_unit_test(one_processor_may_be_better_throughout),
    };
    return cmocka_run_group_tests_name("bench_threshold", tests, open_all, close_all);
}
