/* gpu_launched.c: a query's record, and the kernels that it is given to.
 *
 * An AND is one launch, or a ring at the door of a kernel that stays; an OR is two, or goes by tiles. */
#include "backend/gpu/gpu_asked.h"

#include <string.h>

enum {
    WARPS = 4,      /* of a block of threads */
    AND_WARPS = 20, /* of a multiprocessor, among which an AND is shared out */
    WIDE =
        4, /* documents that each of them may have to look for in one list, or it has all lists */
    GATHERERS = 16, /* blocks of threads of a multiprocessor that gather */
};

typedef rp__gpu_asked run;
typedef rp__gpu_asked_word word;

/* A score that k documents are known to reach, by what the lists say of their k-th best postings; 0: none is. */
static uint32_t known_floor(const run *r)
{
    const rp__query *query = r->query;
    const double slack = 0x1p-20; /* of float arithmetic */
    bool is_whole = query->begin == 0 && r->end == query->lengths.n_docs;
    uint32_t floor = 0, which = query->k <= 10 ? 0 : query->k <= 100 ? 1 : 2;
    if (!query->has_bounds || !is_whole || query->k > 1000 || !(r->is_or || r->n == 1))
        return 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const word *w = &r->words[i];
        double weight = (double)w->leaf->weight.weight * rp__rank_scale(query->fraction_bits);
        double fixed = w->list.kths ? weight / 255 * w->list.kths[which] * (1 - slack) - 1 : 0;
        if (fixed > floor && fixed < 0x1p32)
            floor = (uint32_t)fixed;
    }
    return floor;
}

/* Few documents a warp, but not more warps than there is room for at a time; where few are asked about, a warp for each
 * word after the first. */
static void share_out(run *r)
{
    uint32_t warps = r->is_resident ? RP_PERSISTENT_KERNEL_WARPS : AND_WARPS,
             n = r->words[0].list.n;
    warps *= r->q->device->processors;
    bool is_wide =
        r->n > 2 && r->n <= KARG_WORDS_NEAR && (uint64_t)n * (r->n - 1) <= (uint64_t)WIDE * warps;
    r->args.width = is_wide ? r->n - 1 : 1;
    r->args.each = 1;
    while (r->args.each < 32 && n / r->args.each > warps / r->args.width)
        r->args.each *= 2;
}

/* All but the words. */
static void fill_args(run *r)
{
    rp__gpu_query *q = r->q;
    const rp__exec_stage *room = &q->room;
    size_t asked = r->is_or ? r->end - r->query->begin : 0;
    karg_flat *args = &r->args;
    args->words = rp__gpu_staged_at(r, 0);
    args->found = room->scratch.at;
    args->pairs = r->query->k ? room->scratch.at + r->pairs : 0;
    args->scores = room->scratch.at + r->scores;
    args->marks = args->scores + asked * sizeof(uint32_t);
    args->answer = room->stage_at;
    args->norms = r->norms;
    args->n_words = r->n;
    args->begin = r->query->begin;
    args->end = r->end;
    args->least = known_floor(r);
    share_out(r);
    args->k = (uint32_t)(r->query->k < UINT32_MAX ? r->query->k : UINT32_MAX);
    args->number = ++q->number;
}

/* What the last block of threads ranks in is never less. */
static uint32_t shared_of(uint32_t bytes)
{
    const uint32_t least = KARG_BEST_SHARED + KARG_ANSWER_MOST * (uint32_t)sizeof(uint64_t);
    return bytes > least ? bytes : least;
}

static rp_status launch_and(run *r)
{
    karg_flat *args = &r->args;
    uint32_t parts = (r->words[0].list.n + args->each - 1) / args->each;
    uint32_t warps = args->width > 1 ? args->width : WARPS;
    args->blocks = args->width > 1 ? parts : (parts + WARPS - 1) / WARPS;
    rp__launch how = {
        .grid = args->blocks,
        .block = warps * 32,
        .shared = shared_of(warps * (KARG_SHARED_AND + r->n * (uint32_t)KARG_SHARED_RANKS))};
    return rp__device_launch(r->q->device,
                             r->n <= KARG_WORDS_NEAR ? RP_KERNEL_and_score_kernel
                                                     : RP_KERNEL_and_score_many_kernel,
                             how, args);
}

