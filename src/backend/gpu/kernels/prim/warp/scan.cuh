/* scan.cuh: sums and maxima over tiles and blocks. */
#ifndef RP_KERNELS_SCAN_CUH
#define RP_KERNELS_SCAN_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* The sum up to and with this thread's. */
template <int W> PRIM uint32_t scan_add(uint32_t v)
{
#pragma unroll
    for (uint32_t by = 1; by < W; by *= 2) {
        uint32_t below = prim_shuffle_up<W>(v, by);
        v += prim_thread() % W >= by ? below : 0;
    }
    return v;
}

/* The same where the whole warp comes, in parts of W. */
template <int W> PRIM uint32_t scan_add_all(uint32_t v)
{
#pragma unroll
    for (uint32_t by = 1; by < W; by *= 2)
        v = prim_add_below_all<W>(v, by);
    return v;
}

/* The same in three instructions a step where that has two, which the compiler may move among
 * others: what decoders that hold several blocks in registers want. */
template <int W> PRIM uint32_t scan_add_among(uint32_t v)
{
#pragma unroll
    for (uint32_t by = 1; by < W; by *= 2) {
        uint32_t below = prim_shuffle_up_all<W>(v, by);
        /* 1 or 0: one instruction, where a choice is two */
        v += below * ((prim_thread() % W + W - by) / W);
    }
    return v;
}

/* The sum, and the maximum, of all, for all. */
template <int W> PRIM uint32_t scan_sum(uint32_t v)
{
#pragma unroll
    for (uint32_t by = W / 2; by > 0; by /= 2)
        v += prim_shuffle_xor<W>(v, by);
    return v;
}
template <int W> PRIM uint32_t scan_max(uint32_t v)
{
#pragma unroll
    for (uint32_t by = W / 2; by > 0; by /= 2)
        v = prim_max(v, prim_shuffle_xor<W>(v, by));
    return v;
}

/* Over a block of whole warps: the sum of all threads before this one; *all is that of all.
 * `scratch`: a word a warp, and one more, in shared memory, free for use again after the next
 * prim_sync. */
PRIM uint32_t scan_block(uint32_t v, uint32_t *scratch, uint32_t *all)
{
    uint32_t up_to = scan_add<32>(v), warps = prim_block_size() / 32;
    if (prim_lane() == 31)
        scratch[prim_warp()] = up_to;
    prim_sync();
    if (prim_warp() == 0) {
        uint32_t sum = scan_add<32>(prim_lane() < warps ? scratch[prim_lane()] : 0);
        if (prim_lane() < warps)
            scratch[prim_lane()] = sum;
    }
    prim_sync();
    *all = scratch[warps - 1];
    return up_to - v + (prim_warp() ? scratch[prim_warp() - 1] : 0);
}

#endif
