/* query_trace.c: what was done for a query: decisions of a policy and operators of processors, by their time. */
#include "engine/query_trace.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "engine/searcher.h"

rp_status rp__query_trace_new(rp_searcher *s)
{
    if (!s->events)
        s->events = rp__alloc_array(RP_QUERY_TRACE_MAX, sizeof *s->events);
    return s->events ? RP_OK : RP_NO_MEMORY;
}

void rp__query_trace_begin(rp_searcher *s)
{
    s->trace = (rp__trace){.events = s->events,
                           .max = RP_QUERY_TRACE_MAX,
                           .kernels = s->kernels,
                           .max_kernels = RP_QUERY_TRACE_KERNELS};
    s->traced = s->events ? rp__clock_now() : 0;
}

rp__trace *rp__query_trace_get(rp_searcher *s)
{
    return s->options.trace && s->events ? &s->trace : NULL;
}

/* Where there is no memory, nothing is counted. */
void rp__query_trace_bind(rp_searcher *s, rp__trace *trace, rp__query *bound)
{
    bound->trace = trace;
    if (!trace)
        return;
    trace->has_blocks = false;
    trace->words = bound->words;
    trace->n_words = bound->n_words;
    trace->blocks = rp__arena_zero(&s->arena, bound->n_words, sizeof *trace->blocks);
}

void rp__query_trace_host(rp__trace *trace, const char *stage, uint64_t begin, uint64_t elements)
{
    rp__trace_end(trace,
                  &(rp__trace_event){
                      .stage = stage, .processor = "cpu", .begin = begin, .elements = elements});
}

/* ---- As steps ---------------------------------------------------------------------------------- */

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

static size_t count_events(const rp__trace *trace)
{
    return trace->n < trace->max ? trace->n : trace->max;
}

static rp_query_step step_of(const rp_searcher *s, const rp__trace_event *event)
{
    return (rp_query_step){.stage = event->stage,
                           .processor = event->processor,
                           .began_us = us(event->begin - s->traced),
                           .us = us(event->end - event->begin),
                           .elements = event->elements,
                           .bytes = event->bytes};
}

static rp_query_step step_of_decision(const rp_searcher *s, const rp__decision *d)
{
    return (rp_query_step){.stage = "place",
                           .processor = d->processor,
                           .began_us = us(d->began - s->traced),
                           .us = us(d->took_ns),
                           .reason = d->reason,
                           .queued_us = us(d->queued_ns),
                           .estimated_us = us(d->estimated_ns)};
}

/* A search as a whole is no operator, nor is what the host does before and after it. */
static bool is_operator(const char *stage)
{
    static const char *const others[] = {"search", "parse", "look-up", "names"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(stage, others[i]) == 0)
            return false;
    return true;
}

/* Behind those that began no later. */
static void insert(rp_hits *hits, rp_query_step step)
{
    size_t i = hits->n_steps++;
    for (; i > 0 && hits->steps[i - 1].began_us > step.began_us; i--)
        hits->steps[i] = hits->steps[i - 1];
    hits->steps[i] = step;
}

/* A term that comes twice has one list. */
static rp_list_read *find_read(const rp_hits *hits, const rp__word *word)
{
    for (size_t i = 0; i < hits->n_reads; i++)
        if (strcmp(hits->reads[i].term, word->text) == 0)
            return &hits->reads[i];
    return NULL;
}

/* The records and, behind them, their terms. */
static rp_status add_reads(const rp_searcher *s, rp_hits *hits)
{
    const rp__trace *trace = &s->trace;
    size_t bytes = 0;
    for (size_t i = 0; trace->has_blocks && i < trace->n_words; i++)
        bytes += sizeof *hits->reads + trace->words[i].text_bytes + 1;
    hits->reads = bytes > 0 ? rp__searcher_take_memory(s, bytes) : NULL;
    if (!hits->reads)
        return bytes > 0 ? RP_NO_MEMORY : RP_OK;
    char *text = (char *)(hits->reads + trace->n_words);
    for (size_t i = 0; i < trace->n_words; i++) {
        const rp__word *word = &trace->words[i];
        rp_list_read *read = find_read(hits, word);
        if (!read) {
            read = &hits->reads[hits->n_reads++];
            *read = (rp_list_read){.term = text};
            memcpy(text, word->text, word->text_bytes + 1);
            text += word->text_bytes + 1;
        }
        read->blocks += trace->blocks[i];
    }
    return RP_OK;
}

static bool is_shown(const rp_searcher *s, const rp__trace_event *event)
{
    return s->options.trace || is_operator(event->stage);
}

rp_status rp__query_trace_add(const rp_searcher *s, const rp__decision *decisions, size_t n,
                              rp_hits *hits)
{
    const rp__trace_event *events = s->trace.events;
    const size_t n_events = count_events(&s->trace);
    size_t n_shown = s->options.trace ? n : 0;
    if (s->options.trace && add_reads(s, hits) != RP_OK)
        return RP_NO_MEMORY;
    for (size_t i = 0; i < n_events; i++)
        n_shown += is_shown(s, &events[i]);
    if (n_shown == 0)
        return RP_OK;
    hits->steps = rp__searcher_take_memory(s, n_shown * sizeof *hits->steps);
    if (!hits->steps)
        return RP_NO_MEMORY;
    for (size_t i = 0; s->options.trace && i < n; i++)
        insert(hits, step_of_decision(s, &decisions[i]));
    for (size_t i = 0; i < n_events; i++)
        if (is_shown(s, &events[i]))
            insert(hits, step_of(s, &events[i]));
    return RP_OK;
}

size_t rp_searcher_get_steps(const rp_searcher *searcher, rp_query_step *out, size_t max)
{
    size_t n = 0;
    if (!searcher || RP_MISSING_ARRAY(NULL, out, max))
        return 0;
    for (size_t i = 0; i < count_events(&searcher->trace); i++) {
        const rp__trace_event *event = &searcher->trace.events[i];
        if (!is_operator(event->stage))
            continue;
        if (n < max)
            out[n] = step_of(searcher, event);
        n++;
    }
    return n;
}

size_t rp_searcher_get_kernels(const rp_searcher *searcher, rp_kernel_count *out, size_t max)
{
    if (!searcher || RP_MISSING_ARRAY(NULL, out, max))
        return 0;
    const size_t n = searcher->trace.n_kernels;
    for (size_t i = 0; i < n && i < max; i++)
        out[i] = searcher->trace.kernels[i];
    return n;
}
