/* test_executor_ask.c: who waits for a job does the work of lanes that are idle, and is given what was found until its time
 * was over. Processors are those that there are, with a note of the thread that they run on. The GPU is the emulated one. */
#include <pthread.h>
#include <stdatomic.h>

#include "backend/gpu/device/emulated_device.h"
#include "base/clock.h"
#include "engine/executor.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/executor_policy.h"
#include "unit/files.h"

enum { ASKED = 40, TEXT = 64, K = 3, ALL = 5000 };

static collection documents;

/* ---- Processors that are watched ----------------------------------------------------------------- */

static pthread_t asker;
static atomic_uint n_own, n_others; /* queries that were run by who asks; by others */
static _Atomic uint32_t has_enough; /* k documents are known */
static bool stops_early;

static void note_thread(void)
{
    atomic_fetch_add(pthread_equal(pthread_self(), asker) ? &n_own : &n_others, 1);
}

/* Once the cpu knows k documents it raises the floor, and that stops it. */
static rp_status run_until_enough(const rp__query *query, rp__arena *arena, rp__answer *answer,
                                  rp_error *err)
{
    rp__query own = *query;
    atomic_store(&has_enough, 0);
    own.stop = own.floor = &has_enough;
    rp_status status = rp__backend_find("cpu")->run(NULL, &own, arena, answer, err);
    atomic_store((_Atomic uint32_t *)(uintptr_t)query->stop, RP_STOP_DEADLINE);
    return status;
}

static rp_status run_on_cpu(void *state, const rp__query *query, rp__arena *arena,
                            rp__answer *answer, rp_error *err)
{
    note_thread();
    return stops_early ? run_until_enough(query, arena, answer, err)
                       : rp__backend_find("cpu")->run(state, query, arena, answer, err);
}

static rp_status run_on_gpu(void *state, const rp__query *query, rp__arena *arena,
                            rp__answer *answer, rp_error *err)
{
    note_thread();
    return rp__backend_find("gpu")->run(state, query, arena, answer, err);
}

static rp__backend cpu, gpu;

/* All lanes sleep, and nobody has woken one. */
static bool all_sleep(rp_executor *executor)
{
    bool sleep = true;
    pthread_mutex_lock(&executor->lock);
    for (size_t i = 0; i < executor->n_lanes; i++)
        sleep &= executor->states[i].is_idle && atomic_load(&executor->lanes[i].sleeps) &&
                 !atomic_load(&executor->lanes[i].wake);
    pthread_mutex_unlock(&executor->lock);
    return sleep;
}

static rp_executor *open_executor(const char *policy)
{
    rp_error err = {.text = ""};
    rp_executor *executor;
    static const rp_search_options search = {.gpu = "emulated", .k = K};
    const rp_executor_options options = {
        .policy = policy, .threads = 2, .search = &search, .spin_us = UINT32_MAX};
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    if (rp_executor_new(documents.indexes[0], &options, &executor, &err) != RP_OK)
        fail_msg("%s", err.text);
    cpu = *rp__backend_find("cpu");
    cpu.run = run_on_cpu;
    gpu = *rp__backend_find("gpu");
    gpu.run = run_on_gpu;
    while (!all_sleep(executor)) /* the card's lane has opened the card */
        rp__clock_sleep(1000000);
    pthread_mutex_lock(&executor->lock);
    executor->plain->plain = &cpu; /* of the searchers that tasks will have */
    if (executor->on_card)
        executor->on_card->backend = &gpu;
    pthread_mutex_unlock(&executor->lock);
    asker = pthread_self();
    n_own = n_others = 0;
    stops_early = false;
    return executor;
}

static void put_query(char *text)
{
    text[0] = 0;
    collection_put_words(text, 1 + chance_below(3), 20);
}

static void ask(rp_executor *executor, const char *text, rp_status wanted, rp_outcome *out)
{
    rp_error err = {.text = ""};
    const rp_mode mode = RP_MODE_OR;
    const rp_job job = {.query = text, .query_bytes = strlen(text), .mode = &mode};
    const rp_status status = rp_executor_ask(executor, &job, out, &err);
    if (status != wanted)
        fail_msg("'%s': %s: %s", text, rp_status_name(status), err.text);
}

/* ---- Tests --------------------------------------------------------------------------------------- */

