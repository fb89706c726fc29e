/* gpu_case_intersect.c: two synthetic lists and what they have in common, by a plain merge; rows for every method.
 *
 * n is the length of B, at most that of the targets. Odd seeds draw docids alike, even ones in clusters. A row's
 * kernel is a method of intersect_table.h, its width the threads of a block, its codec the option of the method: docids of
 * a slice, the size of a bucket, levels; its option how many times longer B is than A, and what is asked for. */
#include "lab/gpu/gpu_case_intersect.h"

#include <string.h>

#include "backend/gpu/gpu_lab.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "codec/codec.h"
#include "lab/gpu/gpu_case_lists.h"

enum {
    N_MOST = 10000000,   /* docids of B */
    SPREAD = 252,        /* docids of the universe for 100 of B */
    BUFFERS = 16,        /* of device memory */
    PAD = 64,            /* bytes behind every one: kernels read whole words of 16 */
    POISON = 0x5EEDBEEF, /* what outputs hold before */
};

/* What a row asks for; docids if nothing else. */
enum {
    RATIO = RP_GPU_INTERSECT_RATIO, /* bits of the option */
    RANKS = 1024,                   /* docids and ranks in both */
    MARKS = 2048,                   /* marks, and no docids */
    BOTH = 4096,                    /* marks and docids */
};

static bool is_by_rank(const rp__gpu_case *row)
{
    return rp__intersect_table[row->kernel].tile == RP_INTERSECT_A;
}

/* ---- Data ---------------------------------------------------------------------------------------- */

typedef struct pair {
    uint32_t *a, *b;
    uint32_t na, nb, universe;
    uint32_t *docids, *a_ranks, *b_ranks, n; /* the answer */
    uint32_t *here;                          /* docids that a core finds, when it is timed */
    rp__intersect_id id;
    karg_intersect args;
    rp__launch how;
    rp__cu_ptr buffers[BUFFERS];
    uint32_t n_buffers;
    rp__gpu_case_lists list; /* B in a codec */
} pair;

typedef struct dice {
    uint64_t state;
} dice;

static uint32_t roll(dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ z >> 31) >> 32);
}

/* About n of the universe's docids, rising; in clusters a docid is in or out like the one before, mostly. */
static uint32_t *draw(uint64_t seed, bool is_clustered, uint32_t n, uint32_t universe,
                      uint32_t *count)
{
    const uint32_t turn = 1U << 26;
    dice d = {seed * 31 + n};
    uint32_t *list = rp__alloc_array((size_t)universe + PAD, sizeof *list), k = 0;
    uint64_t chance = ((uint64_t)n << 32) / universe;
    bool is_in = false;
    for (uint32_t x = 0; list && x < universe; x++) {
        if (is_clustered && roll(&d) < turn)
            is_in = !is_in;
        list[k] = x;
        k += is_clustered ? is_in == (roll(&d) > turn) : roll(&d) < chance;
    }
    *count = k;
    return list;
}

static void merge(pair *p)
{
    for (uint32_t i = 0, j = 0; i < p->na && j < p->nb;) {
        if (p->a[i] == p->b[j]) {
            p->docids[p->n] = p->a[i];
            p->a_ranks[p->n] = i;
            p->b_ranks[p->n++] = j;
        }
        bool is_a = p->a[i] <= p->b[j], is_b = p->b[j] <= p->a[i];
        i += is_a;
        j += is_b;
    }
}

static void draw_lists(pair *p, uint64_t n, uint64_t seed, uint32_t ratio)
{
    uint32_t nb = (uint32_t)(n < N_MOST ? n : N_MOST), na = nb / ratio + (nb % ratio > 0);
    p->universe = (uint32_t)((uint64_t)nb * SPREAD / 100 + 1);
    p->a = draw(2 * seed, seed % 2 == 0, na, p->universe, &p->na);
    p->b = draw(2 * seed + 1, seed % 2 == 0, nb, p->universe, &p->nb);
}

static uint32_t *copy(const rp__gpu_source_list *list, uint32_t *n)
{
    uint32_t *docids = rp__alloc_zero((size_t)list->n + PAD, sizeof *docids);
    if (docids)
        memcpy(docids, list->docids, list->n * sizeof *docids);
    *n = list->n;
    return docids;
}

