/* test_moves.c: queries of all shapes through the executor, moved between processors while they are answered.
 *
 * Under every policy, and under one that moves a query by chance at every list, in both directions, splits whatever
 * can be split, and shares queries between processors at any docid: documents, order, scores and exact totals are the
 * CPU's. The same with queries that are cancelled by chance or late, a card that is lost on the way, and little memory.
 * The GPU is the emulated one or, but for what needs faults, the card that RIPOSTE_GPU names. 300 queries;
 * RIPOSTE_THOROUGH has 20,000. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "backend/gpu/device/emulated_device.h"
#include "engine/executor.h"
#include "fault/planted_gpu.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/executor_policy.h"
#include "oracle/hits.h"
#include "unit/files.h"

enum { QUERIES = 300, THOROUGH = 20000, WAVE = 300, TEXT = 400, LONG = 12, SUBMITTERS = 16 };

typedef struct asked {
    char text[TEXT];
    rp_mode mode;
    size_t k;
    rp_hits wanted;
    /* of the last time it was asked: */
    rp_outcome outcome;
    atomic_uint ended;
    uint64_t ticket;
} asked;

static collection documents;
static asked *queries;
static rp_total total = RP_TOTAL_EXACT; /* that executors are asked for */
static size_t n_queries, n_asked;       /* of which a test asks so many */
static bool in_child;                   /* executors have the device in a process of its own */

/* ---- Queries ------------------------------------------------------------------------------------- */

static size_t put_term(char *text, uint64_t below)
{
    collection_put_word(text, chance_zipf(below));
    strcat(text, " ");
    return strlen(text);
}

/* Terms with a mark before each, by chance one of `marks`. */
static size_t put_terms(char *text, uint64_t n, const char *const *marks, uint64_t n_marks)
{
    size_t at = 0;
    text[0] = 0;
    for (; n > 0; n--) {
        at += (size_t)sprintf(text + at, "%s", marks[chance_below(n_marks)]);
        at += put_term(text + at, 30);
    }
    return at;
}

/* A group: a phrase, perhaps with slop, or terms in brackets. */
static size_t put_group(char *text)
{
    static const char *const marks[] = {"", "", "+", "-"};
    static const char *const before[] = {"", "+", "+", "-"};
    const bool is_phrase = chance_below(2);
    size_t at = (size_t)sprintf(text, "%s%c", before[chance_below(4)], is_phrase ? '"' : '(');
    at += is_phrase ? put_terms(text + at, 2, marks, 1)
                    : put_term(text + at, 30); /* so that a group excludes not all of its terms */
    if (!is_phrase)
        at += put_terms(text + at, 1 + chance_below(3), marks, 4);
    const char *after = !is_phrase ? ") " : chance_below(4) ? "\" " : "\"~3 ";
    return at + (size_t)sprintf(text + at, "%s", after);
}

static void put_query(asked *a, size_t i)
{
    static const char *const none[] = {""}, *const must[] = {"+"};
    static const char *const any[] = {"+", "+", "-", ""};
    char *text = a->text;
    size_t at = 0;
    a->mode = (rp_mode)chance_below(3);
    a->k = chance_below(4) ? 10 : 1 + chance_below(100);
    switch (i % 5) {
    case 0: /* terms alone, most of them as an AND */
        a->mode = chance_below(4) ? RP_MODE_AND : a->mode;
        put_terms(text, 1 + chance_below(chance_below(8) ? 5 : LONG), none, 1);
        break;
    case 1:
        put_terms(text, 2 + chance_below(3), none, 1);
        break;
    case 2: /* a phrase, or with others */
        at = (size_t)sprintf(text, "%s\"", chance_below(2) ? "+" : "");
        at += put_terms(text + at, 2 + chance_below(2), none, 1);
        at += (size_t)sprintf(text + at, "\" ");
        put_terms(text + at, chance_below(3), any, 4);
        break;
    case 3: /* terms that must match, and others that may or must not */
        at = put_terms(text, 1 + chance_below(3), must, 1);
        put_terms(text + at, 1 + chance_below(3), any, 4);
        break;
    default:
        at = put_terms(text, 1 + chance_below(3), must, 1);
        for (uint64_t n = 1 + chance_below(3); n > 0; n--)
            at += put_group(text + at);
    }
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents, &(collection_recipe){"moves", 23, (const char *const[]){"auto"}, 1,
                                                     4000, 60, 25});
    n_queries = getenv("RIPOSTE_THOROUGH") ? THOROUGH : QUERIES;
    queries = calloc(n_queries, sizeof *queries);
    for (size_t i = 0; i < n_queries; i++) {
        put_query(&queries[i], i);
        queries[i].wanted =
            hits_of_cpu(documents.indexes[0], queries[i].text, queries[i].mode, queries[i].k);
    }
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_queries; i++)
        rp_hits_free(&queries[i].wanted);
    free(queries);
    collection_close(&documents);
    return 0;
}

