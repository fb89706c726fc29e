/* search.cuh: where a docid stands in a rising list, and what is done with the elements of A that were found.
 *
 * Lists begin at a multiple of 16 bytes and have room to the next. Any content is safe: places stay within n. */
#ifndef RP_KERNELS_SEARCH_CUH
#define RP_KERNELS_SEARCH_CUH

#include "backend/gpu/kernels/prim/compact.cuh"

/* Where x would be among n docids that lie evenly in the universe. */
PRIM uint32_t search_guess(uint32_t n, uint64_t x, uint32_t universe)
{
    float share = prim_div(prim_float((uint32_t)prim_min(x, (uint64_t)universe)), prim_float(prim_max(universe, 1U)));
    return prim_min(prim_truncate(prim_mul(prim_float(n), share)), n);
}

/* Ranks between which, or at one of which, a docid is. */
struct search_ends {
    uint32_t from, to;
};

/* By a warp, for all its lanes: where the first of n docids that is at least x is, else n, up to NEAR ranks. The first
 * step looks about a guess, at distances that grow two- to fourfold: a good guess leaves little. Each step after it
 * leaves a 33rd. What it costs is waits, and a sector of memory a probe. */
template <uint32_t NEAR>
PRIM search_ends search_near(const uint32_t *list, uint32_t n, uint64_t x, uint32_t universe)
{
    uint32_t guess = search_guess(n, x, universe), away = 16U << prim_lane() / 2 * 3 / 2;
    uint32_t probe = prim_lane() & 1 ? (away < n - guess ? guess + away : n)
                                     : (away <= guess ? guess - away : n);
    uint32_t at = probe < n ? prim_load(&list[probe]) : 0;
    uint32_t from = scan_max<32>(probe < n && at < x ? probe + 1 : 0); /* it is from these on, */
    uint32_t to = ~scan_max<32>(~(probe < n && at >= x ? probe : n));  /* and at most that */
    while (from < to && to - from > NEAR) {
        uint32_t step = prim_div_up(to - from + 1, 33);
        probe = from + (prim_lane() + 1) * step - 1;
        at = probe < to ? prim_load(&list[probe]) : 0;
        from += prim_count(prim_ballot<32>(probe < to && at < x)) * step;
        to = prim_min(to, from + step - 1);
    }
    return {from, to};
}

/* The same, exactly. */
PRIM uint32_t search_warp(const uint32_t *list, uint32_t n, uint64_t x, uint32_t universe)
{
    return search_near<0>(list, n, x, universe).from;
}

/* ---- One docid by one thread ------------------------------------------------------------------------ */

enum { SEARCH_SECTOR = 8 }; /* docids that come to the multiprocessor together */

/* Of E docids, the ranks that may have each, [lo, hi) of n, become sectors, the first and the last, at most two;
 * both n where there are no ranks. E loads are on their way at a time. */
template <int E>
PRIM void search_narrow(const uint32_t *list, uint32_t n, const uint32_t *x, uint32_t *lo,
                        uint32_t *hi)
{
    bool is_wide;
#pragma unroll
    for (int e = 0; e < E; e++) {
        bool is_empty = lo[e] >= hi[e];
        lo[e] = is_empty ? n : lo[e] / SEARCH_SECTOR;
        hi[e] = is_empty ? n : (hi[e] - 1) / SEARCH_SECTOR;
    }
    do {
        uint32_t last[E], mid[E];
        is_wide = false;
#pragma unroll
        for (int e = 0; e < E; e++) {
            mid[e] = lo[e] + (hi[e] - lo[e]) / 2;
            bool is_open = hi[e] - lo[e] > 1;
            last[e] = is_open ? prim_load(&list[mid[e] * SEARCH_SECTOR + SEARCH_SECTOR - 1]) : 0;
        }
#pragma unroll
        for (int e = 0; e < E; e++) {
            if (hi[e] - lo[e] <= 1)
                continue;
            if (last[e] < x[e])
                lo[e] = mid[e] + 1;
            else
                hi[e] = mid[e];
            is_wide |= hi[e] - lo[e] > 1;
        }
    } while (is_wide);
}

