/* best_warp.cuh: the best 32 of many keys (best.cuh), by one warp, in registers. */
#ifndef RP_KERNELS_BEST_WARP_CUH
#define RP_KERNELS_BEST_WARP_CUH

#include "backend/gpu/kernels/prim/best.cuh"

/* One step of a bitonic sort: the lane's own or its partner's, whichever belongs here. */
PRIM uint64_t best_warp_step(uint64_t key, uint32_t by, bool is_falling)
{
    uint64_t other = prim_shuffle_xor<32>(key, by);
    bool keeps_greater = ((prim_lane() & by) == 0) == is_falling;
    return (key > other) == keeps_greater ? key : other;
}

/* Lane 0 has the best, and so on (Batcher's bitonic sort). */
PRIM uint64_t best_warp_sort(uint64_t key)
{
#pragma unroll
    for (uint32_t run = 2; run <= 32; run *= 2)
#pragma unroll
        for (uint32_t by = run / 2; by > 0; by /= 2)
            key = best_warp_step(key, by, (prim_lane() & run) == 0);
    return key;
}

/* The best 32 of two such. */
PRIM uint64_t best_warp_merge(uint64_t a, uint64_t b)
{
    b = prim_shuffle<32>(b, 31 - prim_lane());
    a = a > b ? a : b;
#pragma unroll
    for (uint32_t by = 16; by > 0; by /= 2)
        a = best_warp_step(a, by, true);
    return a;
}

/* By a warp: of the n keys key(i), none of which is 0, the best 32, or all and zeros; k of them are wanted. */
template <class KEY> PRIM uint64_t best_warp_of(KEY key, uint32_t n, uint32_t k)
{
    uint64_t best = 0;
    for (uint32_t from = 0; from < n; from += 32) {
        uint64_t mine = from + prim_lane() < n ? key(from + prim_lane()) : 0;
        if (prim_ballot<32>(mine > prim_shuffle<32>(best, k - 1)))
            best = best_warp_merge(best, best_warp_sort(mine));
    }
    return best;
}

#endif