/* ---- Answers ------------------------------------------------------------------------------------- */

static void keep_outcome(void *arg, rp_outcome *outcome)
{
    asked *a = arg;
    a->outcome = *outcome;
    atomic_fetch_add(&a->ended, 1);
}

static void submit(rp_executor *executor, asked *a, uint64_t deadline_ns)
{
    rp_error err = {.text = ""};
    const rp_job job = {.query = a->text,
                        .query_bytes = strlen(a->text),
                        .k = a->k,
                        .mode = &a->mode,
                        .deadline_ns = deadline_ns,
                        .done = keep_outcome,
                        .arg = a};
    atomic_store(&a->ended, 0);
    a->outcome = (rp_outcome){0};
    if (rp_executor_submit(executor, &job, &a->ticket, &err) != RP_OK)
        fail_msg("'%s': %s", a->text, err.text);
}

static void expect_wanted(const asked *a)
{
    const rp_hits *got = &a->outcome.hits, *want = &a->wanted;
    bool is_same = (total == RP_TOTAL_ONLY ? got->n == 0 : hits_are_same(got, want)) &&
                   got->is_or_fallback == want->is_or_fallback &&
                   (total == RP_TOTAL_AT_LEAST || got->total_is_exact) &&
                   (got->total_is_exact ? got->total == want->total : got->total <= want->total);
    if (!is_same)
        fail_msg("'%s', mode %d, k %zu, %u moves: the %s has %zu hits of %llu, the cpu %zu of %llu",
                 a->text, (int)a->mode, a->k, a->outcome.moves, got->processor, got->n,
                 (unsigned long long)got->total, want->n, (unsigned long long)want->total);
}

typedef struct sums {
    size_t answered, cancelled, late, moves, on_card, fallbacks;
} sums;

/* All ended once, answered as by the CPU or, where that may be, stopped. */
static sums expect_all(bool may_be_stopped)
{
    sums s = {0};
    for (size_t i = 0; i < n_asked; i++) {
        asked *a = &queries[i];
        const rp_status status = a->outcome.status;
        assert_int_equal(atomic_load(&a->ended), 1);
        if (status == RP_OK)
            expect_wanted(a);
        else if ((status != RP_INTERRUPTED && status != RP_DEADLINE) || !may_be_stopped)
            fail_msg("'%s': %s: %s", a->text, rp_status_name(status), a->outcome.err.text);
        s.answered += status == RP_OK;
        s.cancelled += status == RP_INTERRUPTED;
        s.late += status == RP_DEADLINE;
        s.moves += a->outcome.moves;
        s.fallbacks += a->outcome.hits.fallback != RP_FALLBACK_NONE;
        s.on_card += status == RP_OK && strcmp(a->outcome.hits.processor, "gpu") == 0;
        rp_hits_free(&a->outcome.hits);
    }
    return s;
}

/* ---- Executors ----------------------------------------------------------------------------------- */

static rp_executor *open_executor(rp_executor_options options, uint64_t gpu_memory)
{
    rp_error err = {.text = ""};
    rp_executor *executor;
    const rp_search_options search = {
        .gpu = planted_gpu_name(), .gpu_memory = gpu_memory, .total = total, .gpu_child = in_child};
    options.search = &search;
    options.max_queued = 8 * WAVE; /* parts wait too */
    if (rp_executor_new(documents.indexes[0], &options, &executor, &err) != RP_OK)
        fail_msg("%s", err.text);
    return executor;
}

