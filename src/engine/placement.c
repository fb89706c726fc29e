/* placement.c: a searcher of the processor `auto`: when it opens a card, and which queries it gives to it.
 *
 * Opening a card takes some tenths of a second, so the CPU answers until queries that a card would answer sooner have
 * cost about as much. That is estimated from their work (plan.h), not measured, so that the same queries come to the same
 * processors however fast the machine is; only pauses matter. A card is opened before a query, never after: a program that asks
 * one query opens none. Where there is no card, or it is lost, the processor is the CPU for good. */
#include "engine/placement.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "engine/searcher.h"

enum { SAMPLE = 64 }; /* queries of a batch by which its work is estimated */

static void open_card(rp_searcher *s)
{
    rp_error err;
    rp__placement *p = &s->placement;
    const rp__place place = {p->gpu, s->options.gpu_memory, s->options.gpu_timeout};
    const bool is_open =
        rp__searcher_attach(s, rp__backend_find("gpu"), &place, &err) == RP_OK && s->state;
    p->stage = is_open ? RP_PLACEMENT_OPEN : RP_PLACEMENT_FIXED;
}

rp_status rp__placement_init(rp_searcher *s, const rp_search_options *options)
{
    rp__placement *p = &s->placement;
    *p = (rp__placement){.stage = RP_PLACEMENT_CLOSED, .tuning = &rp__auto_processor_tuning};
    if (options->gpu) {
        size_t bytes = strlen(options->gpu) + 1;
        p->gpu = rp__alloc(bytes);
        if (!p->gpu)
            return RP_NO_MEMORY;
        memcpy(p->gpu, options->gpu, bytes);
    }
    if (options->eager_gpu)
        open_card(s);
    return RP_OK;
}

void rp__placement_free(rp__placement *placement)
{
    rp__free(placement->gpu);
    *placement = (rp__placement){0};
}

static bool is_due(const rp__placement *p)
{
    return p->missed_ns / 1000 >= p->tuning->attach_us;
}

void rp__placement_begin(rp_searcher *s)
{
    rp__placement *p = &s->placement;
    if (p->stage == RP_PLACEMENT_CLOSED && is_due(p))
        open_card(s);
    p->is_asked = false;
}

void rp__placement_end(rp_searcher *s)
{
    if (s->placement.is_asked)
        s->placement.ended = rp__clock_now();
}

/* The choice, were a card open, in a burst. */
static bool suits_device(const rp_searcher *s, const rp__query *query, bool in_batch,
                         rp__auto_facts *facts)
{
    rp__auto_processor_look(query, facts);
    facts->threads = in_batch ? 1 : s->options.threads;
    facts->in_batch = in_batch;
    facts->is_attached = true;
    return rp__auto_processor_is_for_card(facts, s->placement.tuning);
}

/* The choice of an open card. A short query after a pause finds cold caches, and each line that it
 * touches costs it as much as a comparison of two lists: so the clock is read only where the pause
 * decides. The next query that it decides about comes after this one. */
static bool suits_open_device(rp__placement *p, rp__auto_facts *facts, bool suits_burst)
{
    facts->idle_us = UINT64_MAX;
    if (suits_burst == rp__auto_processor_is_for_card(facts, p->tuning))
        return suits_burst;
    const uint64_t now = rp__clock_now();
    if (p->ended)
        facts->idle_us = (now - p->ended) / 1000;
    p->ended = now;
    return rp__auto_processor_is_for_card(facts, p->tuning);
}

bool rp__placement_asks_device(rp_searcher *s, const rp__query *query)
{
    rp__placement *p = &s->placement;
    rp__auto_facts facts;
    if (p->stage == RP_PLACEMENT_FIXED)
        return s->backend != s->plain;
    if (s->gpu.is_lost)
        return false;
    const bool suits = suits_device(s, query, false, &facts);
    if (p->stage == RP_PLACEMENT_OPEN)
        return p->is_asked = suits_open_device(p, &facts, suits);
    if (suits)
        p->missed_ns += rp__auto_processor_estimate(facts.shape, query->work, p->tuning);
    return false;
}

bool rp__placement_is_for_batch(const rp_searcher *s, const rp__query *query)
{
    rp__auto_facts facts;
    return s->placement.stage != RP_PLACEMENT_OPEN || suits_device(s, query, true, &facts);
}

typedef struct sample {
    rp_searcher *searcher;
    const rp_batch_query *queries;
    size_t n;
    double ns; /* of those that suit a card, for all n */
} sample;

/* Queries with mistakes count nothing. */
static rp_status weigh_sample(void *arg)
{
    sample *at = arg;
    rp_searcher *s = at->searcher;
    const bool is_plain = s->options.plain;
    const rp_mode mode = s->options.mode == RP_MODE_ANDOR ? RP_MODE_AND : s->options.mode;
    const size_t n = at->n < SAMPLE ? at->n : SAMPLE;
    for (size_t i = 0; i < n; i++) {
        const rp_batch_query *query = &at->queries[at->n / n * i];
        rp__auto_facts facts;
        rp__query bound;
        rp_error err;
        s->options.plain = is_plain || query->plain;
        rp_status status =
            rp__searcher_bind(s, query->query, query->query_bytes, mode, &bound, &err);
        s->options.plain = is_plain;
        if (status == RP_OK && suits_device(s, &bound, true, &facts))
            at->ns +=
                (double)rp__auto_processor_estimate(facts.shape, bound.work, s->placement.tuning) *
                (double)at->n / (double)n;
    }
    return RP_OK;
}

void rp__placement_begin_batch(rp_searcher *s, const rp_batch_query *queries, size_t n)
{
    rp__placement *p = &s->placement;
    rp_error own = {0}, err;
    sample all = {.searcher = s, .queries = queries, .n = n};
    p->is_asked = p->stage == RP_PLACEMENT_OPEN;
    if (p->stage != RP_PLACEMENT_CLOSED || n == 0 ||
        rp__searcher_guard(s, weigh_sample, &all, &own, &err) != RP_OK)
        return;
    p->missed_ns += (uint64_t)(all.ns < 1e18 ? all.ns : 1e18);
    if (is_due(p))
        open_card(s);
    p->is_asked = p->stage == RP_PLACEMENT_OPEN;
}