/* An idle executor answers without waking a lane. */
static void who_asks_answers(void **state)
{
    (void)state;
    static const char *const policies[] = {"cpu", "gpu", "auto"};
    for (size_t p = 0; p < 3; p++) {
        rp_executor *executor = open_executor(policies[p]);
        while (!all_sleep(executor))
            rp__clock_sleep(1000000);
        for (size_t i = 0; i < ASKED; i++) {
            char text[TEXT];
            rp_outcome outcome;
            put_query(text);
            ask(executor, text, RP_OK, &outcome);
            rp_hits_free(&outcome.hits);
            assert_true(all_sleep(executor));
        }
        rp_executor_report report;
        rp_executor_get_report(executor, &report);
        assert_int_equal(report.answered, ASKED);
        assert_int_equal(atomic_load(&n_others), 0);
        assert_true(atomic_load(&n_own) >= ASKED);
        rp_executor_free(executor);
    }
}

static void end_and_count(void *arg, rp_outcome *outcome)
{
    rp_hits_free(&outcome->hits);
    atomic_fetch_add((atomic_uint *)arg, 1);
}

/* A job that nobody waits for is a lane's. */
static void who_submits_answers_nothing(void **state)
{
    (void)state;
    rp_error err;
    atomic_uint ended = 0;
    rp_executor *executor = open_executor("cpu");
    const rp_job job = {.query = "a b", .query_bytes = 3, .done = end_and_count, .arg = &ended};
    for (size_t i = 0; i < ASKED; i++)
        assert_int_equal(rp_executor_submit(executor, &job, NULL, &err), RP_OK);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    assert_int_equal(atomic_load(&ended), ASKED);
    assert_int_equal(atomic_load(&n_own), 0);
    rp_executor_free(executor);
}

/* ---- A policy that decides otherwise a moment later --------------------------------------------- */

static unsigned n_seated, n_looks; /* under the executor's lock; looks since the second seat */

static rp__policy_seat seat_two(const rp__policy_view *view, const rp__policy_job *job)
{
    (void)view;
    n_looks = 0;
    return rp__policy_sit(n_seated++ == 0 ? RP_QUEUE_ANY : RP_QUEUE_CPU, job, "a test");
}

/* Nothing before both jobs wait; then the second one's queue, once; then the first one's. */
static rp__policy_take take_changing(const rp__policy_view *view, bool is_card)
{
    if (is_card || n_seated < 2)
        return (rp__policy_take){.queue = RP_QUEUE_NONE};
    const bool is_first_look = n_looks++ == 0;
    if (view->queues[RP_QUEUE_CPU].n > 0 && (is_first_look || view->queues[RP_QUEUE_ANY].n == 0))
        return (rp__policy_take){.queue = RP_QUEUE_CPU};
    return rp__policy_take_from(view, RP_QUEUE_ANY);
}

static unsigned n_takes; /* under the executor's lock */

static rp__policy_seat seat_on_core(const rp__policy_view *view, const rp__policy_job *job)
{
    (void)view;
    return rp__policy_sit(RP_QUEUE_CPU, job, "a test");
}

static rp__policy_take take_counting(const rp__policy_view *view, bool is_card)
{
    n_takes++;
    return rp__policy_take_own(view, is_card);
}

/* While all is idle, a job that would wait for a core is begun at once: no policy is asked who takes it. */
static void a_lone_job_has_no_queue(void **state)
{
    (void)state;
    static const rp__policy counting = {
        .name = "counting", .seat = seat_on_core, .take = take_counting};
    rp_outcome outcome;
    rp_executor *executor = open_executor("cpu");
    executor_policy_set(executor, &counting);
    while (!all_sleep(executor))
        rp__clock_sleep(1000000);
    n_takes = 0;
    for (size_t i = 0; i < ASKED; i++) {
        ask(executor, "a b", RP_OK, &outcome);
        assert_string_equal(outcome.reason, "a test");
        rp_hits_free(&outcome.hits);
    }
    assert_int_equal(n_takes, 0);
    assert_int_equal(atomic_load(&n_own), ASKED);
    rp_executor_free(executor);
}

static void what_is_taken_is_what_was_found(void **state)
{
    (void)state;
    static const rp__policy changing = {
        .name = "changing", .seat = seat_two, .take = take_changing};
    rp_error err;
    atomic_uint ended = 0;
    rp_outcome outcome;
    rp_executor_report report;
    rp_executor *executor = open_executor("cpu");
    const rp_job job = {.query = "a b", .query_bytes = 3, .done = end_and_count, .arg = &ended};
    n_seated = n_looks = 0;
    executor_policy_set(executor, &changing);
    while (!all_sleep(executor))
        rp__clock_sleep(1000000);
    assert_int_equal(rp_executor_submit(executor, &job, NULL, &err), RP_OK);
    ask(executor, "c d", RP_OK, &outcome);
    rp_hits_free(&outcome.hits);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    assert_int_equal(atomic_load(&ended), 1);
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.answered, 2);
    assert_int_equal(report.queued, 0);
    rp_executor_free(executor);
}

