/* gpu_case_batch.c: cases of many ANDs at once, on lists that are drawn like those of a query log: the shortest
 * of a query has so many docids on average, the others are a few times to a few dozen times as long.
 *
 * A query has 2 to 6 lists, the shortest first.
 *
 * Row fields: width: docids of the shortest list, on average; option: docids of a bucket, and a density: lists
 * of a docid in so many, or denser, are bits, unless they are the shortest; codec: documents. n is the sum of
 * the shortest lists. */
#include "lab/gpu/gpu_case_batch.h"

#include <string.h>

#include "backend/gpu/gpu_lab.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "lab/gpu/gpu_case_lists.h"

enum {
    TERMS_MOST = 6,
    PHASE_TILES = 8192, /* a phase has so many tiles: queries walk through documents together */
    PHASES_MOST = 32,
    LISTS_MOST = 512,
    BUCKET = 0xFF,
    DENSITY = 8 /* bits of option above the bucket */
};

/* A list of the pool, as arrays; the device has it as docids with buckets, and as bits. */
typedef struct list {
    uint32_t *docids, n;
    uint64_t *bits;
    karg_para_term raw, as_bits;
} list;

typedef struct batch {
    uint32_t universe, n_lists, n_queries, n_tiles, n_words;
    list lists[LISTS_MOST];
    karg_para_term *terms;
    karg_and_query *queries;
    karg_and_tile *tiles;
    uint32_t *shortest;       /* docids of a query's first list */
    const list **of;          /* TERMS_MOST a query: its lists */
    uint32_t *here;           /* docids that a core finds, when it is timed */
    uint32_t *found, *counts; /* the answer */
    rp__cu_ptr memory[LISTS_MOST * 3 + 5];
    size_t n_memory;
    karg_and args;
    uint64_t elements, random;
} batch;

static uint32_t draw(batch *b, uint32_t below)
{
    b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((b->random >> 33) * below >> 31);
}

/* ---- The device ---------------------------------------------------------------------------------- */

static rp_status put(batch *b, rp__device *device, const void *data, size_t bytes, uint64_t *at)
{
    rp__cu_ptr memory;
    rp_status status = rp__device_alloc(device, bytes + RP_PAD, &memory);
    if (status != RP_OK)
        return status;
    b->memory[b->n_memory++] = memory;
    *at = memory;
    return data ? rp__device_copy_in(device, memory, data, bytes) : RP_OK;
}

/* ---- Lists --------------------------------------------------------------------------------------- */

/* About n docids in even steps with some noise: rising, below the universe. */
static rp_status draw_list(batch *b, list *l, uint32_t n)
{
    uint32_t step = b->universe / n;
    l->docids = rp__alloc_array(n, sizeof *l->docids);
    if (!l->docids)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        l->docids[i] = i * step + draw(b, step);
    l->n = n;
    return RP_OK;
}

static rp_status put_raw(batch *b, rp__device *device, list *l, uint32_t bucket)
{
    uint32_t bits = 0, width = rp__bits_width(b->universe - 1);
    while ((uint64_t)bucket << bits < l->n && bits < width)
        bits++;
    uint32_t shift = width - bits, n_buckets = (l->docids[l->n - 1] >> shift) + 1, i = 0;
    uint32_t *starts = rp__alloc_array(n_buckets + 1, sizeof *starts);
    if (!starts)
        return RP_NO_MEMORY;
    for (uint32_t h = 0; h <= n_buckets; h++) {
        while (i < l->n && l->docids[i] >> shift < h)
            i++;
        starts[h] = i;
    }
    l->raw = (karg_para_term){.form = KARG_RAW, .n = l->n, .shift = shift, .n_buckets = n_buckets};
    rp_status status = put(b, device, l->docids, l->n * sizeof *l->docids, &l->raw.docids);
    if (status == RP_OK)
        status = put(b, device, starts, (n_buckets + 1) * sizeof *starts, &l->raw.starts);
    if (status == RP_OK)
        status = rp__device_wait(device);
    rp__free(starts);
    return status;
}

static bool is_dense(const batch *b, const rp__gpu_case *row, const list *l)
{
    return (uint64_t)l->n * (row->option >> DENSITY) >= b->universe;
}

