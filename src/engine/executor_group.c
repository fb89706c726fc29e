/* executor_group.c: many jobs that were submitted together.
 *
 * A thread answers jobs of a group one after the other, each from its text to its call back, with one task and so while
 * all that it uses is still in its caches. It needs the lock once for all of them, unless their deadlines differ. Who
 * submits a group may begin with it. Tasks in the cores' queue stand for the rest. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/executor.h"

enum {
    CORE_NS = 200000, /* of work, for which it pays to wake one more core */
    JOB_NS = 50000,   /* that a job may take where none was answered yet */
};

typedef struct rp__group {
    struct rp__group *following; /* of all groups, under the lock */
    size_t n;
    uint64_t arrived, ticket;
    _Atomic size_t next; /* job that nobody has */
    uint64_t job_ns;     /* that one is likely to take */
    size_t tasks;        /* that stand for it, under the lock */
    _Atomic bool is_stopped;
    rp_job jobs[];
} rp__group;

/* A thread that answers jobs of a group. */
typedef struct runner {
    rp__task *task;            /* with which it answers; NULL: none yet, or it is elsewhere */
    rp_executor_report report; /* of what it has answered */
} runner;

static const char too_many[] = "the query was refused: too many jobs are under way";

static void fail(const rp_job *job, rp_status status, const rp_error *err)
{
    rp_outcome outcome = {.status = status, .err = *err, .hits.is_partial = status == RP_DEADLINE};
    job->done(job->arg, &outcome);
}

/* Whether the job is not to be begun any more. */
static rp_status check_stop(const rp__group *g, uint64_t deadline, uint64_t now, rp_error *err)
{
    if (atomic_load(&g->is_stopped))
        return rp__executor_core_stopped(RP_STOP_CANCELLED, err);
    if (deadline <= now)
        return rp__executor_core_stopped(RP_STOP_DEADLINE, err);
    return RP_OK;
}

/* The runner's task, which ends by the deadline; false: there is none. */
static bool get_task(rp_executor *e, runner *r, const rp__group *g, uint64_t deadline)
{
    if (r->task && r->task->waiting.job.deadline == deadline)
        return true;
    rp__executor_lock(e);
    if (!r->task)
        r->task = rp__executor_tasks_take(e);
    if (r->task) {
        r->task->group_ticket = g->ticket;
        rp__executor_timer_limit(e, r->task, deadline);
    }
    rp__executor_unlock(e);
    return r->task != NULL;
}

/* Its time runs since the group was submitted. False: it is likely to end later than `until`, and nothing was done. */
static bool answer(rp_executor *e, runner *r, const rp__group *g, const rp_job *job, uint64_t until)
{
    rp_error err = {.text = ""};
    const uint64_t deadline = rp__executor_submit_deadline(g->arrived, job->deadline_ns);
    const uint64_t now = rp__clock_now();
    rp_status status = check_stop(g, deadline, now, &err);
    if (status != RP_OK) {
        r->report.submitted++;
        rp__executor_core_count(&r->report, status, false);
    } else if (!get_task(e, r, g, deadline)) {
        r->report.refused++;
        status = rp__error_set(&err, RP_BUSY, "%s", too_many);
    }
    if (status == RP_OK)
        status = rp__executor_submit_prepare(e, r->task, job, NULL, now, &err);
    if (status != RP_OK) {
        fail(job, status, &err);
        return true;
    }
    if (now > until || r->task->waiting.job.cpu_ns > until - now)
        return false;
    rp__executor_timer_check(r->task);
    if (atomic_load(&g->is_stopped)) /* perhaps while the task had the job before */
        atomic_store(&r->task->stop, RP_STOP_CANCELLED);
    r->report.submitted++;
    if (rp__executor_here_finish(e, r->task, "the cores answer groups"))
        rp__executor_core_count(&r->report, r->task->outcome.status, r->task->on_card);
    else
        r->task = NULL;
    return true;
}

/* With the lock. */
static void end_run(rp_executor *e, runner *r)
{
    rp__executor_core_add(&e->report, &r->report);
    if (r->task)
        rp__executor_tasks_release(e, r->task);
}

void rp__executor_group_run(rp_executor *e, rp__task *task)
{
    rp__group *g = task->group;
    runner r = {.task = NULL};
    for (size_t i; (i = atomic_fetch_add(&g->next, 1)) < g->n;)
        (void)answer(e, &r, g, &g->jobs[i], RP_POLICY_NEVER);
    rp__executor_lock(e);
    end_run(e, &r);
    rp__executor_unlock(e);
}

/* With the lock. */
static void remove_group(rp_executor *e, rp__group *g)
{
    rp__group **at = &e->groups;
    while (*at != g)
        at = &(*at)->following;
    *at = g->following;
    rp__free(g);
}

void rp__executor_group_leave(rp_executor *e, rp__task *task)
{
    if (--task->group->tasks == 0)
        remove_group(e, task->group);
    task->group = NULL;
}

bool rp__executor_group_stop(rp_executor *e, uint64_t ticket)
{
    rp__group *g = e->groups;
    while (g && g->ticket != ticket)
        g = g->following;
    if (g)
        atomic_store(&g->is_stopped, true); /* first: a task may be on its way to its next job */
    bool has_any = g != NULL;
    for (size_t i = 0; i < e->n_tasks; i++) {
        rp__task *t = &e->tasks[i];
        uint32_t none = RP_STOP_NONE;
        if (t->group_ticket != ticket)
            continue;
        has_any = true;
        atomic_compare_exchange_strong(&t->stop, &none, RP_STOP_CANCELLED);
        rp__executor_unseat(e, t);
    }
    if (has_any)
        rp__executor_wake(e);
    return has_any;
}