/* ---- Ending ------------------------------------------------------------------------------------- */

typedef struct gate {
    atomic_uint ended;
    atomic_bool is_open;
} gate;

/* The first end waits until the gate is open. */
static void end_at_gate(void *arg, rp_outcome *outcome)
{
    gate *g = arg;
    rp_hits_free(&outcome->hits);
    if (atomic_fetch_add(&g->ended, 1) > 0)
        return;
    while (!atomic_load(&g->is_open))
        rp__clock_sleep(100000);
}

static rp__task *find_live(const rp_executor *executor)
{
    for (size_t i = 0; i < executor->n_tasks; i++)
        if (executor->tasks[i].ticket)
            return &executor->tasks[i];
    return NULL;
}

/* The card has answered, and a core is about to end the task. Who helps comes then, while another core is idle: after the
 * AND of andor, which it answered itself, it had no lock for a moment. */
static void what_a_core_ends_nobody_else_does(void **state)
{
    (void)state;
    rp_error err;
    gate g = {0};
    rp_executor *executor = open_executor("gpu");
    const rp_job job = {.query = "a b", .query_bytes = 3, .done = end_at_gate, .arg = &g};
    assert_int_equal(rp_executor_submit(executor, &job, NULL, &err), RP_OK);
    while (atomic_load(&g.ended) == 0)
        rp__clock_sleep(100000);
    pthread_mutex_lock(&executor->lock);
    rp__task *task = find_live(executor);
    if (task)
        rp__executor_ask_help(executor, task);
    rp__executor_unlock(executor);
    assert_non_null(task);
    assert_int_equal(atomic_load(&g.ended), 1);
    atomic_store(&g.is_open, true);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    rp_executor_free(executor);
}

static const rp_hit *find(const rp_hits *all, uint32_t docid)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].docid == docid)
            return &all->at[i];
    return NULL;
}

/* Hits are documents that match, with their scores; only that they are the best is not known. */
static void late_jobs_have_what_was_found(void **state)
{
    (void)state;
    size_t n_partial = 0, n_hits = 0;
    rp_error err = {.text = ""};
    rp_searcher *whole;
    rp_executor *executor = open_executor("cpu");
    const rp_search_options options = {.k = ALL, .total = RP_TOTAL_EXACT, .processor = "cpu"};
    assert_int_equal(rp_searcher_new(documents.indexes[0], &options, &whole, &err), RP_OK);
    stops_early = true;
    for (size_t i = 0; i < ASKED; i++) {
        char text[TEXT];
        rp_hits all;
        rp_outcome outcome;
        put_query(text);
        assert_int_equal(rp_searcher_search(whole, text, strlen(text), &all, &err), RP_OK);
        const rp_job job = {.query = text, .query_bytes = strlen(text)};
        const rp_status status = rp_executor_ask(executor, &job, &outcome, &err);
        assert_true(status == RP_DEADLINE || status == RP_OK); /* OK: it had ended first */
        assert_int_equal(outcome.hits.is_partial, status == RP_DEADLINE);
        n_partial += status == RP_DEADLINE;
        n_hits += status == RP_DEADLINE ? outcome.hits.n : 0;
        for (size_t h = 0; h < outcome.hits.n; h++) {
            const rp_hit *hit = &outcome.hits.at[h], *same = find(&all, hit->docid);
            assert_true(same && same->fixed == hit->fixed && strcmp(same->name, hit->name) == 0);
        }
        assert_true(outcome.hits.total <= all.total);
        rp_hits_free(&outcome.hits);
        rp_hits_free(&all);
    }
    print_message("%zu of %d were late, with %zu hits\n", n_partial, ASKED, n_hits);
    assert_true(n_partial > ASKED / 4 && n_hits > n_partial);
    rp_searcher_free(whole);
    rp_executor_free(executor);
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents, &(collection_recipe){"asked", 29, (const char *const[]){"auto"}, 1,
                                                     ALL, 60, 25});
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_asks_answers),
        cmocka_unit_test(who_submits_answers_nothing),
        cmocka_unit_test(a_lone_job_has_no_queue),
        cmocka_unit_test(what_is_taken_is_what_was_found),
        cmocka_unit_test(what_a_core_ends_nobody_else_does),
        cmocka_unit_test(late_jobs_have_what_was_found),
    };
    return cmocka_run_group_tests_name("ask", tests, open_documents, close_documents);
}
