/* executor_core.c: what the thread of a core does: answers tasks, names hits, and calls back.
 *
 * Tasks that only wait for their end go first: they are short, and somebody waits for them. */
#include "base/clock.h"
#include "base/error.h"
#include "engine/executor.h"
#include "store/store.h"

enum { ENDING_LEAST = 4, ENDING_MOST = 16 }; /* tasks that a core ends in one turn, if there are */

typedef struct turn {
    rp__task *task;
    bool asks_again; /* andor: as OR */
    bool is_partial;
    rp_error err;
} turn;

/* What a card did in vain, and why. */
static void add_spent(rp__task *t)
{
    t->answer.fallback = t->fallback;
    rp__answer_count(&t->answer.gpu, &t->spent);
}

static rp_status answer(turn *at)
{
    rp__task *t = at->task;
    rp_searcher *s = t->searcher;
    rp_status status = RP_OK;
    t->answer = (rp__answer){.total_is_exact = true};
    if (t->bound.n_ops > 0)
        status = s->plain->run(NULL, &t->bound, &s->arena, &t->answer, &at->err);
    add_spent(t);
    return status;
}

/* Answers, unless the card did, and names the hits. */
static rp_status run_turn(void *arg)
{
    turn *at = arg;
    rp__task *t = at->task;
    rp_status status = t->has_answer ? RP_OK : answer(at);
    at->is_partial = status == RP_INTERRUPTED && t->stop == RP_STOP_DEADLINE;
    if (status != RP_OK && !at->is_partial)
        return status;
    at->asks_again =
        !at->is_partial && rp__searcher_asks_again(t->searcher, &t->bound, &t->answer, &t->mode);
    if (at->asks_again)
        return RP_OK;
    rp__searcher_add_first(&t->answer, t->first.postings, t->first.fallback, &t->first.gpu);
    rp__trace *trace = rp__query_trace_get(t->searcher);
    const uint64_t begin = rp__trace_begin(trace);
    status = rp__searcher_hits(t->searcher, &t->bound, &t->answer, t->mode,
                               t->on_card ? "gpu" : t->searcher->plain->name, &t->outcome.hits);
    rp__query_trace_host(trace, "names", begin, t->outcome.hits.n);
    return status == RP_OK && at->is_partial ? RP_INTERRUPTED : status;
}

rp_status rp__executor_core_stopped(uint32_t stop, rp_error *err)
{
    return stop == RP_STOP_DEADLINE ? rp__error_set(err, RP_DEADLINE, "the query's time was over")
                                    : rp__error_set(err, RP_INTERRUPTED, "the query was cancelled");
}

static void add_steps(rp__task *t)
{
    rp_outcome *o = &t->outcome;
    const bool has_hits = o->status == RP_OK || o->status == RP_DEADLINE;
    if (has_hits && t->bound.trace &&
        rp__query_trace_add(t->searcher, t->decisions, t->n_decisions, &o->hits) != RP_OK)
        o->status = rp__error_no_memory(&o->err);
}

/* Without the lock. */
static void end_task(rp__task *t)
{
    rp_outcome *o = &t->outcome;
    const uint64_t now = rp__clock_now();
    rp__executor_leave(t, now);
    o->answered_ns = t->taken ? now - t->taken : 0;
    add_steps(t);
    if (o->status != RP_OK && o->status != RP_DEADLINE)
        rp_hits_free(&o->hits);
    o->hits.is_partial = o->status == RP_DEADLINE;
    o->hits.total_is_exact &= !o->hits.is_partial;
    o->hits.seconds = (double)(now - t->waiting.job.arrived) / 1e9;
    if (t->searcher->arena.held > t->searcher->options.max_memory / 2)
        rp__arena_reset(&t->searcher->arena);
    t->done(t->arg, o);
}

