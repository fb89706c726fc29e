/* pipeline_space.c: one layout of all that operators of a query share. All sizes are known before the query starts: they
 * are bounds. */
#include "backend/gpu/operators/pipeline_space.h"

#include <string.h>

#include "base/bits.h"

enum { BITS_BLOCK = 256 * 128, STEP_BLOCK = 128 }; /* docids, candidates of a block of threads */

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

static bool is_tiny(const rp__pipe_list *l)
{
    return l->term->source == RP_SOURCE_STAGED;
}

static bool is_any(const rp__pipeline *p, rp__intersect_id method)
{
    for (uint32_t i = p->first; i < p->n; i++)
        if (p->lists[i].method == method)
            return true;
    return false;
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

static void plan_tiny(rp__pipeline *p, rp__pipe_list *l)
{
    const uint32_t n = l->term->list.n;
    l->stored = raw_list(&l->term->list, p->n_docs);
    l->raw_at = take_words(&p->at.bytes, n);
    l->staged = take_words(&p->there.bytes, n + (size_t)RP_BLOCK_CAPACITY);
    l->staged_tfs = take_words(&p->there.bytes, n + (size_t)RP_BLOCK_CAPACITY);
}

/* Auxiliary data of an index that is not all on the device are copied for the query. */
static void plan_aux(rp__pipeline *p, rp__pipe_list *l)
{
    if (!l->aux_data.from || rp__gpu_index_at(p->flight->exec->index, l->aux_data.from))
        return;
    l->aux_at = take(&p->at.bytes, l->aux_data.bytes + RP_PAD);
    l->staged_aux = take(&p->there.bytes, l->aux_data.bytes);
}

static void plan_list(rp__pipeline *p, rp__pipe_list *l)
{
    const rp__list *list = &l->term->list;
    if (is_tiny(l)) {
        plan_tiny(p, l);
    } else {
        l->stored = rp__gpu_index_sizes(list);
        l->stored.freq_code = rp__transcode_freq_code(list);
    }
    l->docids = take_words(&p->at.bytes, list->n);
    l->tfs = p->query->k > 0 ? take_words(&p->at.bytes, list->n) : 0;
    l->bits_at =
        p->has_bits ? take(&p->at.bytes, rp__transcode_term_bits_bytes(&l->stored) + RP_PAD) : 0;
    plan_aux(p, l);
}

/* Addresses do not matter for sizes, but whether there are any. */
static rp_status plan_transcode(rp__pipeline *p)
{
    rp__transcode_list *made = rp__arena_zero(p->flight->exec->arena, p->n, sizeof *made);
    if (!made)
        return rp__exec_no_memory(p->flight);
    for (uint32_t i = 0; i < p->n; i++)
        made[i] = (rp__transcode_list){
            .list = p->lists[i].stored, .docids = 1, .tfs = p->query->k > 0, .bits = p->has_bits};
    const rp__transcode_sizes needs = rp__transcode_needs(made, p->n);
    p->at.transcode = take(&p->at.bytes, needs.device);
    p->there.transcode = take(&p->there.bytes, needs.host);
    return RP_OK;
}

/* ---- Operators --------------------------------------------------------------------------------- */

/* What intersections need: state, places of splitters. */
static void plan_intersect(rp__pipeline *p)
{
    size_t state = (p->capacity / STEP_BLOCK + p->n_docs / BITS_BLOCK + 8) * sizeof(uint64_t);
    size_t splits = 0;
    p->max = p->capacity;
    for (uint32_t i = p->first; i < p->n && !p->is_or; i++) {
        karg_intersect args;
        rp__launch how;
        rp__intersect_ops_cut(p, i, &args, &how);
        const size_t a = rp__intersect_state(&args), b = rp__intersect_table_splits(&args);
        state = a > state ? a : state;
        splits = b > splits ? b : splits;
    }
    p->at.state = take(&p->at.bytes, state);
    p->at.state_bytes = state;
    p->at.splits = take(&p->at.bytes, splits + RP_PAD);
}

static void plan_rows(rp__pipeline *p)
{
    const uint32_t longest = p->lists[p->n - 1].term->list.n;
    const size_t blocks = longest / RP_BLOCK + 1;
    size_t *end = &p->at.bytes;
    if (is_any(p, RP_INTERSECT_TILE_RANKS))
        p->at.ranks = take_words(end, 2 * (size_t)p->capacity);
    if (is_any(p, RP_INTERSECT_SKIP)) {
        p->at.last = take_words(end, blocks);
        p->at.last_far = take_words(end, blocks / 64 + 1);
    }
    if (p->how.rows[RP_PHASE_INTERSECT]->id != RP_OPERATOR_DING)
        return;
    uint32_t n_blocks = 0;
    for (uint32_t i = p->first; i < p->n; i++)
        if (p->lists[i].stored.n_blocks > n_blocks)
            n_blocks = p->lists[i].stored.n_blocks;
    p->at.blocks = take_words(end, n_blocks);
    p->at.tiles = take(end, n_blocks * sizeof(karg_tile));
    p->at.chosen = take_words(end, longest);
}

static void plan_candidates(rp__pipeline *p)
{
    const bool has_marks = p->is_or || is_any(p, RP_INTERSECT_TILE_MARKS) ||
                           is_any(p, RP_INTERSECT_BITS_MARKS) || is_any(p, RP_INTERSECT_BITS_AND);
    size_t *end = &p->at.bytes;
    for (size_t half = 0; half < 2; half++) {
        p->at.docids[half] = take_words(end, p->capacity);
        p->at.scores[half] = p->query->k > 0 ? take_words(end, p->capacity) : 0;
        p->at.marks[half] = has_marks ? take_words(end, p->n_docs / 32 + 4) : 0;
    }
    if (p->accumulates && p->query->k > 0)
        p->at.sums = take_words(end, p->n_docs);
}

static void plan_select(rp__pipeline *p)
{
    if (p->k > 0 && p->by_host) {
        p->there.docids = take_words(&p->there.bytes, p->capacity);
        p->there.scores = take_words(&p->there.bytes, p->capacity);
    } else if (p->k > 0) {
        p->at.pairs = take(&p->at.bytes, p->k * sizeof(karg_pair) + RP_PAD);
        p->at.select = take(&p->at.bytes, rp__select_table_scratch(p->capacity, p->k));
        p->there.pairs = take(&p->there.bytes, p->k * sizeof(karg_pair));
    }
}

rp_status rp__pipeline_space_plan(rp__pipeline *p)
{
    p->at.report = take_words(&p->at.bytes, RP_REPORT_WORDS);
    plan_intersect(p); /* its state follows the report: one fill clears both */
    p->there.report = take_words(&p->there.bytes, RP_REPORT_WORDS);
    p->at.records = take(&p->at.bytes, p->n * sizeof(karg_list));
    p->there.records = take(&p->there.bytes, p->n * sizeof(karg_list));
    for (uint32_t i = 0; i < p->n; i++)
        plan_list(p, &p->lists[i]);
    plan_rows(p);
    plan_candidates(p);
    plan_select(p);
    return plan_transcode(p);
}

/* ---- Once there is memory ---------------------------------------------------------------------- */

rp_status rp__pipeline_space_stage(rp__pipeline *p)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < p->n && status == RP_OK; i++) {
        const rp__pipe_list *l = &p->lists[i];
        const rp__list *list = &l->term->list;
        uint32_t *tfs = (uint32_t *)(void *)(p->host + l->staged_tfs);
        if (l->staged_aux)
            memcpy(p->host + l->staged_aux, l->aux_data.from, l->aux_data.bytes);
        if (!is_tiny(l))
            continue;
        status = rp__list_decode(list, (uint32_t *)(void *)(p->host + l->staged), NULL);
        for (uint32_t b = 0; status == RP_OK && b * RP_BLOCK < list->n; b++)
            status = rp__list_freqs(list, b, tfs + (size_t)b * RP_BLOCK);
    }
    return status;
}

static void point_at_aux(rp__pipeline *p, rp__pipe_list *l)
{
    const rp__aux *aux = &l->aux_data;
    if (!aux->from)
        return;
    l->aux = l->staged_aux ? rp__pipe(p, l->aux_at)
                           : rp__gpu_index_at(p->flight->exec->index, aux->from);
    if (aux->starts)
        l->aux += (uint64_t)((const uint8_t *)aux->starts - aux->from);
}

void rp__pipeline_space_point(rp__pipeline *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        rp__pipe_list *l = &p->lists[i];
        point_at_aux(p, l);
        if (is_tiny(l)) {
            l->stored.docs = rp__pipe(p, l->raw_at);
            continue;
        }
        const uint32_t freq_code = l->stored.freq_code;
        l->stored = l->term->stored->at;
        l->stored.freq_code = freq_code;
    }
}
