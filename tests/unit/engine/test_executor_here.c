/* test_executor_here.c: short jobs that who submits them answers, and groups of jobs: the same answers as a searcher's, each
 * job ended once, limits and cancelling. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "engine/executor.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/hits.h"
#include "unit/files.h"

enum { JOBS = 100, TEXT = 64, K = 5, DOCS = 3000 };

static collection documents;

typedef struct asked {
    char text[TEXT];
    rp_mode mode;
    rp_outcome outcome;
    atomic_uint ended;
    pthread_t by;
} asked;

static void end(void *arg, rp_outcome *outcome)
{
    asked *a = arg;
    a->outcome = *outcome;
    a->by = pthread_self();
    atomic_fetch_add(&a->ended, 1);
}

static rp_executor *open_executor(size_t threads, size_t queue)
{
    static const rp_search_options search = {.k = K};
    rp_error err = {.text = ""};
    rp_executor *executor;
    const rp_executor_options options = {
        .policy = "cpu", .threads = threads, .max_queued = queue, .search = &search};
    if (rp_executor_new(documents.indexes[0], &options, &executor, &err) != RP_OK)
        fail_msg("%s", err.text);
    return executor;
}

static void draw(asked *all, rp_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        all[i] = (asked){.mode = (rp_mode)(i % 3)};
        collection_put_words(all[i].text, 1 + chance_below(3), 20);
        jobs[i] = (rp_job){.query = all[i].text,
                           .query_bytes = strlen(all[i].text),
                           .mode = &all[i].mode,
                           .done = end,
                           .arg = &all[i]};
    }
}

/* As a searcher answers it, which knows no executor. */
static void check(asked *a)
{
    assert_int_equal(atomic_load(&a->ended), 1);
    assert_int_equal(a->outcome.status, RP_OK);
    rp_hits hits = hits_of_cpu(documents.indexes[0], a->text, a->mode, K);
    assert_int_equal(hits.has_unknown, a->outcome.hits.has_unknown);
    assert_true(hits_are_same(&a->outcome.hits, &hits));
    rp_hits_free(&hits);
    rp_hits_free(&a->outcome.hits);
}

/* Without a bound of threads it has been answered on return, but for an AND that is asked again as OR. */
static void short_jobs_are_answered_at_once(void **state)
{
    (void)state;
    static asked all[JOBS];
    static rp_job jobs[JOBS];
    size_t n_own = 0;
    rp_error err = {.text = ""};
    rp_executor_report report;
    rp_executor *executor = open_executor(0, 0);
    draw(all, jobs, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        uint64_t ticket = 0;
        jobs[i].here_ns = i % 10 == 9 ? 1 : UINT64_MAX; /* one nanosecond is too short for any */
        jobs[i].deadline_ns = 30 * UINT64_C(1000000000);
        assert_int_equal(rp_executor_submit(executor, &jobs[i], &ticket, &err), RP_OK);
        assert_true(ticket > 0);
        if (i % 10 != 9 && all[i].mode != RP_MODE_ANDOR)
            assert_int_equal(atomic_load(&all[i].ended), 1);
    }
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    for (size_t i = 0; i < JOBS; i++) {
        n_own += pthread_equal(all[i].by, pthread_self()) != 0;
        assert_true(i % 10 != 9 || !pthread_equal(all[i].by, pthread_self()));
        check(&all[i]);
    }
    assert_true(n_own >= JOBS / 2);
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.submitted, JOBS);
    assert_int_equal(report.answered, JOBS);
    assert_int_equal(report.on_cores, JOBS);
    rp_executor_free(executor);
}

enum { THREADS = 24, EACH = 60 };

typedef struct asker {
    pthread_t thread;
    rp_executor *executor;
    asked all[EACH];
    rp_job jobs[EACH];
} asker;

static void *ask_one_by_one(void *arg)
{
    asker *a = arg;
    rp_error err;
    for (size_t i = 0; i < EACH; i++)
        assert_int_equal(rp_executor_submit(a->executor, &a->jobs[i], NULL, &err), RP_OK);
    return NULL;
}

