/* lower_bound.cuh: where a docid stands in a rising list, by one thread.
 *
 * Lists begin at a multiple of 16 bytes and have room to the next. Any content is safe: places stay
 * within n. */
#ifndef RP_KERNELS_LOWER_BOUND_CUH
#define RP_KERNELS_LOWER_BOUND_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* Where x would be among n docids that lie evenly in the universe. */
PRIM uint32_t search_guess(uint32_t n, uint64_t x, uint32_t universe)
{
    float share = prim_div(prim_float((uint32_t)prim_min(x, (uint64_t)universe)),
                           prim_float(prim_max(universe, 1U)));
    return prim_min(prim_truncate(prim_mul(prim_float(n), share)), n);
}

enum { SEARCH_SECTOR = 8 }; /* docids that come to the multiprocessor together */

/* Of E docids, the ranks that may have each, [lo, hi) of n, become sectors, the first and the last,
 * at most two; both n where there are no ranks. E loads are on their way at a time. */
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

/* The ranks of E docids at once, each looked for in [lo, hi) of n; rank n or more: it is not there.
 * Loads come first, so that E times four are on their way. */
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
        bool is_there = lo[e]<n, is_two = hi[e]> lo[e];
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

#endif
