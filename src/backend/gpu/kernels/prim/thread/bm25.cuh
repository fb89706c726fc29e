/* bm25.cuh: what a posting contributes, bit for bit as rank/rank.h has it. */
#ifndef RP_KERNELS_BM25_CUH
#define RP_KERNELS_BM25_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* The code of a document's length; BYTES is norms.code_bytes. docid must be below the number of
 * documents. */
template <int BYTES> PRIM uint32_t bm25_code(const karg_norms &norms, uint32_t docid)
{
    if (BYTES == 1)
        return prim_load(prim_at<const uint8_t>(norms.codes) + docid);
    if (BYTES == 2)
        return prim_load(prim_at<const uint16_t>(norms.codes) + docid);
    return prim_load(prim_at<const uint32_t>(norms.codes) + docid);
}
PRIM float bm25_norm(const karg_norms &norms, uint32_t code)
{
    return prim_load(prim_at<const float>(norms.table) + prim_min(code, norms.n_table - 1));
}
/* Any width; for code that is not hot. */
PRIM uint32_t bm25_code_any(const karg_norms &norms, uint32_t docid)
{
    return norms.code_bytes == 1   ? bm25_code<1>(norms, docid)
           : norms.code_bytes == 2 ? bm25_code<2>(norms, docid)
                                   : bm25_code<4>(norms, docid);
}
PRIM float bm25_norm_any(const karg_norms &norms, uint32_t docid)
{
    return bm25_norm(norms, bm25_code_any(norms, docid));
}

/* What is the same for all queries, */
PRIM float bm25_ratio(float norm, uint32_t tf)
{
    float t = prim_float(tf);
    return prim_div(t, prim_add(t, norm));
}
/* and what a weight makes of it; it has the factor 2^s, which is exact. Greater ratios do not give
 * less. */
PRIM uint32_t bm25_weighed(float weight, float ratio)
{
    return prim_truncate(prim_mul(weight, ratio));
}
PRIM uint32_t bm25_fixed(float weight, float norm, uint32_t tf)
{
    return bm25_weighed(weight, bm25_ratio(norm, tf));
}

#endif
