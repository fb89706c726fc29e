/* test_executor.c: queries of all shapes through the executor, under every policy and a policy of chance, from many threads: every
 * hit is the cpu's. Tasks that are cancelled, late, refused or drained end once, with the right status. The GPU is the emulated
 * one. */
#include "riposte/executor.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "backend/gpu/device/emulated_device.h"
#include "engine/executor.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/executor_policy.h"
#include "oracle/hits.h"
#include "unit/files.h"

enum { QUERIES = 60, TEXT = 256, SUBMITTERS = 4 };

static collection documents;
static char texts[QUERIES][TEXT];
static rp_hits wanted[3][QUERIES]; /* by mode */

/* Words; low numbers are frequent. */
static size_t put_word(char *text)
{
    collection_put_word(text, chance_zipf(60));
    return strlen(text);
}

/* One to four words, some of them with marks, phrases, or in groups. */
static void put_query(char *text, size_t i)
{
    static const char *const before[] = {"", "+", "-", "(", "\"", ""};
    static const char *const after[] = {"", "", "", " x)", " y\"", "*"};
    size_t at = put_word(text); /* of which at least one is not excluded */
    text[at++] = ' ';
    text[at] = 0;
    for (uint64_t n = chance_below(4); n > 0; n--) {
        size_t form = i % 3 == 0 ? chance_below(6) : 0;
        at += (size_t)sprintf(text + at, "%s", before[form]);
        at += put_word(text + at);
        at += (size_t)sprintf(text + at, "%s ", after[form]);
    }
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents, &(collection_recipe){"auto", 21, (const char *const[]){"auto"}, 1,
                                                     3000, 60, 12});
    for (size_t i = 0; i < QUERIES; i++)
        put_query(texts[i], i);
    for (int mode = 0; mode < 3; mode++)
        for (size_t i = 0; i < QUERIES; i++)
            wanted[mode][i] = hits_of_cpu(documents.indexes[0], texts[i], (rp_mode)mode, 0);
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++)
        for (size_t i = 0; i < QUERIES; i++)
            rp_hits_free(&wanted[mode][i]);
    collection_close(&documents);
    return 0;
}

/* ---- Jobs and what became of them ---------------------------------------------------------------- */

typedef struct slot {
    size_t query;
    rp_mode mode;
    atomic_uint ended; /* times that it was called back */
    rp_outcome outcome;
} slot;

static void keep_outcome(void *arg, rp_outcome *outcome)
{
    slot *s = arg;
    s->outcome = *outcome;
    atomic_fetch_add(&s->ended, 1);
}

static rp_status submit(rp_executor *executor, slot *s, uint64_t deadline_ns, uint64_t *ticket,
                        rp_error *err)
{
    const char *text = texts[s->query];
    rp_job job = {.query = text,
                  .query_bytes = strlen(text),
                  .mode = &s->mode,
                  .deadline_ns = deadline_ns,
                  .done = keep_outcome,
                  .arg = s};
    return rp_executor_submit(executor, &job, ticket, err);
}

static void expect_hits(const slot *s)
{
    const rp_hits *got = &s->outcome.hits, *want = &wanted[s->mode][s->query];
    if (!hits_are_same(got, want) || got->is_or_fallback != want->is_or_fallback)
        fail_msg("'%s': the %s has other hits than the cpu", texts[s->query], got->processor);
}

/* It ended once, as RP_OK with the cpu's hits, or as one of the other statuses with none. */
static void expect_end(slot *s, rp_status other, rp_status another)
{
    const rp_status status = s->outcome.status;
    assert_int_equal(atomic_load(&s->ended), 1);
    if (status == RP_OK)
        expect_hits(s);
    else if (status != other && status != another)
        fail_msg("'%s': %s: %s", texts[s->query], rp_status_name(status), s->outcome.err.text);
    rp_hits_free(&s->outcome.hits);
}

static rp_executor *open_executor(rp_executor_options options)
{
    rp_error err = {.text = ""};
    rp_executor *executor;
    static const rp_search_options search = {.gpu = "emulated"};
    if (!options.search)
        options.search = &search;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    if (rp_executor_new(documents.indexes[0], &options, &executor, &err) != RP_OK)
        fail_msg("%s", err.text);
    return executor;
}

