/* gpu_case_select.c: selection: the k best of one large set of scores, or of many small ones, by each method.
 *
 * In a row, `codec` is k, `width` how many pairs a small selection has at most (0: one large selection), and
 * `option` is set where docids are given, in no order. Even seeds draw few different scores. */
#include "lab/gpu/gpu_case_select.h"

#include <math.h>
#include <string.h>

#include "backend/gpu/gpu_lab.h"
#include "base/alloc.h"
#include "base/error.h"
#include "rank/rank.h"

enum {
    N_MOST = 25200000, /* the sizes that figures are about */
    BATCH_MOST = 1 << 26,
    TAKEN_MOST = 1 << 23, /* pairs of queries of a source */
};

typedef struct selection {
    uint32_t n, k, n_queries, room;
    uint32_t *scores, *docids, *begins;
    rp__scored *want, *got; /* k a query */
    uint32_t *want_n, *got_n;
    rp__cu_ptr on_scores, on_docids, on_begins, on_out, on_counts, on_scratch;
} selection;

static void free_selection(const rp__gpu_case *row, rp__device *device, void *state)
{
    selection *s = state;
    (void)row;
    if (!s)
        return;
    rp__cu_ptr *on[] = {&s->on_scores, &s->on_docids, &s->on_begins,
                        &s->on_out,    &s->on_counts, &s->on_scratch};
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++)
        rp__device_free(device, *on[i]);
    void *here[] = {s->scores, s->docids, s->begins, s->want, s->got, s->want_n, s->got_n};
    for (size_t i = 0; i < sizeof here / sizeof here[0]; i++)
        rp__free(here[i]);
    rp__free(s);
}

/* ---- Data ---------------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random ^ *random >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> 16;
}

static double draw_unit(uint64_t *random)
{
    return ((double)(draw(random) & UINT32_MAX) + 0.5) * 0x1p-32;
}

/* Scores as BM25's sums fall off, in 20 fraction bits; or a few different ones. */
static void draw_scores(selection *s, uint64_t seed)
{
    uint64_t random = seed + 1;
    for (uint32_t i = 0; i < s->n; i++)
        s->scores[i] = seed % 2 ? (uint32_t)(-3 * log(draw_unit(&random)) * 0x1p20)
                                : (uint32_t)(draw(&random) % 3) << 24;
}

/* Each query's are its places, times an odd number, modulo a power of two: no two alike. */
static void draw_docids(selection *s)
{
    for (uint32_t q = 0; q < s->n_queries; q++)
        for (uint32_t i = s->begins[q]; i < s->begins[q + 1]; i++)
            s->docids[i] = (i - s->begins[q]) * 0x9E3779B1U & 0x7FFFFFFF;
}

/* Sizes from a hundredth of the largest to it, as many small as large ones. */
static uint32_t cut_queries(selection *s, uint32_t most, uint64_t seed)
{
    uint64_t random = seed + 7;
    uint32_t q = 0;
    for (uint32_t at = 0; at < s->n && most > 0; q++) {
        uint32_t size = 1 + (uint32_t)((double)most * pow(0.01, draw_unit(&random)));
        s->begins[q] = at;
        at += size < s->n - at ? size : s->n - at;
        s->begins[q + 1] = at;
    }
    return q;
}

static rp_status answer(selection *s)
{
    rp__scored *room = rp__alloc_array(rp__topk_room(s->k), sizeof *room);
    if (!room)
        return RP_NO_MEMORY;
    for (uint32_t q = 0; q < s->n_queries; q++) {
        rp__topk topk;
        rp__topk_init(&topk, room, s->k);
        for (uint32_t i = s->begins[q]; i < s->begins[q + 1]; i++)
            if (s->scores[i] >= topk.least)
                rp__topk_push(&topk, s->scores[i], s->docids ? s->docids[i] : i - s->begins[q]);
        rp__topk_finish(&topk);
        s->want_n[q] = (uint32_t)topk.n;
        memcpy(s->want + (size_t)q * s->k, topk.at, topk.n * sizeof *topk.at);
    }
    rp__free(room);
    return RP_OK;
}

static rp_status answer_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                             double *times)
{
    (void)row, (void)peer, (void)times;
    return answer(state);
}

/* ---- On the device ------------------------------------------------------------------------------- */

static rp_status bring(rp__device *device, const void *from, size_t bytes, rp__cu_ptr *to)
{
    rp_status status = rp__device_alloc(device, bytes + 16, to);
    return status == RP_OK && from && bytes ? rp__device_copy_in(device, *to, from, bytes) : status;
}