/* The first from lo on, and before hi, that is at least x, else hi. */
PRIM uint32_t search_first(const uint32_t *list, uint32_t lo, uint32_t hi, uint32_t x)
{
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (prim_load(&list[mid]) < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Of eight docids, the one that is x: its number, else 8. */
PRIM uint32_t search_eight(uint4 p, uint4 q, uint32_t x)
{
    uint32_t same = (p.x == x) | (p.y == x) << 1 | (p.z == x) << 2 | (p.w == x) << 3 |
                    (q.x == x) << 4 | (q.y == x) << 5 | (q.z == x) << 6 | (q.w == x) << 7;
    return same ? prim_lowest(same) : 8;
}

/* The ranks of E docids at once, each looked for in [lo, hi) of n; rank n or more: it is not there. Loads come
 * first, so that E times four are on their way. */
template <int E>
PRIM void search_ranks(const uint32_t *list, uint32_t n, const uint32_t *x, uint32_t *lo,
                       uint32_t *hi, uint32_t *rank)
{
    uint4 near[E][2], far[E][2];
#pragma unroll
    for (int e = 0; e < E; e++)
        rank[e] = n;
    search_narrow<E>(list, n, x, lo, hi);
#pragma unroll
    for (int e = 0; e < E; e++) {
        const uint4 *at = (const uint4 *)list + 2 * (size_t)lo[e];
        uint4 none = make_uint4(~x[e], ~x[e], ~x[e], ~x[e]);
        bool is_there = lo[e] < n, is_two = hi[e] > lo[e];
        near[e][0] = is_there ? prim_load(&at[0]) : none;
        near[e][1] = is_there && lo[e] * SEARCH_SECTOR + 4 < n ? prim_load(&at[1]) : none;
        far[e][0] = is_two ? prim_load(&at[2]) : none;
        far[e][1] = is_two && hi[e] * SEARCH_SECTOR + 4 < n ? prim_load(&at[3]) : none;
    }
#pragma unroll
    for (int e = 0; e < E; e++) {
        uint32_t k = search_eight(near[e][0], near[e][1], x[e]);
        if (k < SEARCH_SECTOR)
            rank[e] = lo[e] * SEARCH_SECTOR + k;
        k = search_eight(far[e][0], far[e][1], x[e]);
        if (k < SEARCH_SECTOR)
            rank[e] = prim_min(rank[e], hi[e] * SEARCH_SECTOR + k);
    }
}

/* ---- Elements of A, E a thread ---------------------------------------------------------------------- */

/* A block's tile of A: its threads' E docids side by side. first: rank of the thread's own. */
template <int E> struct search_part {
    compact_tile tile;
    uint32_t first, x[E];
};

/* Words of shared memory of a block of `threads`. */
#define SEARCH_SHARED(threads, e) (COMPACT_SCRATCH + (threads) * (e))

template <int E> PRIM search_part<E> search_begin(const karg_intersect &a, uint32_t *shared)
{
    search_part<E> p;
    p.tile = {prim_block(), 0};
    if (a.out)
        p.tile = compact_begin(a.state, a.tiles, shared);
    const uint32_t *list = prim_at<const uint32_t>(a.a);
    p.first = (p.tile.number * prim_block_size() + prim_thread()) * E;
#pragma unroll
    for (int e = 0; e < E; e++)
        p.x[e] = ~0U;
    if (E == 4 && p.first < a.na) {
        uint4 v = prim_load_once((const uint4 *)(list + p.first));
        p.x[0] = v.x, p.x[1 % E] = v.y, p.x[2 % E] = v.z, p.x[3 % E] = v.w;
    } else if (E == 2 && p.first < a.na) {
        uint2 v = prim_load_once((const uint2 *)(list + p.first));
        p.x[0] = v.x, p.x[1 % E] = v.y;
    } else if (E == 1 && p.first < a.na) {
        p.x[0] = list[p.first];
    }
    return p;
}

/* A mark for each element, by rank. */
template <int E> PRIM void search_mark(const karg_intersect &a, const search_part<E> &p, uint32_t hits)
{
    uint32_t word = hits << (prim_lane() * E & 31);
#pragma unroll
    for (uint32_t by = 1; by < 32 / E; by *= 2)
        word |= prim_shuffle_xor<32>(word, by);
    if (prim_lane() % (32 / E) == 0 && p.first < a.na)
        prim_at<uint32_t>(a.marks)[p.first / 32] = word;
}

PRIM void search_copy(uint64_t to, const uint32_t *staged, uint32_t n, uint32_t place, uint32_t room)
{
    for (uint32_t i = prim_thread(); i < n; i += prim_block_size())
        if (place + i < room)
            prim_at<uint32_t>(to)[place + i] = staged[i];
}

/* Where E values go among the hits of the block, and out from there. */
template <int E>
PRIM void search_write(const karg_intersect &a, uint64_t to, const uint32_t *values, uint32_t hits,
                       uint32_t before, uint32_t all, uint32_t place, uint32_t *staged)
{
    prim_sync();
#pragma unroll
    for (int e = 0; e < E; e++)
        if (hits >> e & 1)
            staged[before++] = values[e];
    prim_sync();
    search_copy(to, staged, all, place, a.room);
}

/* Ends a kernel: element e was found where ranks[e] is below nb. */
template <int E>
PRIM void search_end(const karg_intersect &a, const search_part<E> &p, const uint32_t *ranks,
                     uint32_t *shared)
{
    uint32_t hits = 0, all, *staged = shared + COMPACT_SCRATCH, a_ranks[E];
#pragma unroll
    for (int e = 0; e < E; e++) {
        hits |= (uint32_t)(p.first + e < a.na && ranks[e] < a.nb) << e;
        a_ranks[e] = p.first + e;
    }
    uint32_t before = scan_block(prim_count(hits), shared, &all);
    if (a.marks)
        search_mark<E>(a, p, hits);
    if (!a.out) {
        if (prim_thread() == 0)
            compact_total(a.state, a.tiles, all, prim_at<uint32_t>(a.count));
        return;
    }
    prim_sync();
    uint32_t place = compact_before(a.state, p.tile, all, shared);
    search_write<E>(a, a.out, p.x, hits, before, all, place, staged);
    if (a.a_ranks)
        search_write<E>(a, a.a_ranks, a_ranks, hits, before, all, place, staged);
    if (a.b_ranks)
        search_write<E>(a, a.b_ranks, ranks, hits, before, all, place, staged);
    if (p.tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = place + all;
}

#endif
