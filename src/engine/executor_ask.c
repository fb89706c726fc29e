/* executor_ask.c: a job submitted by a thread that waits for it.
 *
 * That thread has nothing else to do, and to wake another one takes longer than many queries do. So while lanes have no
 * work it stands in for them: it answers its own task on a core's lane, or uses the card on the card's lane, and ends the
 * task. The lane counts as busy meanwhile, so no more threads work than there are lanes. Whatever else there is to do
 * is left to the lanes. */
#include <stdatomic.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/record.h"
#include "engine/executor.h"

enum { SPIN_NS = 50000 };
enum { LOOKS, SLEEPS, ENDED }; /* what the waiter does; the last: the job has ended */

typedef struct waiter {
    rp_outcome *out;
    _Atomic uint32_t state;
} waiter;

/* The waiter may be gone once it sees the end: its address alone is used then. */
static void end_wait(void *arg, rp_outcome *outcome)
{
    waiter *w = arg;
    *w->out = *outcome;
    if (atomic_exchange(&w->state, ENDED) == SLEEPS)
        rp__futex_wake(&w->state);
}

static void wait_for_end(waiter *w)
{
    uint32_t looks = LOOKS;
    if (rp__futex_spin(&w->state, LOOKS, SPIN_NS))
        return;
    if (atomic_compare_exchange_strong(&w->state, &looks, SLEEPS))
        while (atomic_load(&w->state) == SLEEPS)
            rp__futex_wait(&w->state, SLEEPS, UINT64_MAX);
}

/* ---- Helping --------------------------------------------------------------------------------- */

static bool is_next(rp_executor *e, const rp__task *task, bool is_card, uint64_t now)
{
    rp__policy_view view;
    rp__executor_look(e, now, &view);
    const rp__policy_take take = e->policy->take(&view, is_card);
    return rp__executor_next(e, &take) == task;
}

static void remove_ending(rp_executor *e, const rp__task *task)
{
    rp__task_list rest = {NULL, NULL, 0};
    for (rp__task *t; (t = rp__executor_tasks_pop(&e->ending));)
        if (t != task)
            rp__executor_tasks_append(&rest, t);
    e->ending = rest;
}

/* Whether it sleeps does not matter. */
static rp__lane *find_idle_core(const rp_executor *e)
{
    for (size_t i = 0; i < e->n_cores; i++)
        if (e->states[i].is_idle)
            return &e->lanes[i];
    return NULL;
}

/* An idle lane that could do what comes next for the task. NULL: there is none, or others come
 * first. */
static rp__lane *find_lane(rp_executor *e, const rp__task *task, uint64_t now)
{
    rp__lane *core = find_idle_core(e), *card;
    if (task->place == RP_TASK_ENDING)
        return core;
    if (task->place != RP_TASK_QUEUED)
        return NULL;
    if (core && is_next(e, task, false, now))
        return core;
    card = rp__executor_find_idle(e, true);
    return card && card->card && is_next(e, task, true, now) ? card : NULL;
}

/* In the place of a core's lane. */
static void answer_on(rp__lane *lane, rp__task *task, bool is_new)
{
    rp__executor_set_idle(lane, false);
    task->next = NULL;
    rp__executor_core_turn(lane, task, is_new);
    rp__executor_set_idle(lane, true);
}

static void stand_in(rp_executor *e, rp__lane *lane, rp__task *task, uint64_t now)
{
    const bool is_new = task->place != RP_TASK_ENDING;
    if (lane->is_card) {
        rp__executor_set_idle(lane, false);
        (void)rp__executor_card_turn(lane, false);
        rp__executor_set_idle(lane, true);
        return;
    }
    if (is_new)
        rp__executor_begin(e, task, false, now); /* a policy asked again may name another */
    else
        remove_ending(e, task);
    answer_on(lane, task, is_new);
}

/* While the task is the one with that ticket. */
static void help(rp_executor *e, rp__task *task, uint64_t ticket, uint64_t now)
{
    rp__lane *lane;
    while (task->ticket == ticket && (lane = find_lane(e, task, now))) {
        stand_in(e, lane, task, now);
        if (task->ticket == ticket)
            now = rp__clock_now();
    }
}

void rp__executor_ask_begun(rp_executor *e, rp__task *task)
{
    const uint64_t ticket = task->ticket;
    rp__executor_here_enter(e);
    answer_on(find_idle_core(e), task, true);
    if (task->ticket == ticket)
        help(e, task, ticket, rp__clock_now());
    rp__executor_here_leave(e);
    rp__executor_wake(e);
}

void rp__executor_ask_help(rp_executor *e, rp__task *task)
{
    rp__executor_here_enter(e);
    help(e, task, task->ticket, task->seated);
    rp__executor_here_leave(e);
    rp__executor_wake(e);
}

rp_status rp_executor_ask(rp_executor *executor, const rp_job *job, rp_outcome *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_outcome){0};
    if (RP_MISSING(err, executor, job) || RP_MISSING_ARRAY(err, job->query, job->query_bytes))
        return RP_USAGE;
    rp_job own;
    waiter w = {.out = out};
    rp_status status = RP_TAKE(&own, job, err);
    own.done = end_wait;
    own.arg = &w;
    if (status == RP_OK)
        status = rp__executor_submit_job(executor, &own, NULL, true, NULL, err);
    if (status != RP_OK)
        return status;
    wait_for_end(&w);
    if (err && out->status != RP_OK)
        *err = out->err;
    return out->status;
}
