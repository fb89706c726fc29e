/* intersect_regression.cu: A in a compressed B of lrcseg or seglrc, whose docids are read one by
 * one. One thread: an element of A. One block: a tile of A.
 * Reads A once, coalesced; the directory of B by halving, then docids of one block, a head and a
 * few bytes a step; writes hits staged in shared memory.
 * Residuals that do not lie in their block's bytes are none, ranks are held within the list: any
 * bytes are safe. Source: Ao et al. 2011, 5.2, Algorithm 1 without the safe range. */
#include "backend/gpu/kernels/prim/prim.cuh"

template <int KIND> PRIM void regression_run(const karg_intersect &a)
{
    uint32_t *shared = (uint32_t *)prim_shared(), rank = a.nb;
    search_part<1> p = search_begin<1>(a, shared);
    uint32_t b = p.first < a.na && a.nb > 0 ? directory_block(a.list, p.x[0]) : a.list.n_blocks;
    if (b < a.list.n_blocks)
        rank = regression_rank<KIND>(a.list, b, p.x[0]);
    search_end<1>(a, p, &rank, shared);
}

RP_KERNEL(intersect_regression_lrcseg_kernel, karg_intersect)
{
    regression_run<REGRESSION_MOVED>(a);
}
RP_KERNEL(intersect_regression_seglrc_kernel, karg_intersect)
{
    regression_run<REGRESSION_OWN>(a);
}
