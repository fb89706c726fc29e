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

/* By a warp: of the n keys key(i), none of which is 0, the best 32, or all and zeros, of which k, at most 32, are right.
 * Some keys of each lane are on their way at a time. */
template <int EACH, class KEY> PRIM uint64_t best_warp_of(KEY key, uint32_t n, uint32_t k)
{
    uint64_t best = 0, mine[EACH];
    for (uint32_t from = 0; from < n; from += 32 * EACH) {
#pragma unroll
        for (uint32_t e = 0; e < EACH; e++) {
            uint32_t i = from + e * 32 + prim_lane();
            mine[e] = i < n ? key(i) : 0;
        }
#pragma unroll 1
        for (uint32_t e = 0; e < EACH; e++) {
            uint64_t other = mine[0];
#pragma unroll
            for (uint32_t j = 1; j < EACH; j++) {
                other = e == j ? mine[j] : other;
            }
            if (prim_ballot<32>(other > prim_shuffle<32>(best, k - 1)))
                best = best_warp_merge(best, best_warp_sort(other));
        }
    }
    return best;
}

#endif
