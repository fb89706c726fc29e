/* executor_here.c: a job that is answered without a queue, by the thread that has it.
 *
 * To hand a query to another thread takes as long as many queries do: locks, a thread that wakes, memory that moves
 * from core to core. So a short one may be answered by who submits it. */
#include "base/clock.h"
#include "engine/executor.h"

const char rp__executor_here_reason[] = "it is short: who took it answers it";

void rp__executor_here_enter(rp_executor *e)
{
    atomic_fetch_add(&e->n_here, 1);
}

void rp__executor_here_leave(rp_executor *e)
{
    if (atomic_fetch_sub(&e->n_here, 1) == 1)
        pthread_cond_broadcast(&e->ended);
}

bool rp__executor_here_finish(rp_executor *e, rp__task *task, const char *reason)
{
    rp_outcome *o = &task->outcome;
    task->seated = task->taken = rp__clock_now();
    o->reason = reason;
    o->estimated_ns = task->waiting.job.cpu_ns;
    task->decisions[task->n_decisions++] = (rp__decision){.processor = "cpu",
                                                          .reason = o->reason,
                                                          .began = task->taken,
                                                          .estimated_ns = o->estimated_ns};
    return rp__executor_core_finish(e, task);
}

void rp__executor_here_run(rp_executor *e, rp__task *task, uint64_t *ticket)
{
    rp__executor_submit_tell(task, ticket);
    rp__executor_timer_check(task);
    rp__executor_here_enter(e);
    const bool is_over = rp__executor_here_finish(e, task, rp__executor_here_reason);
    rp__executor_lock(e);
    e->report.submitted++;
    if (is_over) {
        rp__executor_core_count(&e->report, task->outcome.status, task->on_card);
        rp__executor_tasks_release(e, task);
    }
    rp__executor_here_leave(e);
    rp__executor_unlock(e);
}
