/* executor_steps.c: a task list by list, on one processor, until it is answered or its policy moves it.
 *
 * The lists that every match is in are intersected, the shortest first. Between two lists the policy says who goes on.
 * Where the query has nothing else, the best candidates are its answer; otherwise a core answers it from the candidates.
 * A run of steps is opened and closed here, so that a processor has nothing of a task that waits. A task that has just
 * moved is taken on by one list at least: no policy can move it for ever.
 *
 * Where an algorithm was named for the card, its intersections are done on candidates without scores. So wherever
 * such a task is, lists are met first, and whoever selects scores the candidates that are left. */
#include "base/clock.h"
#include "base/error.h"
#include "engine/executor.h"
#include "store/store.h"

typedef struct turn {
    rp_executor *executor;
    rp__task *task;
    const rp__backend *backend;
    void *state;
    void *run;
    rp__query query; /* of the lists, for the processor */
    uint32_t last;   /* of the lists that are met next */
    bool has_moved;  /* the task is here since it moved, and nothing was done yet */
    rp_error err;
} turn;

void rp__executor_steps_drop(rp__task *task)
{
    task->steps.is_on = task->steps.moves = task->steps.by_card = false;
    task->steps.n_met = 0;
    rp__arena_rewind(&task->searcher->arena, task->steps.mark);
}

/* ---- Under the guard --------------------------------------------------------------------------- */

/* Candidates of the first list, or those that were moved. */
static rp_status run_begin(void *arg)
{
    turn *at = arg;
    rp__task_steps *s = &at->task->steps;
    const rp__steps *on = at->backend->steps;
    rp_status status =
        on->open(at->state, &at->query, &at->task->searcher->arena, &at->run, &at->err);
    if (status != RP_OK)
        return status;
    if (s->n_met > 0)
        return on->put(at->run, &s->partial);
    s->n_met = 1;
    status = on->start(at->run, 0);
    const bool is_scored = s->lists.scored[0] && s->lists.query.k > 0 && !at->executor->algorithm;
    return status == RP_OK && is_scored ? on->score(at->run, 0) : status;
}

static rp_status run_lists(void *arg)
{
    turn *at = arg;
    rp__task_steps *s = &at->task->steps;
    const rp__steps *on = at->backend->steps;
    const bool *scored = s->lists.scored;
    const bool is_named = at->executor->algorithm != NULL;
    rp_status status = RP_OK;
    while (s->n_met <= at->last && status == RP_OK) {
        uint32_t first = s->n_met, last = first;
        const bool narrows = scored[first] && !is_named;
        while (last < at->last && narrows && scored[last + 1])
            last++;
        status = narrows ? on->narrow(at->run, first, last) : on->meet(at->run, first);
        s->n_met = last + 1;
    }
    return status;
}

static rp_status run_select(void *arg)
{
    turn *at = arg;
    const rp__steps *on = at->backend->steps;
    const rp__conjunction *lists = &at->task->steps.lists;
    const bool scores = at->executor->algorithm && lists->query.k > 0 && on->count(at->run) > 0;
    rp_status status = RP_OK;
    for (uint32_t i = 0; scores && i < lists->n && status == RP_OK; i++)
        status = on->score(at->run, i);
    return status == RP_OK ? on->select(at->run, &at->task->answer) : status;
}

static rp_status run_take(void *arg)
{
    turn *at = arg;
    return at->backend->steps->take(at->run, &at->task->steps.partial);
}

/* The rest of the query, of candidates that the other processor may have found. */
static rp_status run_finish(void *arg)
{
    turn *at = arg;
    rp__task *t = at->task;
    rp_status status = run_take(at);
    if (status != RP_OK)
        return status;
    const rp__given given = {.partial = t->steps.partial, .met = t->steps.lists.met};
    return at->backend->finish(&t->bound, &given, &t->searcher->arena, &t->answer, &at->err);
}

/* ---- Between lists ----------------------------------------------------------------------------- */

