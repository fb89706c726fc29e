/* gpu_asked.c: what a query asks for: its form, its lists, and whether they may be read.
 *
 * The guard of mapped memory may leave this file wherever it reads a list. */
#include "backend/gpu/gpu_asked.h"

#include "backend/gpu/gpu_list.h"
#include "base/error.h"
#include "codec/codec.h"

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
    bool has_tfs = r->query->k == 0 || rp__gpu_list_has_tfs(&out->list);
    out->is_transcoded = out->list.codec && !(rp__gpu_list_has_docids(&out->list) && has_tfs);
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

/* Of an OR all lists are decoded; of an AND the shortest, and of others at most a block a document, or all that is
 * transcoded. */
static uint64_t postings_of(const run *r, const word *w)
{
    uint64_t shortest = r->words[0].list.n;
    bool is_coded = w->list.codec && w->list.codec->id != KARG_CODEC_BITMAP;
    uint64_t most = is_coded ? shortest * RP_BLOCK : shortest;
    return r->is_or || w->is_transcoded || most > w->list.n ? w->list.n : most;
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

/* ---- Memory ------------------------------------------------------------------------------------ */

/* Lists that kernels read as they are stored, and those that are transcoded; frequencies are with the docids even where
 * nothing is scored. */
static rp_status list_all(run *r)
{
    r->stored = rp__arena_zero(r->arena, r->n, sizeof *r->stored);
    r->tiles = r->is_tiled ? rp__arena_zero(r->arena, r->n, sizeof *r->tiles) : NULL;
    r->transcoded = rp__arena_array(r->arena, r->n, sizeof *r->transcoded);
    r->n_stored = r->n_transcoded = 0;
    if (!r->stored || !r->transcoded || (r->is_tiled && !r->tiles))
        return rp__error_no_memory(&r->own);
    for (uint32_t i = 0; i < r->n; i++) {
        word *w = &r->words[i];
        const rp__term *term = &r->query->words[w->leaf->word].term;
        if (r->is_tiled)
            r->tiles[i].term = term;
        w->stored = NULL;
        if (w->is_transcoded)
            r->transcoded[r->n_transcoded++] = term;
        if (!w->list.codec || w->is_transcoded)
            continue;
        w->stored = &r->stored[r->n_stored++];
        *w->stored = (rp__stored_list){.list = &w->list, .term = term};
    }
    return RP_OK;
}

/* Those that are transcoded, for the lease. RP_NOT_FOUND: some are not there. */
static rp_status find_transcoded(run *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        word *w = &r->words[i];
        if (!w->is_transcoded)
            continue;
        const rp__resident *made =
            rp__lookup_lists_find(&r->lists, &r->query->words[w->leaf->word].term);
        if (!made || !made->at)
            return made ? RP_DAMAGED : RP_NOT_FOUND;
        w->made = made->list.word;
    }
    return RP_OK;
}

/* All that is there already; RP_NOT_FOUND: something is not. */
static rp_status find_all(run *r)
{
    rp__gpu_query *q = r->q;
    if (!rp__device_norms_find(&q->norms, &q->lease, q->index, r->query, &r->norms,
                               &r->norms_serial))
        return RP_NOT_FOUND;
    rp_status status = RP_OK;
    r->has_tiles = r->is_tiled && rp__tiled_lists_find(&q->lease, r->norms_serial, r->tiles, r->n);
    if (!r->has_tiles)
        status = rp__stored_lists_find(q->index, &q->lease, r->stored, r->n_stored);
    if (status == RP_OK && !r->has_tiles)
        status = find_transcoded(r);
    if (status == RP_OK && r->is_tiled && !r->has_tiles)
        return RP_NOT_FOUND;
    return status;
}

static rp_status hold_scratch(run *r)
{
    rp_status status = rp__exec_stage_hold(&r->q->room, &r->q->lease, r->bytes);
    return status == RP_OK && r->is_tiled ? rp__gpu_launched_hold_tiles(r) : status;
}

