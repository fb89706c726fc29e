/* scoring.cuh: what a posting contributes, bit for bit as rank/rank.h has it: by BM25, or, in files
 * that define RP_KERNELS_IIU, by IIU's integers. */
#ifndef RP_KERNELS_SCORING_CUH
#define RP_KERNELS_SCORING_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* The code of a document's length; BYTES is norms.code_bytes. docid must be below the number of
 * documents. */
template <int BYTES> PRIM uint32_t score_code(const karg_norms &norms, uint32_t docid)
{
    if (BYTES == 1)
        return prim_load(prim_at<const uint8_t>(norms.codes) + docid);
    if (BYTES == 2)
        return prim_load(prim_at<const uint16_t>(norms.codes) + docid);
    return prim_load(prim_at<const uint32_t>(norms.codes) + docid);
}
PRIM float score_norm(const karg_norms &norms, uint32_t code)
{
    return prim_load(prim_at<const float>(norms.table) + prim_min(code, norms.n_table - 1));
}
/* Any width; for code that is not hot. */
PRIM uint32_t score_code_any(const karg_norms &norms, uint32_t docid)
{
    return norms.code_bytes == 1   ? score_code<1>(norms, docid)
           : norms.code_bytes == 2 ? score_code<2>(norms, docid)
                                   : score_code<4>(norms, docid);
}
PRIM float score_norm_any(const karg_norms &norms, uint32_t docid)
{
    return score_norm(norms, score_code_any(norms, docid));
}

/* How a ranking scores: score_ratio is what is the same for all queries; score_weighed is what a
 * weight makes of it. The weight has the factor 2^s, which is exact. Greater ratios do not give
 * less. A ratio can be kept as a word; words compare as their ratios do. */
#ifdef RP_KERNELS_IIU
#include "backend/gpu/kernels/prim/thread/score_iiu.cuh"
#else
#include "backend/gpu/kernels/prim/thread/score_bm25.cuh"
#endif

PRIM uint32_t score_fixed(float weight, float norm, uint32_t tf)
{
    return score_weighed(weight, score_ratio(norm, tf));
}

#endif
