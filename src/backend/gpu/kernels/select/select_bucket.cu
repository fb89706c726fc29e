/* select_bucket.cu: the k best of one large selection, by buckets of equal width between its
 * extremes.
 * Owns:   a thread scores a grid apart; a launch a pass (radix_select.cuh), the last block of each
 *         goes on to a bucket.
 * Moves:  all scores once for the extremes, once a pass and once to gather. Shared: as
 *         select_block.cu.
 * Limits: k keys in shared memory.
 * Source: bucketSelect (Alabi, Blanchard, Gordon and Steinbach, 2012). */
#include "backend/gpu/kernels/prim/prim.cuh"

namespace
{

/* v is in bucket (v - lo) slope / 2^32, with a slope that takes the range to just below all of
 * them. */
struct bucket {
    PRIM uint64_t slope(uint32_t lo, uint32_t hi)
    {
        uint64_t slope = ((uint64_t)TOPK_BINS << 32) / ((uint64_t)(hi - lo) + 1);
        /* no finer than numbers are */
        return slope < (uint64_t)1 << 32 ? slope : (uint64_t)1 << 32;
    }
    PRIM uint32_t digit(uint32_t lo, uint32_t hi, uint32_t v)
    {
        return (uint32_t)((v - lo) * slope(lo, hi) >> 32);
    }
    PRIM uint32_t low(uint32_t lo, uint32_t hi, uint32_t d)
    {
        uint64_t s = slope(lo, hi);
        return lo + (uint32_t)((((uint64_t)d << 32) + s - 1) / s);
    }
    PRIM uint32_t high(uint32_t lo, uint32_t hi, uint32_t d)
    {
        uint64_t s = slope(lo, hi), next = lo + ((((uint64_t)d + 1) << 32) + s - 1) / s;
        return next - 1 < hi ? (uint32_t)(next - 1) : hi;
    }
};

} // namespace

RP_KERNEL(select_bucket_extremes_kernel, karg_select)
{
    const uint32_t *scores = prim_at<const uint32_t>(a.scores),
                   step = prim_grid_size() * prim_block_size();
    uint32_t *state = prim_at<uint32_t>(a.scratch), low = 0, high = 0;
#pragma unroll 8
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step) {
        uint32_t v = prim_load_once(&scores[i]);
        low = prim_max(low, ~v);
        high = prim_max(high, v);
    }
    low = scan_max<32>(low);
    high = scan_max<32>(high);
    if (prim_lane() == 0) {
        prim_atomic_max(&state[RADIX_SELECT_LOW], low);
        prim_atomic_max(&state[RADIX_SELECT_HIGH], high);
    }
}

RP_KERNEL(select_bucket_kernel, karg_select)
{
    radix_select_pass<bucket>(a);
}

RP_KERNEL_BOUNDED(select_bucket_gather_kernel, karg_select, 512, 2)
{
    radix_select_gather(a, true);
}
