/* para_layout.c: one part after the other. */
#include "backend/gpu/operators/para_layout.h"

#include "backend/gpu/kernels/args.h"
#include "base/bits.h"

/* Takes bytes from *at on. Where they begin. */
static size_t take(size_t *at, size_t n, size_t each)
{
    const size_t begin = *at;
    *at += rp__bits_align(n * each, RP_PARA_ALIGN);
    return begin;
}

rp__para_layout rp__para_layout_of(const rp__para_sizes *s)
{
    const size_t tiles = s->elements / KARG_PARA_THREADS + 1;
    rp__para_layout l = {.state_words = 2 * (tiles + 2)};
    size_t at = 0;
    l.queries = take(&at, s->queries + (size_t)1, sizeof(karg_para_query));
    l.lists = take(&at, s->lists, sizeof(karg_para_list));
    l.stored = take(&at, s->has_stored ? s->lists : 0, sizeof(karg_list));
    l.aux = take(&at, s->aux, 1);
    l.check_queries = take(&at, s->checks + (size_t)1, sizeof(karg_para_query));
    l.check_lists = take(&at, 2 * (size_t)s->checks, sizeof(karg_para_list));
    l.check_stored = take(&at, s->has_stored ? 2 * (size_t)s->checks : 0, sizeof(karg_list));
    l.in = at;
    l.begins = take(&at, s->queries + (size_t)1, sizeof(uint32_t));
    l.counts = take(&at, s->queries, sizeof(uint32_t));
    l.pairs = take(&at, (size_t)s->queries * s->k, sizeof(karg_pair));
    l.check_marks = take(&at, s->checked / 32 + (size_t)1, sizeof(uint32_t));
    l.out = at - l.begins;
    l.host = at;
    l.marks = take(&at, s->elements / 32 + (size_t)1, sizeof(uint32_t));
    l.docids = take(&at, s->elements, sizeof(uint32_t));
    l.scores = take(&at, s->elements, sizeof(uint32_t));
    l.state = take(&at, l.state_words, sizeof(uint32_t));
    l.bytes = at;
    return l;
}
