/* fused_or.c: batches of ORs: their terms and queries go to the device together; one kernel finds the k best, or, of a
 * large k, what may be among them, which another ranks. What kernels count is never set back: the host knows what it
 * will be.
 *
 * The stage has answers, which kernels write there, and behind them queries and terms, which are copied to the scratch.
 * There keys lie behind them. */
#include "backend/gpu/exec/fused_or.h"

#include <string.h>

#include "backend/gpu/kernels/tuning.h"
#include "base/bits.h"

enum {
    ALIGN = 256,
    TILE_BLOCKS = 7,
    RANK_THREADS = 256,
    RANK_THREADS_MANY = 1024, /* where many are ranked: */
    RANK_MANY = 1024,         /* over so many, or what long queries have found */
    /* tiles of a long query that are looked into beforehand, at most: a query that has the card for
     * itself is in work everywhere before what it finds says more than they do; */
    LONG_AHEAD = 256,
    LONG_FOUND = 64, /* and so many times k documents may be found then */
};

void rp__fused_or_open(rp__fused_or *o, rp__device *device)
{
    *o = (rp__fused_or){.device = device};
}

static void free_stage(rp__fused_or *o)
{
    if (o->stage)
        o->device->driver->host_free(o->stage);
    o->stage = NULL;
    o->stage_bytes = 0;
}