/* More threads than there are places for a task of their own, with one task between some of them. */
static void threads_answer_side_by_side(void **state)
{
    (void)state;
    static asker askers[THREADS];
    rp_executor_report report;
    rp_executor *executor = open_executor(0, 0);
    for (size_t i = 0; i < THREADS; i++) {
        askers[i].executor = executor;
        draw(askers[i].all, askers[i].jobs, EACH);
        for (size_t j = 0; j < EACH; j++) {
            askers[i].jobs[j].here_ns = UINT64_MAX;
            askers[i].jobs[j].deadline_ns = j % 2 ? 0 : (30 + j) * UINT64_C(1000000000);
        }
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_one_by_one, &askers[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(askers[i].thread, NULL);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.submitted, THREADS * EACH);
    assert_int_equal(report.answered, THREADS * EACH);
    assert_int_equal(report.running, 0);
    for (size_t i = 0; i < THREADS; i++)
        for (size_t j = 0; j < EACH; j++)
            check(&askers[i].all[j]);
    rp_executor_free(executor);
}

/* What a job that is under way with a task of its thread's own can see of itself. */
typedef struct seen {
    asked asked;
    rp_executor *executor;
    uint64_t ticket, deadline_ns;
    rp_status cancelled;
    uint32_t running;
    uint64_t next;
} seen;

static void end_and_look(void *arg, rp_outcome *outcome)
{
    seen *s = arg;
    rp_executor_report report;
    rp_executor_get_report(s->executor, &report);
    s->running = report.running;
    s->next = rp__executor_kept_stop_late(s->executor, rp__clock_now());
    s->cancelled = rp_executor_cancel(s->executor, s->ticket);
    end(&s->asked, outcome);
}

static void short_jobs_are_known_while_they_run(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    uint64_t last = 0;
    const rp_mode mode = RP_MODE_OR;
    rp_executor *executor = open_executor(0, 0);
    for (int i = 0; i < 3; i++) {
        seen s = {.executor = executor};
        const uint64_t begin = rp__clock_now(), second = 1000000000;
        collection_put_words(s.asked.text, 2, 20);
        const rp_job job = {.query = s.asked.text,
                            .query_bytes = strlen(s.asked.text),
                            .mode = &mode,
                            .deadline_ns = 100 * second,
                            .here_ns = UINT64_MAX,
                            .done = end_and_look,
                            .arg = &s};
        assert_int_equal(rp_executor_submit(executor, &job, &s.ticket, &err), RP_OK);
        assert_int_equal(s.running, 1);
        assert_int_equal(s.cancelled, RP_OK);
        assert_true(s.next >= begin + 100 * second && s.next < begin + 200 * second);
        assert_true(s.ticket != 0 && s.ticket != last);
        last = s.ticket;
        check(&s.asked);
        assert_int_equal(rp_executor_cancel(executor, s.ticket), RP_NOT_FOUND);
        assert_true(rp__executor_kept_stop_late(executor, begin) == RP_POLICY_NEVER);
    }
    rp_executor_free(executor);
}

static void groups_are_answered(void **state)
{
    (void)state;
    static asked all[JOBS];
    static rp_job jobs[JOBS];
    for (size_t n = 1; n <= JOBS; n += 33) {
        rp_error err = {.text = ""};
        rp_executor_report report;
        rp_executor *executor = open_executor(2, 0);
        draw(all, jobs, n);
        uint64_t ticket = 0;
        assert_int_equal(rp_executor_submit_many(executor, jobs, n, &ticket, &err), RP_OK);
        assert_true(ticket > 0);
        assert_int_equal(rp_executor_drain(executor), RP_OK); /* what was taken is answered */
        for (size_t i = 0; i < n; i++)
            check(&all[i]);
        rp_executor_get_report(executor, &report);
        assert_int_equal(report.answered, n);
        assert_int_equal(report.queued, 0);
        assert_int_equal(report.running, 0);
        assert_int_equal(rp_executor_cancel(executor, ticket), RP_NOT_FOUND);
        rp_executor_free(executor);
    }
}

/* Who submits a group answers its first jobs while they are likely to have ended in time, unless threads were counted;
 * of an AND that is asked again as OR, the second part may be another thread's. */
static void groups_begin_with_who_submits_them(void **state)
{
    (void)state;
    static asked all[JOBS];
    static rp_job jobs[JOBS];
    const struct {
        size_t threads;
        uint64_t here_ns;
        bool is_all, is_none;
    } rows[] = {{0, UINT64_MAX, true, false},
                {0, 300000, false, false},
                {0, 1, false, true},
                {2, UINT64_MAX, false, true}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        rp_error err = {.text = ""};
        rp_executor_report report;
        rp_executor *executor = open_executor(rows[row].threads, 0);
        uint64_t ticket = 0;
        draw(all, jobs, JOBS);
        jobs[0].here_ns = rows[row].here_ns;
        for (size_t i = 0; i < JOBS; i++)
            jobs[i].deadline_ns = (30 + i % 2) * UINT64_C(1000000000);
        assert_int_equal(rp_executor_submit_many(executor, jobs, JOBS, &ticket, &err), RP_OK);
        assert_true(ticket > 0);
        for (size_t i = 0; rows[row].is_all && i < JOBS; i++)
            assert_true(all[i].mode == RP_MODE_ANDOR || atomic_load(&all[i].ended) == 1);
        assert_int_equal(rp_executor_drain(executor), RP_OK);
        for (size_t i = 0; i < JOBS; i++) {
            const bool is_own = pthread_equal(all[i].by, pthread_self()) != 0;
            assert_false(rows[row].is_none && is_own);
            assert_true(!rows[row].is_all || is_own || all[i].mode == RP_MODE_ANDOR);
            check(&all[i]);
        }
        rp_executor_get_report(executor, &report);
        assert_int_equal(report.submitted, JOBS);
        assert_int_equal(report.answered, JOBS);
        assert_int_equal(report.on_cores, JOBS);
        assert_int_equal(report.running, 0);
        rp_executor_free(executor);
    }
}

/* A mistake, a k past the limit and a time that is over are their jobs' alone, whoever answers. */
static void fail_alone(size_t threads, uint64_t here_ns)
{
    static asked all[JOBS];
    static rp_job jobs[JOBS];
    rp_error err = {.text = ""};
    rp_executor *executor = open_executor(threads, 0);
    draw(all, jobs, JOBS);
    jobs[0].here_ns = here_ns;
    strcpy(all[3].text, "(");
    jobs[3].query_bytes = 1;
    jobs[4].k = 1000000;
    jobs[5].deadline_ns = jobs[6].deadline_ns = 1;
    strcpy(all[6].text, "("); /* nobody looks at it any more */
    jobs[6].query_bytes = 1;
    assert_int_equal(rp_executor_submit_many(executor, jobs, JOBS, NULL, &err), RP_OK);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    for (size_t i = 0; i < JOBS; i++) {
        const rp_status wanted = i == 3             ? RP_USAGE
                                 : i == 4           ? RP_LIMIT
                                 : i == 5 || i == 6 ? RP_DEADLINE
                                                    : RP_OK;
        assert_int_equal(all[i].outcome.status, wanted);
        assert_true(wanted == RP_OK || all[i].outcome.err.text[0]);
        if (wanted == RP_OK)
            check(&all[i]);
        assert_int_equal(atomic_load(&all[i].ended), 1);
    }
    jobs[7].done = NULL;
    assert_int_equal(rp_executor_submit_many(executor, jobs, JOBS, NULL, &err), RP_USAGE);
    assert_int_equal(rp_executor_submit_many(executor, jobs, 0, NULL, &err), RP_OK);
    rp_executor_free(executor);
}

static void each_job_of_a_group_fails_alone(void **state)
{
    (void)state;
    fail_alone(1, 0);
    fail_alone(0, UINT64_MAX);
}

/* The first job's end cancels the rest, from inside the group. */
static rp_executor *cancelled;
static _Atomic uint64_t cancelled_ticket;

static void end_and_cancel(void *arg, rp_outcome *outcome)
{
    while (atomic_load(&cancelled_ticket) == 0)
        rp__clock_sleep(100000);
    assert_int_equal(rp_executor_cancel(cancelled, atomic_load(&cancelled_ticket)), RP_OK);
    end(arg, outcome);
}

static void groups_are_cancelled(void **state)
{
    (void)state;
    static asked all[JOBS];
    static rp_job jobs[JOBS];
    rp_error err = {.text = ""};
    uint64_t ticket = 0;
    cancelled = open_executor(1, 0);
    draw(all, jobs, JOBS);
    jobs[0].done = end_and_cancel;
    all[0].mode = RP_MODE_OR;
    assert_int_equal(rp_executor_submit_many(cancelled, jobs, JOBS, &ticket, &err), RP_OK);
    atomic_store(&cancelled_ticket, ticket);
    assert_int_equal(rp_executor_drain(cancelled), RP_OK);
    check(&all[0]);
    for (size_t i = 1; i < JOBS; i++) {
        assert_int_equal(atomic_load(&all[i].ended), 1);
        assert_int_equal(all[i].outcome.status, RP_INTERRUPTED);
    }
    rp_executor_free(cancelled);
}

/* The same while who submits it answers: by then the ticket is known. Jobs before may be elsewhere, to be asked again as
 * OR, with the task that has the ticket. One that was not begun is not even read. */
static uint64_t begun_ticket;

static void end_and_cancel_begun(void *arg, rp_outcome *outcome)
{
    assert_int_equal(rp_executor_cancel(cancelled, begun_ticket), RP_OK);
    end(arg, outcome);
}

static void begun_groups_are_cancelled(void **state)
{
    (void)state;
    static asked all[JOBS];
    static rp_job jobs[JOBS];
    for (size_t by = 0; by < JOBS - 2; by += 7) {
        rp_error err = {.text = ""};
        rp_executor_report report;
        cancelled = open_executor(0, 0);
        draw(all, jobs, JOBS);
        jobs[0].here_ns = UINT64_MAX;
        jobs[by].done = end_and_cancel_begun;
        all[by].mode = RP_MODE_OR;
        strcpy(all[JOBS - 1].text, "(");
        jobs[JOBS - 1].query_bytes = 1;
        assert_int_equal(rp_executor_submit_many(cancelled, jobs, JOBS, &begun_ticket, &err),
                         RP_OK);
        assert_int_equal(rp_executor_drain(cancelled), RP_OK);
        size_t n_cancelled = 0;
        for (size_t i = 0; i < JOBS; i++) {
            assert_int_equal(atomic_load(&all[i].ended), 1);
            const rp_status status = all[i].outcome.status;
            n_cancelled += status == RP_INTERRUPTED;
            assert_true(status == RP_INTERRUPTED || (i <= by && status == RP_OK));
            assert_true(status == RP_OK || i > by || all[i].mode == RP_MODE_ANDOR);
            if (status == RP_OK)
                check(&all[i]);
        }
        rp_executor_get_report(cancelled, &report);
        assert_int_equal(report.submitted, JOBS);
        assert_int_equal(report.cancelled, n_cancelled);
        assert_int_equal(rp_executor_cancel(cancelled, begun_ticket), RP_NOT_FOUND);
        rp_executor_free(cancelled);
    }
}

/* Where all tasks are in use but the one that stands for the group. */
static void refused_jobs_of_groups_are_counted(void **state)
{
    (void)state;
    enum { ROOM = 10 };
    static asked all[ROOM];
    static rp_job jobs[ROOM];
    rp_error err = {.text = ""};
    rp_executor_report report;
    rp_executor *executor = open_executor(1, ROOM);
    const size_t n = executor->n_tasks - 1;
    rp__task **used = calloc(n, sizeof *used);
    assert_non_null(used);
    draw(all, jobs, ROOM);
    pthread_mutex_lock(&executor->lock);
    for (size_t i = 0; i < n; i++)
        used[i] = rp__executor_tasks_take(executor);
    pthread_mutex_unlock(&executor->lock);
    assert_int_equal(rp_executor_submit_many(executor, jobs, ROOM, NULL, &err), RP_OK);
    for (size_t i = 0; i < ROOM; i++) {
        while (atomic_load(&all[i].ended) == 0)
            rp__clock_sleep(100000);
        assert_int_equal(all[i].outcome.status, RP_BUSY);
    }
    pthread_mutex_lock(&executor->lock);
    for (size_t i = 0; i < n; i++)
        rp__executor_tasks_release(executor, used[i]);
    rp__executor_unlock(executor);
    free(used);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.refused, ROOM);
    rp_executor_free(executor);
}

