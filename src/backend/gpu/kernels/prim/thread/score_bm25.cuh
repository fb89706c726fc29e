/* score_bm25.cuh: BM25 in float. */
#ifndef RP_KERNELS_SCORE_BM25_CUH
#define RP_KERNELS_SCORE_BM25_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

typedef float score_share; /* a ratio */

PRIM float score_ratio(float norm, uint32_t tf)
{
    float t = prim_float(tf);
    return prim_div(t, prim_add(t, norm));
}
PRIM uint32_t score_weighed(float weight, float ratio)
{
    return prim_truncate(prim_mul(weight, ratio));
}
PRIM uint32_t score_word(float ratio)
{
    return prim_word(ratio);
}
PRIM float score_share_of(uint32_t word)
{
    return prim_real(word);
}

#endif
