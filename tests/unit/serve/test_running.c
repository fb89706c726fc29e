/* test_running.c: queries that are listed can be cancelled while who submits them answers them. */
#include "serve/running.h"

#include "oracle/collection.h"
#include "unit/files.h"

enum { JOBS = 20, INDEX = 3 };

typedef struct group {
    rp__runnings all;
    rp__running *running;
    rp_status cancelled;
    rp_status statuses[JOBS];
    size_t n;
} group;

/* The first end cancels the rest. */
static void end(void *arg, rp_outcome *outcome)
{
    group *g = arg;
    rp_error err = {.text = ""};
    g->statuses[g->n] = outcome->status;
    if (g->n == 0)
        g->cancelled = rp__running_cancel(&g->all, INDEX, g->running->id, &err);
    if (++g->n == JOBS)
        rp__running_end(g->running);
    rp_hits_free(&outcome->hits);
}

static void begun_queries_are_cancelled(void **state)
{
    (void)state;
    static const rp_search_options search = {.k = 5};
    const rp_executor_options options = {.policy = "cpu", .search = &search};
    static collection documents;
    static group g;
    static const rp_mode mode = RP_MODE_OR;
    rp_error err = {.text = ""};
    rp_executor *executor;
    rp_job jobs[JOBS];
    collection_draw(&documents, &(collection_recipe){"running", 31, (const char *const[]){"auto"},
                                                     1, 500, 60, 25});
    assert_int_equal(rp_executor_new(documents.indexes[0], &options, &executor, &err), RP_OK);
    for (size_t i = 0; i < JOBS; i++)
        jobs[i] = (rp_job){.query = "a",
                           .query_bytes = 1,
                           .mode = &mode,
                           .done = end,
                           .arg = &g,
                           .here_ns = UINT64_MAX};
    rp__running_open(&g.all);
    const rp__running_job about = {.executor = executor, .index = INDEX, .request = "r"};
    assert_int_equal(rp__running_submit_many(&g.all, &about, jobs, JOBS, &g.running, &err), RP_OK);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    assert_int_equal(g.n, JOBS);
    assert_int_equal(g.cancelled, RP_OK);
    assert_int_equal(g.statuses[0], RP_OK);
    for (size_t i = 1; i < JOBS; i++)
        assert_int_equal(g.statuses[i], RP_INTERRUPTED);
    assert_int_equal(rp__running_cancel(&g.all, INDEX, 1, &err), RP_NOT_FOUND);
    rp__running_close(&g.all);
    rp_executor_free(executor);
    collection_close(&documents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(begun_queries_are_cancelled)};
    return cmocka_run_group_tests_name("running", tests, NULL, NULL);
}
