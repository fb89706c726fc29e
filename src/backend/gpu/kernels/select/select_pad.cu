/* select_pad.cu: what lies behind the last candidate becomes pairs that are worse than any, and
 * differ, so that selections need not know how many candidates there are. One thread: a pair,
 * and the next one a grid further on. Reads the count; writes coalesced. No shared memory.
 * Limits: n and the number of documents together are below 2^32. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(select_pad_kernel, karg_pad)
{
    uint32_t count = prim_load(prim_at<const uint32_t>(a.count)),
             step = prim_grid_size() * prim_block_size();
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step)
        if (i >= count) {
            prim_at<uint32_t>(a.docids)[i] = KARG_NO_CANDIDATE - (a.n - 1 - i);
            prim_at<uint32_t>(a.scores)[i] = 0;
        }
}