/* Keys twice over: methods may go from one half to the other; and what select_sort.cu counts. */
static rp_status bring_all(const rp__gpu_case *row, rp__device *device, selection *s)
{
    size_t pairs = (size_t)s->n_queries * s->k * sizeof *s->want;
    rp_status status = bring(device, s->scores, s->n * sizeof *s->scores, &s->on_scores);
    if (status == RP_OK && s->docids)
        status = bring(device, s->docids, s->n * sizeof *s->docids, &s->on_docids);
    if (status == RP_OK && row->width)
        status = bring(device, s->begins, (s->n_queries + 1) * sizeof *s->begins, &s->on_begins);
    if (status == RP_OK)
        status = bring(device, NULL, pairs, &s->on_out);
    if (status == RP_OK)
        status = bring(device, NULL, s->n_queries * sizeof(uint32_t), &s->on_counts);
    if (status == RP_OK)
        status = bring(device, NULL, rp__select_table_scratch(s->n, s->k), &s->on_scratch);
    if (status == RP_OK)
        status = rp__device_fill(device, s->on_scratch, 0, KARG_SELECT_ZEROS);
    return status == RP_OK ? rp__device_wait(device) : status;
}

static rp_status allocate(const rp__gpu_case *row, selection *s, uint32_t most)
{
    uint32_t queries = row->width ? s->n / (most / 128 + 1) + 2 : 1; /* none is smaller */
    s->scores = rp__alloc_array(s->n + 1, sizeof *s->scores);
    s->begins = rp__alloc_zero(queries + 1, sizeof *s->begins);
    s->want_n = rp__alloc_zero(queries, sizeof *s->want_n);
    s->got_n = rp__alloc_zero(queries, sizeof *s->got_n);
    if (row->option)
        s->docids = rp__alloc_array(s->n + 1, sizeof *s->docids);
    if (!s->scores || !s->begins || !s->want_n || !s->got_n || (row->option && !s->docids))
        return RP_NO_MEMORY;
    return RP_OK;
}

static rp_status fill(const rp__gpu_case *row, selection *s, uint32_t most, uint64_t seed)
{
    rp_status status = allocate(row, s, most);
    if (status != RP_OK)
        return status;
    s->n_queries = 1;
    s->begins[1] = s->n;
    if (row->width)
        s->n_queries = cut_queries(s, most, seed);
    draw_scores(s, seed);
    if (s->docids)
        draw_docids(s);
    s->want = rp__alloc_array((size_t)s->n_queries * s->k + 1, sizeof *s->want);
    s->got = rp__alloc_array((size_t)s->n_queries * s->k + 1, sizeof *s->got);
    return s->want && s->got ? answer(s) : RP_NO_MEMORY;
}

/* Documents that the query has, at most `most` of them, behind those of others. */
static void gather(selection *s, uint32_t universe, uint32_t most, const uint32_t *scores)
{
    uint32_t at = s->begins[s->n_queries], end = most < s->n - at ? at + most : s->n;
    for (uint32_t d = 0; d < universe && at < end; d++)
        if (scores[d] > 0) {
            s->scores[at] = scores[d];
            s->docids[at++] = d;
        }
    s->begins[++s->n_queries] = at;
}

/* Scores of all documents for the first query; or those of some queries' documents. */
static rp_status take(const rp__gpu_case *row, selection *s, uint32_t most)
{
    const rp__gpu_source *source = row->given->source;
    rp_status status = allocate(row, s, most);
    uint32_t *scores = rp__alloc_zero(source->universe, sizeof *scores);
    if (status != RP_OK || !scores) {
        rp__free(scores);
        return RP_NO_MEMORY;
    }
    uint32_t queries = row->width ? s->n / (most / 128 + 1) + 1 : 1;
    for (size_t q = 0; q < source->n_queries && s->n_queries < queries; q++) {
        memset(scores, 0, source->universe * sizeof *scores);
        source->score(source, q, scores);
        if (row->width)
            gather(s, source->universe, most, scores);
    }
    if (!row->width) {
        memcpy(s->scores, scores, s->n * sizeof *scores);
        s->n_queries = 1;
    }
    s->n = row->width ? s->begins[s->n_queries] : s->n;
    s->begins[s->n_queries] = s->n;
    for (uint32_t i = 0; s->docids && !row->width && i < s->n; i++)
        s->docids[i] = i;
    rp__free(scores);
    s->want = rp__alloc_array((size_t)s->n_queries * s->k + 1, sizeof *s->want);
    s->got = rp__alloc_array((size_t)s->n_queries * s->k + 1, sizeof *s->got);
    return s->want && s->got ? answer(s) : RP_NO_MEMORY;
}

static uint32_t count(const rp__gpu_case *row, uint64_t n)
{
    const rp__gpu_source *source = row->given ? row->given->source : NULL;
    const uint64_t cap = source ? TAKEN_MOST : row->width ? BATCH_MOST : N_MOST;
    return source && !row->width ? source->universe : (uint32_t)(n < cap ? n : cap);
}

static rp_status make_selection(const rp__gpu_case *row, rp__device *device, uint64_t n,
                                uint64_t seed, void **state)
{
    selection *s = rp__alloc_zero(1, sizeof *s);
    *state = s;
    if (!s)
        return RP_NO_MEMORY;
    const bool is_taken = row->given && row->given->source;
    s->n = count(row, n);
    s->k = row->codec;
    s->room = rp__select_table_capacity(s->n, s->k);
    uint32_t most = row->width < s->n / 4 ? row->width : s->n / 4 + 1;
    rp_status status = is_taken ? take(row, s, most) : fill(row, s, most, seed);
    if (status == RP_OK)
        status = bring_all(row, device, s);
    if (status != RP_OK) {
        free_selection(row, device, s);
        *state = NULL;
    }
    return status;
}