static _Atomic bool may_end;

static void end_when_told(void *arg, rp_outcome *outcome)
{
    while (!atomic_load(&may_end))
        rp__clock_sleep(100000);
    end(arg, outcome);
}

/* Until the executor's only core has it. */
static void submit_and_block(rp_executor *executor, rp_job *job)
{
    rp_error err = {.text = ""};
    rp_executor_report report;
    atomic_store(&may_end, false);
    job->done = end_when_told;
    assert_int_equal(rp_executor_submit(executor, job, NULL, &err), RP_OK);
    do {
        rp__clock_sleep(100000);
        rp_executor_get_report(executor, &report);
    } while (report.queued > 0);
}

/* Their jobs wait no longer, and end by the next core. */
static void waiting_groups_are_cancelled(void **state)
{
    (void)state;
    static asked all[JOBS];
    static rp_job jobs[JOBS];
    rp_error err = {.text = ""};
    rp_executor_report report;
    uint64_t ticket = 0;
    rp_executor *executor = open_executor(1, 0);
    draw(all, jobs, JOBS);
    all[0].mode = RP_MODE_OR;
    submit_and_block(executor, &jobs[0]);
    assert_int_equal(rp_executor_submit_many(executor, jobs + 1, JOBS - 1, &ticket, &err), RP_OK);
    assert_int_equal(rp_executor_cancel(executor, ticket), RP_OK);
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.queued, 0);
    atomic_store(&may_end, true);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    check(&all[0]);
    for (size_t i = 1; i < JOBS; i++) {
        assert_int_equal(atomic_load(&all[i].ended), 1);
        assert_int_equal(all[i].outcome.status, RP_INTERRUPTED);
    }
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.submitted, JOBS);
    assert_int_equal(report.cancelled, JOBS - 1);
    rp_executor_free(executor);
}

