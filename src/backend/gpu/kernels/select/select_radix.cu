/* select_radix.cu: the k best of one large selection, by leading bits.
 * Owns:   a thread scores a grid apart; a launch a pass (radix_select.cuh), the last block of each
 *         goes on to a bin.
 * Moves:  all scores once a pass, and once to gather: twice where the first bins are fine enough,
 *         which they are unless thousands of documents share a 32nd of the score. Shared: as
 *         select_block.cu.
 * Limits: any k; where k keys do not fit into shared memory, they are left in scratch for
 *         select_sort.cu.
 * Source: AIR Top-K (Zhang et al., SC 2023). */
#include "backend/gpu/kernels/prim/prim.cuh"

namespace
{

/* The whole range is cut by exponent and some bits; a part of it, which is a power of two long, by
 * its highest. */
struct radix {
    PRIM uint32_t shift(uint32_t lo, uint32_t hi)
    {
        uint32_t width = prim_width(hi - lo);
        return width > TOPK_DIGIT ? width - TOPK_DIGIT : 0;
    }
    PRIM uint32_t digit(uint32_t lo, uint32_t hi, uint32_t v)
    {
        return hi - lo == ~0U ? topk_bin(v) : (v - lo) >> shift(lo, hi);
    }
    PRIM uint32_t low(uint32_t lo, uint32_t hi, uint32_t d)
    {
        return hi - lo == ~0U ? topk_edge(topk_bin_range(d)) : lo + (d << shift(lo, hi));
    }
    PRIM uint32_t high(uint32_t lo, uint32_t hi, uint32_t d)
    {
        uint32_t rest = hi - lo == ~0U ? topk_bin_range(d).rest : shift(lo, hi);
        return low(lo, hi, d) + prim_mask(rest);
    }
};

} // namespace

/* Before the first pass: one block of any size. */
RP_KERNEL(select_radix_begin_kernel, karg_select)
{
    uint32_t *state = prim_at<uint32_t>(a.scratch);
    if (prim_thread() == 0) {
        state[RADIX_SELECT_LOW] = ~0U;
        state[RADIX_SELECT_HIGH] = ~0U;
    }
}

RP_KERNEL(select_radix_kernel, karg_select)
{
    radix_select_pass<radix>(a);
}

RP_KERNEL_BOUNDED(select_radix_gather_kernel, karg_select, 512, 2)
{
    radix_select_gather(a, a.step != 0);
}