/* ---- Running ------------------------------------------------------------------------------------- */

static karg_select args_of(const selection *s)
{
    return (karg_select){.scores = s->on_scores,
                         .docids = s->on_docids,
                         .begins = s->on_begins,
                         .out = s->on_out,
                         .counts = s->on_counts,
                         .scratch = s->on_scratch,
                         .n = s->n,
                         .k = s->k,
                         .n_queries = s->n_queries,
                         .capacity = s->room};
}

static rp_status run_selection(const rp__gpu_case *row, rp__device *device, void *state)
{
    return rp__select_table_run((rp__select_id)row->kernel, device, args_of(state));
}

rp_status rp__gpu_case_select_sample(rp__device *device, karg_select args)
{
    return rp__select_table_run(RP_SELECT_SAMPLE, device, args);
}

/* ---- Checking ------------------------------------------------------------------------------------ */

static rp_status compare(const rp__gpu_case *row, const selection *s, rp_error *what)
{
    for (uint32_t q = 0; q < s->n_queries; q++) {
        size_t at = (size_t)q * s->k;
        if (s->got_n[q] != s->want_n[q])
            return rp__error_set(what, RP_DAMAGED, "%s: query %u has %u, not %u", row->name, q,
                                 s->got_n[q], s->want_n[q]);
        for (uint32_t i = 0; i < s->want_n[q]; i++)
            if (memcmp(&s->got[at + i], &s->want[at + i], sizeof *s->got) != 0)
                return rp__error_set(what, RP_DAMAGED, "%s: query %u, %u: %u of %u, not %u of %u",
                                     row->name, q, i, s->got[at + i].fixed, s->got[at + i].docid,
                                     s->want[at + i].fixed, s->want[at + i].docid);
    }
    return RP_OK;
}

static rp_status check_selection(const rp__gpu_case *row, rp__device *device, void *state,
                                 rp_error *what)
{
    selection *s = state;
    size_t pairs = (size_t)s->n_queries * s->k * sizeof *s->got;
    rp_status status = pairs ? rp__device_copy_out(device, s->got, s->on_out, pairs) : RP_OK;
    if (status == RP_OK && s->n_queries)
        status =
            rp__device_copy_out(device, s->got_n, s->on_counts, s->n_queries * sizeof *s->got_n);
    if (status == RP_OK)
        status = rp__device_wait(device);
    return status == RP_OK ? compare(row, s, what) : status;
}

static void cost_selection(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                           uint64_t *elements)
{
    const selection *s = state;
    (void)row;
    *bytes = 4ULL * s->n + 8ULL * s->n_queries * s->k;
    *elements = s->n;
}

#define SELECTION(title, how, best, many, setting, beside)                                         \
    {                                                                                              \
        .area = "select", .name = title, .make = make_selection, .run = run_selection,             \
        .check = check_selection, .free = free_selection, .cost = cost_selection,                  \
        .cpu = answer_here, .codec = best, .width = many, .option = setting, .twin = beside,       \
        .kernel = RP_SELECT_##how, .is_literal = &rp__select_table[RP_SELECT_##how].is_literal     \
    }

const rp__gpu_case rp__gpu_case_select[] = {
    SELECTION("sample 10", SAMPLE, 10, 0, 0, "top-10"),
    SELECTION("sample 1000", SAMPLE, 1000, 0, 0, "top-1000"),
    SELECTION("sample 10, docids", SAMPLE, 10, 0, 1, NULL),
    SELECTION("radix 10", RADIX, 10, 0, 0, "top-10"),
    SELECTION("radix 1000", RADIX, 1000, 0, 0, "top-1000"),
    SELECTION("radix 100000, docids", RADIX, 100000, 0, 1, NULL),
    SELECTION("bucket 10", BUCKET, 10, 0, 0, "top-10"),
    SELECTION("bucket 1000, docids", BUCKET, 1000, 0, 1, "top-1000"),
    SELECTION("heap 10", HEAP, 10, 0, 0, "top-10"),
    SELECTION("heap 100, docids", HEAP, 100, 0, 1, NULL),
    SELECTION("heap512 10", HEAP512, 10, 0, 0, "top-10"),
    SELECTION("heap512 100, docids", HEAP512, 100, 0, 1, NULL),
    SELECTION("bitonic 10", BITONIC, 10, 0, 0, "top-10"),
    SELECTION("bitonic 1000, docids", BITONIC, 1000, 0, 1, "top-1000"),
    SELECTION("sort 10", SORT, 10, 0, 0, "CUB sort"),
    SELECTION("sort 1000, docids", SORT, 1000, 0, 1, NULL),
    SELECTION("block 10, to 100K each", BLOCK, 10, 100000, 1, NULL),
    SELECTION("block 100, to 100K each", BLOCK, 100, 100000, 1, NULL),
    SELECTION("block 1000, to 100K each", BLOCK, 1000, 100000, 1, NULL),
    {0},
};
