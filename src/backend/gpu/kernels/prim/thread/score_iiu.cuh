/* score_iiu.cuh: the integers of IIU's scoring unit. Norms are whole numbers of 2^-16, below
 * 2^16. */
#ifndef RP_KERNELS_SCORE_IIU_CUH
#define RP_KERNELS_SCORE_IIU_CUH

#include "backend/gpu/kernels/prim/platform.cuh"
#include "rank/iiu_score.h"

typedef uint32_t score_share; /* a ratio */

PRIM uint32_t score_ratio(float norm, uint32_t tf)
{
    return rp__iiu_ratio(tf, prim_truncate(prim_mul(norm, 0x1p16F)));
}
PRIM uint32_t score_weighed(float weight, uint32_t ratio)
{
    return rp__iiu_weighed(prim_truncate(weight), ratio);
}
PRIM uint32_t score_word(uint32_t ratio)
{
    return ratio;
}
PRIM uint32_t score_share_of(uint32_t word)
{
    return word;
}

#endif
