/* executor_card.c: what the lane of a card does: a lone query at once, and what has gathered meanwhile as one batch.
 *
 * While the card answers a batch, the next one is made ready and follows it: two are in flight at most. Only this lane
 * uses the card's searcher, so the persistent kernel and the lists on the card are shared by all who submit. It calls
 * nobody back: cores name hits. What the card cannot answer, the cores do. */
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "engine/algorithm_choice.h"
#include "engine/executor.h"
#include "store/store.h"

enum {
    IN_FLIGHT = 2,
    AHEAD = 8, /* tasks whose lines of memory are on their way while others are taken */
};

typedef struct group {
    void *batch; /* the processor's; NULL: it answers one at a time */
    rp__batch_item *items;
    rp__arena arena; /* of answers to a batch */
    rp__task *tasks[RP_EXECUTOR_GROUP];
    size_t n;
    bool is_started; /* and not finished */
} group;

struct rp__card {
    rp_executor *executor;
    rp_searcher *searcher;
    group groups[IN_FLIGHT];
    size_t next; /* the group to be filled; the other one may be in flight */
};
typedef struct rp__card card;

static bool open_group(const card *c, group *g)
{
    rp_error err;
    const rp__backend *backend = c->searcher->backend;
    rp__arena_init(&g->arena, SIZE_MAX);
    g->items = rp__alloc_array(RP_EXECUTOR_GROUP, sizeof *g->items);
    if (g->items && backend->batch_new &&
        backend->batch_new(c->searcher->state, &g->batch, &err) != RP_OK)
        g->batch = NULL;
    return g->items != NULL;
}

static void close_card(card *c)
{
    for (size_t i = 0; c && i < IN_FLIGHT; i++) {
        if (c->groups[i].batch)
            c->searcher->backend->batch_free(c->groups[i].batch);
        rp__arena_reset(&c->groups[i].arena);
        rp__free(c->groups[i].items);
    }
    rp__free(c);
}

/* NULL: there is no memory for it. */
static card *open_card(rp_executor *e)
{
    card *c = rp__alloc_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->executor = e;
    c->searcher = e->on_card;
    bool is_open = true;
    for (size_t i = 0; i < IN_FLIGHT; i++)
        is_open = open_group(c, &c->groups[i]) && is_open;
    if (is_open)
        return c;
    close_card(c);
    return NULL;
}

static rp__task *first_of(const rp_executor *e)
{
    return (rp__task *)rp__job_queue_first(&e->queues[RP_QUEUE_GPU], RP_JOB_BY_KEY);
}

/* What other threads wrote of a task that will be taken soon, on its way to this core's caches. */
static void expect_task(const rp_executor *e)
{
    enum { LINE = 64 };
    const char *task = (const char *)rp__job_queue_soon(&e->queues[RP_QUEUE_GPU], AHEAD);
    for (size_t at = 0; task && at < offsetof(rp__task, searcher); at += LINE)
        __builtin_prefetch(task + at, 1);
}

/* What the policy gives, and with a policy that batches, what waits behind it. */
static void take_group(rp_executor *e, group *g)
{
    uint64_t elements = 0;
    g->n = 0;
    for (rp__task *t = rp__executor_take(e, true); t;) {
        const uint64_t now = t->taken;
        const size_t k = t->group_k;
        elements += t->waiting.job.shortest;
        g->tasks[g->n++] = t;
        if (!e->policy->batches || !g->batch || k == SIZE_MAX || g->n == RP_EXECUTOR_GROUP ||
            elements >= e->elements)
            break;
        expect_task(e);
        t = first_of(e);
        if (!t || t->group_k != k)
            break;
        rp__executor_begin(e, t, true, now);
    }
}

/* Whether a group may follow one that is in flight. */
static bool can_follow(const rp_executor *e, const group *g)
{
    const rp__task *next = first_of(e);
    return e->policy->batches && g->batch && next && next->group_k != SIZE_MAX;
}

/* One start, the longest of theirs, and each one's share. */
static uint64_t estimate_group(const group *g)
{
    uint64_t ns = 0, start = 0;
    for (size_t i = 0; i < g->n; i++) {
        const rp__policy_job *job = &g->tasks[i]->waiting.job;
        const uint64_t own = job->gpu_ns > job->batch_ns ? job->gpu_ns - job->batch_ns : 0;
        ns += job->batch_ns;
        start = own > start ? own : start;
    }
    return start + ns;
}

