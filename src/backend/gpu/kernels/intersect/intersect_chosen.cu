/* intersect_chosen.cu: tiles for the decoders, of the blocks of a list that were chosen: their
 * docids come side by side. One block of threads: all of them, as many at a time as it has
 * threads. Reads numbers of blocks, and where blocks are cut by the codec two ranks of the
 * directory; writes a karg_tile each. Shared memory: a word a warp and one more. Limits: any
 * numbers and any directory: blocks of 128 lie at multiples of 128, in whatever order they come; a
 * block that the list does not have, or that does not fit behind the others, has no docids.
 * Source: Ding et al. 2009, 8. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(intersect_chosen_kernel, karg_chosen)
{
    const karg_list *list = prim_at<const karg_list>(a.list);
    uint32_t count = prim_min(prim_load(prim_at<const uint32_t>(a.count)), a.max), before = 0, all;
    bool is_cut = prim_load(&list->first) != 0;
    for (uint32_t from = 0; from < a.max; from += prim_block_size()) {
        uint32_t i = from + prim_thread();
        uint32_t b = i < count ? prim_load(prim_at<const uint32_t>(a.blocks) + i) : 0;
        uint32_t first = job_rank(list, b), next = job_rank(list, b + 1);
        uint32_t n = i < count && next > first ? next - first : 0;
        uint32_t sum = before + scan_block(n, (uint32_t *)prim_shared(), &all),
                 at = is_cut ? sum : i * KARG_BLOCK;
        uint32_t fits = (uint64_t)at + n <= prim_load(&list->n) ? n : 0;
        if (i < a.max)
            prim_at<karg_tile>(a.tiles)[i] = {0, b, fits > 0, fits, at};
        before += all;
        prim_sync();
    }
}
