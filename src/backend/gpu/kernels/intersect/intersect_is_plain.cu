/* intersect_is_plain.cu: A in B by interpolation search; literal.
 * One thread: an element of A. One block: a tile of A.
 * Reads A once, coalesced; of B three words a step: both ends of what is left, and the one that a
 * line between them expects; writes hits staged in shared memory. Steps: about log2(log2(nb)) where
 * docids lie evenly, up to nb where they do not. Any na and nb. Any content is safe: what is left
 * becomes shorter with every step.
 * Source: Ao et al. 2011, 4.3, of Perl, Itai and Avni 1978. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* The rank of x among n docids, else n. */
PRIM uint32_t is_plain_find(const uint32_t *list, uint32_t n, uint32_t x)
{
    uint32_t from = 0, to = n;
    while (from < to) {
        uint32_t low = prim_load(&list[from]), high = prim_load(&list[to - 1]);
        if (x < low || x > high)
            return n;
        uint64_t ahead = (uint64_t)(x - low) * (to - 1 - from);
        uint32_t mid = from + (high > low ? (uint32_t)(ahead / (high - low)) : 0),
                 at = prim_load(&list[mid]);
        if (at == x)
            return mid;
        if (at < x)
            from = mid + 1;
        else
            to = mid;
    }
    return n;
}

RP_KERNEL(intersect_is_plain_kernel, karg_intersect)
{
    uint32_t *shared = (uint32_t *)prim_shared(), rank = a.nb;
    search_part<1> p = search_begin<1>(a, shared);
    if (p.first < a.na)
        rank = is_plain_find(prim_at<const uint32_t>(a.b), a.nb, p.x[0]);
    search_end<1>(a, p, &rank, shared);
}
