/* near_offset.cuh: where a part of a payload begins, in offsets of either width: KARG_NEAR. */
#ifndef RP_KERNELS_NEAR_OFFSET_CUH
#define RP_KERNELS_NEAR_OFFSET_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

PRIM uint32_t near_offset(uint64_t offsets, uint32_t i)
{
    if ((offsets & KARG_NEAR) == 0)
        return prim_load(prim_at<const uint32_t>(offsets) + i);
    const uint64_t at = offsets - KARG_NEAR;
    const uint32_t group = i / KARG_NEAR_GROUP;
    const uint32_t base = group ? prim_load(prim_at<const uint32_t>(at) - group) : 0;
    return base + prim_load(prim_at<const uint16_t>(at) + i);
}

/* Has entry i on its way. */
PRIM void near_offset_prefetch(uint64_t offsets, uint32_t i)
{
    if (offsets & KARG_NEAR)
        prim_prefetch(prim_at<const uint16_t>(offsets - KARG_NEAR) + i);
    else
        prim_prefetch(prim_at<const uint32_t>(offsets) + i);
}

#endif