void rp__executor_core_count(rp_executor_report *r, rp_status status, bool on_card)
{
    r->answered += status == RP_OK;
    r->cancelled += status == RP_INTERRUPTED;
    r->late += status == RP_DEADLINE;
    r->failed += status != RP_OK && status != RP_INTERRUPTED && status != RP_DEADLINE;
    r->on_cores += status == RP_OK && !on_card;
    r->on_card += status == RP_OK && on_card;
}

void rp__executor_core_add(rp_executor_report *all, const rp_executor_report *more)
{
    all->submitted += more->submitted;
    all->refused += more->refused;
    all->answered += more->answered;
    all->failed += more->failed;
    all->cancelled += more->cancelled;
    all->late += more->late;
    all->on_cores += more->on_cores;
}

/* With the lock. A task that has ended. */
static void release(rp_executor *e, rp__task *t)
{
    if (t->group)
        rp__executor_group_leave(e, t);
    else
        rp__executor_core_count(&e->report, t->outcome.status, t->on_card);
    rp__executor_tasks_release(e, t);
}

/* Asks as OR what gave too little as AND. True: the task has a new seat; false: it ends. */
static bool ask_again(rp_executor *e, rp__task *t)
{
    rp__executor_leave(t, rp__clock_now());
    t->first = t->answer;
    t->mode = RP_MODE_OR;
    t->has_answer = false;
    const uint64_t work = t->bound.work;
    t->outcome.status = rp__executor_submit_bind(e, t, &t->outcome.err);
    t->bound.work = work;
    if (t->outcome.status != RP_OK)
        return false;
    rp__executor_lock(e);
    if (atomic_load(&t->stop) || !rp__executor_seat(e, t))
        rp__executor_put(e, t, RP_QUEUE_CPU, "the rest of a query that was begun");
    if (atomic_load(&t->stop)) /* nobody else takes it out */
        rp__executor_unseat(e, t);
    rp__executor_wake(e);
    rp__executor_unlock(e);
    return true;
}

/* Goes on with its lists, if that is how it is answered. Candidates take memory, so where there is none left it is
 * answered at once. False: the card goes on. */
static bool take_steps(rp_executor *e, rp__task *t)
{
    rp_outcome *o = &t->outcome;
    if (t->has_answer || !t->steps.is_on)
        return true;
    t->answer = (rp__answer){.total_is_exact = true};
    if (!rp__executor_steps_run(e, t, t->searcher->plain, NULL, &o->status, &o->err))
        return true;
    if (o->status == RP_NO_MEMORY) {
        if (t->steps.by_card && e->algorithm)
            t->fallback = RP_FALLBACK_HOST_MEMORY;
        rp__executor_steps_drop(t);
        o->status = RP_OK;
    } else if (o->status == RP_OK && t->steps.moves) {
        rp__executor_lock(e);
        rp__executor_move(e, t);
        rp__executor_wake(e);
        rp__executor_unlock(e);
        return false;
    } else if (o->status == RP_OK) {
        t->has_answer = true;
        add_spent(t);
    }
    return true;
}

/* Of a task that a core answers, and has answered if it was done by steps. Where the card was to run an algorithm and
 * has done nothing, the answer says why. */
static rp_status check_card(rp_executor *e, rp__task *t)
{
    if (t->on_card || t->steps.by_card || t->bound.n_ops == 0)
        return RP_OK;
    if (e->algorithm && !t->fallback) {
        rp__executor_lock(e);
        t->fallback = e->has_card ? RP_FALLBACK_POLICY : RP_FALLBACK_FAULT;
        pthread_mutex_unlock(&e->lock);
        t->answer.fallback = t->fallback;
    }
    return t->fallback
               ? rp__searcher_check_strict(e->on_card, t->fallback, &t->spent, &t->outcome.err)
               : RP_OK;
}

static rp_status run_part(void *arg)
{
    return answer(arg);
}

