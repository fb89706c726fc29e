/* executor_share.c: one task on the card and on cores at once, each with a range of docids.
 *
 * Parts are tasks too: they wait in queues and are taken as others are, but nobody is called back for them. They read what
 * the whole task was bound to, and stop when it is stopped. All raise one threshold, the score that k documents are known
 * to reach: cores while they work, the card once it has ended. The task itself waits meanwhile. A core puts its answer
 * together: a document is in one range, so totals add up, and the best of all are among the best of each. */
#include "base/clock.h"
#include "base/error.h"
#include "engine/executor.h"

enum { ALIGN = 64, MIN_DOCS = 64 }; /* of a range: a word of bits begins it; documents */

/* ---- Cutting ------------------------------------------------------------------------------------- */

/* A task that nobody uses, with memory of its own; NULL: there is none. */
static rp__task *get_part(rp_executor *e)
{
    rp__task *part = rp__executor_tasks_find_free(e);
    if (part && !part->searcher && rp__searcher_branch(e->plain, &part->searcher) != RP_OK) {
        rp__executor_tasks_give_back(e, part);
        return NULL;
    }
    return part;
}

static uint64_t scale(uint64_t ns, uint64_t docs, uint64_t all)
{
    return ns == RP_POLICY_NEVER ? ns : (uint64_t)((double)ns * (double)docs / (double)all);
}

/* A part of the documents [begin, end), of `all` documents. */
static void begin_part(rp__task *whole, rp__task *part, uint32_t begin, uint32_t end, uint32_t all)
{
    rp__policy_job *job = &part->waiting.job;
    const uint32_t docs = end - begin;
    rp__arena_clear(&part->searcher->arena);
    *job = whole->waiting.job;
    job->deadline = RP_POLICY_NEVER; /* that of the whole task stops it */
    job->cpu_ns = scale(job->cpu_ns, docs, all);
    job->gpu_ns = scale(job->gpu_ns, docs, all);
    job->batch_ns = scale(job->batch_ns, docs, all);
    part->bound = whole->bound;
    part->bound.begin = begin;
    part->bound.end = end;
    part->bound.floor = &whole->floor;
    part->bound.trace = NULL; /* it is one thread's at a time */
    part->whole = whole;
    part->rank = whole->rank;
    part->mode = whole->mode;
    part->steps = (rp__task_steps){.mark = rp__arena_get_mark(&part->searcher->arena)};
    part->answer = part->first = (rp__answer){.total_is_exact = true};
    part->has_answer = part->on_card = false;
    part->fallback = RP_FALLBACK_NONE;
    part->spent = (rp_gpu_counters){0};
    part->outcome = (rp_outcome){0};
    part->n_decisions = 0;
    atomic_store(&part->stop, RP_STOP_NONE);
    part->sibling = whole->parts;
    whole->parts = part;
    whole->n_parts++;
}

/* Takes parts that were not begun back. */
static void give_up(rp_executor *e, rp__task *whole)
{
    for (rp__task *part = whole->parts, *next; part; part = next) {
        next = part->sibling;
        part->whole = part->sibling = NULL;
        rp__executor_tasks_give_back(e, part);
    }
    whole->parts = NULL;
    whole->n_parts = 0;
}

/* Ranges of cores, then the card's, if it has a share. False: there is too little of something. */
static bool cut(rp_executor *e, rp__task *whole, uint32_t cores, uint32_t card_share)
{
    const rp__query *query = &whole->bound;
    const uint32_t n_docs = query->lengths.n_docs;
    const uint32_t end = query->end < n_docs ? query->end : n_docs;
    const uint32_t all = end > query->begin ? end - query->begin : 0;
    const uint32_t card = (uint32_t)((uint64_t)all * card_share / RP_SHARE_UNIT);
    const uint32_t width = (all - card) / cores / ALIGN * ALIGN;
    const uint32_t parts = cores + (card_share > 0);
    if ((card_share > 0 && card < MIN_DOCS) || width < MIN_DOCS)
        return false;
    for (uint32_t i = 0, begin = query->begin; i < parts; i++, begin += width) {
        rp__task *part = get_part(e);
        if (!part)
            return false;
        begin_part(whole, part, begin, i + 1 < parts ? begin + width : end, all);
    }
    return true;
}

