/* intersect_bs.cu: A in B by binary search between the ends of tiles (rows bs-ends; the paper's is
 * intersect_bs_plain.cu).
 * One thread: one or two elements of A side by side, in step. One block: a tile of A, whose first
 * and last element two of its warps look for in B before all others are looked for between them:
 * most steps then find their words close by. Reads A once, coalesced; of B one word a step, then a
 * sector or two; writes hits staged in shared memory. Any na and nb; nb is at least 1 where na is.
 * Any content is safe.
 * Source: ours; ends of tiles first as Ding et al. 2009 have splitters. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* Where the tile's elements may be in B. */
template <int E>
PRIM void bs_ends(const karg_intersect &a, const search_part<E> &p, uint32_t *shared)
{
    uint32_t first = p.tile.number * prim_block_size() * E,
             last = prim_min(first + prim_block_size() * E, a.na);
    prim_sync();
    for (uint32_t end = prim_warp(); end < 2 && first < a.na; end += prim_block_size() / 32) {
        const uint32_t *list_a = prim_at<const uint32_t>(a.a),
                       *list_b = prim_at<const uint32_t>(a.b);
        uint64_t x = end ? (uint64_t)prim_load(&list_a[last - 1]) + 1 : prim_load(&list_a[first]);
        uint32_t at = search_warp(list_b, a.nb, x, a.universe);
        if (prim_lane() == 0)
            shared[end] = at;
    }
    prim_sync();
}

template <int E> PRIM void bs_run(const karg_intersect &a)
{
    uint32_t *shared = (uint32_t *)prim_shared(), lo[E], hi[E], rank[E];
    search_part<E> p = search_begin<E>(a, shared);
    bs_ends<E>(a, p, shared);
#pragma unroll
    for (int e = 0; e < E; e++) {
        lo[e] = shared[0];
        hi[e] = p.first + e < a.na ? shared[1] : 0;
    }
    prim_sync();
    search_ranks<E>(prim_at<const uint32_t>(a.b), a.nb, p.x, lo, hi, rank);
    search_end<E>(a, p, rank, shared);
}

RP_KERNEL(intersect_bs_x1_kernel, karg_intersect)
{
    bs_run<1>(a);
}
RP_KERNEL(intersect_bs_x2_kernel, karg_intersect)
{
    bs_run<2>(a);
}
