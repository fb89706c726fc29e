/* score_gather.cu: scores of candidates, from an accumulator a document. One thread: a
 * candidate, and the next one a grid further on. Reads docids once, coalesced, and a sum each,
 * gathered. No shared memory. Limits: any docids; those that are no documents have a score of 0.
 * Source: Ding et al., WWW 2009, 4.4. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(score_gather_kernel, karg_gather)
{
    const uint32_t *docids = prim_at<const uint32_t>(a.docids),
                   *sums = prim_at<const uint32_t>(a.sums);
    uint32_t step = prim_grid_size() * prim_block_size();
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step) {
        uint32_t docid = prim_load_once(&docids[i]);
        prim_at<uint32_t>(a.scores)[i] = docid < a.n_docs ? prim_load(&sums[docid]) : 0;
    }
}