bool rp__executor_share(rp_executor *e, rp__task *whole)
{
    const rp__policy_seat seat = whole->waiting.seat;
    whole->parts = NULL;
    whole->n_parts = 0;
    atomic_store(&whole->floor, 0);
    if (!cut(e, whole, seat.cores, seat.card_share)) {
        give_up(e, whole);
        return false;
    }
    whole->place = RP_TASK_TAKEN;
    whole->taken = rp__clock_now();
    whole->outcome.reason = seat.reason;
    const rp__policy_job *last = &whole->parts->waiting.job; /* the card's, if it has a share */
    whole->outcome.estimated_ns = seat.card_share > 0 ? last->gpu_ns : last->cpu_ns;
    e->n_live += whole->n_parts;
    e->report.shared++;
    for (rp__task *part = whole->parts; part; part = part->sibling) /* the last one is first */
        rp__executor_put(e, part,
                         part == whole->parts && seat.card_share > 0 ? RP_QUEUE_GPU : RP_QUEUE_CPU,
                         seat.reason);
    whole->n_left = whole->n_parts;
    return true;
}

/* ---- Ending -------------------------------------------------------------------------------------- */

/* What others need not look below. */
static void raise_floor(rp__task *whole, const rp__answer *answer)
{
    const size_t k = whole->bound.k;
    uint32_t known = atomic_load(&whole->floor);
    const uint32_t own = k > 0 && answer->n == k ? answer->at[k - 1].fixed : 0;
    while (own > known && !atomic_compare_exchange_weak(&whole->floor, &known, own))
        ;
}

void rp__executor_share_end(rp_executor *e, rp__task *part)
{
    rp__task *whole = part->whole;
    part->place = RP_TASK_ENDING;
    if (part->outcome.status == RP_OK)
        raise_floor(whole, &part->answer);
    if (--whole->n_left > 0)
        return;
    whole->place = RP_TASK_ENDING;
    rp__executor_tasks_append(&e->ending, whole);
}

static rp_status merge(rp__task *whole, rp_error *err)
{
    rp__answer *answer = &whole->answer;
    const size_t k = whole->bound.k;
    rp__arena *arena = &whole->searcher->arena;
    rp__scored *buffer = rp__arena_array(arena, rp__topk_room(k), sizeof *buffer);
    rp__topk topk;
    if (!buffer)
        return rp__error_no_memory(err);
    rp__topk_init(&topk, buffer, k);
    for (const rp__task *part = whole->parts; part; part = part->sibling) {
        const rp__answer *own = &part->answer;
        for (size_t i = 0; i < own->n; i++)
            if (own->at[i].fixed >= topk.least)
                rp__topk_push(&topk, own->at[i].fixed, own->at[i].docid);
        answer->total += own->total;
        answer->total_is_exact &= own->total_is_exact;
        rp__searcher_add_first(answer, own->postings, own->fallback, &own->gpu);
    }
    rp__topk_finish(&topk);
    answer->at = topk.at;
    answer->n = topk.n;
    return RP_OK;
}

/* Those of the parts are the whole's. */
static void add_decisions(rp__task *whole, const rp__task *part)
{
    for (uint32_t i = 0; i < part->n_decisions && whole->n_decisions < RP_DECISIONS; i++)
        whole->decisions[whole->n_decisions++] = part->decisions[i];
}

void rp__executor_share_join(rp_executor *e, rp__task *whole)
{
    rp_outcome *o = &whole->outcome;
    whole->answer = (rp__answer){.total_is_exact = true};
    for (const rp__task *part = whole->parts; part; part = part->sibling) {
        o->moves += part->outcome.moves;
        add_decisions(whole, part);
        if (part->outcome.status != RP_OK && o->status == RP_OK)
            o->status = rp__error_set(&o->err, part->outcome.status, "%s", part->outcome.err.text);
    }
    if (o->status == RP_OK)
        o->status = merge(whole, &o->err);
    whole->has_answer = o->status == RP_OK;
    rp__executor_lock(e);
    e->n_live -= whole->n_parts;
    for (rp__task *part = whole->parts; part; part = part->sibling) {
        part->place = RP_TASK_FREE;
        if (part->searcher->arena.held > part->searcher->options.max_memory / 2)
            rp__arena_reset(&part->searcher->arena);
    }
    give_up(e, whole);
    rp__executor_unlock(e);
}