static void take_lists(pair *p, const rp__gpu_source *source, uint32_t ratio)
{
    const rp__gpu_source_pair chosen = rp__gpu_source_choose(source, ratio);
    p->universe = source->universe;
    p->a = copy(&source->lists[chosen.a], &p->na);
    p->b = copy(&source->lists[chosen.b], &p->nb);
}

static rp_status find_answer(pair *p)
{
    p->docids = rp__alloc_array((size_t)p->na + 1, sizeof(uint32_t));
    p->a_ranks = rp__alloc_array((size_t)p->na + 1, sizeof(uint32_t));
    p->b_ranks = rp__alloc_array((size_t)p->na + 1, sizeof(uint32_t));
    if (!p->a || !p->b || !p->docids || !p->a_ranks || !p->b_ranks)
        return RP_NO_MEMORY;
    merge(p);
    return RP_OK;
}

/* ---- On the device ------------------------------------------------------------------------------- */

/* Device memory that free_pair gives back; with what is at `from`, or poison. */
static rp_status put(pair *p, rp__device *device, const void *from, size_t bytes, uint64_t *at)
{
    size_t words = bytes / sizeof(uint32_t) + PAD / sizeof(uint32_t);
    rp__cu_ptr *slot = &p->buffers[p->n_buffers];
    rp_status status = rp__device_alloc(device, words * sizeof(uint32_t), slot);
    if (status != RP_OK)
        return status;
    p->n_buffers++;
    *at = *slot;
    status = rp__device_check(
        device, device->driver->fill32(*slot, from ? UINT32_MAX : POISON, words, device->stream));
    if (status == RP_OK && from && bytes)
        status = rp__device_copy_in(device, *slot, from, bytes);
    return status == RP_OK ? rp__device_wait(device) : status;
}

static rp_status put_bits(pair *p, rp__device *device, const uint32_t *docids, uint32_t n,
                          uint64_t *at)
{
    size_t words = (size_t)(p->universe / 128 + 1) * 4;
    uint32_t *bits = rp__alloc_zero(words, sizeof *bits);
    if (!bits)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        bits[docids[i] / 32] |= 1U << docids[i] % 32;
    rp_status status = put(p, device, bits, words * sizeof *bits, at);
    rp__free(bits);
    return status;
}

static rp_status put_lr(pair *p, rp__device *device)
{
    const rp__aux_kind *kind = rp__aux_kind_find("lr", 2);
    if (p->nb == 0)
        return RP_OK;
    uint8_t *bytes = rp__alloc_array(kind->bound(kind, p->nb), 1);
    if (!bytes)
        return RP_NO_MEMORY;
    size_t used = kind->fit(kind, p->b, p->nb, p->universe, bytes);
    rp_status status = put(p, device, bytes, used, &p->args.aux);
    rp__free(bytes);
    return status;
}

static rp_status put_list(pair *p, rp__device *device, const char *codec)
{
    if (p->nb == 0)
        return RP_OK;
    rp_status status =
        rp__gpu_case_lists_add(&p->list, rp__codec_find(codec, 0), p->b, NULL, p->nb, p->universe);
    if (status == RP_OK)
        status = rp__gpu_case_lists_send(&p->list, device, 0, 1);
    if (status == RP_OK)
        status = rp__device_copy_out(device, &p->args.list, p->list.at_lists, sizeof p->args.list);
    return status == RP_OK ? rp__device_wait(device) : status;
}

/* The heads of B's blocks stand for B, and the answer is which blocks A needs. */
static rp_status put_heads(pair *p, rp__device *device)
{
    uint32_t n = p->nb / RP_BLOCK + (p->nb % RP_BLOCK > 0), k = 0;
    uint32_t *heads = rp__alloc_array((size_t)n + 1, sizeof *heads);
    if (!heads)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        heads[i] = p->b[i + 1 < n ? i * RP_BLOCK + RP_BLOCK - 1 : p->nb - 1];
    p->n = 0;
    for (uint32_t i = 0; i < p->na; i++) {
        uint32_t before = k;
        while (k < n && heads[k] < p->a[i])
            k++;
        if (k < n && (i == 0 || k > before))
            p->docids[p->n++] = k;
    }
    p->args.nb = n;
    rp_status status = put(p, device, heads, n * sizeof *heads, &p->args.b);
    rp__free(heads);
    return status;
}

