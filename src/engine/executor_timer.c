/* executor_timer.c: a thread that stops tasks at their deadlines. It is started with the first deadline. */
#include "base/clock.h"
#include "base/thread.h"
#include "engine/executor.h"

/* Stops what is late; returns the next deadline. */
static uint64_t stop_late(rp_executor *e)
{
    const uint64_t now = rp__clock_now();
    atomic_store(&e->next_deadline, RP_POLICY_NEVER);
    uint64_t next = rp__executor_kept_stop_late(e, now);
    for (size_t i = 0; i < e->n_tasks; i++) {
        rp__task *t = &e->tasks[i];
        const bool is_live = t->place == RP_TASK_QUEUED || t->place == RP_TASK_TAKEN;
        if (!is_live || atomic_load(&t->stop))
            continue;
        const uint64_t deadline = t->waiting.job.deadline;
        if (deadline > now) {
            next = deadline < next ? deadline : next;
            continue;
        }
        atomic_store(&t->stop, RP_STOP_DEADLINE);
        rp__executor_unseat(e, t);
    }
    rp__executor_wake(e);
    return next;
}

void *rp__executor_timer_run(void *arg)
{
    rp_executor *e = arg;
    rp__executor_lock(e);
    while (!e->is_over) {
        const uint64_t now = rp__clock_now();
        const uint64_t next = atomic_load(&e->next_deadline);
        if (next == RP_POLICY_NEVER)
            pthread_cond_wait(&e->timer_moved, &e->lock);
        else if (next > now)
            rp__thread_wait(&e->timer_moved, &e->lock, next - now);
        else {
            atomic_store(&e->next_deadline, stop_late(e));
            rp__executor_unlock(e);
            rp__executor_lock(e);
        }
    }
    rp__executor_unlock(e);
    return NULL;
}

void rp__executor_timer_add(rp_executor *e, const rp__task *task)
{
    if (!e->has_timer)
        e->has_timer = pthread_create(&e->timer, NULL, rp__executor_timer_run, e) == 0;
    if (!e->has_timer || task->waiting.job.deadline >= atomic_load(&e->next_deadline))
        return;
    atomic_store(&e->next_deadline, task->waiting.job.deadline);
    pthread_cond_signal(&e->timer_moved);
}

void rp__executor_timer_limit(rp_executor *e, rp__task *task, uint64_t deadline)
{
    task->place = RP_TASK_TAKEN;
    task->waiting.job.deadline = deadline;
    atomic_store(&task->stop, RP_STOP_NONE);
    if (deadline != RP_POLICY_NEVER)
        rp__executor_timer_add(e, task);
}

void rp__executor_timer_check(rp__task *task)
{
    const uint64_t deadline = task->waiting.job.deadline;
    if (deadline != RP_POLICY_NEVER && deadline <= rp__clock_now())
        atomic_store(&task->stop, RP_STOP_DEADLINE);
}
