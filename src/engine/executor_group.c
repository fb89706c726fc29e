/* executor_group.c: many jobs that were submitted together.
 *
 * Tasks in the cores' queue stand for the group. A core that takes one answers the group's jobs one after the other,
 * each from its text to its call back, while all that it uses is still in its caches. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/record.h"
#include "engine/executor.h"

enum {
    JOBS_A_CORE = 4, /* of a group, for which it pays to wake one more */
    JOB_NS = 50000,  /* that one of them may take: they are not looked at before */
};

typedef struct rp__group {
    size_t n;
    uint64_t arrived, ticket;
    _Atomic size_t next; /* job that nobody has */
    size_t tasks;        /* that stand for it, under the lock */
    _Atomic bool is_stopped;
    rp_job jobs[];
} rp__group;

static void fail(const rp_job *job, rp_status status, const rp_error *err)
{
    rp_outcome outcome = {.status = status, .err = *err};
    job->done(job->arg, &outcome);
}

/* Its time runs since the group was submitted. */
static void answer(rp_executor *e, rp__task *outer, const rp__group *g, const rp_job *job)
{
    rp_job own = *job;
    rp_error err = {.text = ""};
    rp_status status = RP_OK;
    const uint64_t waited = rp__clock_now() - g->arrived;
    if (atomic_load(&g->is_stopped))
        status = rp__error_set(&err, RP_INTERRUPTED, "the query was cancelled");
    else if (own.deadline_ns && own.deadline_ns <= waited)
        status = rp__error_set(&err, RP_DEADLINE, "the query's time was over");
    else if (own.deadline_ns)
        own.deadline_ns -= waited;
    if (status == RP_OK)
        status = rp__executor_submit_inner(e, outer, &own, &err);
    if (status != RP_OK)
        fail(job, status, &err);
}

void rp__executor_group_run(rp_executor *e, rp__task *task)
{
    rp__group *g = task->group;
    for (size_t i; (i = atomic_fetch_add(&g->next, 1)) < g->n;)
        answer(e, task, g, &g->jobs[i]);
}

void rp__executor_group_leave(rp__task *task)
{
    if (--task->group->tasks == 0)
        rp__free(task->group);
    task->group = NULL;
}

bool rp__executor_group_stop(rp_executor *e, uint64_t ticket)
{
    bool has_any = false;
    for (size_t i = 0; i < e->n_tasks; i++) {
        rp__task *t = &e->tasks[i];
        uint32_t none = RP_STOP_NONE;
        if (!t->ticket || !t->group || t->group->ticket != ticket)
            continue;
        has_any = true;
        atomic_store(&t->group->is_stopped, true);
        if (t->inner)
            atomic_compare_exchange_strong(&t->inner->stop, &none, RP_STOP_CANCELLED);
    }
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
    *g = (rp__group){.n = n, .arrived = rp__clock_now()};
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

/* With the lock. As many tasks as pay, or one at the least. */
static rp_status seat_group(rp_executor *e, rp__group *g, rp_error *err)
{
    const size_t most = 1 + (g->n - 1) / JOBS_A_CORE, n = most < e->n_cores ? most : e->n_cores;
    size_t left = g->n;
    rp_status status = RP_OK;
    for (size_t i = 0; i < n; i++) {
        rp__task *t = rp__executor_submit_begin(e, &status, i == 0 ? err : NULL);
        if (!t)
            return i == 0 ? status : RP_OK;
        if (i == 0)
            g->ticket = t->ticket;
        t->group = g;
        t->weight = left / (n - i);
        left -= t->weight;
        g->tasks++;
        t->waiting.job = (rp__policy_job){.arrived = g->arrived,
                                          .cpu_ns = t->weight * JOB_NS,
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
    return RP_OK;
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
    pthread_mutex_lock(&executor->lock);
    status = seat_group(executor, g, err);
    if (status == RP_OK && ticket)
        *ticket = g->ticket;
    rp__executor_unlock(executor);
    if (status != RP_OK)
        rp__free(g);
    return status;
}