/* Buckets of `bucket` docids of B at most, on average. */
static rp_status put_hs(pair *p, rp__device *device, uint32_t bucket)
{
    const size_t head = 8;
    rp__aux_kind kind = *rp__aux_kind_find("hs8", 3);
    rp__aux aux;
    kind.bucket = bucket;
    if (p->nb == 0)
        return RP_OK;
    uint8_t *bytes = rp__alloc_array(kind.bound(&kind, p->nb), 1);
    if (!bytes)
        return RP_NO_MEMORY;
    size_t used = kind.fit(&kind, p->b, p->nb, p->universe, bytes);
    rp_status status = kind.open(&kind, bytes, used, p->nb, p->universe, &aux);
    if (status == RP_OK)
        status = put(p, device, bytes + head, used - head, &p->args.aux);
    p->args.shift = aux.shift;
    p->args.n_buckets = aux.n_buckets;
    rp__free(bytes);
    return status;
}

static rp_status put_inputs(pair *p, rp__device *device, const rp__intersect *how, uint32_t option)
{
    rp_status status = put(p, device, p->a, p->na * sizeof(uint32_t), &p->args.a);
    if (status == RP_OK && how->needs & RP_INTERSECT_B)
        status = put(p, device, p->b, p->nb * sizeof(uint32_t), &p->args.b);
    if (status == RP_OK && how->needs & RP_INTERSECT_A_BITS)
        status = put_bits(p, device, p->a, p->na, &p->args.a_bits);
    if (status == RP_OK && how->needs & RP_INTERSECT_B_BITS)
        status = put_bits(p, device, p->b, p->nb, &p->args.b_bits);
    if (status == RP_OK && how->needs & RP_INTERSECT_HS)
        status = put_hs(p, device, option);
    if (status == RP_OK && how->needs & RP_INTERSECT_LR)
        status = put_lr(p, device);
    if (status == RP_OK && how->needs & RP_INTERSECT_LIST)
        status = put_list(p, device, how->codec);
    if (status == RP_OK && how->needs & RP_INTERSECT_HEADS)
        status = put_heads(p, device);
    return status;
}

static rp_status put_outputs(pair *p, rp__device *device, uint32_t requested)
{
    size_t most = p->na * sizeof(uint32_t), bits = (p->universe / 128 + 1) * 16;
    size_t state = rp__intersect_state(&p->args);
    rp_status status = put(p, device, NULL, sizeof(uint32_t), &p->args.count);
    if (status == RP_OK && !(requested & MARKS))
        status = put(p, device, NULL, most, &p->args.out);
    if (status == RP_OK && requested & RANKS)
        status = put(p, device, NULL, most, &p->args.a_ranks);
    if (status == RP_OK && requested & RANKS)
        status = put(p, device, NULL, most, &p->args.b_ranks);
    if (status == RP_OK && requested & (MARKS | BOTH))
        status = put(p, device, NULL, bits, &p->args.marks);
    if (status == RP_OK && rp__intersect_table[p->id].needs & RP_INTERSECT_SPLITS)
        status = put(p, device, NULL, rp__intersect_table_splits(&p->args), &p->args.splits);
    if (status == RP_OK)
        status = put(p, device, NULL, state, &p->args.state);
    if (status == RP_OK)
        status = rp__device_check(
            device, device->driver->fill32(p->args.state, 0, state / 4, device->stream));
    return status;
}

/* ---- Rows ---------------------------------------------------------------------------------------- */

static void free_pair(const rp__gpu_case *row, rp__device *device, void *state)
{
    pair *p = state;
    (void)row;
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_buffers; i++)
        rp__device_free(device, p->buffers[i]);
    rp__gpu_case_lists_free(&p->list, device);
    rp__free(p->a);
    rp__free(p->b);
    rp__free(p->docids);
    rp__free(p->here);
    rp__free(p->a_ranks);
    rp__free(p->b_ranks);
    rp__free(p);
}

