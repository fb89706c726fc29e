/* dump.c: what one list looks like: costs, gaps, and how straight it is. */
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "engine/engine.h"

typedef struct look {
    const rp_index *index;
    rp_list_info *out;
    size_t bytes; /* of the term */
    rp__term entry;
    uint32_t *docids;
    rp__arena arena;
} look;

/* Reads the mapping, and so allocates nothing. */
static rp_status find_list(void *arg)
{
    look *l = arg;
    return rp__segment_find(l->index->segment, l->out->term, l->bytes, &l->entry);
}

static void count_gaps(look *l)
{
    uint32_t before = UINT32_MAX;
    for (uint32_t i = 0; i < l->entry.df; i++) {
        l->out->gaps[rp__bits_width(l->docids[i] - before - 1)]++;
        before = l->docids[i];
    }
}

static rp_status look_at_list(void *arg)
{
    look *l = arg;
    rp_list_info *out = l->out;
    rp__list list;
    rp_status status = rp__list_cost_get(l->index->segment, &l->entry, &out->cost);
    if (status == RP_OK)
        status = rp__segment_list(l->index->segment, &l->entry, &l->arena, &list);
    if (status == RP_OK)
        status = rp__list_decode(&list, l->docids, NULL);
    if (status != RP_OK)
        return status;
    count_gaps(l);
    rp__line_figures line = rp__regression_figures(l->docids, list.n);
    out->cost.term = out->term;
    out->cf = l->entry.cf;
    out->first = l->docids[0];
    out->last = l->docids[list.n - 1];
    out->slope = line.slope;
    out->determination = line.determination;
    out->contraction = line.contraction;
    out->local_mean = line.local_mean;
    out->local_most = line.local_most;
    out->has_aux = rp__segment_get_info(l->index->segment)->n_aux > 0 && list.n > RP_BLOCK;
    return RP_OK;
}

/* The first term that the analyzer makes of the word. RP_NOT_FOUND: none. */
static rp_status find_term(look *l, const char *word)
{
    rp__analyzer_state *state;
    rp__token token;
    if (rp__analyzer_state_new(l->index->analyzer, &state) != RP_OK)
        return RP_NO_MEMORY;
    rp__analyzer_begin(state, word, strlen(word));
    bool has = rp__analyzer_next(state, &token) && token.bytes < sizeof l->out->term;
    if (has) {
        memcpy(l->out->term, token.term, token.bytes);
        l->bytes = token.bytes;
    }
    rp__analyzer_state_free(state);
    return has ? rp__index_handle_guard(l->index, find_list, l) : RP_NOT_FOUND;
}

rp_status rp_index_get_list(const rp_index *index, const char *word, rp_list_info *out,
                            rp_error *err)
{
    if (RP_MISSING(err, index, word, out))
        return RP_USAGE;
    look l = {.index = index, .out = out};
    *out = (rp_list_info){0};
    rp__arena_init(&l.arena, 1 << 20);
    rp_status status = find_term(&l, word);
    if (status == RP_OK) {
        l.docids = rp__alloc_array((size_t)l.entry.df + RP_BLOCK_CAPACITY, sizeof *l.docids);
        status = l.docids ? rp__index_handle_guard(index, look_at_list, &l) : RP_NO_MEMORY;
    }
    rp__free(l.docids);
    rp__arena_reset(&l.arena);
    if (status == RP_OK)
        return RP_OK;
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, status, "term \"%.100s\": %s", word,
                         status == RP_NOT_FOUND ? "not in this index"
                                                : "damaged; run 'riposte check' on the index");
}
