/* found.cuh: documents that match a query, on their way out: counted, and those that score enough as pairs. */
#ifndef RP_KERNELS_FOUND_CUH
#define RP_KERNELS_FOUND_CUH

#include "backend/gpu/kernels/prim/prim.cuh"

/* By a warp: a document a lane, if it matches, and its score. */
PRIM void found_put(const karg_flat &a, uint32_t docid, bool is_match, uint32_t score)
{
    karg_found *found = prim_at<karg_found>(a.found);
    uint32_t all = prim_ballot<32>(is_match), place = 0;
    bool is_pair = is_match && a.pairs && score >= a.least;
    uint32_t pairs = prim_ballot<32>(is_pair);
    if (prim_lane() == 0 && all)
        prim_atomic_add(&found->n, prim_count(all));
    if (prim_lane() == 0 && pairs)
        place = prim_atomic_add(&found->n_pairs, prim_count(pairs));
    place = prim_shuffle<32>(place, 0) + prim_count(pairs & prim_mask(prim_lane()));
    if (is_pair)
        prim_at<karg_pair>(a.pairs)[place] = {score, docid};
}

#endif
