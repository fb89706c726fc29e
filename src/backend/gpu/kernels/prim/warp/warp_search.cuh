/* warp_search.cuh: where a docid stands in a rising list, by all lanes of a warp. Any content is
 * safe: places stay within n. */
#ifndef RP_KERNELS_WARP_SEARCH_CUH
#define RP_KERNELS_WARP_SEARCH_CUH

#include "backend/gpu/kernels/prim/thread/lower_bound.cuh"
#include "backend/gpu/kernels/prim/warp/scan.cuh"

/* Ranks between which, or at one of which, a docid is. */
struct search_ends {
    uint32_t from, to;
};

/* By a warp, for all its lanes: where the first of n docids that is at least x is, else n, up to
 * NEAR ranks. The first step looks about a guess, at distances that grow two- to fourfold: a good
 * guess leaves little. Each step after it leaves a 33rd. What it costs is waits, and a sector of
 * memory a probe. */
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

#endif