static rp_status guard(turn *at, rp_status (*fn)(void *arg), rp_error *err)
{
    return rp__searcher_guard(at->task->searcher, fn, at, &at->err, err);
}

static rp__policy_way ask_policy(const turn *at, uint32_t candidates)
{
    rp_executor *e = at->executor;
    const rp__task *t = at->task;
    const rp__conjunction *lists = &t->steps.lists;
    const uint32_t next = t->steps.n_met ? t->steps.n_met : 1;
    const rp__policy_step step = {.candidates = candidates,
                                  .next = next < lists->n ? rp__conjunction_length(lists, next) : 0,
                                  .left = lists->n - next,
                                  .on_card = t->on_card};
    rp__policy_way way = RP_WAY_REST;
    rp__policy_view view;
    rp__executor_lock(e);
    rp__executor_look(e, rp__clock_now(), &view);
    if (e->policy->step)
        way = e->policy->step(&view, &t->waiting.job, &step);
    pthread_mutex_unlock(&e->lock);
    const bool can_move = (t->on_card || view.has_card) && !at->has_moved;
    return way == RP_WAY_MOVE && !can_move ? RP_WAY_NEXT : way;
}

/* All lists are met. */
static rp_status end_lists(turn *at, uint32_t candidates, rp_error *err)
{
    rp__task *t = at->task;
    if (t->steps.lists.is_all || candidates == 0)
        return guard(at, run_select, err);
    if (!t->on_card)
        return guard(at, run_finish, err);
    t->steps.moves = true;
    t->waiting.job.gpu_ns = RP_POLICY_NEVER; /* the card cannot help with the rest */
    return guard(at, run_take, err);
}

/* The next lists; whether it was the last that is to be done here. */
static bool go_on(turn *at, rp_status *status, rp_error *err)
{
    rp__task *t = at->task;
    const uint32_t n_lists = t->steps.lists.n, n = at->backend->steps->count(at->run);
    const rp__policy_way way = n > 0 ? ask_policy(at, n) : RP_WAY_REST;
    if (way == RP_WAY_MOVE) {
        t->steps.moves = true;
        *status = guard(at, run_take, err);
        return true;
    }
    if (n == 0 || t->steps.n_met == n_lists) {
        *status = end_lists(at, n, err);
        return true;
    }
    at->last = way == RP_WAY_REST ? n_lists - 1 : t->steps.n_met;
    *status = guard(at, run_lists, err);
    at->has_moved = false;
    return *status != RP_OK;
}

/* Whether the processor is to answer the query at once, by an algorithm of its own. */
static bool is_for_one(const turn *at)
{
    const rp__task *t = at->task;
    const bool may = t->steps.n_met == 0 && (t->steps.lists.is_all || !t->on_card);
    return !at->backend->steps ||
           (may && ask_policy(at, rp__conjunction_length(&t->steps.lists, 0)) == RP_WAY_REST);
}

bool rp__executor_steps_run(rp_executor *e, rp__task *task, const rp__backend *backend, void *state,
                            rp_status *status, rp_error *err)
{
    turn at = {.executor = e,
               .task = task,
               .backend = backend,
               .state = state,
               .query = task->steps.lists.query,
               .has_moved = task->steps.n_met > 0};
    if (task->on_card && e->algorithm)
        at.query.algorithm = e->algorithm;
    const bool is_one = is_for_one(&at);
    *status = is_one ? RP_OK : guard(&at, run_begin, err);
    if (!at.run) { /* what cannot be done by steps is for `run` to refuse */
        rp__executor_steps_drop(task);
        *status = RP_OK;
        return false;
    }
    for (bool is_over = *status != RP_OK; !is_over;)
        is_over = go_on(&at, status, err);
    task->steps.by_card |= task->on_card;
    if (*status != RP_OK)
        backend->steps->report(at.run, &task->answer);
    backend->steps->close(at.run);
    return true;
}
