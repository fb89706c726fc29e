/* executor_kept.c: tasks that are kept for short jobs, which who submits them answers.
 *
 * A thread that answers what it has read would need the executor's lock twice for each job, and all
 * cores do at once. So a task is kept for each core. Its locks are taken by no other core, unless
 * one cancels the job or looks at all, or the timer fires. Cores share these places where they are
 * many: who finds one taken goes the common way. So does a job that turns out to be long, which is
 * bound again then.
 * Invariants: 1 who answers with the task has `answering`; 2 the common lock may be held when
 * `lock` is taken, never the other way round; 3 a job's deadline is set before the timer's is read,
 * and the timer forgets its own before it reads those of jobs, so that one of both sees the
 * other's. */
#include "base/clock.h"
#include "base/thread.h"
#include "engine/executor.h"

void rp__executor_kept_open(rp_executor *e)
{
    for (size_t i = 0; i < RP_EXECUTOR_HOMES; i++) {
        rp__thread_lock_init(&e->kept[i].answering);
        rp__thread_lock_init(&e->kept[i].lock);
    }
}

void rp__executor_kept_close(rp_executor *e)
{
    for (size_t i = 0; i < RP_EXECUTOR_HOMES; i++) {
        pthread_mutex_destroy(&e->kept[i].answering);
        pthread_mutex_destroy(&e->kept[i].lock);
    }
}

void rp__executor_kept_drain(rp_executor *e)
{
    for (size_t i = 0; i < RP_EXECUTOR_HOMES; i++) {
        pthread_mutex_lock(&e->kept[i].answering);
        pthread_mutex_unlock(&e->kept[i].answering);
    }
}

bool rp__executor_kept_cancel(rp_executor *e, uint64_t ticket)
{
    const rp__task *t = &e->tasks[ticket % e->n_tasks];
    uint32_t none = RP_STOP_NONE;
    if (t->place != RP_TASK_KEPT)
        return false;
    rp__kept_task *k = &e->kept[t->home];
    pthread_mutex_lock(&k->lock);
    const bool is_under_way = k->ticket == ticket;
    if (is_under_way)
        atomic_compare_exchange_strong(&k->task->stop, &none, RP_STOP_CANCELLED);
    pthread_mutex_unlock(&k->lock);
    return is_under_way;
}

uint64_t rp__executor_kept_stop_late(rp_executor *e, uint64_t now)
{
    uint64_t next = RP_POLICY_NEVER;
    for (size_t i = 0; i < RP_EXECUTOR_HOMES; i++) {
        rp__kept_task *k = &e->kept[i];
        uint32_t none = RP_STOP_NONE;
        pthread_mutex_lock(&k->lock);
        if (k->ticket && k->deadline <= now)
            atomic_compare_exchange_strong(&k->task->stop, &none, RP_STOP_DEADLINE);
        else if (k->ticket && k->deadline < next)
            next = k->deadline;
        pthread_mutex_unlock(&k->lock);
    }
    return next;
}

void rp__executor_kept_report(rp_executor *e, rp_executor_report *out)
{
    for (size_t i = 0; i < RP_EXECUTOR_HOMES; i++) {
        rp__kept_task *k = &e->kept[i];
        pthread_mutex_lock(&k->lock);
        rp__executor_core_add(out, &k->report);
        out->running += k->ticket != 0;
        pthread_mutex_unlock(&k->lock);
    }
}

/* Takes the place's task from the free ones, if it has none. */
static bool has_task(rp_executor *e, rp__kept_task *k)
{
    if (k->task)
        return true;
    rp__executor_lock(e);
    rp__task *t = rp__executor_tasks_find_free(e);
    if (t) {
        t->place = RP_TASK_KEPT;
        t->home = (uint32_t)(k - e->kept);
        k->tickets = e->tickets; /* more than it had before */
    }
    rp__executor_unlock(e);
    k->task = t;
    return t != NULL;
}

/* From now on it can be cancelled, and the timer stops it. */
static void begin(rp_executor *e, rp__kept_task *k, uint64_t deadline, uint64_t *ticket)
{
    rp__task *t = k->task;
    t->waiting.job.deadline = deadline;
    rp__executor_timer_check(t);
    pthread_mutex_lock(&k->lock);
    k->ticket = ++k->tickets * e->n_tasks + (uint64_t)(t - e->tasks);
    k->deadline = deadline;
    if (ticket)
        __atomic_store_n(ticket, k->ticket, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&k->lock);
    if (deadline >= atomic_load(&e->next_deadline))
        return;
    rp__executor_lock(e);
    rp__executor_timer_add(e, t);
    rp__executor_unlock(e);
}

static void run(rp_executor *e, rp__kept_task *k)
{
    rp__task *t = k->task;
    (void)rp__executor_here_finish(e, t, rp__executor_here_reason);
    pthread_mutex_lock(&k->lock);
    k->ticket = 0;
    k->report.submitted++;
    rp__executor_core_count(&k->report, t->outcome.status, false);
    pthread_mutex_unlock(&k->lock);
}

bool rp__executor_kept_answer(rp_executor *e, const rp_job *job, uint64_t *ticket,
                              rp_status *status, rp_error *err)
{
    rp__kept_task *k = &e->kept[rp__thread_core() % RP_EXECUTOR_HOMES];
    const rp_mode mode = job->mode ? *job->mode : e->plain->options.mode;
    if (mode == RP_MODE_ANDOR || pthread_mutex_trylock(&k->answering) != 0)
        return false;
    const uint64_t now = rp__clock_now();
    bool is_answered = !atomic_load(&e->is_drained) && has_task(e, k);
    *status = RP_OK;
    if (is_answered)
        *status = rp__executor_submit_prepare(e, k->task, job, NULL, now, err);
    if (is_answered && *status == RP_OK)
        is_answered = k->task->waiting.job.cpu_ns <= job->here_ns;
    if (is_answered && *status == RP_OK) {
        begin(e, k, rp__executor_submit_deadline(now, job->deadline_ns), ticket);
        run(e, k);
    }
    pthread_mutex_unlock(&k->answering);
    return is_answered;
}
