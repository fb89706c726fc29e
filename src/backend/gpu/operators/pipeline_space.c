/* pipeline_space.c: one layout of all that operators of a query share. All sizes are known before the query starts: they
 * are bounds.
 *
 * What the host copies out are neighbours, and what it copies in are others, so that each is one copy; what is cleared
 * at first is one fill. */
#include "backend/gpu/operators/pipeline_space.h"

#include <string.h>

#include "backend/gpu/residency/transcode.h"
#include "base/bits.h"

enum {
    BITS_BLOCK = 256 * 128, /* docids of a block of threads */
    STEP_BLOCK = 128,       /* candidates */
    BUFFERS_MAX = 1 << 14,  /* candidates up to which there are many buffers of them */
};

/* The next bytes. */
static size_t take(size_t *end, size_t bytes)
{
    const size_t at = *end;
    *end = rp__bits_align(at + bytes, RP_PIPELINE_ALIGN);
    return at;
}

static size_t take_words(size_t *end, size_t n)
{
    return take(end, n * sizeof(uint32_t) + RP_PAD);
}

static bool is_any(const rp__pipeline *p, rp__intersect_id method)
{
    for (uint32_t i = p->first; i < p->n; i++)
        if (p->lists[i].method == method)
            return true;
    return false;
}

/* ---- What comes and goes ------------------------------------------------------------------------- */

/* What intersections need to put candidates side by side; and where splitters go. */
static size_t state_bytes(rp__pipeline *p, size_t *splits)
{
    size_t state = (p->capacity / STEP_BLOCK + p->n_docs / BITS_BLOCK + 8) * sizeof(uint64_t);
    *splits = 0;
    p->max = p->capacity;
    for (uint32_t i = p->first; i < p->n && !p->is_or; i++) {
        karg_intersect args;
        rp__launch how;
        const rp__pipe_list *l = &p->lists[i];
        rp__intersect_ops_cut(p, i, l->is_aux_new ? l->term->list.n : p->capacity, &args, &how);
        const size_t a = rp__intersect_state(&args), b = rp__intersect_table_splits(&args);
        state = a > state ? a : state;
        *splits = b > *splits ? b : *splits;
    }
    return state;
}

/* Intersections and scores have a buffer each, where they are short: then one fill clears them all. */
static void plan_candidates(rp__pipeline *p)
{
    size_t *end = &p->at.bytes;
    p->n_buffers = p->n > 2 && p->capacity <= BUFFERS_MAX ? RP_PIPELINE_BUFFERS : 2;
    for (size_t i = 0; i < p->n_buffers; i++)
        p->at.docids[i] = take_words(end, p->capacity);
    for (size_t i = 0; i < 2; i++)
        p->at.scores[i] = p->query->k > 0 ? take_words(end, p->capacity) : 0;
}

/* Candidates, pairs, the report; then what is cleared with it. */
static void plan_output(rp__pipeline *p)
{
    const bool selects = p->k > 0 && !p->by_host;
    size_t *end = &p->at.bytes, splits;
    plan_candidates(p);
    p->at.pairs = selects ? take(end, p->k * sizeof(karg_pair) + RP_PAD) : *end;
    p->at.report = take_words(end, RP_REPORT_WORDS);
    p->at.out = p->k == 0 ? p->at.report : selects ? p->at.pairs : p->at.docids[0];
    p->there.out = take(&p->there.bytes, *end - p->at.out);
    p->at.state = take(end, state_bytes(p, &splits));
    p->at.cleared = *end;
    if (selects) {
        p->at.select = take(end, rp__select_table_scratch(p->capacity, p->k));
        p->at.cleared = p->at.select + KARG_SELECT_ZEROS * sizeof(uint32_t);
    }
    p->at.splits = take(end, splits + RP_PAD);
}

/* Auxiliary data of an index that is not all on the device are copied for the query. */
static void stage_aux(rp__pipeline *p, rp__pipe_list *l)
{
    if (!l->aux_data.from || rp__gpu_index_at(p->flight->exec->index, l->aux_data.from))
        return;
    l->has_staged_aux = true;
    l->aux_at = take(&p->staged_bytes, l->aux_data.bytes + RP_PAD);
}