/* ---- Answering, without the lock ------------------------------------------------------------- */

typedef struct turn {
    card *card;
    group *group;
    rp_error err;
} turn;

/* A task's query, by the algorithm that was named for the card. */
static rp__query query_of(const card *c, const rp__task *t)
{
    rp__query query = t->bound;
    if (c->executor->algorithm)
        query.algorithm = c->executor->algorithm;
    return query;
}

static rp_status run_one(void *arg)
{
    const turn *at = arg;
    const card *c = at->card;
    rp__task *t = at->group->tasks[0];
    const rp__query query = query_of(c, t);
    t->outcome.status = RP_DAMAGED; /* unless the guard lets it be answered */
    t->answer = (rp__answer){.fallback = RP_FALLBACK_FAULT};
    t->outcome.status = c->searcher->backend->run(c->searcher->state, &query, &t->searcher->arena,
                                                  &t->answer, &t->outcome.err);
    return RP_OK;
}

/* The lists of one task. False: it is to be answered at once. */
static bool answer_by_steps(const card *c, rp__task *t)
{
    const rp_searcher *s = c->searcher;
    if (!t->steps.is_on)
        return false;
    t->answer = (rp__answer){.total_is_exact = true};
    return rp__executor_steps_run(c->executor, t, s->backend, s->state, &t->outcome.status,
                                  &t->outcome.err);
}

static void answer_one(card *c, group *g)
{
    turn at = {.card = c, .group = g};
    rp_error err;
    const rp__backend *backend = c->searcher->backend;
    if (!answer_by_steps(c, g->tasks[0]) &&
        rp__searcher_guard(c->searcher, run_one, &at, &at.err, &err) != RP_OK && backend->abandon)
        backend->abandon(c->searcher->state);
}

static rp_status run_start(void *arg)
{
    const turn *at = arg;
    group *g = at->group;
    rp__arena_clear(&g->arena);
    for (size_t i = 0; i < g->n; i++) {
        g->tasks[i]->outcome.status = RP_DAMAGED; /* unless the guard lets it be answered */
        g->items[i] = (rp__batch_item){.query = query_of(at->card, g->tasks[i])};
    }
    at->card->searcher->backend->batch_start(g->batch, g->items, g->n, &g->arena);
    return RP_OK;
}

/* An answer is kept with its task, since the batch's arena has the next ones soon. */
static void keep_answer(rp__task *t, const rp__batch_item *item)
{
    t->outcome.status = item->status;
    t->answer = item->answer;
    if (item->status != RP_OK || item->answer.n == 0)
        return;
    t->answer.at = rp__arena_array(&t->searcher->arena, item->answer.n, sizeof *t->answer.at);
    if (!t->answer.at)
        t->outcome.status = RP_NO_MEMORY;
    else
        memcpy(t->answer.at, item->answer.at, item->answer.n * sizeof *t->answer.at);
}

static rp_status run_finish(void *arg)
{
    const turn *at = arg;
    group *g = at->group;
    at->card->searcher->backend->batch_finish(g->batch, g->items, g->n, &g->arena);
    for (size_t i = 0; i < g->n; i++)
        keep_answer(g->tasks[i], &g->items[i]);
    return RP_OK;
}

/* False: a file was cut short, and what was read means nothing. */
static bool run_batch(card *c, group *g, rp_status (*run)(void *arg))
{
    turn at = {.card = c, .group = g};
    rp_error err;
    const rp__backend *backend = c->searcher->backend;
    if (rp__searcher_guard(c->searcher, run, &at, &at.err, &err) == RP_OK)
        return true;
    if (backend->batch_abandon)
        backend->batch_abandon(g->batch);
    for (size_t i = 0; i < g->n; i++) {
        g->tasks[i]->outcome.status = RP_DAMAGED;
        g->tasks[i]->answer = (rp__answer){.fallback = RP_FALLBACK_FAULT};
    }
    return false;
}

/* All that was said of them while the card had them. */
static void leave_group(const group *g)
{
    const uint64_t now = rp__clock_now();
    for (size_t i = 0; i < g->n; i++)
        rp__executor_leave(g->tasks[i], now);
}

/* ---- What became of them, with the lock ------------------------------------------------------ */

