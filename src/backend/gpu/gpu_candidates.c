/* gpu_candidates.c: launches over candidates.
 *
 * The buffer has a report, the state of ordered_compaction.cuh, the pairs of a selection, and two halves: docids and scores each. A
 * launch reads one half and writes the other. A list that is there as docids or bits is met by an intersection; others,
 * and candidates that have scores, by step_and.cu, which reads all forms of a list. */
#include "backend/gpu/gpu_candidates.h"

#include <string.h>

#include "backend/gpu/exec/step_run.h"
#include "backend/gpu/intersect.h"
#include "backend/gpu/select.h"
#include "base/bits.h"
#include "index/index.h"

enum {
    ALIGN = 256,
    WARPS = 4,      /* of a block of threads that reads lists */
    THREADS = 256,  /* of one that intersects */
    SLICE = 16,     /* log2 of the docids of a slice */
    SLICES_TO = 10, /* a list so many times longer than the candidates is intersected by slices */
    COUNT = sizeof(karg_found), /* where in the report */
    REPORT = ALIGN,
    HOST_SELECTS = 512, /* candidates, up to which all are copied, and the host selects */
};

typedef rp__gpu_candidates candidates;

void rp__gpu_candidates_open(candidates *c, rp__device *device)
{
    *c = (candidates){.device = device};
}

void rp__gpu_candidates_close(candidates *c)
{
    if (c->report)
        c->device->driver->host_free(c->report);
    *c = (candidates){0};
}

/* ---- Where things are ---------------------------------------------------------------------------- */

static size_t array_bytes(uint32_t capacity)
{
    return rp__bits_align(capacity * sizeof(uint32_t) + RP_PAD, ALIGN);
}

/* A half has space for the scratch of a selection, too. */
static size_t half_bytes(uint32_t capacity)
{
    return 2 * array_bytes(capacity) + KARG_SELECT_ZEROS * sizeof(uint32_t);
}

static size_t state_bytes(uint32_t capacity, uint32_t n_docs)
{
    const size_t tiles = capacity / 32 / WARPS + (n_docs >> SLICE) + ALIGN;
    return rp__bits_align(tiles * sizeof(uint64_t), ALIGN);
}

size_t rp__gpu_candidates_bytes(uint32_t capacity, size_t k, uint32_t n_docs)
{
    size_t pairs = k < capacity ? k : capacity;
    return REPORT + state_bytes(capacity, n_docs) + 2 * half_bytes(capacity) +
           rp__bits_align(pairs * sizeof(karg_pair), ALIGN);
}

static rp__cu_ptr state_of(const candidates *c)
{
    return c->buffer + REPORT;
}

static rp__cu_ptr docids_of(const candidates *c, uint32_t half)
{
    return state_of(c) + state_bytes(c->capacity, c->n_docs) + half * half_bytes(c->capacity);
}

static rp__cu_ptr scores_of(const candidates *c, uint32_t half)
{
    return docids_of(c, half) + array_bytes(c->capacity);
}

rp_status rp__gpu_candidates_begin(candidates *c, rp__cu_ptr buffer, uint32_t capacity,
                                   uint32_t n_docs, const karg_norms *norms, bool is_iiu)
{
    void *report = c->report;
    rp_status status = report ? RP_OK : rp__device_pin(c->device, REPORT, 0, &report);
    *c = (candidates){.device = c->device,
                      .report = report,
                      .buffer = buffer,
                      .capacity = capacity,
                      .n_docs = n_docs,
                      .norms = *norms,
                      .is_iiu = is_iiu};
    return status == RP_OK ? rp__device_fill(c->device, state_of(c), 0,
                                             state_bytes(capacity, n_docs) / sizeof(uint32_t))
                           : status;
}

/* ---- Launches ------------------------------------------------------------------------------------ */

/* Launches, waits, and reads the report. */
static rp_status launch(candidates *c, rp__kernel_id kernel, rp__launch how, const void *args,
                        uint32_t *count)
{
    karg_found found;
    rp__device *d = c->device;
    rp_status status = rp__device_fill(d, c->buffer, 0, REPORT / sizeof(uint32_t));
    if (status == RP_OK)
        status = rp__device_launch(d, kernel, how, args);
    if (status == RP_OK)
        status = rp__device_copy_out(d, c->report, c->buffer, REPORT);
    if (status == RP_OK)
        status = rp__device_wait(d);
    if (status != RP_OK)
        return status;
    memcpy(&found, c->report, sizeof found);
    memcpy(count, c->report + COUNT, sizeof *count);
    return found.damaged ? RP_DAMAGED : RP_OK;
}