/* Records of lists whose blocks are chosen, auxiliary data, tiny lists that are decoded. */
static void plan_input(rp__pipeline *p)
{
    bool is_ding = false;
    for (uint32_t i = 0; i < p->n; i++) {
        rp__pipe_list *l = &p->lists[i];
        const size_t n = l->term->list.n + (size_t)RP_BLOCK_CAPACITY;
        is_ding = is_ding || l->is_ding;
        stage_aux(p, l);
        if (!l->is_tiny || l->form != RP_PIPE_DECODED)
            continue;
        l->raw = take_words(&p->staged_bytes, n);
        l->raw_tfs = take_words(&p->staged_bytes, n);
    }
    p->records_at = take(&p->staged_bytes, is_ding ? p->n * sizeof(karg_list) : 0);
    p->at.staged = take(&p->at.bytes, p->staged_bytes);
    p->there.staged = take(&p->there.bytes, p->staged_bytes);
}

/* ---- Lists ------------------------------------------------------------------------------------- */

/* As the host copies it: raw, in blocks. */
static karg_list raw_list(const rp__list *list, uint32_t universe)
{
    return (karg_list){.n = list->n,
                       .n_blocks = (list->n + RP_BLOCK - 1) / RP_BLOCK,
                       .universe = universe,
                       .docs_bytes = list->n * (uint32_t)sizeof(uint32_t),
                       .codec = KARG_CODEC_RAW,
                       .freq_code = KARG_CODEC_RAW};
}

/* One that is decoded; frequencies of a tiny one are staged. */
static void plan_decoded(rp__pipeline *p, rp__pipe_list *l)
{
    const uint32_t n = l->term->list.n;
    l->docids = take_words(&p->at.bytes, n);
    l->tfs = l->is_tiny        ? p->at.staged + l->raw_tfs
             : p->query->k > 0 ? take_words(&p->at.bytes, n)
                               : 0;
    l->bits_at =
        p->has_bits ? take(&p->at.bytes, rp__transcode_term_bits_bytes(&l->stored) + RP_PAD) : 0;
}

static void plan_list(rp__pipeline *p, rp__pipe_list *l)
{
    if (l->is_tiny) {
        l->stored = raw_list(&l->term->list, p->n_docs);
    } else {
        l->stored = rp__gpu_index_sizes(&l->term->list);
        l->stored.freq_code = rp__transcode_freq_code(&l->term->list);
    }
    if (l->form == RP_PIPE_DECODED)
        plan_decoded(p, l);
}

/* High bits of a list in qs, for rows that count them: ends of all docids, and the last docid's high part. */
static uint64_t high_bits(const rp__list *list)
{
    const uint64_t all = 8 * (uint64_t)list->docs_bytes;
    if (!list->last || list->docs_bytes == 0)
        return all;
    const uint64_t bits =
        list->n + ((uint64_t)list->last[list->n_blocks - 1] >> (list->docs[0] & 31));
    return bits < all ? bits : all;
}

static void plan_qs(rp__pipeline *p)
{
    const uint32_t row = p->how.rows[RP_PHASE_DECODE]->id - RP_OPERATOR_QS;
    for (uint32_t i = 0; i < p->n && row < RP_QS_METHODS; i++) {
        rp__pipe_list *l = &p->lists[i];
        if (l->form != RP_PIPE_DECODED || l->is_tiny || l->stored.codec != KARG_CODEC_QS)
            continue;
        l->high_bits = high_bits(&l->term->list);
        p->high_bits = l->high_bits > p->high_bits ? l->high_bits : p->high_bits;
    }
    if (p->high_bits)
        p->at.qs = take(&p->at.bytes, rp__qs_steps_bytes((rp__qs_method)row, p->high_bits,
                                                         p->lists[p->n - 1].term->list.n));
}

