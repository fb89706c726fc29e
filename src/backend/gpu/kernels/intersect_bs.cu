/* intersect_bs.cu: A in B by binary search.
 * One thread: two or four elements of A side by side, in step. One block: a tile of A.
 * Reads A once, coalesced; of B one word a step, then a sector or two; writes hits staged in shared memory.
 * Any na and nb; nb is at least 1 where na is. Any content is safe.
 * Source: the base line of Ao et al. 2011. */
#include "backend/gpu/kernels/prim/search.cuh"

template <int E> PRIM void bs_run(const karg_intersect &a)
{
    uint32_t *shared = (uint32_t *)prim_shared(), lo[E], hi[E], rank[E];
    search_part<E> p = search_begin<E>(a, shared);
#pragma unroll
    for (int e = 0; e < E; e++) {
        lo[e] = 0;
        hi[e] = p.first + e < a.na ? a.nb : 0;
    }
    search_ranks<E>(prim_at<const uint32_t>(a.b), a.nb, p.x, lo, hi, rank);
    search_end<E>(a, p, rank, shared);
}

RP_KERNEL(intersect_bs_x2_kernel, karg_intersect) { bs_run<2>(a); }
RP_KERNEL(intersect_bs_x4_kernel, karg_intersect) { bs_run<4>(a); }