/* A launch of step_and.cu, by which the other half becomes the candidates. */
static rp_status compact(candidates *c, rp__kernel_id kernel, karg_candidates *args)
{
    uint32_t other = 1 - c->half, count = 0;
    rp__launch how = {args->tiles, 32 * WARPS,
                      KARG_SCRATCH * sizeof(uint32_t) + WARPS * KARG_SHARED_TERM};
    args->to_docids = docids_of(c, other);
    args->count = c->buffer + COUNT;
    args->state = state_of(c);
    args->found = c->buffer;
    rp_status status = launch(c, kernel, how, args, &count);
    c->half = other;
    c->n = status == RP_OK ? count : 0;
    return status;
}

rp_status rp__gpu_candidates_start(candidates *c, const karg_term *word, uint32_t begin,
                                   uint32_t end)
{
    karg_candidates args = {.begin = begin, .end = end, .n_words = 1, .near = {*word}};
    args.tiles = (word->list.n_blocks + WARPS - 1) / WARPS;
    c->is_scored = false;
    return compact(c, RP_KERNEL_step_and_start_kernel, &args);
}

static rp_status look_up(candidates *c, const karg_term *words, uint32_t n, bool drops, bool adds)
{
    karg_candidates args = {.docids = docids_of(c, c->half),
                            .scores = c->is_scored ? scores_of(c, c->half) : 0,
                            .norms = c->norms,
                            .n = c->n,
                            .end = c->n_docs,
                            .n_words = n,
                            .drops = drops,
                            .adds = adds};
    if (c->n == 0)
        return RP_OK;
    args.tiles = (c->n + 32 * WARPS - 1) / (32 * WARPS);
    memcpy(args.near, words, n * sizeof *words);
    c->is_scored = c->is_scored || adds;
    args.to_scores = c->is_scored ? scores_of(c, 1 - c->half) : 0;
    return compact(c, rp__kernel_table_scoring(RP_KERNEL_step_and_narrow_kernel, c->is_iiu), &args);
}

rp_status rp__gpu_candidates_score(candidates *c, const karg_term *word)
{
    return look_up(c, word, 1, false, true);
}

rp_status rp__gpu_candidates_narrow(candidates *c, const karg_term *words, uint32_t n, bool adds)
{
    return look_up(c, words, n, true, adds);
}

/* ---- Intersection -------------------------------------------------------------------------------- */

static bool is_bits(const karg_term *word)
{
    return word->list.codec == KARG_CODEC_BITMAP && word->base == 0 && word->list.docs % 16 == 0;
}

static bool is_docids(const karg_term *word)
{
    return word->list.codec == KARG_CODEC_RAW && word->list.docs % 16 == 0;
}

/* How a list is intersected that is there as bits, or as docids. */
static rp__kernel_id cut(const karg_term *word, karg_intersect *args, rp__launch *how)
{
    enum { BITS_EACH = 4, BS_EACH = 2 }; /* docids of A that a thread takes */
    if (is_bits(word)) {
        args->b_bits = word->list.docs;
        args->universe = word->n_words > UINT32_MAX / 32 ? UINT32_MAX : 32 * word->n_words;
        rp__intersect_cut_docids(THREADS, BITS_EACH, args, how);
        return RP_KERNEL_intersect_bits_probe_kernel;
    }
    args->b = word->list.docs;
    if (args->nb / args->na <= SLICES_TO) {
        rp__intersect_cut_slices(THREADS, SLICE, args, how);
        return RP_KERNEL_intersect_tile_kernel;
    }
    rp__intersect_cut_docids(THREADS, BS_EACH, args, how);
    return RP_KERNEL_intersect_bs_x2_kernel;
}

