/* costs.c: what the lists of an index cost, and which cost most. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/engine.h"

typedef struct kept {
    rp_list_cost cost;
    char term[256];
} kept;

typedef struct walk {
    const rp_index *index;
    rp_index_costs *out;
    size_t top, n, cap; /* the costliest seen, and some that are not */
    kept *at;
    rp__term_iter iter;
} walk;

static int by_bytes_falling(const void *a, const void *b)
{
    const kept *x = a, *y = b;
    if (x->cost.bytes != y->cost.bytes)
        return x->cost.bytes > y->cost.bytes ? -1 : 1;
    return strcmp(x->term, y->term);
}

/* Twice as many as wanted are gathered, then the half that cannot be among them goes. */
static void keep(walk *w, const rp_list_cost *cost)
{
    if (w->top == 0)
        return;
    if (w->n == w->cap) {
        qsort(w->at, w->n, sizeof *w->at, by_bytes_falling);
        w->n = w->top;
    }
    kept *k = &w->at[w->n++];
    k->cost = *cost;
    memcpy(k->term, w->iter.term, w->iter.term_bytes);
    k->term[w->iter.term_bytes] = 0;
}

static void add(rp_list_cost *sum, const rp_list_cost *cost)
{
    sum->postings += cost->postings;
    sum->blocks += cost->blocks;
    sum->bytes += cost->bytes;
    sum->bytes_docids += cost->bytes_docids;
    sum->bytes_freqs += cost->bytes_freqs;
    sum->bytes_directory += cost->bytes_directory;
    sum->bytes_pruning += cost->bytes_pruning;
    sum->bytes_positions += cost->bytes_positions;
}

static rp_status sum_costs(void *arg)
{
    walk *w = arg;
    const rp__segment *segment = w->index->segment;
    rp_list_cost cost;
    rp_status status = rp__term_iter_start(&w->iter, segment, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&w->iter)) == RP_OK) {
        status = rp__list_cost_get(segment, &w->iter.entry, &cost);
        if (status != RP_OK)
            return status;
        bool is_tiny = w->iter.entry.tiny != NULL;
        add(is_tiny ? &w->out->tiny : &w->out->lists, &cost);
        w->out->n_lists += !is_tiny;
        w->out->n_tiny += is_tiny;
        keep(w, &cost);
    }
    return status == RP_NOT_FOUND ? RP_OK : status;
}

static rp_status give(walk *w, rp_error *err)
{
    rp_index_costs *out = w->out;
    if (w->n > 0)
        qsort(w->at, w->n, sizeof *w->at, by_bytes_falling);
    out->n = w->n < w->top ? w->n : w->top;
    out->at = rp__alloc_array(out->n, sizeof *out->at);
    if (!out->at)
        return rp__error_no_memory(err);
    for (size_t i = 0; i < out->n; i++) {
        out->at[i] = w->at[i].cost;
        out->at[i].term = w->at[i].term;
    }
    return RP_OK;
}

rp_status rp_index_get_costs(const rp_index *index, size_t top, rp_index_costs *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_index_costs){0};
    if (RP_MISSING(err, index))
        return RP_USAGE;
    uint64_t terms = rp__segment_get_info(index->segment)->terms;
    walk w = {.index = index, .out = out, .top = top < terms ? top : (size_t)terms};
    w.cap = 2 * w.top;
    out->memory = w.at = rp__alloc_array(w.cap, sizeof *w.at);
    if (!w.at)
        return rp__error_no_memory(err);
    rp_status status = rp__index_handle_guard(index, sum_costs, &w);
    if (status != RP_OK)
        rp__error_set(err, status, "term \"%.*s\": damaged; run 'riposte check' on the index",
                      (int)(w.iter.term_bytes < 100 ? w.iter.term_bytes : 100), w.iter.term);
    else
        status = give(&w, err);
    if (status != RP_OK)
        rp_index_costs_free(out);
    return status;
}

void rp_index_costs_free(rp_index_costs *costs)
{
    if (!costs)
        return;
    rp__free(costs->at);
    rp__free(costs->memory);
    *costs = (rp_index_costs){0};
}
