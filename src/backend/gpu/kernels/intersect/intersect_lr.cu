/* intersect_lr.cu: A in B by binary search in a safe range, that of the list's line or of a
 * segment's. One thread: two elements of A side by side. One block: a tile of A.
 * Reads A once, coalesced; the line or, for a local range, heads and a segment's line; of B one
 * word a step, then a sector or two; writes hits staged in shared memory.
 * aux: lr. Ranges are held within nb: any content is safe.
 * Source: Ao et al. 2011, 4.3; literal. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { LR_EACH = 2 };

template <bool IS_LOCAL> PRIM void lr_run(const karg_intersect &a)
{
    uint32_t *shared = (uint32_t *)prim_shared(), lo[LR_EACH], hi[LR_EACH], rank[LR_EACH];
    search_part<LR_EACH> p = search_begin<LR_EACH>(a, shared);
    lr_line_fit line = a.nb > 0 ? lr_line_open(a.aux) : lr_line_fit{0, 0, 0, 0};
#pragma unroll
    for (int e = 0; e < LR_EACH; e++) {
        lr_line_range r = {0, 0};
        if (p.first + e < a.na && a.nb > 0)
            r = lr_line_find(line, a.nb, p.x[e]);
        if (IS_LOCAL)
            r = lr_line_narrow(a.aux, a.nb, p.x[e], r);
        lo[e] = r.lo;
        hi[e] = r.hi;
    }
    search_ranks<LR_EACH>(prim_at<const uint32_t>(a.b), a.nb, p.x, lo, hi, rank);
    search_end<LR_EACH>(a, p, rank, shared);
}

RP_KERNEL(intersect_lr_global_kernel, karg_intersect)
{
    lr_run<false>(a);
}
RP_KERNEL(intersect_lr_local_kernel, karg_intersect)
{
    lr_run<true>(a);
}