/* Jobs of groups count as waiting: where too many do, nothing is taken. */
static void full_queues_refuse_groups(void **state)
{
    (void)state;
    enum { ROOM = 10 };
    static asked all[3 * JOBS];
    static rp_job jobs[3 * JOBS];
    rp_error err = {.text = ""};
    rp_executor_report report;
    rp_executor *executor = open_executor(1, ROOM);
    draw(all, jobs, 3 * JOBS);
    all[0].mode = RP_MODE_OR;
    submit_and_block(executor, &jobs[0]);
    assert_int_equal(rp_executor_submit_many(executor, jobs + 1, ROOM, NULL, &err), RP_OK);
    rp_executor_get_report(executor, &report);
    assert_int_equal(report.queued, ROOM);
    assert_int_equal(rp_executor_submit_many(executor, jobs + JOBS, 1, NULL, &err), RP_BUSY);
    assert_int_equal(rp_executor_submit(executor, &jobs[JOBS], NULL, &err), RP_BUSY);
    atomic_store(&may_end, true);
    assert_int_equal(rp_executor_drain(executor), RP_OK);
    for (size_t i = 0; i <= ROOM; i++)
        check(&all[i]);
    assert_int_equal(atomic_load(&all[JOBS].ended), 0);
    assert_int_equal(rp_executor_submit_many(executor, jobs, 1, NULL, &err), RP_USAGE);
    rp_executor_free(executor);
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents, &(collection_recipe){"here", 31, (const char *const[]){"auto"}, 1,
                                                     DOCS, 60, 25});
    return 0;
}

