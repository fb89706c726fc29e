/* score_bm25.cu: one accumulator a document: adds what each posting of a list contributes.
 * Owns:   a thread a posting, and the next one a grid further on.
 * Moves:  docids and frequencies once, coalesced; a code and a score a posting, gathered. No shared
 *         memory.
 * Limits: docids of a list differ, so that no two threads meet; lists come one launch after the
 *         other. Docids past n_docs, which only damaged bytes have, are left out.
 * Source: Ding et al., WWW 2009, 4.4. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(score_bm25_kernel, karg_score)
{
    const uint32_t *docids = prim_at<const uint32_t>(a.docids),
                   *tfs = prim_at<const uint32_t>(a.tfs);
    uint32_t *scores = prim_at<uint32_t>(a.scores), step = prim_grid_size() * prim_block_size();
#pragma unroll 4
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step) {
        uint32_t docid = prim_load_once(&docids[i]), tf = prim_load_once(&tfs[i]);
        if (docid < a.n_docs)
            scores[docid] += score_fixed(a.weight, score_norm_any(a.norms, docid), tf);
    }
}
