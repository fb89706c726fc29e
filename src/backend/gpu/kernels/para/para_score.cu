/* para_score.cu: scores of the docids that are left of a batch. One thread: a docid.
 * Reads docids coalesced; of each list of its query one word a step of a binary search, and a
 * frequency; a code and a norm. Writes scores coalesced. No shared memory.
 * Lists that do not have the docid, which only damaged ones do, add nothing. */
#include "backend/gpu/kernels/prim/prim.cuh"

PRIM uint32_t para_contribution(const karg_para_list *list, float norm, uint32_t x)
{
    const uint32_t *docids = prim_at<const uint32_t>(prim_load(&list->docids)),
                   *tfs = prim_at<const uint32_t>(prim_load(&list->tfs));
    uint32_t n = prim_load(&list->n), rank = search_first(docids, 0, n, x);
    bool is_there = rank < n && prim_load(&docids[rank]) == x;
    return is_there ? score_fixed(prim_load(&list->weight), norm, prim_load(&tfs[rank])) : 0;
}

RP_KERNEL(para_score_kernel, karg_para)
{
    const uint32_t *begins = prim_at<const uint32_t>(a.begins);
    uint32_t e = para_number(), score = 0;
    if (e >= prim_load(&begins[a.n_queries]))
        return;
    uint32_t x = prim_load(prim_at<const uint32_t>(a.docids) + e);
    const karg_para_query *query = para_queries(a) + para_last<1>(begins, a.n_queries, e);
    const karg_para_list *lists = para_lists(a) + prim_load(&query->list);
    float norm = score_norm_any(a.norms, x);
    for (uint32_t i = 0; i < prim_load(&query->n_lists); i++)
        score += para_contribution(lists + i, norm, x);
    prim_at<uint32_t>(a.scores)[e] = score;
}