static void close_executor(rp_executor *executor)
{
    rp_executor_free(executor);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* ---- Every policy -------------------------------------------------------------------------------- */

typedef struct submitter {
    rp_executor *executor;
    slot *slots;
    size_t n;
} submitter;

static void *submit_all(void *arg)
{
    submitter *s = arg;
    for (size_t i = 0; i < s->n; i++) {
        rp_error err = {.text = ""};
        if (submit(s->executor, &s->slots[i], 0, NULL, &err) != RP_OK)
            abort(); /* the queue has room for all */
    }
    return NULL;
}

/* Every query in every mode, from several threads at once. */
static void ask_all(rp_executor *executor, rp_executor_report *report)
{
    enum { N = 3 * QUERIES };
    static slot slots[SUBMITTERS][N];
    pthread_t threads[SUBMITTERS];
    submitter all[SUBMITTERS];
    memset(slots, 0, sizeof slots);
    for (size_t t = 0; t < SUBMITTERS; t++) {
        for (size_t i = 0; i < N; i++)
            slots[t][i] = (slot){.query = i % QUERIES, .mode = (rp_mode)(i / QUERIES)};
        all[t] = (submitter){executor, slots[t], N};
        assert_int_equal(pthread_create(&threads[t], NULL, submit_all, &all[t]), 0);
    }
    for (size_t t = 0; t < SUBMITTERS; t++)
        pthread_join(threads[t], NULL);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    rp_executor_get_report(executor, report);
    for (size_t t = 0; t < SUBMITTERS; t++)
        for (size_t i = 0; i < N; i++)
            expect_end(&slots[t][i], RP_OK, RP_OK);
    assert_int_equal(report->submitted, SUBMITTERS * N);
    assert_int_equal(report->answered, SUBMITTERS * N);
    assert_int_equal(report->on_cores + report->on_card, SUBMITTERS * N);
    assert_int_equal(report->queued, 0);
    assert_int_equal(report->running, 0);
}

static void every_policy_gives_the_cpus_hits(void **state)
{
    (void)state;
    for (size_t i = 0; rp_policy_name(i); i++) {
        const rp__policy *policy = rp__policy_at(i);
        rp_executor_report report;
        rp_executor *executor = open_executor(
            (rp_executor_options){.policy = policy->name, .threads = 2, .max_queued = 8192});
        ask_all(executor, &report);
        if (policy->needs_card && strcmp(policy->name, "better") != 0)
            assert_true(report.on_card > 0 || report.shared > 0);
        if (strcmp(policy->name, "cpu") == 0)
            assert_int_equal(report.on_card, 0);
        if (!policy->batches)
            assert_int_equal(report.batched, 0);
        else if (strcmp(policy->name, "batch") == 0) /* others find a card slow that is emulated */
            assert_true(report.batched > report.on_card / 2);
        assert_true(report.fallbacks * 20 < report.submitted);
        assert_non_null(rp_policy_help(i));
        close_executor(executor);
    }
}

/* Bound once and submitted several times at once, by their executor. */
static void queries_bound_before_give_the_cpus_hits(void **state)
{
    (void)state;
    enum { TIMES = 3 };
    static slot slots[TIMES][QUERIES];
    for (size_t p = 0; rp_policy_name(p); p++) {
        rp__arena arena;
        rp__executor_ready ready[QUERIES];
        rp_error err = {.text = ""};
        rp_executor *executor = open_executor(
            (rp_executor_options){.policy = rp_policy_name(p), .threads = 2, .max_queued = 4096});
        rp__arena_init(&arena, SIZE_MAX);
        memset(slots, 0, sizeof slots);
        for (size_t i = 0; i < TIMES * QUERIES; i++) {
            const size_t q = i % QUERIES;
            slot *s = &slots[i / QUERIES][q];
            *s = (slot){.query = q, .mode = (rp_mode)(q % 3)};
            const rp_job job = {.query = texts[q],
                                .query_bytes = strlen(texts[q]),
                                .mode = &s->mode,
                                .done = keep_outcome,
                                .arg = s};
            if (i < QUERIES)
                assert_int_equal(rp__executor_submit_ahead(executor, &job, &arena, &ready[q], &err),
                                 RP_OK);
            assert_int_equal(rp__executor_submit_ready(executor, &job, &ready[q], &err), RP_OK);
        }
        rp_executor_drain(executor);
        for (size_t i = 0; i < TIMES * QUERIES; i++)
            expect_end(&slots[i / QUERIES][i % QUERIES], RP_OK, RP_OK);
        close_executor(executor);
        rp__arena_reset(&arena);
    }
}

/* Anywhere, and by anybody who can; but the last of the card's queue is the card's, so that it has one, however late its thread
 * begins. */
static rp__policy_seat seat_by_chance(const rp__policy_view *view, const rp__policy_job *job)
{
    const uint64_t mix = (job->arrived >> 3) ^ view->now;
    if (!rp__policy_suits_card(view, job))
        return rp__policy_sit(RP_QUEUE_CPU, job, "chance");
    return rp__policy_sit((rp__policy_queue_kind)(mix % RP_QUEUES), job, "chance");
}

static rp__policy_take take_by_chance(const rp__policy_view *view, bool is_card)
{
    for (int i = 0; i < RP_QUEUES; i++) {
        const int q = is_card ? RP_QUEUES - 1 - i : i;
        const uint32_t left = q == RP_QUEUE_GPU && !is_card ? 1 : 0;
        if (view->queues[q].n > left &&
            !(is_card && view->queues[q].head_gpu_ns == RP_POLICY_NEVER))
            return (rp__policy_take){.queue = (rp__policy_queue_kind)q,
                                     .is_urgent = view->now & 1 && !is_card};
    }
    return (rp__policy_take){.queue = RP_QUEUE_NONE};
}

static const rp__policy chance = {
    .name = "chance", .batches = true, .seat = seat_by_chance, .take = take_by_chance};

static void any_seat_gives_the_cpus_hits(void **state)
{
    (void)state;
    rp_executor_report report;
    rp_executor *executor =
        open_executor((rp_executor_options){.policy = "auto", .threads = 3, .max_queued = 4096});
    executor_policy_set(executor, &chance);
    ask_all(executor, &report);
    assert_true(report.on_card > 0 && report.on_cores > 0);
    close_executor(executor);
}

/* ---- Cancelled, late, refused, drained ----------------------------------------------------------- */

static void cancelled_queries_end_once(void **state)
{
    (void)state;
    enum { N = 300 };
    static slot slots[N];
    uint64_t tickets[N];
    rp_error err = {.text = ""};
    memset(slots, 0, sizeof slots);
    rp_executor *executor =
        open_executor((rp_executor_options){.policy = "batch", .threads = 2, .max_queued = 4096});
    executor_policy_set(executor, &chance);
    for (size_t i = 0; i < N; i++) {
        slots[i] = (slot){.query = i % QUERIES, .mode = (rp_mode)(i % 3)};
        assert_int_equal(submit(executor, &slots[i], 0, &tickets[i], &err), RP_OK);
        const size_t other = chance_below(i + 1);
        const rp_status status = rp_executor_cancel(executor, tickets[other]);
        assert_true(status == RP_OK || status == RP_NOT_FOUND);
    }
    rp_executor_drain(executor);
    size_t cancelled = 0;
    for (size_t i = 0; i < N; i++) {
        cancelled += slots[i].outcome.status == RP_INTERRUPTED;
        assert_int_equal(rp_executor_cancel(executor, tickets[i]), RP_NOT_FOUND);
        expect_end(&slots[i], RP_INTERRUPTED, RP_INTERRUPTED);
    }
    rp_executor_report report;
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.cancelled, cancelled);
    assert_int_equal(report.answered + cancelled, N);
    assert_int_equal(rp_executor_cancel(executor, 0), RP_NOT_FOUND);
    assert_int_equal(rp_executor_cancel(executor, UINT64_MAX), RP_NOT_FOUND);
    close_executor(executor);
}