static rp_status put_bits(batch *b, rp__device *device, list *l)
{
    uint32_t n_words = b->universe / 64 + 1;
    l->bits = rp__alloc_zero(n_words, sizeof *l->bits);
    if (!l->bits)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < l->n; i++)
        l->bits[l->docids[i] / 64] |= UINT64_C(1) << l->docids[i] % 64;
    l->as_bits = (karg_para_term){.form = KARG_BITS, .n = 2 * n_words};
    return put(b, device, l->bits, n_words * sizeof *l->bits, &l->as_bits.docids);
}

/* A pool of lists from short to long: half of them serve as the shortest of a query. */
static rp_status make_lists(batch *b, rp__device *device, const rp__gpu_case *row, uint64_t n)
{
    uint64_t most = n / 2 + 1;
    b->n_lists = n > 1000000 ? LISTS_MOST : 8;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < b->n_lists && status == RP_OK; i++) {
        bool is_short = i < b->n_lists / 2;
        uint64_t size = row->width / 2 + draw(b, row->width + 1);
        size = is_short ? size : size * (4 + draw(b, 28));
        size = is_short && size > most ? most : size;
        size = size < 1 ? 1 : size > b->universe / 2 ? b->universe / 2 : size;
        status = draw_list(b, &b->lists[i], (uint32_t)size);
        if (status == RP_OK)
            status = put_raw(b, device, &b->lists[i], row->option & BUCKET);
        if (status == RP_OK && is_dense(b, row, &b->lists[i]))
            status = put_bits(b, device, &b->lists[i]);
    }
    return status;
}

/* ---- Queries ------------------------------------------------------------------------------------- */

static bool holds(const list *l, uint32_t docid)
{
    return rp__gpu_case_lists_rank(l->docids, l->n, docid) != UINT32_MAX;
}

/* The answer of one query, by looking each docid up. Only in small cases: large ones check a sample. */
static void answer(batch *b, uint32_t q, const list *const *of, uint32_t n_terms)
{
    const karg_and_query *query = &b->queries[q];
    for (uint32_t i = 0; i < of[0]->n; i++) {
        uint32_t t = 1;
        while (t < n_terms && holds(of[t], of[0]->docids[i]))
            t++;
        if (t == n_terms) {
            b->found[query->out + i / 32] |= 1U << i % 32;
            b->counts[q]++;
        }
    }
}

static bool is_checked(const batch *b, uint32_t q)
{
    return b->n_queries <= 64 || q % (b->n_queries / 64) == 0;
}

static void draw_query(batch *b, const rp__gpu_case *row, uint32_t q)
{
    uint32_t half = b->n_lists / 2, n_terms = 2 + draw(b, TERMS_MOST - 1);
    const list **of = b->of + (size_t)q * TERMS_MOST;
    of[0] = &b->lists[draw(b, half)];
    for (uint32_t t = 1; t < n_terms; t++) { /* the shortest first */
        const list *new = &b->lists[half + draw(b, b->n_lists - half)];
        uint32_t j = t;
        for (; j > 1 && of[j - 1]->n > new->n; j--)
            of[j] = of[j - 1];
        of[j] = new;
    }
    for (uint32_t t = 0; t < n_terms; t++)
        b->terms[q * TERMS_MOST + t] = t && is_dense(b, row, of[t]) ? of[t]->as_bits : of[t]->raw;
    b->queries[q] = (karg_and_query){.term = q * TERMS_MOST, .n_terms = n_terms, .out = b->n_words};
    b->shortest[q] = of[0]->n;
    b->n_tiles += (of[0]->n + KARG_AND_TILE - 1) / KARG_AND_TILE;
    b->n_words += (of[0]->n + 31) / 32;
    b->elements += of[0]->n;
    if (is_checked(b, q))
        answer(b, q, of, n_terms);
}

/* Phase by phase, in each of which a query has its share of tiles. */
static void lay_tiles(batch *b)
{
    uint32_t phases = b->n_tiles / PHASE_TILES + 1, n = 0;
    phases = phases < PHASES_MOST ? phases : PHASES_MOST;
    for (uint32_t p = 0; p < phases; p++)
        for (uint32_t q = 0; q < b->n_queries; q++) {
            uint64_t all = (b->shortest[q] + KARG_AND_TILE - 1) / KARG_AND_TILE;
            for (uint64_t t = all * p / phases; t < all * (p + 1) / phases; t++)
                b->tiles[n++] = (karg_and_tile){q, (uint32_t)t * KARG_AND_TILE};
        }
}