/* A core answers it, unless no other processor may. */
static void fall_back(rp_executor *e, rp__task *t)
{
    rp_outcome *o = &t->outcome;
    const rp_fallback why = t->answer.fallback ? t->answer.fallback : RP_FALLBACK_FAULT;
    t->fallback = why;
    t->spent = t->answer.gpu;
    t->on_card = false;
    rp__executor_steps_drop(t);
    e->report.fallbacks++;
    o->status = rp__searcher_check_strict(e->on_card, why, &t->spent, &o->err);
    if (o->status == RP_OK)
        o->status = rp__algorithm_choice_refuse(e->algorithm, why, &o->err);
    if (o->status != RP_OK) {
        rp__executor_end_soon(e, t);
        return;
    }
    o->moves++;
    e->report.moves++;
    rp__executor_put(e, t, RP_QUEUE_CPU, "the card could not answer it");
}

static void settle(rp_executor *e, rp__task *t, size_t together)
{
    rp_outcome *o = &t->outcome;
    if (o->status == RP_UNAVAILABLE || o->status == RP_NO_MEMORY || o->status == RP_DAMAGED) {
        fall_back(e, t);
        return;
    }
    if (o->status == RP_OK && t->steps.moves) {
        rp__executor_move(e, t);
        return;
    }
    if (o->status == RP_OK)
        o->status =
            rp__searcher_check_strict(e->on_card, RP_FALLBACK_NONE, &t->answer.gpu, &o->err);
    t->has_answer = o->status == RP_OK;
    o->together = (uint32_t)together;
    rp__executor_end_soon(e, t);
}

static void settle_group(card *c, group *g)
{
    rp_executor *e = c->executor;
    rp__searcher_note_fault(c->searcher);
    e->report.launches++;
    e->report.batched += g->n > 1 ? g->n : 0;
    for (size_t i = 0; i < g->n; i++)
        settle(e, g->tasks[i], g->n);
    g->n = 0;
    g->is_started = false;
    if (c->searcher->gpu.is_lost)
        rp__executor_lose_card(e);
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* Without the lock. Whether the group is to be settled: it was answered, or could not begin. */
static bool begin_group(card *c, group *g, bool is_alone)
{
    if (is_alone && c->searcher->backend == &rp__gpu_child_row)
        rp__gpu_child_revive(c->searcher->state);
    if (is_alone && g->n == 1) {
        answer_one(c, g);
        return true;
    }
    g->is_started = run_batch(c, g, run_start);
    return !g->is_started;
}

static void note_busy(rp__lane *lane, const group *g)
{
    const uint64_t now = rp__clock_now();
    const bool goes_on = lane->state->is_busy && lane->state->busy_until > now;
    lane->state->busy_until = (goes_on ? lane->state->busy_until : now) + estimate_group(g);
    rp__executor_set_busy(lane, true);
}

bool rp__executor_card_turn(rp__lane *lane, bool leaves)
{
    rp_executor *e = lane->executor;
    card *c = lane->card;
    group *g = &c->groups[c->next], *before = &c->groups[!c->next], *last = NULL;
    if (e->has_card && (!before->is_started || can_follow(e, g)))
        take_group(e, g);
    if (g->n == 0 && !before->is_started)
        return false;
    note_busy(lane, g);
    rp__executor_unlock(e);
    for (size_t i = 0; i < g->n; i++)
        rp__executor_note_begin(g->tasks[i]);
    const bool is_over = g->n > 0 && begin_group(c, g, !before->is_started);
    if (before->is_started)
        last = before;
    else if (g->is_started && !leaves)
        last = g;
    if (last)
        (void)run_batch(c, last, run_finish);
    if (last)
        leave_group(last);
    if (is_over)
        leave_group(g);
    rp__executor_lock(e);
    if (last)
        settle_group(c, last);
    if (is_over)
        settle_group(c, g);
    if (g->is_started)
        c->next = !c->next;
    rp__executor_set_busy(lane, g->is_started);
    return true;
}

void *rp__executor_card_run(void *arg)
{
    rp__lane *lane = arg;
    rp_executor *e = lane->executor;
    card *c = open_card(e);
    rp__executor_lock(e);
    lane->card = c;
    if (!c) {
        rp__executor_lose_card(e);
        rp__executor_wake(e); /* for what was submitted before that */
    }
    while (!e->is_over)
        if (c && rp__executor_card_turn(lane, true))
            rp__executor_wake(e);
        else
            rp__executor_idle(lane);
    lane->card = NULL;
    rp__executor_unlock(e);
    close_card(c);
    return NULL;
}