/* The thread of the only core waits in a callback until it may go on. */
typedef struct gate {
    pthread_mutex_t lock;
    atomic_bool is_entered;
} gate;

static void wait_at_gate(void *arg, rp_outcome *outcome)
{
    gate *g = arg;
    rp_hits_free(&outcome->hits);
    atomic_store(&g->is_entered, true);
    pthread_mutex_lock(&g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void close_gate(rp_executor *executor, gate *g)
{
    rp_error err = {.text = ""};
    const rp_job job = {.query = "a", .query_bytes = 1, .done = wait_at_gate, .arg = g};
    *g = (gate){.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_mutex_lock(&g->lock);
    assert_int_equal(rp_executor_submit(executor, &job, NULL, &err), RP_OK);
    while (!atomic_load(&g->is_entered))
        sched_yield();
}

static void a_full_queue_refuses(void **state)
{
    (void)state;
    gate g;
    slot slots[3] = {0};
    rp_error err = {.text = ""};
    rp_executor *executor =
        open_executor((rp_executor_options){.policy = "cpu", .threads = 1, .max_queued = 2});
    close_gate(executor, &g);
    assert_int_equal(submit(executor, &slots[0], 0, NULL, &err), RP_OK);
    assert_int_equal(submit(executor, &slots[1], 0, NULL, &err), RP_OK);
    assert_int_equal(submit(executor, &slots[2], 0, NULL, &err), RP_BUSY);
    assert_string_equal(err.text, "the query was refused: too many jobs wait");
    pthread_mutex_unlock(&g.lock);
    rp_executor_drain(executor);
    rp_executor_report report;
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.refused, 1);
    expect_end(&slots[0], RP_OK, RP_OK);
    expect_end(&slots[1], RP_OK, RP_OK);
    assert_int_equal(atomic_load(&slots[2].ended), 0);
    assert_int_equal(submit(executor, &slots[2], 0, NULL, &err), RP_USAGE);
    close_executor(executor);
}

/* A job that waits past its deadline ends while the core is still at work. */
static void a_late_query_ends(void **state)
{
    (void)state;
    gate g;
    slot late = {0}, in_time = {0};
    rp_error err = {.text = ""};
    rp_executor *executor = open_executor((rp_executor_options){.policy = "cpu", .threads = 1});
    close_gate(executor, &g);
    assert_int_equal(submit(executor, &late, 1000, NULL, &err), RP_OK);
    assert_int_equal(submit(executor, &in_time, UINT64_MAX / 4, NULL, &err), RP_OK);
    rp_executor_report report;
    do
        rp_executor_get_report(executor, &report);
    while (report.queued > 1); /* until the timer takes the late one out */
    pthread_mutex_unlock(&g.lock);
    rp_executor_drain(executor);
    assert_int_equal(late.outcome.status, RP_DEADLINE);
    expect_end(&late, RP_DEADLINE, RP_DEADLINE);
    assert_int_equal(in_time.outcome.status, RP_OK);
    expect_end(&in_time, RP_OK, RP_OK);
    close_executor(executor);
}

static void auto_refuses_what_would_be_late(void **state)
{
    (void)state;
    slot s = {0};
    rp_error err = {.text = ""};
    rp_executor *executor = open_executor((rp_executor_options){.threads = 1});
    assert_int_equal(submit(executor, &s, 1, NULL, &err), RP_BUSY);
    assert_string_equal(err.text, "the query was refused: it cannot end before its deadline");
    close_executor(executor);
}

static void mistakes_are_told_at_once(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    rp_executor *executor;
    rp_executor_options wrong = {.policy = "swift"};
    assert_int_equal(rp_executor_new(documents.indexes[0], &wrong, &executor, &err), RP_USAGE);
    assert_non_null(strstr(err.text, "no policy is called 'swift'; choose from auto, cpu, gpu"));
    assert_null(executor);
    executor = open_executor((rp_executor_options){.policy = "cpu", .threads = 1});
    rp_job job = {.query = "\"open", .query_bytes = 5, .done = keep_outcome};
    assert_int_equal(rp_executor_submit(executor, &job, NULL, &err), RP_USAGE);
    job.done = NULL;
    assert_int_equal(rp_executor_submit(executor, &job, NULL, &err), RP_USAGE);
    job = (rp_job){.query = "a", .query_bytes = 1, .k = 1000000, .done = keep_outcome};
    assert_int_equal(rp_executor_submit(executor, &job, NULL, &err), RP_LIMIT);
    close_executor(executor);
    rp_executor_free(NULL);
}

static bool is_host_stage(const char *stage)
{
    return strcmp(stage, "parse") == 0 || strcmp(stage, "look-up") == 0 ||
           strcmp(stage, "names") == 0;
}

/* Who waits has the cpu's hits, and what was decided: the first decision is the policy's, the last gave the answer. */
static void who_asks_is_told_all(void **state)
{
    (void)state;
    static const char *const policies[] = {"cpu", "gpu", "auto", "griffin", "split"};
    static const rp_search_options search = {.gpu = "emulated", .trace = true};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        rp_executor *executor = open_executor(
            (rp_executor_options){.policy = policies[p], .threads = 1, .search = &search});
        for (size_t i = 0; i < QUERIES; i++) {
            rp_error err = {.text = ""};
            slot s = {.query = i, .mode = RP_MODE_ANDOR};
            const rp_job job = {
                .query = texts[i], .query_bytes = strlen(texts[i]), .mode = &s.mode};
            assert_int_equal(rp_executor_ask(executor, &job, &s.outcome, &err), RP_OK);
            expect_hits(&s);
            const rp_outcome *o = &s.outcome;
            const rp_query_step *last = NULL;
            double queued = 0, began = 0;
            for (size_t d = 0; d < o->hits.n_steps; d++) {
                const rp_query_step *step = &o->hits.steps[d];
                assert_true(step->began_us >= began && step->us >= 0);
                began = step->began_us;
                queued += step->queued_us;
                assert_int_equal(step->reason != NULL, strcmp(step->stage, "place") == 0);
                if (step->reason)
                    last = step;
                else
                    assert_string_equal(step->processor,
                                        is_host_stage(step->stage) ? "cpu" : last->processor);
            }
            assert_true(last && fabs(queued * 1e3 - (double)o->queued_ns) < 1);
            assert_string_equal(last->processor, o->hits.processor);
            assert_ptr_equal(last->reason, o->reason);
            assert_true(fabs(last->estimated_us * 1e3 - (double)o->estimated_ns) < 1);
            rp_hits_free(&s.outcome.hits);
        }
        close_executor(executor);
    }
}

/* Without the option hits have no steps. A job that no processor took has one that says so. */
static void a_trace_is_asked_for(void **state)
{
    (void)state;
    static const rp_search_options search = {.gpu = "emulated", .trace = true};
    const rp_job job = {.query = texts[0], .query_bytes = strlen(texts[0])};
    rp_job late = job;
    rp_error err = {.text = ""};
    rp_outcome outcome;
    rp_executor *executor = open_executor((rp_executor_options){.policy = "cpu", .threads = 1});
    assert_int_equal(rp_executor_ask(executor, &job, &outcome, &err), RP_OK);
    assert_true(outcome.hits.n_steps == 0 && !outcome.hits.steps);
    rp_hits_free(&outcome.hits);
    close_executor(executor);
    executor = open_executor(
        (rp_executor_options){.policy = "cpu", .threads = 1, .search = &search, .spin_us = 1});
    late.deadline_ns = 1;
    assert_int_equal(rp_executor_ask(executor, &late, &outcome, &err), RP_DEADLINE);
    assert_true(outcome.hits.n_steps >= 3);
    assert_string_equal(outcome.hits.steps[0].stage, "parse");
    assert_string_equal(outcome.hits.steps[1].stage, "look-up");
    assert_string_equal(outcome.hits.steps[2].stage, "place");
    rp_hits_free(&outcome.hits);
    assert_null(outcome.hits.steps);
    close_executor(executor);
}

/* A job whose time is over when a core takes it is not begun, whether or not the timer has seen it. */
static void a_job_that_is_taken_late_ends(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    rp_outcome outcome;
    rp_executor *executor = open_executor((rp_executor_options){.policy = "cpu", .threads = 1});
    const rp_job job = {.query = texts[0], .query_bytes = strlen(texts[0]), .deadline_ns = 1};
    for (int i = 0; i < 20; i++) {
        assert_int_equal(rp_executor_ask(executor, &job, &outcome, &err), RP_DEADLINE);
        assert_int_equal(outcome.hits.n, 0);
    }
    close_executor(executor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_gives_the_cpus_hits),
        cmocka_unit_test(queries_bound_before_give_the_cpus_hits),
        cmocka_unit_test(any_seat_gives_the_cpus_hits),
        cmocka_unit_test(cancelled_queries_end_once),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(a_late_query_ends),
        cmocka_unit_test(auto_refuses_what_would_be_late),
        cmocka_unit_test(mistakes_are_told_at_once),
        cmocka_unit_test(who_asks_is_told_all),
        cmocka_unit_test(a_trace_is_asked_for),
        cmocka_unit_test(a_job_that_is_taken_late_ends),
    };
    return cmocka_run_group_tests_name("executor", tests, open_documents, close_documents);
}