/* A task whose deadline came while it was prepared, which forgets what stopped it before. */
static void what_came_meanwhile_stops(void **state)
{
    (void)state;
    static rp__task task;
    const uint64_t now = rp__clock_now();
    task.waiting.job.arrived = now - 2;
    task.waiting.job.deadline = now - 1;
    rp__executor_timer_check(&task);
    assert_int_equal(atomic_load(&task.stop), RP_STOP_DEADLINE);
    atomic_store(&task.stop, RP_STOP_NONE);
    task.waiting.job.deadline = RP_POLICY_NEVER;
    rp__executor_timer_check(&task);
    assert_int_equal(atomic_load(&task.stop), RP_STOP_NONE);
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
        cmocka_unit_test(short_jobs_are_answered_at_once),
        cmocka_unit_test(threads_answer_side_by_side),
        cmocka_unit_test(short_jobs_are_known_while_they_run),
        cmocka_unit_test(groups_are_answered),
        cmocka_unit_test(groups_begin_with_who_submits_them),
        cmocka_unit_test(each_job_of_a_group_fails_alone),
        cmocka_unit_test(groups_are_cancelled),
        cmocka_unit_test(begun_groups_are_cancelled),
        cmocka_unit_test(refused_jobs_of_groups_are_counted),
        cmocka_unit_test(waiting_groups_are_cancelled),
        cmocka_unit_test(full_queues_refuse_groups),
        cmocka_unit_test(what_came_meanwhile_stops),
    };
    return cmocka_run_group_tests_name("here", tests, open_documents, close_documents);
}
