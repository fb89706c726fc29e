/* phrase_verify.c: phrases among documents that a device has found to hold all their words: positions are read of
 * those alone. What counts as a match is phrase.c's. */
#include "backend/gpu/exec/phrase_verify.h"

#include "codec/codec.h"

/* A word of the phrase. */
typedef struct word {
    rp__list list;
    rp__positions positions;
    rp__cursor cursor;
} word;

typedef struct phrase {
    const rp__query *query;
    const rp__leaf *leaf;
    rp__arena *arena;
    word *words;
    const uint32_t **at; /* positions of each word in the document at hand */
    uint32_t *n;         /* how many */
    uint32_t *offsets, *scratch;
} phrase;

static rp_status open_word(const phrase *p, uint32_t i)
{
    const rp__word *from = &p->query->words[p->leaf->word + i];
    word *w = &p->words[i];
    p->offsets[i] = from->offset;
    rp_status status = rp__segment_list(p->query->segment, &from->term, p->arena, &w->list);
    if (status == RP_OK)
        status =
            rp__positions_open(&w->positions, p->query->segment, &from->term, &w->list, p->arena);
    if (status == RP_OK)
        rp__cursor_open(&w->cursor, &w->list);
    return status;
}

static rp_status open_phrase(phrase *p)
{
    uint32_t n = p->leaf->n_words;
    p->words = rp__arena_array(p->arena, n, sizeof *p->words);
    p->at = rp__arena_array(p->arena, n, sizeof *p->at);
    p->n = rp__arena_array(p->arena, n, 4 * sizeof *p->n);
    if (!p->words || !p->at || !p->n)
        return RP_NO_MEMORY;
    p->offsets = p->n + n;
    p->scratch = p->offsets + n;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < n && status == RP_OK; i++)
        status = open_word(p, i);
    return status;
}

/* How often the phrase is in the document. One that the lists do not have after all is damage. */
static rp_status count(phrase *p, uint32_t docid, uint32_t *tf)
{
    uint32_t n = p->leaf->n_words;
    for (uint32_t i = 0; i < n; i++) {
        word *w = &p->words[i];
        if (rp__cursor_next_geq(&w->cursor, docid) != docid)
            return RP_DAMAGED;
        rp_status status =
            rp__positions_get(&w->positions, rp__cursor_rank(&w->cursor), &p->at[i], &p->n[i]);
        if (status != RP_OK)
            return status;
    }
    *tf = rp__phrase_count(p->at, p->n, p->offsets, n, p->leaf->slop, p->scratch);
    return RP_OK;
}

static rp_status look_into(phrase *p, const rp__scored *found, size_t n, rp__topk *topk,
                           rp__answer *answer)
{
    const rp__query *query = p->query;
    for (size_t i = 0; i < n; i++) {
        uint32_t tf = 0, docid = found[i].docid;
        rp_status status = docid < query->lengths.n_docs ? count(p, docid, &tf) : RP_DAMAGED;
        if (status != RP_OK)
            return status;
        if (tf == 0)
            continue;
        answer->total++;
        float norm = query->norms[rp__lengths_code(&query->lengths, docid)];
        if (query->k > 0)
            rp__topk_push(topk,
                          rp__rank_contribution(query->rank->ranking->kind, &p->leaf->weight, norm,
                                                tf, query->fraction_bits),
                          docid);
    }
    return RP_OK;
}

rp_status rp__phrase_verify(const rp__query *query, const rp__scored *found, size_t n,
                            rp__arena *arena, rp__answer *answer)
{
    phrase p = {.query = query, .leaf = &query->leaves[query->ops[1].leaf], .arena = arena};
    size_t k = query->k < n ? query->k : n;
    rp__topk topk;
    rp__scored *scratch = rp__arena_array(arena, rp__topk_room(k), sizeof *scratch);
    rp_status status = scratch ? open_phrase(&p) : RP_NO_MEMORY;
    if (status != RP_OK)
        return status;
    rp__topk_init(&topk, scratch, k);
    status = look_into(&p, found, n, &topk, answer);
    rp__topk_finish(&topk);
    answer->at = topk.at;
    answer->n = topk.n;
    return status;
}
