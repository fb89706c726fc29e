/* topk_warp.cuh: the best 32 of many keys (topk_block.cuh), by one warp, in registers. */
#ifndef RP_KERNELS_TOPK_WARP_CUH
#define RP_KERNELS_TOPK_WARP_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* One step of a bitonic sort: the lane's own or its partner's, whichever belongs here. */
PRIM uint64_t topk_warp_step(uint64_t key, uint32_t by, bool is_falling)
{
    uint64_t other = prim_shuffle_xor<32>(key, by);
    bool keeps_greater = ((prim_lane() & by) == 0) == is_falling;
    return (key > other) == keeps_greater ? key : other;
}

/* Lane 0 has the best, and so on (Batcher's bitonic sort). UNROLL of 1, as below: few instructions
 * for who comes once. */
template <int UNROLL = 32> PRIM uint64_t topk_warp_sort(uint64_t key)
{
#pragma unroll UNROLL
    for (uint32_t run = 2; run <= 32; run *= 2)
#pragma unroll UNROLL
        for (uint32_t by = run / 2; by > 0; by /= 2)
            key = topk_warp_step(key, by, (prim_lane() & run) == 0);
    return key;
}

/* The best 32 of two such. */
template <int UNROLL = 32> PRIM uint64_t topk_warp_merge(uint64_t a, uint64_t b)
{
    b = prim_shuffle<32>(b, 31 - prim_lane());
    a = a > b ? a : b;
#pragma unroll UNROLL
    for (uint32_t by = 16; by > 0; by /= 2)
        a = topk_warp_step(a, by, true);
    return a;
}

enum { TOPK_WARP_SCRATCH = 64 }; /* keys of shared memory that the next needs */

/* By a warp: of the n keys key(i), none of which is 0, the best 32 of those that score `least` or
 * more, or all and zeros; k of them, at most 32, are right. Some keys of each lane are on their way
 * at a time; those that may count are gathered in `room`, and merged 32 at a time. */
template <int EACH, int UNROLL = 32, class KEY>
PRIM uint64_t topk_warp_of(KEY key, uint32_t n, uint32_t k, uint32_t min_score, uint64_t *scratch)
{
    uint64_t best = 0, cut = min_score ? ((uint64_t)min_score << 32) - 1 : 0, mine[EACH];
    uint32_t held = 0;
    for (uint32_t from = 0; from < n; from += 32 * EACH) {
#pragma unroll
        for (uint32_t e = 0; e < EACH; e++) {
            uint32_t i = from + e * 32 + prim_lane();
            mine[e] = i < n ? key(i) : 0;
        }
#pragma unroll
        for (uint32_t e = 0; e < EACH; e++) {
            uint32_t all = prim_ballot<32>(mine[e] > cut);
            if (all >> prim_lane() & 1)
                scratch[held + prim_count(all & prim_mask(prim_lane()))] = mine[e];
            held += prim_count(all);
            bool is_end = e + 1 == EACH && from + 32 * EACH >= n;
            if (held < 32 && !(is_end && held))
                continue;
            prim_sync_tile();
            uint64_t next = prim_lane() < held ? scratch[prim_lane()] : 0,
                     rest = scratch[32 + prim_lane()];
            best = topk_warp_merge<UNROLL>(best, topk_warp_sort<UNROLL>(next));
            cut = prim_max(cut, prim_shuffle<32>(best, k - 1));
            held = held > 32 ? held - 32 : 0;
            prim_sync_tile();
            scratch[prim_lane()] = rest;
            prim_sync_tile();
        }
    }
    return held ? topk_warp_merge<UNROLL>(
                      best, topk_warp_sort<UNROLL>(prim_lane() < held ? scratch[prim_lane()] : 0))
                : best;
}

#endif
