/* executor_card.c: what the thread of a card does: a lone query at once, and what has gathered meanwhile as one batch.
 *
 * Only this thread uses the card's searcher, so the persistent kernel and the lists on the card are shared by all who
 * submit. It calls nobody back: cores name hits. What the card cannot answer, the cores do. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "engine/executor.h"
#include "store/store.h"

typedef struct card {
    rp_executor *executor;
    rp_searcher *searcher;
    void *batch; /* the processor's; NULL: it answers one at a time */
    rp__batch_item *items;
    rp__arena arena; /* of answers to a batch */
    rp__task *tasks[RP_EXECUTOR_GROUP];
    size_t n;
} card;

static bool open_card(card *c, rp_executor *e)
{
    rp_error err;
    *c = (card){.executor = e, .searcher = e->on_card};
    const rp__backend *backend = c->searcher->backend;
    rp__arena_init(&c->arena, SIZE_MAX);
    c->items = rp__alloc_array(RP_EXECUTOR_GROUP, sizeof *c->items);
    if (c->items && backend->batch_new &&
        backend->batch_new(c->searcher->state, &c->batch, &err) != RP_OK)
        c->batch = NULL;
    return c->items != NULL;
}

static void close_card(card *c)
{
    if (c->batch)
        c->searcher->backend->batch_free(c->batch);
    rp__arena_reset(&c->arena);
    rp__free(c->items);
}

/* Whether the next task of the card's queue can be answered together with the first of the group. */
static bool is_alike(const card *c)
{
    const rp__task *next =
        (const rp__task *)rp__job_queue_first(&c->executor->queues[RP_QUEUE_GPU], RP_JOB_BY_KEY);
    return next && next->bound.k == c->tasks[0]->bound.k && !next->steps.is_on &&
           !c->tasks[0]->steps.is_on && !next->whole && !c->tasks[0]->whole;
}

/* What the policy gives, and with a policy that batches, what waits behind it. */
static void take_group(card *c)
{
    rp_executor *e = c->executor;
    uint64_t elements = 0;
    c->n = 0;
    do {
        rp__task *t = rp__executor_take(e, true);
        if (!t)
            break;
        elements += t->waiting.job.shortest;
        c->tasks[c->n++] = t;
    } while (e->policy->batches && c->batch && c->n < RP_EXECUTOR_GROUP && elements < e->elements &&
             is_alike(c));
}

static uint64_t estimate_group(const card *c)
{
    uint64_t ns = c->n > 0 ? c->tasks[0]->waiting.job.gpu_ns : 0;
    for (size_t i = 1; i < c->n; i++)
        ns += c->tasks[i]->waiting.job.batch_ns;
    return ns;
}

/* ---- Answering, without the lock ------------------------------------------------------------- */

typedef struct turn {
    card *card;
    rp_error err;
} turn;

static rp_status run_one(void *arg)
{
    turn *at = arg;
    card *c = at->card;
    rp__task *t = c->tasks[0];
    t->outcome.status = RP_DAMAGED; /* unless the guard lets it be answered */
    t->answer = (rp__answer){.fallback = RP_FALLBACK_FAULT};
    t->outcome.status = c->searcher->backend->run(c->searcher->state, &t->bound,
                                                  &t->searcher->arena, &t->answer, &t->outcome.err);
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

static rp_status run_many(void *arg)
{
    turn *at = arg;
    card *c = at->card;
    const rp__backend *backend = c->searcher->backend;
    rp__arena_clear(&c->arena);
    for (size_t i = 0; i < c->n; i++) {
        c->tasks[i]->outcome.status = RP_DAMAGED;
        c->items[i] = (rp__batch_item){.query = c->tasks[i]->bound};
    }
    backend->batch_start(c->batch, c->items, c->n, &c->arena);
    backend->batch_finish(c->batch, c->items, c->n, &c->arena);
    for (size_t i = 0; i < c->n; i++)
        keep_answer(c->tasks[i], &c->items[i]);
    return RP_OK;
}

/* The lists of one task. False: it is to be answered at once. */
static bool answer_by_steps(card *c)
{
    rp__task *t = c->tasks[0];
    const rp_searcher *s = c->searcher;
    if (!t->steps.is_on)
        return false;
    t->answer = (rp__answer){.total_is_exact = true};
    return rp__executor_steps_run(c->executor, t, s->backend, s->state, &t->outcome.status,
                                  &t->outcome.err);
}

static void answer_group(card *c)
{
    turn at = {.card = c};
    rp_error err;
    const rp__backend *backend = c->searcher->backend;
    if (backend == &rp__gpu_child_row)
        rp__gpu_child_revive(c->searcher->state);
    if (c->n == 1 && answer_by_steps(c))
        return;
    rp_status status =
        rp__searcher_guard(c->searcher, c->n == 1 ? run_one : run_many, &at, &at.err, &err);
    if (status == RP_OK)
        return;
    if (c->n == 1 && backend->abandon)
        backend->abandon(c->searcher->state);
    if (c->n > 1 && backend->batch_abandon)
        backend->batch_abandon(c->batch);
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

static void settle_group(card *c)
{
    rp_executor *e = c->executor;
    rp__searcher_note_fault(c->searcher);
    e->report.launches++;
    e->report.batched += c->n > 1 ? c->n : 0;
    for (size_t i = 0; i < c->n; i++)
        settle(e, c->tasks[i], c->n);
    if (c->searcher->gpu.is_lost)
        rp__executor_lose_card(e);
    rp__executor_wake(e);
}

void *rp__executor_card_run(void *arg)
{
    rp__lane *lane = arg;
    rp_executor *e = lane->executor;
    card c;
    const bool is_open = open_card(&c, e);
    pthread_mutex_lock(&e->lock);
    if (!is_open)
        rp__executor_lose_card(e);
    while (!e->is_over) {
        c.n = 0;
        if (e->has_card)
            take_group(&c);
        if (c.n == 0) {
            rp__executor_idle(lane);
            continue;
        }
        lane->is_busy = true;
        lane->busy_until = rp__clock_now() + estimate_group(&c);
        pthread_mutex_unlock(&e->lock);
        answer_group(&c);
        pthread_mutex_lock(&e->lock);
        lane->is_busy = false;
        settle_group(&c);
    }
    pthread_mutex_unlock(&e->lock);
    close_card(&c);
    return NULL;
}
