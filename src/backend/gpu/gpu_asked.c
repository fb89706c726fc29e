/* gpu_asked.c: what a query asks for: its form, its lists, and whether they may be read.
 *
 * The guard of mapped memory may leave this file wherever it reads a list. */
#include "backend/gpu/gpu_asked.h"

#include "backend/gpu/gpu_list.h"
#include "base/error.h"
#include "codec/codec.h"

enum { COPIED_MOST = 1 << 20 }; /* postings of a list that is decoded here */

typedef rp__gpu_asked run;
typedef rp__gpu_asked_word word;

rp_status rp__gpu_asked_refuse(run *r, rp_fallback why)
{
    r->fallback = why;
    return rp__error_set(&r->own, RP_UNAVAILABLE, "the gpu does not answer this query: %s",
                         rp_fallback_text(why));
}

static bool are_words(const rp__query *query, uint8_t role)
{
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        if (query->ops[i].kind != RP_OP_TERM || query->ops[i].role != role)
            return false;
    return query->n_ops > 2;
}

/* One word alone is an AND. */
static rp_status check_form(run *r)
{
    const rp__query *query = r->query;
    bool is_any = are_words(query, RP_SHOULD);
    r->is_or = is_any && query->n_ops > 3;
    if (!is_any && !are_words(query, RP_MUST))
        return rp__gpu_asked_refuse(r, RP_FALLBACK_FORM);
    if (query->n_ops - 2 > KARG_WORDS_MOST)
        return rp__gpu_asked_refuse(r, RP_FALLBACK_TERMS);
    if (query->rank->ranking->kind != RP_RANK_BM25)
        return rp__gpu_asked_refuse(r, RP_FALLBACK_RANKING);
    if (query->algorithm)
        return rp__gpu_asked_refuse(r, RP_FALLBACK_ALGORITHM);
    if (!rp__gpu_index_at(r->q->index, query->lengths.codes) || query->lengths.n_table == 0)
        return rp__gpu_asked_refuse(r, RP_FALLBACK_LENGTHS);
    r->end = query->end < query->lengths.n_docs ? query->end : query->lengths.n_docs;
    return RP_OK;
}

static rp_status open_word(run *r, const rp__leaf *leaf, word *out)
{
    const rp__term *term = &r->query->words[leaf->word].term;
    *out = (word){.leaf = leaf};
    if (term->df == 0)
        return RP_OK;
    rp_status status = rp__segment_list(r->query->segment, term, r->arena, &out->list);
    if (status == RP_DAMAGED)
        return rp__gpu_asked_refuse(r, RP_FALLBACK_DAMAGED);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(&r->own);
    out->copies_docids = !rp__gpu_list_has_docids(&out->list);
    out->copies_tfs = r->query->k > 0 && !rp__gpu_list_has_tfs(&out->list);
    if (status == RP_OK && (out->copies_docids || out->copies_tfs) && out->list.n > COPIED_MOST)
        return rp__gpu_asked_refuse(r, RP_FALLBACK_CODEC);
    return status;
}

/* An OR goes without words that the index does not know. */
static rp_status open_words(run *r)
{
    const rp__query *query = r->query;
    size_t n = query->n_ops - 2;
    r->words = rp__arena_array(r->arena, n, sizeof *r->words);
    if (!r->words)
        return rp__error_no_memory(&r->own);
    for (size_t i = 0; i < n; i++) {
        word new;
        rp_status status = open_word(r, &query->leaves[query->ops[i + 1].leaf], &new);
        if (status != RP_OK)
            return status;
        if (r->is_or && new.list.n == 0)
            continue;
        uint32_t j = r->n++;
        for (; j > 0 && r->words[j - 1].list.n > new.list.n; j--)
            r->words[j] = r->words[j - 1];
        r->words[j] = new;
    }
    return RP_OK;
}

/* Of an OR all lists are decoded; of an AND the shortest, and of others at most a block a document, or what is
 * decoded here. */
static uint64_t postings_of(const run *r, const word *w)
{
    uint64_t shortest = r->words[0].list.n;
    bool is_coded = w->list.codec && w->list.codec->id != KARG_CODEC_BITMAP;
    uint64_t most = is_coded ? shortest * RP_BLOCK : shortest;
    return r->is_or || w->copies_docids || most > w->list.n ? w->list.n : most;
}

static void count_postings(run *r)
{
    uint64_t asked = r->end > r->query->begin ? r->end - r->query->begin : 0;
    r->most = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        r->postings += postings_of(r, &r->words[i]);
        r->most += i == 0 || r->is_or ? r->words[i].list.n : 0;
    }
    r->most = r->most < asked ? r->most : asked;
}

rp_status rp__gpu_asked_open(run *r)
{
    rp_status status = check_form(r);
    if (status == RP_OK)
        status = open_words(r);
    if (status == RP_OK)
        count_postings(r);
    return status;
}

/* Those that kernels read there, frequencies with the docids even where nothing is scored; what an AND asks of other
 * lists concerns documents of the shortest one. */
rp_status rp__gpu_asked_want(run *r)
{
    rp__gpu_want *wants = rp__arena_array(r->arena, r->n, sizeof *wants);
    size_t n = 0;
    if (!wants)
        return rp__error_no_memory(&r->own);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->words[i].list.codec && !(r->words[i].copies_docids && r->words[i].copies_tfs))
            wants[n++] =
                (rp__gpu_want){.list = &r->words[i].list,
                               .freqs = !r->words[i].copies_tfs,
                               .whole = r->words[i].copies_docids || r->words[i].copies_tfs};
    rp_status status =
        rp__gpu_hold_want(&r->q->hold, wants, n, r->is_or ? NULL : &r->words[0].list, r->arena);
    for (uint32_t i = 0, j = 0; status == RP_OK && j < n; i++)
        if (wants[j].list == &r->words[i].list)
            r->words[i].at = wants[j++].at;
    return status == RP_DAMAGED ? rp__gpu_asked_refuse(r, RP_FALLBACK_DAMAGED) : status;
}
