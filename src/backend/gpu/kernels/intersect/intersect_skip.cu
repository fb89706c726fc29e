/* intersect_skip.cu: A in B by binary search over skip pointers, then in the block they name.
 * One thread: two elements of A side by side. One block: a tile of A.
 * Reads A once, coalesced; last_far and last of B's directory, which is 1/128 of B, one word a
 * step; of B the block's words, at last a sector or two; writes hits staged in shared memory.
 * list: the directory of b, blocks of 128. Any content is safe.
 * Source: ours, of Liu et al. 2018, 3.1.2, and Ding et al. 2009: there only the blocks that are
 * needed are decoded, as in intersect_bp128.cu; here B is decoded, and its directory is made. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { SKIP_EACH = 2 };

RP_KERNEL(intersect_skip_kernel, karg_intersect)
{
    uint32_t *shared = (uint32_t *)prim_shared(), lo[SKIP_EACH], hi[SKIP_EACH], rank[SKIP_EACH];
    search_part<SKIP_EACH> p = search_begin<SKIP_EACH>(a, shared);
#pragma unroll
    for (int e = 0; e < SKIP_EACH; e++) {
        uint32_t block = p.first + e < a.na ? directory_block(a.list, p.x[e]) : a.list.n_blocks;
        lo[e] = prim_min(block * KARG_BLOCK, a.nb);
        hi[e] = prim_min(lo[e] + KARG_BLOCK, a.nb);
    }
    search_ranks<SKIP_EACH>(prim_at<const uint32_t>(a.b), a.nb, p.x, lo, hi, rank);
    search_end<SKIP_EACH>(a, p, rank, shared);
}