static rp_status make_pair(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                           void **state)
{
    pair *p = *state = rp__alloc_zero(1, sizeof *p);
    if (p && row->given && row->given->source)
        take_lists(p, row->given->source, row->option & RATIO);
    else if (p)
        draw_lists(p, n, seed, row->option & RATIO);
    rp_status status = p ? find_answer(p) : RP_NO_MEMORY;
    if (status == RP_OK) {
        p->id = (rp__intersect_id)row->kernel;
        p->args.na = p->args.capacity = p->na;
        p->args.nb = p->nb;
        p->args.universe = p->universe;
        status = put_inputs(p, device, &rp__intersect_table[p->id], row->codec);
    }
    if (status == RP_OK) {
        rp__intersect_table_cut(p->id, row->width, row->codec, &p->args, &p->how);
        status = put_outputs(p, device, row->option);
    }
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status != RP_OK) {
        free_pair(row, device, p);
        *state = NULL;
    }
    return status;
}

static rp_status run_pair(const rp__gpu_case *row, rp__device *device, void *state)
{
    const pair *p = state;
    (void)row;
    return rp__intersect_table_run(p->id, device, p->how, &p->args);
}

/* n words at a device's address are these. */
static rp_status compare(rp__device *device, uint64_t at, const uint32_t *want, uint32_t n,
                         const char *name, rp_error *what)
{
    uint32_t *got = rp__alloc_array((size_t)n + 1, sizeof *got);
    if (!got)
        return RP_NO_MEMORY;
    rp_status status = rp__device_copy_out(device, got, at, n * sizeof *got);
    if (status == RP_OK)
        status = rp__device_wait(device);
    for (uint32_t i = 0; status == RP_OK && i < n; i++)
        if (got[i] != want[i])
            status = rp__error_set(what, RP_DAMAGED, "%s %u of %u is %u, not %u", name, i, n,
                                   got[i], want[i]);
    rp__free(got);
    return status;
}

static rp_status compare_marks(const pair *p, rp__device *device, bool by_rank, rp_error *what)
{
    uint32_t bits = by_rank ? p->na : p->universe, words = bits / 32 + (bits % 32 > 0);
    uint32_t *want = rp__alloc_zero((size_t)words + 1, sizeof *want);
    if (!want)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t bit = by_rank ? p->a_ranks[i] : p->docids[i];
        want[bit / 32] |= 1U << bit % 32;
    }
    rp_status status = compare(device, p->args.marks, want, words, "word of marks", what);
    rp__free(want);
    return status;
}

static rp_status check_pair(const rp__gpu_case *row, rp__device *device, void *state,
                            rp_error *what)
{
    const pair *p = state;
    rp_status status = compare(device, p->args.count, &p->n, 1, "count", what);
    if (status == RP_OK && p->args.out)
        status = compare(device, p->args.out, p->docids, p->n, "docid", what);
    if (status == RP_OK && p->args.a_ranks)
        status = compare(device, p->args.a_ranks, p->a_ranks, p->n, "rank in A", what);
    if (status == RP_OK && p->args.b_ranks)
        status = compare(device, p->args.b_ranks, p->b_ranks, p->n, "rank in B", what);
    if (status == RP_OK && p->args.marks)
        status = compare_marks(p, device, is_by_rank(row), what);
    return status;
}

/* A and what is found, and of B all, or for each of A a sector. */
static void cost_pair(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                      uint64_t *elements)
{
    const pair *p = state;
    uint32_t needs = rp__intersect_table[p->id].needs;
    uint64_t bits = p->universe / 8, of_a = sizeof(uint32_t) * (uint64_t)p->na;
    uint64_t sectors = 8 * of_a, of_b = sizeof(uint32_t) * (uint64_t)p->args.nb;
    if (needs & RP_INTERSECT_B_BITS)
        of_b = bits;
    else if (!(needs & (RP_INTERSECT_B | RP_INTERSECT_HEADS)))
        of_b = rp__gpu_case_lists_payload(&p->list);
    *bytes = (needs & RP_INTERSECT_A_BITS ? bits : of_a) + (of_b < sectors ? of_b : sectors);
    if (p->args.out)
        *bytes += sizeof(uint32_t) * (uint64_t)p->n * (p->args.a_ranks ? 3 : 1);
    if (p->args.marks)
        *bytes += is_by_rank(row) ? p->na / 8 : bits;
    *elements = p->na;
}

