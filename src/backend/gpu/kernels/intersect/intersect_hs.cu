/* intersect_hs.cu: A in B by hash segmentation: the leading bits of a docid name its bucket of B.
 * One thread: one or two elements of A side by side. One block: a tile of A.
 * Reads A once, coalesced; two starts an element, then the bucket: at once where two sectors hold
 * it, else after a binary search; writes hits staged in shared memory. Three loads wait for each
 * other, no more, for fine buckets. aux: the starts, n_buckets + 1 of them, of buckets of 2^shift
 * docids; they are held within nb: any are safe.
 * Source: Ao et al. 2011, 4.4; literal. */
#include "backend/gpu/kernels/prim/prim.cuh"

template <int E> PRIM void hs_run(const karg_intersect &a)
{
    uint32_t *shared = (uint32_t *)prim_shared(), lo[E], hi[E], rank[E];
    const uint32_t *starts = prim_at<const uint32_t>(a.aux);
    search_part<E> p = search_begin<E>(a, shared);
#pragma unroll
    for (int e = 0; e < E; e++) {
        uint64_t bucket = (uint64_t)p.x[e] >> a.shift;
        bool is_there = p.first + e < a.na && bucket < a.n_buckets;
        lo[e] = is_there ? prim_load(&starts[bucket]) : 0;
        hi[e] = is_there ? prim_load(&starts[bucket + 1]) : 0;
    }
#pragma unroll
    for (int e = 0; e < E; e++)
        hi[e] = prim_min(hi[e], a.nb);
    search_ranks<E>(prim_at<const uint32_t>(a.b), a.nb, p.x, lo, hi, rank);
    search_end<E>(a, p, rank, shared);
}

RP_KERNEL(intersect_hs_x1_kernel, karg_intersect)
{
    hs_run<1>(a);
}
RP_KERNEL(intersect_hs_x2_kernel, karg_intersect)
{
    hs_run<2>(a);
}