rp_status rp__gpu_candidates_meet(candidates *c, const karg_term *word)
{
    rp__launch how;
    uint32_t count = 0;
    if (c->n == 0)
        return RP_OK;
    if (c->is_scored || !(is_bits(word) || is_docids(word)))
        return look_up(c, word, 1, true, false);
    karg_intersect args = {.a = docids_of(c, c->half),
                           .out = docids_of(c, 1 - c->half),
                           .count = c->buffer + COUNT,
                           .state = state_of(c),
                           .na = c->n,
                           .nb = word->list.n,
                           .universe = c->n_docs,
                           .capacity = c->n};
    rp__kernel_id kernel = cut(word, &args, &how);
    rp_status status = launch(c, kernel, how, &args, &count);
    c->half = 1 - c->half;
    c->n = status == RP_OK ? count : 0;
    return status;
}

/* ---- Selection ----------------------------------------------------------------------------------- */

/* By the host, of all. */
static rp_status select_here(candidates *c, uint32_t k, rp__arena *arena, rp__scored **out)
{
    uint32_t *docids = rp__arena_array(arena, c->n, sizeof *docids);
    uint32_t *scores = rp__arena_array(arena, c->n, sizeof *scores);
    rp__scored *buffer = rp__arena_array(arena, rp__topk_room(k), sizeof *buffer);
    rp__topk topk;
    rp_status status =
        docids && scores && buffer ? rp__gpu_candidates_take(c, docids, scores) : RP_NO_MEMORY;
    if (status != RP_OK)
        return status;
    rp__topk_init(&topk, buffer, k);
    for (uint32_t i = 0; i < c->n; i++)
        if (scores[i] >= topk.least)
            rp__topk_push(&topk, scores[i], docids[i]);
    rp__topk_finish(&topk);
    *out = topk.at;
    return RP_OK;
}

/* The other half is scratch. */
static rp_status select_there(candidates *c, uint32_t k, rp__scored *out)
{
    rp__device *d = c->device;
    karg_select args = {.scores = scores_of(c, c->half),
                        .docids = docids_of(c, c->half),
                        .out = docids_of(c, 2),
                        .counts = c->buffer + COUNT,
                        .scratch = docids_of(c, 1 - c->half),
                        .n = c->n,
                        .k = k,
                        .n_queries = 1};
    rp_status status = rp__device_fill(d, args.scratch, 0, KARG_SELECT_ZEROS);
    if (status == RP_OK)
        status = rp__select_by_sample(d, args);
    if (status == RP_OK)
        status = rp__device_copy_out(d, out, args.out, k * sizeof *out);
    return status == RP_OK ? rp__device_wait(d) : status;
}

static rp_status clear_scores(candidates *c)
{
    if (c->is_scored)
        return RP_OK;
    c->is_scored = true;
    return rp__device_fill(c->device, scores_of(c, c->half), 0, c->n);
}

rp_status rp__gpu_candidates_select(candidates *c, uint32_t k, rp__arena *arena, rp__scored **out)
{
    _Static_assert(sizeof(karg_pair) == sizeof(rp__scored), "one is the other");
    if (c->n <= HOST_SELECTS || k > RP_SELECT_MAX)
        return select_here(c, k, arena, out);
    *out = rp__arena_array(arena, k, sizeof **out);
    rp_status status = *out ? clear_scores(c) : RP_NO_MEMORY;
    return status == RP_OK ? select_there(c, k, *out) : status;
}

/* ---- Moves --------------------------------------------------------------------------------------- */

rp_status rp__gpu_candidates_put(candidates *c, const rp__partial *from)
{
    const size_t bytes = from->n * sizeof(uint32_t);
    c->n = from->n;
    c->is_scored = rp__step_run_has_scores(from);
    rp_status status = rp__device_copy_in(c->device, docids_of(c, c->half), from->docids, bytes);
    if (status == RP_OK && c->is_scored)
        status = rp__device_copy_in(c->device, scores_of(c, c->half), from->scores, bytes);
    return status == RP_OK ? rp__device_wait(c->device) : status;
}

rp_status rp__gpu_candidates_take(candidates *c, uint32_t *docids, uint32_t *scores)
{
    const size_t bytes = c->n * sizeof(uint32_t);
    rp_status status = rp__device_copy_out(c->device, docids, docids_of(c, c->half), bytes);
    if (c->is_scored && status == RP_OK)
        status = rp__device_copy_out(c->device, scores, scores_of(c, c->half), bytes);
    else if (c->n > 0)
        memset(scores, 0, bytes);
    return status == RP_OK ? rp__device_wait(c->device) : status;
}
