/* test_executor_faults.c: every allocation and every call of the driver fails in turn under an executor: each job that was taken
 * ends once, as by the cpu or without memory, and nothing is left behind.
 *
 * Queries move between processors, are cut by docids, and are answered together, as policies have it. The GPU is the
 * emulated one. RIPOSTE_THOROUGH has every failure under every policy; otherwise each policy has its share of them. */
#include <stdatomic.h>

#include "backend/gpu/device/emulated_device.h"
#include "base/alloc.h"
#include "engine/executor.h"
#include "oracle/collection.h"
#include "oracle/hits.h"
#include "unit/files.h"

enum { K = 5, MEMORY = 16 << 20 };

typedef struct asked {
    const char *text;
    rp_mode mode;
    rp_hits wanted;
    rp_outcome outcome;
    atomic_uint ended;
    bool is_taken;
} asked;

static collection documents;
static asked queries[] = {{.text = "a b c", .mode = RP_MODE_AND},
                          {.text = "b d", .mode = RP_MODE_OR},
                          {.text = "+a +b -c \"a b\""},
                          {.text = "d e f", .mode = RP_MODE_ANDOR}};
static const char *const policies[] = {"split", "griffin", "share", "batch"};

enum { N = sizeof queries / sizeof *queries, POLICIES = sizeof policies / sizeof *policies };

/* ---- One run ------------------------------------------------------------------------------------- */

typedef struct tally {
    size_t runs, refused, failed, answered, fallbacks;
} tally;

static void keep_outcome(void *arg, rp_outcome *outcome)
{
    asked *a = arg;
    a->outcome = *outcome;
    atomic_fetch_add(&a->ended, 1);
}

/* A query that begins with little memory may end without any. */
static void submit_all(rp_executor *executor, tally *t)
{
    for (size_t i = 0; i < N; i++) {
        asked *a = &queries[i];
        rp_error err = {.text = ""};
        const rp_job job = {.query = a->text,
                            .query_bytes = strlen(a->text),
                            .mode = &a->mode,
                            .done = keep_outcome,
                            .arg = a};
        atomic_store(&a->ended, 0);
        const rp_status status = rp_executor_submit(executor, &job, NULL, &err);
        a->is_taken = status == RP_OK;
        if (status != RP_OK && (status != RP_NO_MEMORY || !err.text[0]))
            fail_msg("'%s': %s: %s", a->text, rp_status_name(status), err.text);
        t->failed += status != RP_OK;
    }
}

static void expect_one(asked *a, tally *t)
{
    const rp_hits *got = &a->outcome.hits;
    assert_int_equal(atomic_load(&a->ended), a->is_taken);
    if (!a->is_taken)
        return;
    if (a->outcome.status != RP_OK && a->outcome.status != RP_NO_MEMORY)
        fail_msg("'%s': %s: %s", a->text, rp_status_name(a->outcome.status), a->outcome.err.text);
    t->failed += a->outcome.status != RP_OK;
    t->answered += a->outcome.status == RP_OK;
    t->fallbacks += got->fallback != RP_FALLBACK_NONE;
    if (a->outcome.status == RP_OK) {
        assert_int_equal(got->total, a->wanted.total);
        assert_true(hits_are_same(got, &a->wanted));
    }
    rp_hits_free(&a->outcome.hits);
}

/* Whatever fails meanwhile. */
static void run_all(const char *policy, tally *t)
{
    rp_error err = {.text = ""};
    rp_executor *executor;
    static const rp_search_options search = {
        .gpu = "emulated", .k = K, .total = RP_TOTAL_EXACT, .trace = true};
    const rp_executor_options options = {.policy = policy,
                                         .threads = 1,
                                         .max_queued = 4 * N,
                                         .griffin_ratio = 2,
                                         .spin_us = UINT32_MAX,
                                         .search = &search};
    const rp_status status = rp_executor_new(documents.indexes[0], &options, &executor, &err);
    t->runs++;
    if (status != RP_OK) {
        assert_null(executor);
        if ((status != RP_NO_MEMORY && status != RP_UNAVAILABLE) || !err.text[0])
            fail_msg("%s: %s", rp_status_name(status), err.text);
        t->refused++;
        return;
    }
    submit_all(executor, t);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    for (size_t i = 0; i < N; i++)
        expect_one(&queries[i], t);
    rp_executor_free(executor);
}

