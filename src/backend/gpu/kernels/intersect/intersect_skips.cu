/* intersect_skips.cu: skip pointers of a list that is there as docids, for intersect_skip.cu. One
 * thread: a block of 128, of which it writes the last docid; every 64th, or the last of all, writes
 * the far one too. No shared memory. Source: Liu et al. 2018, 3.1.2. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(intersect_skips_kernel, karg_skips)
{
    const uint32_t *docids = prim_at<const uint32_t>(a.docids);
    uint32_t b = prim_block() * prim_block_size() + prim_thread();
    if (b >= prim_div_up(a.n, KARG_BLOCK))
        return;
    uint32_t end = prim_min(b * KARG_BLOCK + KARG_BLOCK, a.n);
    prim_at<uint32_t>(a.last)[b] = docids[end - 1];
    if (b % DIRECTORY_FAR == DIRECTORY_FAR - 1 || end == a.n)
        prim_at<uint32_t>(a.last_far)[b / DIRECTORY_FAR] = docids[end - 1];
}
