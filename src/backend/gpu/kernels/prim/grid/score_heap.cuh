/* score_heap.cuh: a tree over scored documents whose nodes hold the best key of their children,
 * DEGREE each. Level 0 are the pairs; levels from 1 on lie one after the other in scratch. */
#ifndef RP_KERNELS_SCORE_HEAP_CUH
#define RP_KERNELS_SCORE_HEAP_CUH

#include "backend/gpu/kernels/prim/block/topk_block.cuh"

/* Pair i as a key; 0: it does not count. */
PRIM uint64_t heap_key(const karg_select &a, uint32_t i)
{
    if (i >= a.n)
        return 0;
    uint32_t score = prim_at<const uint32_t>(a.scores)[i];
    return score >= a.min_score
               ? topk_key(score, a.docids ? prim_at<const uint32_t>(a.docids)[i] : i)
               : 0;
}

/* How many nodes the levels from 1 on below `level` have; and this one, at least one. */
template <uint32_t DEGREE>
PRIM uint32_t heap_nodes_before(uint32_t n, uint32_t level, uint32_t *nodes)
{
    uint32_t before = 0, here = n;
    for (uint32_t l = 1; l <= level; l++) {
        before += l > 1 ? here : 0;
        here = prim_max(prim_div_up(here, DEGREE), 1U);
    }
    *nodes = here;
    return before;
}

template <uint32_t DEGREE>
PRIM uint64_t *heap_level(const karg_select &a, uint32_t level, uint32_t *nodes)
{
    uint64_t *keys = (uint64_t *)(prim_at<uint32_t>(a.scratch) + KARG_SELECT_ZEROS);
    return keys + heap_nodes_before<DEGREE>(a.n, level, nodes);
}

#endif