static void note(const char *policy, const char *what, const tally *t)
{
    print_message("%-8s %-20s %5zu runs, %4zu without an executor; %5zu queries answered, %4zu "
                  "not, %4zu fell "
                  "back\n",
                  policy, what, t->runs, t->refused, t->answered, t->failed, t->fallbacks);
}

/* Of the failures, a policy's share. */
static uint64_t stride(void)
{
    return getenv("RIPOSTE_THOROUGH") ? 1 : POLICIES;
}

/* ---- Memory -------------------------------------------------------------------------------------- */

static void exhaust(size_t p, bool sticky)
{
    tally t = {0};
    uint64_t n = 1 + p, count;
    do {
        const uint64_t before = rp__alloc_in_use(), begin = rp__alloc_count();
        rp__emulated_device_configure(&(rp__emulated_device_options){.memory = MEMORY});
        rp__alloc_fail_at(n, sticky);
        run_all(policies[p], &t);
        rp__alloc_fail_at(0, false);
        count = rp__alloc_count() - begin;
        assert_int_equal(rp__alloc_in_use(), before);
        assert_int_equal(rp__emulated_device_in_use(), 0);
        n += stride();
    } while (count + stride() >= n);
    note(policies[p], sticky ? "no memory from there" : "one allocation", &t);
    assert_true(t.refused > 0 && t.failed > 0 && t.answered > 0);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    for (size_t p = 0; p < POLICIES; p++)
        for (int sticky = 0; sticky < 2; sticky++)
            exhaust(p, sticky != 0);
}

/* ---- Calls of the driver ------------------------------------------------------------------------- */

static uint64_t count_calls(size_t p)
{
    tally t = {0};
    rp__emulated_device_configure(&(rp__emulated_device_options){.memory = MEMORY});
    run_all(policies[p], &t);
    assert_int_equal(t.answered, N);
    return rp__emulated_device_calls();
}

static void fail_calls(size_t p, const char *what, int code)
{
    tally t = {0};
    const uint64_t before = rp__alloc_in_use();
    for (uint64_t n = 1 + p, calls = count_calls(p); n <= calls; n += stride()) {
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.memory = MEMORY, .fail_at = n, .fail_code = code});
        run_all(policies[p], &t);
        assert_int_equal(rp__emulated_device_in_use(), 0);
        assert_int_equal(rp__alloc_in_use(), before);
    }
    note(policies[p], what, &t);
    assert_true(t.failed == 0 && t.fallbacks > 0);
}

static void every_call_fails(void **state)
{
    (void)state;
    for (size_t p = 0; p < POLICIES; p++) {
        fail_calls(p, "a call: no memory", RP_CU_NO_MEMORY);
        fail_calls(p, "a call: device lost", RP_CU_LAUNCH_FAILED);
    }
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
}

/* ---- The collection ------------------------------------------------------------------------------ */

static void answer_on_cpu(asked *a)
{
    rp_error err = {.text = ""};
    rp_searcher *cpu;
    const rp_search_options options = {
        .mode = a->mode, .k = K, .total = RP_TOTAL_EXACT, .processor = "cpu"};
    assert_int_equal(rp_searcher_new(documents.indexes[0], &options, &cpu, &err), RP_OK);
    if (rp_searcher_search(cpu, a->text, strlen(a->text), &a->wanted, &err) != RP_OK)
        fail_msg("'%s': %s", a->text, err.text);
    assert_true(a->wanted.n > 0);
    rp_searcher_free(cpu);
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents, &(collection_recipe){"faults", 31, (const char *const[]){"auto"}, 1,
                                                     500, 20, 25});
    for (size_t i = 0; i < N; i++)
        answer_on_cpu(&queries[i]);
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++)
        rp_hits_free(&queries[i].wanted);
    collection_close(&documents);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(every_call_fails),
    };
    return cmocka_run_group_tests_name("executor faults", tests, open_documents, close_documents);
}