static rp_status launch_or(run *r)
{
    rp__device *device = r->q->device;
    karg_flat *args = &r->args;
    uint32_t asked = args->end - args->begin, grid = (asked + 32 * WARPS - 1) / (32 * WARPS);
    uint32_t most = GATHERERS * device->processors;
    rp__launch how = {(args->n_blocks + WARPS - 1) / WARPS, WARPS * 32,
                      WARPS * RP_BLOCK * (uint32_t)sizeof(uint32_t)};
    rp_status status = rp__device_fill(device, args->scores, 0, asked + (asked + 31) / 32);
    if (status == RP_OK)
        status = rp__device_launch(device,
                                   r->n <= KARG_WORDS_NEAR ? RP_KERNEL_or_score_kernel
                                                           : RP_KERNEL_or_score_many_kernel,
                                   how, args);
    args->blocks = grid < most ? grid : most;
    how = (rp__launch){args->blocks, WARPS * 32, shared_of(0)};
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_or_score_gather_kernel, how, args);
    return status;
}

/* ---- Tiles ------------------------------------------------------------------------------------- */

/* The OR as a batch of one; `terms` has room for all. */
static rp__fused_or_batch batch_of(const run *r, rp__fused_or_term *terms, rp__fused_or_query *one)
{
    const rp__query *query = r->query;
    for (uint32_t i = 0; i < r->n; i++)
        terms[i] = (rp__fused_or_term){.list = r->tiles[i].list,
                                       .weight = r->words[i].leaf->weight.weight *
                                                 rp__rank_scale(query->fraction_bits)};
    *one = (rp__fused_or_query){.terms = terms, .n_terms = r->n, .least = known_floor(r)};
    return (rp__fused_or_batch){
        .queries = one, .n_queries = 1, .k = (uint32_t)query->k, .n_docs = query->lengths.n_docs};
}

rp_status rp__gpu_launched_hold_tiles(run *r)
{
    rp__fused_or_term terms[KARG_OR_TERMS];
    rp__fused_or_query one;
    rp__fused_or_batch batch = batch_of(r, terms, &one);
    return rp__fused_or_hold(&r->q->or, &batch);
}

static void point_tile(run *r, uint32_t i)
{
    const uint8_t *kths = r->words[i].list.kths;
    r->tiles[i].word = rp__gpu_staged_words(r)[i];
    if (kths)
        memcpy(r->tiles[i].kths, kths, sizeof r->tiles[i].kths);
}

static rp_status launch_tiles(run *r)
{
    rp__fused_or_term terms[KARG_OR_TERMS];
    rp__fused_or_query one;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < r->n && !r->has_tiles; i++)
        point_tile(r, i);
    if (!r->has_tiles)
        status = rp__tiled_lists_make(&r->q->lease, r->tile_records, &r->norms, r->tiles, r->n);
    rp__fused_or_batch batch = batch_of(r, terms, &one);
    return status == RP_OK ? rp__fused_or_run(&r->q->or, &batch) : status;
}

rp_status rp__gpu_launched_start(run *r)
{
    rp__exec_stage *room = &r->q->room;
    rp_status status = RP_OK;
    fill_args(r);
    room->is_busy = true;
    if (r->is_resident)
        return rp__persistent_kernel_ask(&room->resident, &r->args);
    rp__persistent_kernel_dismiss(
        &room->resident); /* a launch would wait until it leaves by itself */
    if (r->is_copied)
        status = rp__device_copy_in(r->q->device, room->scratch.at + RP_EXEC_STAGE_ALIGN,
                                    room->stage + r->staged_from, r->staged);
    if (status == RP_OK)
        status = r->is_tiled ? launch_tiles(r) : r->is_or ? launch_or(r) : launch_and(r);
    return status;
}