static rp_status make_group(const rp_job *jobs, size_t n, rp__group **out, rp_error *err)
{
    rp_status status = RP_OK;
    const size_t stride = jobs->size ? jobs->size : sizeof *jobs; /* of the caller's release */
    rp__group *g = rp__alloc(sizeof *g + n * sizeof *g->jobs);
    *out = NULL;
    if (!g)
        return rp__error_no_memory(err);
    *g = (rp__group){.n = n, .arrived = rp__clock_now(), .job_ns = JOB_NS};
    for (size_t i = 0; status == RP_OK && i < n; i++) {
        status = RP_TAKE(&g->jobs[i],
                         (const rp_job *)(const void *)((const char *)jobs + i * stride), err);
        const rp_job *job = &g->jobs[i];
        const char *missing = !job->done                            ? "jobs->done"
                              : !job->query && job->query_bytes > 0 ? "jobs->query"
                                                                    : NULL;
        if (status == RP_OK && missing) {
            rp__error_set_missing(err, "rp_executor_submit_many", missing, 0);
            status = RP_USAGE;
        }
    }
    if (status != RP_OK)
        rp__free(g);
    else
        *out = g;
    return status;
}

/* With the lock. A task that stands for `weight` jobs of the group waits for a core. */
static void seat(rp_executor *e, rp__group *g, rp__task *t, size_t weight)
{
    g->tasks++;
    t->group = g;
    t->group_ticket = g->ticket;
    t->weight = weight;
    t->waiting.job = (rp__policy_job){.arrived = g->arrived,
                                      .cpu_ns = weight * g->job_ns,
                                      .deadline = RP_POLICY_NEVER,
                                      .gpu_ns = RP_POLICY_NEVER,
                                      .batch_ns = RP_POLICY_NEVER};
    t->parts = t->whole = NULL;
    t->steps.is_on = t->has_answer = t->on_card = false;
    t->outcome = (rp_outcome){0};
    t->n_decisions = 0;
    atomic_store(&t->stop, RP_STOP_NONE);
    rp__executor_put(e, t, RP_QUEUE_CPU, "the cores answer groups");
    rp__executor_wake(e);
}

/* With the lock: jobs that nobody has, by a task and as many more as pay. */
static void seat_all(rp_executor *e, rp__group *g, rp__task *t)
{
    size_t left = g->n - atomic_load(&g->next);
    const uint64_t pay = 1 + (left - 1) * g->job_ns / CORE_NS;
    const size_t n = pay < e->n_cores ? (size_t)pay : e->n_cores;
    for (size_t i = 0; i < n && t; i++) {
        const size_t weight = left / (n - i);
        left -= weight;
        seat(e, g, t, weight);
        t = i + 1 < n ? rp__executor_submit_begin(e, &(rp_status){RP_OK}, NULL) : NULL;
    }
}

static void refuse_from(runner *r, const rp__group *g, size_t i)
{
    rp_error err;
    rp__error_set(&err, RP_BUSY, "%s", too_many);
    for (; i < g->n; i++, r->report.refused++)
        fail(&g->jobs[i], RP_BUSY, &err);
}

/* Answers the first jobs with the task, while all are likely to end within `here_ns`, and hands over the rest. */
static void run_here(rp_executor *e, rp__group *g, rp__task *task, uint64_t here_ns)
{
    runner r = {.task = task};
    rp__executor_here_enter(e);
    const uint64_t until = rp__executor_submit_deadline(g->arrived, here_ns);
    size_t i = 0;
    while (i < g->n && answer(e, &r, g, &g->jobs[i], until))
        i++;
    atomic_store(&g->next, i);
    if (i > 0)
        g->job_ns = 1 + (rp__clock_now() - g->arrived) / i;
    rp__executor_lock(e);
    rp__task *rest = i == g->n ? NULL : r.task ? r.task : rp__executor_tasks_take(e);
    if (rest) {
        seat_all(e, g, rest);
        r.task = NULL;
    }
    if (!rest && i < g->n) {
        rp__executor_unlock(e);
        refuse_from(&r, g, i);
        rp__executor_lock(e);
    }
    if (!rest)
        remove_group(e, g);
    end_run(e, &r);
    rp__executor_here_leave(e);
    rp__executor_unlock(e);
}

rp_status rp_executor_submit_many(rp_executor *executor, const rp_job *jobs, size_t n,
                                  uint64_t *ticket, rp_error *err)
{
    rp__group *g;
    if (RP_MISSING(err, executor) || RP_MISSING_ARRAY(err, jobs, n))
        return RP_USAGE;
    rp_status status = n > 0 ? make_group(jobs, n, &g, err) : RP_OK;
    if (status != RP_OK || n == 0)
        return status;
    const uint64_t here_ns = executor->on_card || executor->is_bounded ? 0 : g->jobs[0].here_ns;
    rp__executor_lock(executor);
    rp__task *t = rp__executor_submit_begin(executor, &status, err);
    if (t) {
        g->ticket = t->group_ticket = t->ticket;
        g->following = executor->groups;
        executor->groups = g;
        rp__executor_submit_tell(t, ticket);
    }
    if (t && here_ns > 0)
        rp__executor_timer_limit(executor, t,
                                 rp__executor_submit_deadline(g->arrived, g->jobs[0].deadline_ns));
    else if (t)
        seat_all(executor, g, t);
    rp__executor_unlock(executor);
    if (!t)
        rp__free(g);
    else if (here_ns > 0)
        run_here(executor, g, t, here_ns);
    return status;
}