void rp__fused_or_close(rp__fused_or *o, rp__residency *residency)
{
    if (!o->device)
        return;
    free_stage(o);
    rp__scratch_free(&o->scratch, residency, o->device);
    rp__scratch_free(&o->states, residency, o->device);
    *o = (rp__fused_or){0};
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Where things lie: in the stage a word that tells that the answers are there, pairs, counts, and, from `sent` on,
 * queries and terms; in the scratch these two, and keys. */
typedef struct plan {
    size_t out, counts, sent, staged;
    size_t terms, found, bytes;
} plan;

/* Kernels have a k of at least 1. */
static uint32_t k_of(const rp__fused_or_batch *batch)
{
    return batch->k > 0 ? batch->k : 1;
}

static plan plan_of(const rp__fused_or_batch *batch, uint32_t scratch)
{
    plan p = {.out = ALIGN};
    const size_t n = batch->n_queries, words = batch->counts_all ? 2 : 1;
    size_t n_terms = 0;
    for (size_t q = 0; q < n; q++)
        n_terms += batch->queries[q].n_terms;
    p.counts = p.out + n * k_of(batch) * sizeof(karg_pair);
    p.sent = rp__bits_align(p.counts + n * words * sizeof(uint32_t), ALIGN);
    p.terms = rp__bits_align(n * sizeof(karg_or_query), ALIGN);
    p.found = rp__bits_align(p.terms + n_terms * sizeof(karg_or_term), ALIGN);
    p.staged = p.sent + p.found;
    p.bytes = p.found + n * scratch * sizeof(uint64_t);
    return p;
}

/* Kernels write there. */
static rp_status grow_stage(rp__fused_or *o, size_t bytes)
{
    void *at = NULL;
    if (bytes <= o->stage_bytes)
        return RP_OK;
    free_stage(o);
    rp_status status = rp__device_pin_mapped(o->device, 2 * bytes, &at, &o->stage_at);
    if (status != RP_OK)
        return status;
    memset(at, 0, ALIGN);
    o->stage = at;
    o->stage_bytes = 2 * bytes;
    return RP_OK;
}

/* Counters and bells lie before them. */
enum { BEFORE_STATES = (KARG_OR_COUNTERS + 32 * KARG_OR_BELLS) * sizeof(uint32_t) };

/* States that were not held before are anybody's bytes. */
static rp_status hold_states(rp__fused_or *o, size_t n)
{
    rp_status status = rp__scratch_hold(&o->states, o->lease, o->device,
                                        BEFORE_STATES + n * sizeof(karg_or_state));
    o->is_clean = o->is_clean && !(status == RP_OK && o->states.is_fresh);
    return status;
}

static rp_status clear_states(rp__fused_or *o)
{
    if (o->is_clean)
        return RP_OK;
    memset(o->counted, 0, sizeof o->counted);
    return rp__device_fill(o->device, o->states.at, 0, o->states.bytes / 4);
}

static rp_status reserve(rp__fused_or *o, const rp__fused_or_batch *batch, const plan *p)
{
    rp_status status = grow_stage(o, p->staged);
    if (status == RP_OK)
        status = rp__scratch_hold(&o->scratch, o->lease, o->device, p->bytes);
    return status == RP_OK ? hold_states(o, batch->n_queries) : status;
}

/* ---- What goes there --------------------------------------------------------------------------- */

/* Those of the greatest weight first: the others are those that need not be read everywhere. */
static void stage_terms(const rp__fused_or_query *query, karg_or_term *to)
{
    for (uint32_t t = 0; t < query->n_terms; t++) {
        uint32_t at = t;
        for (; at > 0 && to[at - 1].weight < query->terms[t].weight; at--)
            to[at] = to[at - 1];
        to[at] = (karg_or_term){.list = query->terms[t].list, .weight = query->terms[t].weight};
    }
}

/* Ratios are at most 1, and sums of weights below 2^32. */
static uint32_t shift_of(const rp__fused_or_query *query)
{
    double limit = 0;
    uint32_t shift = 0;
    for (uint32_t t = 0; t < query->n_terms; t++)
        limit += (double)query->terms[t].weight + 1;
    while (shift < 31 && limit / (double)(UINT32_C(1) << shift) >= KARG_OR_BINS)
        shift++;
    return shift;
}

/* No document scores so much that it is wanted where only totals are. */
static uint32_t min_score_of(const rp__fused_or_batch *batch, const rp__fused_or_query *query)
{
    return batch->k > 0 ? query->min_score : UINT32_MAX;
}

static void fill_stage(rp__fused_or *o, const rp__fused_or_batch *batch, const plan *p)
{
    karg_or_query *queries = (karg_or_query *)(void *)(o->stage + p->sent);
    karg_or_term *terms = (karg_or_term *)(void *)(o->stage + p->sent + p->terms);
    uint32_t at = 0;
    for (uint32_t q = 0; q < batch->n_queries; q++) {
        const rp__fused_or_query *query = &batch->queries[q];
        queries[q] =
            (karg_or_query){at, query->n_terms, min_score_of(batch, query), shift_of(query)};
        stage_terms(query, terms + at);
        at += query->n_terms;
    }
}

/* ---- Kernels ------------------------------------------------------------------------------------ */

static uint32_t power_of(uint32_t n)
{
    uint32_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

static uint32_t min_of(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

static bool is_long(const karg_or *a)
{
    return a->max_terms > KARG_OR_TERMS;
}

static karg_or args_of(const rp__fused_or_batch *batch)
{
    karg_or a = {.n_queries = batch->n_queries,
                 .n_tiles = ((batch->n_docs - 1) >> KARG_OR_TILE) + 1,
                 .k = k_of(batch),
                 .keys = power_of(batch->k > TUNE_OR_KEYS ? batch->k : TUNE_OR_KEYS),
                 .skips = !batch->scores_all};
    for (uint32_t q = 0; q < batch->n_queries; q++)
        if (batch->queries[q].n_terms > a.max_terms)
            a.max_terms = batch->queries[q].n_terms;
    const uint64_t enough = (uint64_t)a.k * (is_long(&a) ? LONG_FOUND : 16);
    a.capacity = min_of(batch->n_docs, enough > TUNE_OR_FOUND ? enough : TUNE_OR_FOUND);
    return a;
}

/* One short query goes with the launch. */
static bool is_near(const rp__fused_or_batch *batch)
{
    return batch->n_queries == 1 && batch->queries[0].n_terms <= KARG_OR_INLINE_TERMS;
}

static void point_at(rp__fused_or *o, const rp__fused_or_batch *batch, const plan *p)
{
    karg_or *a = &o->args;
    if (is_near(batch)) {
        memcpy(&a->query, o->stage + p->sent, sizeof a->query);
        memcpy(a->inline_terms, o->stage + p->sent + p->terms,
               a->query.n_terms * sizeof a->inline_terms[0]);
    } else {
        a->queries = o->scratch.at;
        a->terms = o->scratch.at + p->terms;
    }
    a->there = o->stage_at;
    a->out = o->stage_at + p->out;
    a->counts = o->stage_at + p->counts;
    a->found = o->scratch.at + p->found;
    a->counters = o->states.at;
    a->states = o->states.at + BEFORE_STATES;
}

/* Tiles that a warp takes at a time: some, as long as that leaves none without; and more where it comes often all the
 * same. */
static uint32_t group_of(const karg_or *a, uint64_t warps)
{
    const uint64_t tiles = (uint64_t)a->n_tiles * a->n_queries;
    const uint64_t each = (tiles + warps - 1) / warps;
    const uint64_t many = tiles / (warps * (a->skips ? TUNE_OR_TURNS_SKIPS : TUNE_OR_TURNS));
    const uint64_t few = min_of(each, TUNE_OR_GROUP);
    const uint32_t group = min_of(few > many ? few : many, 32);
    return group > 0 ? group : 1; /* without tiles, too, a group has one */
}

/* Tiles of a query to look into beforehand, where it has so many blocks. */
static uint32_t ahead_of(const karg_or *a, uint32_t blocks)
{
    const uint32_t n = min_of(blocks, is_long(a) ? LONG_AHEAD : TUNE_OR_AHEAD);
    return n > TUNE_OR_AHEAD_MIN ? n : TUNE_OR_AHEAD_MIN;
}

/* As many warps as there is room for and work. */
static rp__launch shape_tiles(rp__fused_or *o, const rp__fused_or_batch *batch)
{
    karg_or *a = &o->args;
    const uint32_t warps = KARG_OR_THREADS / 32;
    const bool has_stored = batch->has_stored;
    rp__launch how = {.block = KARG_OR_THREADS};
    how.shared =
        KARG_OR_SHARED_BLOCK + warps * (KARG_OR_SHARED + a->max_terms * KARG_OR_SHARED_TERM +
                                        (has_stored ? KARG_OR_SHARED_STORED : 0));
    const uint32_t fit = TUNE_SHARED_ALL / (how.shared + 1024);
    how.grid = o->device->processors * (fit < TILE_BLOCKS ? fit : TILE_BLOCKS);
    a->group = group_of(a, (uint64_t)how.grid * warps);
    a->n_groups = (a->n_tiles + a->group - 1) / a->group;
    a->n_ahead = batch->k > 0 ? min_of(ahead_of(a, how.grid / a->n_queries), a->n_groups) : 1;
    how.grid = min_of(how.grid, ((uint64_t)a->n_groups * a->n_queries + warps - 1) / warps);
    return how;
}

/* What kernels will have counted. */
static void count(rp__fused_or *o, uint32_t grid)
{
    const karg_or *a = &o->args;
    const uint32_t ahead = a->n_ahead * a->n_queries;
    o->counted[KARG_OR_TAKEN] += a->n_groups * a->n_queries + grid * (KARG_OR_THREADS / 32);
    o->counted[KARG_OR_TAKEN_AHEAD] += ahead + grid;
    o->counted[KARG_OR_AHEAD] += ahead;
    o->counted[KARG_OR_RANKED] += a->n_queries > 1 ? a->n_queries : 0;
}

static rp__kernel_id kernel_of(const rp__fused_or_batch *batch, const karg_or *a)
{
    static const rp__kernel_id kernels[2][2] = {
        {RP_KERNEL_or_maxscore_kernel, RP_KERNEL_count_or_maxscore_kernel},
        {RP_KERNEL_long_or_maxscore_kernel, RP_KERNEL_long_count_or_maxscore_kernel},
    };
    const rp__kernel_id kernel = kernels[is_long(a)][batch->counts_all];
    return batch->has_stored ? RP_KERNEL_stored_or_maxscore_kernel
                             : rp__kernel_table_scoring(kernel, batch->is_iiu);
}

static rp_status launch(rp__fused_or *o, const rp__fused_or_batch *batch)
{
    const rp__launch tile = shape_tiles(o, batch);
    const rp__launch rank = {o->args.n_queries,
                             o->args.k > RANK_MANY || is_long(&o->args) ? RANK_THREADS_MANY
                                                                        : RANK_THREADS,
                             KARG_TOPK_SHARED + 8 * o->args.keys};
    if (rank.shared > o->device->shared_max)
        return RP_UNAVAILABLE;
    memcpy(o->args.before, o->counted, sizeof o->counted);
    count(o, tile.grid);
    rp_status status = rp__device_launch(o->device, kernel_of(batch, &o->args), tile, &o->args);
    if (status == RP_OK && o->args.k > KARG_OR_RANKED_HERE)
        status = rp__device_launch(o->device, RP_KERNEL_or_topk_kernel, rank, &o->args);
    return status;
}

rp_status rp__fused_or_hold(rp__fused_or *o, const rp__fused_or_batch *batch)
{
    const plan p = plan_of(batch, args_of(batch).capacity);
    return reserve(o, batch, &p);
}

rp_status rp__fused_or_run(rp__fused_or *o, const rp__fused_or_batch *batch)
{
    o->args = args_of(batch);
    const plan p = plan_of(batch, o->args.capacity);
    rp_status status = reserve(o, batch, &p);
    if (status == RP_OK)
        status = clear_states(o);
    if (status != RP_OK)
        return status;
    fill_stage(o, batch, &p);
    point_at(o, batch, &p);
    o->is_clean = false;
    o->args.number = ++o->n_batches;
    if (o->args.queries)
        status = rp__device_copy_in(o->device, o->scratch.at, o->stage + p.sent, p.found);
    if (status == RP_OK)
        status = launch(o, batch);
    o->is_clean = status == RP_OK;
    return status;
}

rp_status rp__fused_or_fetch(rp__fused_or *o, const karg_pair **pairs, const uint32_t **counts)
{
    *pairs = (const karg_pair *)(const void *)(o->stage + (o->args.out - o->stage_at));
    *counts = (const uint32_t *)(const void *)(o->stage + (o->args.counts - o->stage_at));
    return rp__device_wait_for(o->device, o->device->stream,
                               (const volatile uint32_t *)(const void *)o->stage, o->args.number);
}

bool rp__fused_or_is_done(const rp__fused_or *o)
{
    return __atomic_load_n((const uint32_t *)(const void *)o->stage, __ATOMIC_ACQUIRE) ==
           o->args.number;
}