/* Scratch first, which is the largest, as a rule. */
static rp_status take_all(run *r)
{
    rp__gpu_query *q = r->q;
    if (!rp__device_norms_find(&q->norms, &q->lease, q->index, r->query, &r->norms,
                               &r->norms_serial))
        return RP_NOT_FOUND;
    rp__device_norms_mark(&q->norms, &q->lease);
    rp_status status = hold_scratch(r);
    if (status == RP_OK && !q->index->residency->is_whole)
        status = rp__stored_lists_take(&q->lease, r->stored, r->n_stored);
    if (status == RP_OK && r->n_transcoded > 0)
        status = rp__lookup_lists_take(&r->lists);
    if (status == RP_OK && r->is_tiled)
        status = rp__tiled_lists_take(&q->lease, r->norms_serial, r->tiles, r->n);
    if (status == RP_OK && r->is_tiled)
        r->tile_records = q->lease.pieces[q->lease.n - 1]->at;
    return status;
}

static rp_status open_transcoded(run *r)
{
    rp__lease *lease = &r->q->lease;
    if (r->n_transcoded == 0)
        return RP_OK;
    rp__lookup_lists_begin(&r->lists, lease, r->q->index, r->arena);
    rp__lease_begin(lease);
    return rp__lookup_lists_open(&r->lists, r->transcoded, r->n_transcoded);
}

static rp_status fill_transcoded(run *r)
{
    rp_status status = r->n_transcoded > 0 ? rp__lookup_lists_fill(&r->lists) : RP_OK;
    return status == RP_OK ? find_transcoded(r) : status;
}

/* RP_NOT_FOUND: something was evicted meanwhile. What an AND asks of other lists concerns documents of the shortest. */
static rp_status bring_all(run *r)
{
    rp__gpu_query *q = r->q;
    rp__lease *lease = &q->lease;
    bool is_whole = q->index->residency->is_whole;
    rp_status status;
    if (is_whole)
        status = rp__stored_lists_find(q->index, lease, r->stored, r->n_stored);
    else
        status = rp__stored_lists_plan(lease, r->stored, r->n_stored,
                                       r->is_or ? NULL : &r->words[0].list, r->arena);
    if (status == RP_OK)
        status = open_transcoded(r);
    if (status != RP_OK)
        return status;
    rp__lease_acquire(lease);
    status = take_all(r);
    rp__lease_release(lease);
    if (status == RP_OK && !is_whole)
        status = rp__stored_lists_fill(lease, r->stored, r->n_stored, r->arena);
    return status == RP_OK ? fill_transcoded(r) : status;
}

/* The resident kernel leaves before anything is uploaded, which would wait for it. */
static rp_status bring(run *r)
{
    enum { TRIES = 8 };
    rp__gpu_query *q = r->q;
    rp_status status = RP_NOT_FOUND;
    uint32_t serial;
    rp__persistent_kernel_dismiss(&q->room.resident);
    r->has_tiles = false;
    for (int i = 0; i < TRIES && status == RP_NOT_FOUND; i++) {
        status = RP_OK;
        bool has_norms =
            rp__lease_enter(&q->lease) &&
            rp__device_norms_find(&q->norms, &q->lease, q->index, r->query, &r->norms, &serial);
        rp__lease_end(&q->lease);
        if (!has_norms)
            status = rp__device_norms_bring(&q->norms, &q->lease, r->query);
        if (status == RP_OK)
            status = bring_all(r);
    }
    return status == RP_NOT_FOUND ? RP_NO_MEMORY : status;
}

rp_status rp__gpu_asked_lease(run *r)
{
    rp__gpu_query *q = r->q;
    rp_status status = list_all(r);
    if (status != RP_OK)
        return status;
    rp__lookup_lists_begin(&r->lists, &q->lease, q->index, r->arena);
    status = rp__lease_enter(&q->lease) ? find_all(r) : RP_NOT_FOUND;
    if (status == RP_OK)
        status = hold_scratch(r);
    if (status == RP_NOT_FOUND) {
        rp__lease_end(&q->lease);
        status = bring(r);
    }
    if (status == RP_OK)
        status = rp__exec_stage_use_norms(&q->room, r->norms_serial);
    return status == RP_DAMAGED ? rp__gpu_asked_refuse(r, RP_FALLBACK_DAMAGED) : status;
}

void rp__gpu_asked_publish(run *r)
{
    if (!r->q->index->residency->is_whole)
        rp__stored_lists_publish(&r->q->lease, r->stored, r->n_stored);
    if (r->is_tiled && !r->has_tiles)
        rp__tiled_lists_publish(&r->q->lease, r->norms_serial, r->tiles, r->n);
}
