/* copy.cu: device memory to device memory, the yardstick of every kernel's bandwidth; and reading
 * alone. One block of threads: four words of 16 bytes a thread, neighbours side by side, all loads
 * before the first store. Reads `from`, writes `to`. Any n; a grid that covers it. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(copy_kernel, karg_copy)
{
    const uint4 *from = prim_at<const uint4>(a.from);
    uint4 *to = prim_at<uint4>(a.to);
    uint32_t step = prim_block_size();
    uint64_t i = (uint64_t)prim_block() * step * KARG_COPY_WORDS + prim_thread();
    if (i + (uint64_t)(KARG_COPY_WORDS - 1) * step < a.n) {
        uint4 v[KARG_COPY_WORDS];
#pragma unroll
        for (uint32_t k = 0; k < KARG_COPY_WORDS; k++)
            v[k] = from[i + k * step];
#pragma unroll
        for (uint32_t k = 0; k < KARG_COPY_WORDS; k++)
            to[i + k * step] = v[k];
        return;
    }
    for (; i < a.n; i += step)
        to[i] = from[i];
}

/* What was in the caches is evicted by words that nobody changed. Their sum is added to the word at
 * `to`. */
RP_KERNEL(copy_read_kernel, karg_copy)
{
    const uint4 *from = prim_at<const uint4>(a.from);
    uint32_t step = prim_block_size(), sum = 0;
    uint64_t i = (uint64_t)prim_block() * step * KARG_COPY_WORDS + prim_thread();
#pragma unroll
    for (uint32_t k = 0; k < KARG_COPY_WORDS; k++)
        if (i + k * step < a.n) {
            uint4 v = from[i + k * step];
            sum += v.x + v.y + v.z + v.w;
        }
    sum = scan_sum<32>(sum);
    if (prim_lane() == 0)
        prim_atomic_add(prim_at<uint32_t>(a.to), sum);
}
