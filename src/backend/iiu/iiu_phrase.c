/* iiu_phrase.c: phrases among documents that the machine has found to hold all their words: the host
 * reads their positions. What counts as a match is phrase.c's. */
#include "backend/iiu/iiu_eval.h"

#include "codec/codec.h"

typedef struct word {
    rp__list list;
    rp__positions positions;
    rp__cursor cursor;
} word;

typedef struct phrase {
    const rp__query *query;
    const rp__leaf *leaf;
    word *words;
    const uint32_t **at; /* positions of each word in the document at hand */
    uint32_t *n;         /* how many */
    uint32_t *offsets, *scratch;
} phrase;

static rp_status open_phrase(phrase *p, rp__arena *arena)
{
    const uint32_t n = p->leaf->n_words;
    p->words = rp__arena_array(arena, n, sizeof *p->words);
    p->at = rp__arena_array(arena, n, sizeof *p->at);
    p->n = rp__arena_array(arena, n, 4 * sizeof *p->n);
    rp_status status = p->words && p->at && p->n ? RP_OK : RP_NO_MEMORY;
    for (uint32_t i = 0; i < n && status == RP_OK; i++) {
        const rp__word *from = &p->query->words[p->leaf->word + i];
        word *w = &p->words[i];
        p->offsets = p->n + n;
        p->scratch = p->offsets + n;
        p->offsets[i] = from->offset;
        status = rp__segment_list(p->query->segment, &from->term, arena, &w->list);
        if (status == RP_OK)
            status =
                rp__positions_open(&w->positions, p->query->segment, &from->term, &w->list, arena);
        if (status == RP_OK)
            rp__cursor_open(&w->cursor, &w->list);
    }
    return status;
}

static rp_status count(phrase *p, uint32_t docid, uint32_t *tf)
{
    for (uint32_t i = 0; i < p->leaf->n_words; i++) {
        word *w = &p->words[i];
        if (rp__cursor_next_geq(&w->cursor, docid) != docid)
            return RP_DAMAGED;
        rp_status status =
            rp__positions_get(&w->positions, rp__cursor_rank(&w->cursor), &p->at[i], &p->n[i]);
        if (status != RP_OK)
            return status;
    }
    *tf = rp__phrase_count(p->at, p->n, p->offsets, p->leaf->n_words, p->leaf->slop, p->scratch);
    return RP_OK;
}

static uint32_t score(const rp__query *q, const rp__leaf *leaf, uint32_t docid, uint32_t tf)
{
    const float norm = q->norms[rp__lengths_code(&q->lengths, docid)];
    return rp__rank_contribution(q->rank->ranking->kind, &leaf->weight, norm, tf, q->fraction_bits);
}

rp_status rp__iiu_phrase_find(const rp__query *query, const rp__leaf *leaf,
                              const rp__iiu_operand *from, rp__arena *arena, rp__iiu_operand *out)
{
    phrase p = {.query = query, .leaf = leaf};
    *out = (rp__iiu_operand){.is_set = true};
    if (from->n == 0)
        return RP_OK;
    rp__result_slot *at = rp__arena_array(arena, from->n, sizeof *at);
    rp_status status = at ? open_phrase(&p, arena) : RP_NO_MEMORY;
    for (uint32_t i = 0; i < from->n && status == RP_OK; i++) {
        const uint32_t docid = from->at[i].doc;
        uint32_t tf = 0;
        status = docid < query->lengths.n_docs ? count(&p, docid, &tf) : RP_DAMAGED;
        if (status == RP_OK && tf > 0)
            at[out->n++] = (rp__result_slot){docid, score(query, leaf, docid, tf)};
    }
    out->at = at;
    return status;
}