static rp_status make_queries(batch *b, const rp__gpu_case *row, uint64_t n)
{
    uint64_t mean = row->width < n / 2 + 1 ? row->width : n / 2 + 1;
    b->n_queries = (uint32_t)(n / mean + 1);
    uint64_t longest = 0;
    for (uint32_t i = 0; i < b->n_lists / 2; i++)
        longest = b->lists[i].n > longest ? b->lists[i].n : longest;
    uint64_t tiles = b->n_queries * (longest / KARG_AND_TILE + 1);
    b->terms = rp__alloc_zero(b->n_queries, TERMS_MOST * sizeof *b->terms);
    b->queries = rp__alloc_zero(b->n_queries, sizeof *b->queries);
    b->tiles = rp__alloc_zero(tiles, sizeof *b->tiles);
    b->found = rp__alloc_zero(b->n_queries * (longest / 32 + 1), sizeof *b->found);
    b->counts = rp__alloc_zero(b->n_queries, sizeof *b->counts);
    b->shortest = rp__alloc_zero(b->n_queries, sizeof *b->shortest);
    b->of = rp__alloc_zero(b->n_queries, TERMS_MOST * sizeof *b->of);
    b->here = rp__alloc_array(longest + 1, sizeof *b->here);
    if (!b->of || !b->here || !b->shortest || !b->terms || !b->queries || !b->tiles || !b->found ||
        !b->counts)
        return RP_NO_MEMORY;
    for (uint32_t q = 0; q < b->n_queries; q++)
        draw_query(b, row, q);
    lay_tiles(b);
    return RP_OK;
}

static rp_status put_queries(batch *b, rp__device *device)
{
    karg_and *a = &b->args;
    a->n_tiles = b->n_tiles;
    rp_status status =
        put(b, device, b->terms, b->n_queries * TERMS_MOST * sizeof *b->terms, &a->terms);
    if (status == RP_OK)
        status = put(b, device, b->queries, b->n_queries * sizeof *b->queries, &a->queries);
    if (status == RP_OK)
        status = put(b, device, b->tiles, b->n_tiles * sizeof *b->tiles, &a->tiles);
    if (status == RP_OK)
        status = put(b, device, NULL, b->n_words * sizeof *b->found, &a->found);
    if (status == RP_OK)
        status = put(b, device, NULL, b->n_queries * sizeof *b->counts, &a->counts);
    return status == RP_OK ? rp__device_wait(device) : status;
}

/* ---- The case ------------------------------------------------------------------------------------ */

static void free_batch(const rp__gpu_case *row, rp__device *device, void *state)
{
    batch *b = state;
    (void)row;
    if (!b)
        return;
    for (size_t i = 0; i < b->n_memory; i++)
        rp__device_free(device, b->memory[i]);
    for (uint32_t i = 0; i < LISTS_MOST; i++) {
        rp__free(b->lists[i].docids);
        rp__free(b->lists[i].bits);
    }
    rp__free(b->terms);
    rp__free(b->queries);
    rp__free(b->tiles);
    rp__free(b->found);
    rp__free(b->counts);
    rp__free(b->shortest);
    rp__free(b->of);
    rp__free(b->here);
    rp__free(b);
}

static rp_status make_batch(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                            void **state)
{
    batch *b = rp__alloc_zero(1, sizeof *b);
    *state = b;
    if (!b)
        return RP_NO_MEMORY;
    b->random = seed + 1;
    b->universe = n > 1000000 ? row->codec : 4096;
    rp_status status = make_lists(b, device, row, n);
    if (status == RP_OK)
        status = make_queries(b, row, n);
    if (status == RP_OK)
        status = put_queries(b, device);
    if (status != RP_OK) {
        free_batch(row, device, b);
        *state = NULL;
    }
    return status;
}