static void close_executor(rp_executor *executor)
{
    rp_executor_free(executor);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* What the report says is what became of the queries. */
static void expect_report(rp_executor *executor, const sums *s, rp_executor_report *report)
{
    rp_executor_get_report(executor, report);
    assert_int_equal(report->submitted, n_asked);
    assert_int_equal(report->answered, s->answered);
    assert_int_equal(report->cancelled, s->cancelled);
    assert_int_equal(report->late, s->late);
    assert_int_equal(report->moves, s->moves);
    assert_int_equal(report->on_card, s->on_card);
    assert_true(s->fallbacks <= report->fallbacks);
}

/* Until all have ended that were submitted, now and then: each has memory of its own. */
static void await_wave(size_t i)
{
    for (size_t j = i + 1 - WAVE; (i + 1) % WAVE == 0 && j <= i; j++)
        while (atomic_load(&queries[j].ended) == 0)
            usleep(100);
}

static void ask_all(rp_executor *executor, rp_executor_report *report)
{
    for (size_t i = 0; i < n_asked; i++) {
        submit(executor, &queries[i], 0);
        await_wave(i);
    }
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    const sums s = expect_all(false);
    expect_report(executor, &s, report);
}

/* ---- Policies ------------------------------------------------------------------------------------ */

static _Atomic uint64_t draws;

/* By threads that take turns as they like. */
static uint64_t draw(uint64_t below)
{
    uint64_t x = atomic_fetch_add(&draws, 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return (x ^ x >> 31) % below;
}

static rp__policy_seat seat_by_chance(const rp__policy_view *view, const rp__policy_job *job)
{
    rp__policy_seat at = rp__policy_sit((rp__policy_queue_kind)draw(RP_QUEUES), job, "chance");
    at.splits = job->meet_ns > 0;
    at.cores = draw(4) || job->gpu_ns == RP_POLICY_NEVER ? 0 : 1 + (uint32_t)draw(3);
    at.card_share = draw(8) ? (uint32_t)draw(RP_SHARE_UNIT) : 0; /* 0: cores alone */
    if (!view->has_card || (job->gpu_ns == RP_POLICY_NEVER && !at.splits))
        at.queue = RP_QUEUE_CPU;
    at.cores = view->has_card ? at.cores : 0;
    return at;
}

/* Where only a core or only the card takes it. */
static rp__policy_seat seat_on_one(const rp__policy_view *view, const rp__policy_job *job)
{
    rp__policy_seat at = seat_by_chance(view, job);
    at.queue = at.queue == RP_QUEUE_ANY ? RP_QUEUE_GPU : at.queue;
    at.cores = 0;
    return at;
}

/* Now and then what waits for the other. */
static rp__policy_take take_by_chance(const rp__policy_view *view, bool is_card)
{
    const int n = draw(4) ? RP_QUEUES - 1 : RP_QUEUES;
    for (int i = 0; i < n; i++) {
        const int q = is_card ? RP_QUEUES - 1 - i : i;
        if (view->queues[q].n > 0 && !(is_card && view->queues[q].head_gpu_ns == RP_POLICY_NEVER))
            return (rp__policy_take){.queue = (rp__policy_queue_kind)q};
    }
    return (rp__policy_take){.queue = RP_QUEUE_NONE};
}

static rp__policy_way step_by_chance(const rp__policy_view *view, const rp__policy_job *job,
                                     const rp__policy_step *at)
{
    (void)view, (void)job, (void)at;
    return draw(8) == 0 ? RP_WAY_REST : draw(2) ? RP_WAY_MOVE : RP_WAY_NEXT;
}

static rp__policy_way step_always(const rp__policy_view *view, const rp__policy_job *job,
                                  const rp__policy_step *at)
{
    (void)view, (void)job, (void)at;
    return RP_WAY_MOVE;
}

static const rp__policy chance = {.name = "chance",
                                  .batches = true,
                                  .splits = true,
                                  .seat = seat_by_chance,
                                  .take = take_by_chance,
                                  .step = step_by_chance};

/* Cores and card have queues of their own, and each list is another's. */
static const rp__policy always = {.name = "always",
                                  .splits = true,
                                  .seat = seat_on_one,
                                  .take = rp__policy_take_own,
                                  .step = step_always};

/* ---- Tests --------------------------------------------------------------------------------------- */

static void every_policy_gives_the_cpus_answer(void **state)
{
    (void)state;
    n_asked = n_queries;
    for (size_t i = 0; rp_policy_name(i); i++) {
        rp_executor_report report;
        const rp__policy *policy = rp__policy_at(i);
        rp_executor *executor =
            open_executor((rp_executor_options){.policy = policy->name, .threads = 2}, 0);
        ask_all(executor, &report);
        if (policy->splits)
            assert_true(report.moves > n_asked / 10);
        assert_true(policy->shares ? report.shared > n_asked / 4 : report.shared == 0);
        close_executor(executor);
    }
}

/* Two orders of threads: one core and several. */
static void moves_by_chance_give_the_cpus_answer(void **state)
{
    (void)state;
    n_asked = n_queries;
    for (size_t threads = 1; threads <= 3; threads += 2) {
        rp_executor_report report;
        rp_executor *executor =
            open_executor((rp_executor_options){.policy = "auto", .threads = threads}, 0);
        executor_policy_set(executor, &chance);
        ask_all(executor, &report);
        print_message("chance: %llu moves of %zu queries, %llu ended on the card, %llu fell back\n",
                      (unsigned long long)report.moves, n_asked, (unsigned long long)report.on_card,
                      (unsigned long long)report.fallbacks);
        assert_true(report.moves > n_asked / 4 && report.shared > n_asked / 20);
        assert_true(report.on_card > 0 && report.on_cores > 0);
        close_executor(executor);
    }
}

typedef struct submitter {
    pthread_t thread;
    rp_executor *executor;
    size_t first;
} submitter;

/* Every 16th query, and every third of them by who waits for it. */
static void *submit_some(void *arg)
{
    const submitter *s = arg;
    rp_error err;
    for (size_t i = s->first; i < n_asked; i += SUBMITTERS) {
        asked *a = &queries[i];
        const rp_job job = {
            .query = a->text, .query_bytes = strlen(a->text), .k = a->k, .mode = &a->mode};
        if (i % 3) {
            submit(s->executor, a, 0);
            continue;
        }
        (void)rp_executor_ask(s->executor, &job, &a->outcome, &err);
        atomic_store(&a->ended, 1);
    }
    return NULL;
}

static void many_submitters_have_the_cpus_answer(void **state)
{
    (void)state;
    n_asked = QUERIES;
    rp_executor_report report;
    submitter all[SUBMITTERS];
    rp_executor *executor = open_executor((rp_executor_options){.policy = "auto", .threads = 3}, 0);
    executor_policy_set(executor, &chance);
    for (size_t i = 0; i < SUBMITTERS; i++) {
        all[i] = (submitter){.executor = executor, .first = i};
        assert_int_equal(pthread_create(&all[i].thread, NULL, submit_some, &all[i]), 0);
    }
    for (size_t i = 0; i < SUBMITTERS; i++)
        pthread_join(all[i].thread, NULL);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    const sums s = expect_all(false);
    expect_report(executor, &s, &report);
    assert_true(report.moves > n_asked / 4 && report.on_card > 0 && report.on_cores > 0);
    close_executor(executor);
}

/* At every list, from either processor to the other. */
static void moves_at_every_list_give_the_cpus_answer(void **state)
{
    (void)state;
    n_asked = n_queries / 3;
    rp_executor_report report;
    rp_executor *executor = open_executor((rp_executor_options){.policy = "auto", .threads = 2}, 0);
    executor_policy_set(executor, &always);
    ask_all(executor, &report);
    assert_true(report.moves > n_asked);
    assert_int_equal(report.fallbacks, 0);
    close_executor(executor);
}

/* Totals alone, and totals that need not be exact. */
static void other_totals_are_the_cpus(void **state)
{
    (void)state;
    static const rp_total totals[] = {RP_TOTAL_ONLY, RP_TOTAL_AT_LEAST};
    n_asked = n_queries / 3;
    for (int i = 0; i < 2; i++) {
        rp_executor_report report;
        total = totals[i];
        rp_executor *executor =
            open_executor((rp_executor_options){.policy = "auto", .threads = 2}, 0);
        executor_policy_set(executor, &chance);
        ask_all(executor, &report);
        close_executor(executor);
    }
    total = RP_TOTAL_EXACT;
}

/* A ratio of 2, since these lists differ little in length. Lists come from short to long, so the ratio never falls and
 * nothing returns. */
static void griffin_moves_for_good(void **state)
{
    (void)state;
    n_asked = n_queries;
    uint64_t moves[2];
    for (int returns = 0; returns < 2; returns++) {
        rp_executor_report report;
        rp_executor *executor = open_executor(
            (rp_executor_options){
                .policy = "griffin", .threads = 2, .griffin_ratio = 2, .griffin_returns = returns},
            0);
        ask_all(executor, &report);
        moves[returns] = report.moves;
        for (size_t i = 0; i < n_asked; i++)
            assert_true(queries[i].outcome.moves <= 2); /* once, and back from a card that cannot */
        close_executor(executor);
    }
    assert_true(moves[0] > n_asked / 50);
    assert_int_equal(moves[1], moves[0]);
}

/* Cancelled, or with so little time that some are late. */
static void stopped_queries_end_once(void **state)
{
    (void)state;
    n_asked = n_queries;
    rp_executor_report report;
    rp_executor *executor = open_executor((rp_executor_options){.policy = "auto", .threads = 2}, 0);
    executor_policy_set(executor, &chance);
    for (size_t i = 0; i < n_asked; i++) {
        submit(executor, &queries[i], chance_below(4) ? 0 : 1 + chance_below(2000000));
        if (chance_below(3) == 0) {
            const rp_status status = rp_executor_cancel(
                executor, queries[i - chance_below(i + 1 < 8 ? i + 1 : 8)].ticket);
            assert_true(status == RP_OK || status == RP_NOT_FOUND);
        }
        await_wave(i);
    }
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    const sums s = expect_all(true);
    expect_report(executor, &s, &report);
    assert_true(s.cancelled > 0 && s.answered > n_asked / 4);
    close_executor(executor);
}

/* Lists come and go, and some do not fit: what the card cannot, a core does, and the hits say why. */
static void little_memory_gives_the_cpus_answer(void **state)
{
    (void)state;
    n_asked = n_queries;
    rp_executor_report report;
    rp_executor *executor =
        open_executor((rp_executor_options){.policy = "auto", .threads = 2}, 48 << 10);
    executor_policy_set(executor, &chance);
    ask_all(executor, &report);
    print_message("little memory: %llu moves, %llu fallbacks\n", (unsigned long long)report.moves,
                  (unsigned long long)report.fallbacks);
    close_executor(executor);
}

/* Only the emulated device has faults that a test asks for. */
static void skip_on_a_card(void)
{
    if (planted_gpu_is_real())
        skip();
}

/* Every so many calls of the driver fail for want of memory. */
static void failing_calls_give_the_cpus_answer(void **state)
{
    (void)state;
    skip_on_a_card();
    n_asked = n_queries / 3;
    rp_executor_report report;
    rp__emulated_device_configure(&(rp__emulated_device_options){
        .fail_at = 400, .fail_every = 37, .fail_code = RP_CU_NO_MEMORY});
    rp_executor *executor = open_executor((rp_executor_options){.policy = "auto", .threads = 2}, 0);
    executor_policy_set(executor, &always);
    ask_all(executor, &report);
    assert_true(report.fallbacks > 0);
    close_executor(executor);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
}

/* The card is lost while queries are half done. */
static void a_lost_card_gives_the_cpus_answer(void **state)
{
    (void)state;
    skip_on_a_card();
    n_asked = n_queries;
    for (size_t i = 0; i < 2; i++) {
        rp_executor_report report;
        rp__emulated_device_configure(&(rp__emulated_device_options){
            .stop_at = 150 + 70 * i, .stop_code = RP_CU_LAUNCH_FAILED});
        rp_executor *executor =
            open_executor((rp_executor_options){.policy = "auto", .threads = 2}, 0);
        executor_policy_set(executor, i % 2 ? &chance : &always);
        ask_all(executor, &report);
        assert_false(report.has_card);
        assert_true(report.fallbacks > 0 && report.on_card < n_asked);
        close_executor(executor);
    }
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
}

/* ---- The card in a process of its own ------------------------------------------------------------ */

static int enter_child(void **state)
{
    (void)state;
    in_child = true;
    return 0;
}

static int leave_child(void **state)
{
    (void)state;
    in_child = false;
    return 0;
}

static rp_executor *in_use;      /* whose queries are disturbed */
static uint32_t n_disturbed;     /* of which so many were */
static uint32_t disturbs_at = 7; /* steps on the card; every so many */
static uint32_t card_steps;

/* Between two lists of a query that the worker has candidates of. */
static bool is_due(const rp__policy_step *at)
{
    return at->on_card && ++card_steps % disturbs_at == 0;
}

static rp__policy_way step_and_kill(const rp__policy_view *view, const rp__policy_job *job,
                                    const rp__policy_step *at)
{
    const int32_t worker = rp__gpu_child_worker(in_use->on_card->state);
    (void)view, (void)job;
    if (n_disturbed < 2 && is_due(at) && worker > 0) {
        n_disturbed++;
        kill((pid_t)worker, SIGKILL);
    }
    return RP_WAY_NEXT;
}

static rp__policy_way step_and_stop(const rp__policy_view *view, const rp__policy_job *job,
                                    const rp__policy_step *at)
{
    rp__task *task = (rp__task *)(void *)((char *)(void *)(uintptr_t)job -
                                          offsetof(rp__task, waiting) - offsetof(rp__waiting, job));
    (void)view;
    if (is_due(at))
        atomic_store(&task->stop, n_disturbed++ % 2 ? RP_STOP_CANCELLED : RP_STOP_DEADLINE);
    return RP_WAY_NEXT;
}

static rp__policy disturber(rp__policy_way (*step)(const rp__policy_view *view,
                                                   const rp__policy_job *job,
                                                   const rp__policy_step *at))
{
    rp__policy row = always;
    row.step = step;
    n_disturbed = card_steps = 0;
    return row;
}

/* The worker is killed while it has half of a query: a core answers that, and nothing is lost. */
static void a_killed_worker_gives_the_cpus_answer(void **state)
{
    (void)state;
    n_asked = n_queries / 2;
    rp_executor_report report;
    const rp__policy row = disturber(step_and_kill);
    in_use = open_executor((rp_executor_options){.policy = "auto", .threads = 2}, 0);
    executor_policy_set(in_use, &row);
    ask_all(in_use, &report);
    assert_true(n_disturbed > 0 && report.fallbacks >= n_disturbed && report.has_card);
    close_executor(in_use);
}

static void queries_that_are_stopped_halfway_end_once(void **state)
{
    (void)state;
    n_asked = n_queries / 2;
    rp_executor_report report;
    const rp__policy row = disturber(step_and_stop);
    in_use = open_executor((rp_executor_options){.policy = "auto", .threads = 2}, 0);
    executor_policy_set(in_use, &row);
    for (size_t i = 0; i < n_asked; i++)
        submit(in_use, &queries[i], 0);
    assert_int_equal(rp_executor_drain(in_use), RP_OK);
    const sums s = expect_all(true);
    expect_report(in_use, &s, &report);
    assert_int_equal(s.cancelled + s.late, n_disturbed);
    assert_true(s.cancelled > 0 && s.late > 0);
    close_executor(in_use);
}

#define CHILD(name)                                                                                \
    {                                                                                              \
#name "_at_a_child", name, enter_child, leave_child, NULL                                  \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_gives_the_cpus_answer),
        cmocka_unit_test(moves_by_chance_give_the_cpus_answer),
        cmocka_unit_test(moves_at_every_list_give_the_cpus_answer),
        cmocka_unit_test(many_submitters_have_the_cpus_answer),
        cmocka_unit_test(other_totals_are_the_cpus),
        cmocka_unit_test(griffin_moves_for_good),
        cmocka_unit_test(stopped_queries_end_once),
        cmocka_unit_test(little_memory_gives_the_cpus_answer),
        cmocka_unit_test(failing_calls_give_the_cpus_answer),
        cmocka_unit_test(a_lost_card_gives_the_cpus_answer),
        CHILD(moves_by_chance_give_the_cpus_answer),
        CHILD(moves_at_every_list_give_the_cpus_answer),
        CHILD(many_submitters_have_the_cpus_answer),
        CHILD(stopped_queries_end_once),
        CHILD(a_killed_worker_gives_the_cpus_answer),
        CHILD(queries_that_are_stopped_halfway_end_once),
    };
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests_name("moves", tests, open_documents, close_documents);
}
