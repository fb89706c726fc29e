/* copy.cu: device memory to device memory, the yardstick of every kernel's bandwidth.
 * One thread: 16-byte words, a grid apart, four in flight. Coalesced; no shared memory. Any n. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(copy_kernel, karg_copy)
{
    const uint4 *from = prim_at<const uint4>(a.from);
    uint4 *to = prim_at<uint4>(a.to);
    uint64_t step = (uint64_t)prim_grid_size() * prim_block_size();
    uint64_t i = (uint64_t)prim_block() * prim_block_size() + prim_thread();
    for (; i + 3 * step < a.n; i += 4 * step) {
        uint4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            v[k] = prim_load_once(&from[i + (uint64_t)k * step]);
#pragma unroll
        for (int k = 0; k < 4; k++)
            to[i + (uint64_t)k * step] = v[k];
    }
    for (; i < a.n; i += step)
        to[i] = from[i];
}