static rp_status run_batch(const rp__gpu_case *row, rp__device *device, void *state)
{
    const batch *b = state;
    const uint32_t warps = 8;
    rp_status status = rp__device_fill(device, b->args.counts, 0, b->n_queries);
    if (status != RP_OK)
        return status;
    rp__launch how = {(b->n_tiles + warps - 1) / warps, 32 * warps, 0};
    return rp__device_launch(device, (rp__kernel_id)row->kernel, how, &b->args);
}

static bool is_right(const batch *b, uint32_t q, const uint32_t *found, const uint32_t *counts)
{
    const karg_and_query *query = &b->queries[q];
    uint32_t end = q + 1 < b->n_queries ? b->queries[q + 1].out : b->n_words;
    return counts[q] == b->counts[q] &&
           memcmp(found + query->out, b->found + query->out, (end - query->out) * 4) == 0;
}

static rp_status check_batch(const rp__gpu_case *row, rp__device *device, void *state,
                             rp_error *what)
{
    const batch *b = state;
    uint32_t *found = rp__alloc_array(b->n_words, sizeof *found);
    uint32_t *counts = rp__alloc_array(b->n_queries, sizeof *counts);
    rp_status status = found && counts ? RP_OK : RP_NO_MEMORY;
    if (status == RP_OK)
        status = rp__device_copy_out(device, found, b->args.found, b->n_words * sizeof *found);
    if (status == RP_OK)
        status = rp__device_copy_out(device, counts, b->args.counts, b->n_queries * sizeof *counts);
    if (status == RP_OK)
        status = rp__device_wait(device);
    for (uint32_t q = 0; q < b->n_queries && status == RP_OK; q++)
        if (is_checked(b, q) && !is_right(b, q, found, counts))
            status = rp__error_set(what, RP_DAMAGED, "%s: query %u has %u documents, not %u",
                                   row->name, q, counts[q], b->counts[q]);
    rp__free(found);
    rp__free(counts);
    return status;
}

static void cost_batch(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                       uint64_t *elements)
{
    const batch *b = state;
    (void)row;
    *elements = b->elements; /* of the shortest lists */
    *bytes = 4 * b->elements;
}

/* The queries that are checked, list by list. */
static rp_status intersect_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                                double *times)
{
    batch *b = state;
    uint64_t elements = 0;
    rp_status status = RP_OK;
    (void)row;
    for (uint32_t q = 0; q < b->n_queries && status == RP_OK; q++) {
        const list **of = b->of + (size_t)q * TERMS_MOST;
        uint32_t n = of[0]->n;
        const uint32_t *docids = of[0]->docids;
        if (!is_checked(b, q))
            continue;
        for (uint32_t t = 1; t < b->queries[q].n_terms && status == RP_OK; t++) {
            rp__list plain;
            rp__list_from_arrays(of[t]->docids, NULL, of[t]->n, b->universe, &plain);
            status = peer->intersect(docids, n, &plain, b->here, &n);
            docids = b->here;
        }
        elements += of[0]->n;
        if (status == RP_OK && n != b->counts[q])
            status = RP_DAMAGED;
    }
    *times = (double)b->elements / (double)elements;
    return status;
}

#define BATCH(title, mean, docs, bucket, density)                                                  \
    {                                                                                              \
        .area = "batch", .name = (title), .make = make_batch, .run = run_batch,                    \
        .check = check_batch, .free = free_batch, .cost = cost_batch, .cpu = intersect_here,       \
        .kernel = RP_KERNEL_and_para_kernel, .width = (mean), .codec = (docs),                     \
        .option = (bucket) | (density) << DENSITY                                                  \
    }

enum { GOV = 1053372, GOV2 = 25200000, GOV_MEAN = 8600, GOV2_MEAN = 112000 };

const rp__gpu_case rp__gpu_case_batch[] = {
    BATCH("and gov hs4", GOV_MEAN, GOV, 4, 0),
    BATCH("and gov hs8", GOV_MEAN, GOV, 8, 0),
    BATCH("and gov hs16", GOV_MEAN, GOV, 16, 0),
    BATCH("and gov hs4 bits", GOV_MEAN, GOV, 4, 32),
    BATCH("and gov2 hs4", GOV2_MEAN, GOV2, 4, 0),
    BATCH("and gov2 hs4 bits", GOV2_MEAN, GOV2, 4, 64),
    {0},
};
