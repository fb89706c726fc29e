/* score_accumulate.cu: one accumulator a document: adds what each posting of a list contributes,
 * and marks the document. One thread: a posting, and the next one a grid further on. Reads
 * docids and frequencies once, coalesced; a code and a sum a posting, gathered. No shared
 * memory. Limits: docids of a list differ, so that no two threads meet in a sum; lists come one
 * launch after the other. Docids outside of the requested range are left out. Source: Ding et
 * al., WWW 2009, 4.4. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(score_accumulate_kernel, karg_accumulate)
{
    const uint32_t *docids = prim_at<const uint32_t>(a.docids),
                   *tfs = prim_at<const uint32_t>(a.tfs);
    uint32_t *sums = prim_at<uint32_t>(a.sums), *marks = prim_at<uint32_t>(a.marks),
             step = prim_grid_size() * prim_block_size();
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step) {
        uint32_t docid = prim_load_once(&docids[i]);
        if (docid < a.begin || docid >= a.end)
            continue;
        if (tfs)
            sums[docid] += score_fixed(a.weight, score_norm_any(a.norms, docid), tfs[i]);
        if (marks)
            prim_atomic_or(&marks[docid / 32], 1U << docid % 32);
    }
}
