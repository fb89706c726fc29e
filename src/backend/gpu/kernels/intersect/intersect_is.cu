/* intersect_is.cu: A in B by eight steps of interpolation, then binary search (row is-8; the
 * paper's is intersect_is_plain.cu).
 * One thread: two elements of A side by side. One block: a tile of A.
 * Reads A once, coalesced; of B one word a step, then a sector or two; writes hits staged in shared
 * memory. After TUNE_IS_STEPS steps halves what is left, as lists that lie badly would take many.
 * Any content is safe.
 * Source: ours, of Ao et al. 2011, 4.3, who find interpolation slower than binary search. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

enum { IS_EACH = 2 };

/* Narrows [lo, hi) of B for x, guided by the docids at both ends. */
PRIM void is_narrow(const uint32_t *list, uint32_t n, uint32_t x, uint32_t *lo, uint32_t *hi)
{
    uint32_t from = 0, to = n - 1, low = prim_load(&list[from]), high = prim_load(&list[to]);
    for (int i = 0; i < TUNE_IS_STEPS && low < x && x < high && to - from > SEARCH_SECTOR; i++) {
        float share = prim_div(prim_float(x - low), prim_float(high - low));
        uint32_t step = prim_truncate(prim_mul(share, prim_float(to - from)));
        uint32_t mid = from + prim_min(step, to - from), at = prim_load(&list[mid]);
        if (at < x) {
            from = mid;
            low = at;
        } else {
            to = mid;
            high = at;
        }
    }
    bool is_out = x < low || x > high;
    *lo = is_out ? 0 : from;
    *hi = is_out ? 0 : to + 1;
}

RP_KERNEL(intersect_is_kernel, karg_intersect)
{
    uint32_t *shared = (uint32_t *)prim_shared(), lo[IS_EACH] = {0}, hi[IS_EACH] = {0},
             rank[IS_EACH];
    const uint32_t *list = prim_at<const uint32_t>(a.b);
    search_part<IS_EACH> p = search_begin<IS_EACH>(a, shared);
#pragma unroll
    for (int e = 0; e < IS_EACH; e++)
        if (p.first + e < a.na && a.nb > 0)
            is_narrow(list, a.nb, p.x[e], &lo[e], &hi[e]);
    search_ranks<IS_EACH>(list, a.nb, p.x, lo, hi, rank);
    search_end<IS_EACH>(a, p, rank, shared);
}