/* Addresses do not matter for sizes, but whether there are any. */
static rp_status plan_transcode(rp__pipeline *p)
{
    rp__transcode_list *made = rp__arena_zero(p->flight->exec->arena, p->n, sizeof *made);
    uint32_t n = 0;
    if (!made)
        return rp__exec_no_memory(p->flight);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->lists[i].form == RP_PIPE_DECODED)
            made[n++] = (rp__transcode_list){.list = p->lists[i].stored,
                                             .docids = 1,
                                             .tfs = p->query->k > 0,
                                             .bits = p->has_bits};
    const rp__transcode_sizes needs = rp__transcode_needs(made, n);
    p->at.transcode = take(&p->at.bytes, needs.device);
    p->there.transcode = take(&p->there.bytes, needs.host);
    return RP_OK;
}

/* ---- Operators --------------------------------------------------------------------------------- */

/* Docids of chosen blocks, of all lists side by side, and their tiles. */
static void plan_chosen(rp__pipeline *p)
{
    uint32_t n_blocks = 0;
    p->at.chosen = p->at.bytes;
    for (uint32_t i = p->first; i < p->n; i++)
        if (p->lists[i].is_ding)
            p->lists[i].chosen = take_words(&p->at.bytes, p->lists[i].stored.n);
    p->at.chosen_end = p->at.bytes;
    for (uint32_t i = p->first; i < p->n; i++) {
        rp__pipe_list *l = &p->lists[i];
        if (!l->is_ding)
            continue;
        l->tiles = take(&p->at.bytes, l->stored.n_blocks * sizeof(karg_tile));
        n_blocks = l->stored.n_blocks > n_blocks ? l->stored.n_blocks : n_blocks;
    }
    p->at.blocks = take_words(&p->at.bytes, n_blocks);
}

static void plan_rows(rp__pipeline *p)
{
    const size_t blocks = p->lists[p->n - 1].term->list.n / RP_BLOCK + 1;
    const bool has_marks = p->is_or || is_any(p, RP_INTERSECT_TILE_MARKS) ||
                           is_any(p, RP_INTERSECT_BITS_MARKS) || is_any(p, RP_INTERSECT_BITS_AND);
    size_t *end = &p->at.bytes;
    if (is_any(p, RP_INTERSECT_TILE_RANKS))
        p->at.ranks = take_words(end, 2 * (size_t)p->capacity);
    if (is_any(p, RP_INTERSECT_SKIP)) {
        p->at.last = take_words(end, blocks);
        p->at.last_far = take_words(end, blocks / 64 + 1);
    }
    for (size_t i = 0; i < 2; i++)
        p->at.marks[i] = has_marks ? take_words(end, p->n_docs / 32 + 4) : 0;
    if (p->accumulates && p->query->k > 0)
        p->at.sums = take_words(end, p->n_docs);
}

rp_status rp__pipeline_space_plan(rp__pipeline *p)
{
    plan_output(p);
    plan_input(p);
    for (uint32_t i = 0; i < p->n; i++)
        plan_list(p, &p->lists[i]);
    plan_chosen(p);
    plan_rows(p);
    plan_qs(p);
    return p->decodes ? plan_transcode(p) : RP_OK;
}

/* ---- Once there is memory ---------------------------------------------------------------------- */

static uint32_t *staged(const rp__pipeline *p, size_t offset)
{
    return (uint32_t *)(void *)(p->host + p->there.staged + offset);
}

static rp_status stage_tiny(const rp__pipeline *p, const rp__pipe_list *l)
{
    const rp__list *list = &l->term->list;
    rp_status status = rp__list_decode(list, staged(p, l->raw), NULL);
    for (uint32_t b = 0; status == RP_OK && b * RP_BLOCK < list->n; b++)
        status = rp__list_freqs(list, b, staged(p, l->raw_tfs) + (size_t)b * RP_BLOCK);
    return status;
}

rp_status rp__pipeline_space_stage(rp__pipeline *p)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < p->n && status == RP_OK; i++) {
        const rp__pipe_list *l = &p->lists[i];
        if (l->has_staged_aux)
            memcpy(staged(p, l->aux_at), l->aux_data.from, l->aux_data.bytes);
        if (l->is_tiny && l->form == RP_PIPE_DECODED)
            status = stage_tiny(p, l);
    }
    return status;
}