/* One range of a task's documents. */
static void work_on_part(rp_executor *e, rp__task *part)
{
    turn at = {.task = part};
    rp_outcome *o = &part->outcome;
    o->status = rp__searcher_guard(part->searcher, run_part, &at, &at.err, &o->err);
    rp__executor_leave(part, rp__clock_now());
    rp__executor_lock(e);
    rp__executor_end_soon(e, part);
    rp__executor_wake(e);
    rp__executor_unlock(e);
}

bool rp__executor_core_finish(rp_executor *e, rp__task *t)
{
    turn at = {.task = t};
    rp_outcome *o = &t->outcome;
    if (t->whole) {
        work_on_part(e, t);
        return false;
    }
    if (t->parts)
        rp__executor_share_join(e, t);
    if (o->status == RP_OK && (!atomic_load(&t->stop) || t->has_answer)) {
        if (!take_steps(e, t))
            return false;
        if (o->status == RP_OK)
            o->status = check_card(e, t);
        if (o->status == RP_OK)
            o->status = rp__searcher_guard(t->searcher, run_turn, &at, &at.err, &o->err);
        if (o->status == RP_OK && at.asks_again && ask_again(e, t))
            return false;
    } else if (o->status == RP_OK) {
        o->status = RP_INTERRUPTED;
    }
    if (o->status == RP_INTERRUPTED)
        o->status = rp__executor_core_stopped(atomic_load(&t->stop), &o->err);
    end_task(t);
    return true;
}

/* Without the lock. Those of the list that have ended. */
static rp__task_list work_on_all(rp_executor *e, rp__task *first)
{
    rp__task_list ended = {NULL, NULL, 0};
    for (rp__task *t = first, *next; t; t = next) {
        next = t->next; /* a task that is elsewhere may be in another list already */
        if (t->group)
            rp__executor_group_run(e, t);
        if (t->group || rp__executor_core_finish(e, t))
            rp__executor_tasks_append(&ended, t);
    }
    return ended;
}

void rp__executor_core_turn(rp__lane *lane, rp__task *first, bool is_new)
{
    rp_executor *e = lane->executor;
    rp__executor_set_busy(lane, true);
    lane->state->busy_until = first->has_answer ? 0 : first->taken + first->waiting.job.cpu_ns;
    rp__executor_wake(e); /* there may be more than this lane can do */
    rp__executor_unlock(e);
    if (is_new)
        rp__executor_note_begin(first);
    rp__task_list ended = work_on_all(e, first);
    rp__executor_lock(e);
    rp__executor_set_busy(lane, false);
    for (rp__task *t; (t = rp__executor_tasks_pop(&ended));)
        release(e, t);
}

/* Some of those that wait for their end. Each takes a moment, and to pass the lock from core to core takes as long as
 * several; beyond that, other cores have their part. From then on nobody else ends them. NULL: there are none. */
static rp__task *take_ending(rp_executor *e)
{
    rp__task_list taken = {NULL, NULL, 0};
    const size_t part = e->ending.n / e->n_cores;
    const size_t fair = part < ENDING_LEAST ? ENDING_LEAST : part;
    for (rp__task *t;
         taken.n < fair && taken.n < ENDING_MOST && (t = rp__executor_tasks_pop(&e->ending));) {
        t->place = RP_TASK_TAKEN;
        rp__executor_tasks_append(&taken, t);
    }
    return taken.first;
}

void *rp__executor_core_run(void *arg)
{
    rp__lane *lane = arg;
    rp_executor *e = lane->executor;
    rp__executor_lock(e);
    for (;;) {
        rp__task *t = take_ending(e);
        const bool is_new = !t;
        if (is_new && (t = rp__executor_take(e, false)))
            t->next = NULL;
        if (!t && e->is_over)
            break;
        if (!t) {
            if (e->n_queued > 0)
                rp__executor_wake(e); /* it may be the card's turn, now that this lane is free */
            rp__executor_idle(lane);
            continue;
        }
        rp__executor_core_turn(lane, t, is_new);
    }
    rp__executor_unlock(e);
    return NULL;
}