static rp_status intersect_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                                double *times)
{
    pair *p = state;
    uint32_t n = 0;
    rp__list list;
    (void)times;
    if (!p->here)
        p->here = rp__alloc_array((size_t)p->na + 1, sizeof *p->here);
    if (!p->here || p->nb == 0)
        return p->here ? RP_OK : RP_NO_MEMORY;
    rp__list_from_arrays(p->b, NULL, p->nb, p->universe, &list);
    rp_status status = peer->intersect(p->a, p->na, &list, p->here, &n);
    bool is_asked_for_docids = !(rp__intersect_table[row->kernel].needs & RP_INTERSECT_HEADS);
    return status == RP_OK && is_asked_for_docids && n != p->n ? RP_DAMAGED : status;
}

/* method, name, ratio and what is requested, threads, the option, twin */
#define ROW(method_, name_, ratio_, threads_, option_, twin_)                                      \
    {                                                                                              \
        .area = "intersect", .name = (name_), .make = make_pair, .run = run_pair,                  \
        .check = check_pair, .free = free_pair, .cost = cost_pair, .cpu = intersect_here,          \
        .kernel = RP_INTERSECT_##method_, .codec = (option_), .width = (threads_),                 \
        .option = (ratio_), .twin = (twin_),                                                       \
        .is_literal = &rp__intersect_table[RP_INTERSECT_##method_].is_literal                      \
    }

#define MERGE_TWIN "merge path, ordered docid list out"
#define HS_TWIN    "hash segments 4, ordered docid list out"
#define BS_TWIN    "binary search, a thread per element"
#define PROBE_TWIN "probe a bitmap of B (dense lists)"
#define AND_TWIN   "bitmap AND bitmap, count"

const rp__gpu_case rp__gpu_case_intersect[] = {
    ROW(TILE, "tile 1:1", 1, 512, 16, MERGE_TWIN),
    ROW(TILE, "tile 1:10", 10, 512, 16, HS_TWIN),
    ROW(TILE_MARKS, "tile marks 1:1", 1 | MARKS, 512, 16, MERGE_TWIN),
    ROW(TILE_RANKS, "tile ranks 1:1", 1 | RANKS, 256, 14, NULL),
    ROW(BS_X2, "bs-ends 1:1", 1, 256, 0, BS_TWIN),
    ROW(BS_X2, "bs-ends marks 1:1", 1 | MARKS, 256, 0, BS_TWIN),
    ROW(BS_X2, "bs-ends 1:10", 10, 256, 0, BS_TWIN),
    ROW(BS_X2, "bs-ends 1:100", 100, 256, 0, BS_TWIN),
    ROW(BS_X1, "bs-ends marks 1:10", 10 | MARKS, 256, 0, BS_TWIN),
    ROW(BS_X1, "bs-ends marks 1:100", 100 | MARKS, 256, 0, BS_TWIN),
    ROW(BS_X2, "bs-ends ranks 1:10", 10 | RANKS | BOTH, 256, 0, NULL),
    ROW(HS_X1, "hs4 1:100", 100, 1024, 4, HS_TWIN),
    ROW(HS_X1, "hs4 1:100 marks", 100 | MARKS, 256, 4, "hash segments, about 4 per bucket"),
    ROW(HS_X2, "hs4 1:10", 10, 256, 4, HS_TWIN),
    ROW(HS_X2, "hs8 1:100", 100, 256, 8, HS_TWIN),
    ROW(HS_X2, "hs16 1:100", 100, 256, 16, HS_TWIN),
    ROW(HS_X2, "hs64 1:100", 100, 256, 64, HS_TWIN),
    ROW(HS_X2, "hs256 1:100", 100, 256, 256, HS_TWIN),
    ROW(HS_X2, "hs16 ranks 1:10", 10 | RANKS, 256, 16, NULL),
    ROW(BITS_PROBE, "bits probe 1:10", 10, 256, 0, PROBE_TWIN),
    ROW(BITS_PROBE, "bits probe 1:100", 100, 256, 0, PROBE_TWIN),
    ROW(BITS_AND, "bits and 1:1", 1, 512, 0, NULL),
    ROW(BITS_MARKS, "bits and marks 1:1", 1 | MARKS, 256, 0, AND_TWIN),
    ROW(BS, "bs 1:1", 1, 256, 0, BS_TWIN),
    ROW(BS, "bs ranks 1:10", 10 | RANKS, 256, 0, BS_TWIN),
    ROW(BS, "bs 1:100", 100, 256, 0, BS_TWIN),
    ROW(IS, "is 1:1", 1, 256, 0, BS_TWIN),
    ROW(IS, "is ranks 1:10", 10 | RANKS, 256, 0, BS_TWIN),
    ROW(IS, "is 1:100", 100, 256, 0, BS_TWIN),
    ROW(IS_8, "is-8 1:10", 10, 256, 0, BS_TWIN),
    ROW(IS_8, "is-8 1:100", 100, 256, 0, BS_TWIN),
    ROW(LR_GLOBAL, "lr 1:10", 10, 256, 0, BS_TWIN),
    ROW(LR_GLOBAL, "lr 1:100", 100, 256, 0, BS_TWIN),
    ROW(LR_LOCAL, "lr local 1:100", 100, 256, 0, BS_TWIN),
    ROW(SKIP, "skip 1:10", 10, 256, 0, BS_TWIN),
    ROW(SKIP, "skip 1:100", 100, 256, 0, BS_TWIN),
    ROW(PMF, "pmf 1 1:1", 1, 256, 1, BS_TWIN),
    ROW(PMF, "pmf 2 1:1", 1, 256, 2, BS_TWIN),
    ROW(PMF, "pmf 3 1:1", 1, 256, 3, BS_TWIN),
    ROW(PMF, "pmf 4 1:1", 1, 256, 4, BS_TWIN),
    ROW(PMF, "pmf 3 1:10", 10, 256, 3, BS_TWIN),
    ROW(PMF_HEADS, "pmf heads 2 1:100", 100, 128, 2, NULL),
    ROW(PMF_HEADS, "pmf heads 3 1:1", 1, 128, 3, NULL),
    ROW(MPATH, "mpath 1:1", 1, 256, 0, MERGE_TWIN),
    ROW(MPATH_TWO, "mpath 1:1 two kernels", 1, 256, 0, MERGE_TWIN),
    ROW(MPATH, "mpath 1:10", 10, 256, 0, MERGE_TWIN),
    ROW(MPATH, "mpath ranks 1:1", 1 | RANKS, 64, 0, NULL),
    ROW(BP128, "bp128 1:1", 1, 128, 0, NULL),
    ROW(BP128, "bp128 ranks 1:10", 10 | RANKS, 256, 0, NULL),
    ROW(BP128, "bp128 1:100", 100, 512, 0, NULL),
    ROW(BP128_TILE, "bp128 tile 1:1", 1, 256, 16, NULL),
    ROW(BP128_TILE, "bp128 tile 1:10", 10, 256, 16, NULL),
    ROW(LRC_HEADS, "lrc heads ranks 1:10", 10 | RANKS, 256, 0, NULL),
    ROW(LRC_HEADS, "lrc heads 1:100", 100, 512, 0, NULL),
    ROW(LRC_AT, "lrc at 1:10", 10, 256, 0, NULL),
    ROW(LRC_AT, "lrc at 1:100", 100, 512, 0, NULL),
    ROW(HSLRC256, "hslrc256 ranks 1:10", 10 | RANKS, 256, 0, NULL),
    ROW(HSLRC256, "hslrc256 1:100", 100, 512, 0, NULL),
    ROW(HSLRC128, "hslrc128 1:100", 100, 512, 0, NULL),
    ROW(LRCSEG, "lrcseg ranks 1:10", 10 | RANKS, 256, 0, NULL),
    ROW(LRCSEG, "lrcseg 1:100", 100, 512, 0, NULL),
    ROW(SEGLRC, "seglrc ranks 1:10", 10 | RANKS, 256, 0, NULL),
    ROW(SEGLRC, "seglrc 1:100", 100, 512, 0, NULL),
    {0},
};
