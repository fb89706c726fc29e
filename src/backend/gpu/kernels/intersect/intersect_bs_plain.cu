/* intersect_bs_plain.cu: A in B by binary search over all of B; literal.
 * One thread: an element of A. One block: a tile of A.
 * Reads A once, coalesced; of B one word a step, log2(nb) + 1 of them; writes hits staged in shared
 * memory. Any na and nb. Any content is safe.
 * Source: Ao et al. 2011, 4.2: a thread an element, no range but the whole list. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(intersect_bs_plain_kernel, karg_intersect)
{
    uint32_t *shared = (uint32_t *)prim_shared(), rank = a.nb;
    const uint32_t *list = prim_at<const uint32_t>(a.b);
    search_part<1> p = search_begin<1>(a, shared);
    if (p.first < a.na) {
        uint32_t at = search_first(list, 0, a.nb, p.x[0]);
        rank = at < a.nb && prim_load(&list[at]) == p.x[0] ? at : a.nb;
    }
    search_end<1>(a, p, &rank, shared);
}
