/* mixed.cuh: which code a block of mixed (docs/format.md, chapter 6) is in. */
#ifndef RP_KERNELS_MIXED_CUH
#define RP_KERNELS_MIXED_CUH

#include "backend/gpu/kernels/prim/codec/efsum.cuh"
#include "backend/gpu/kernels/prim/codec/optpfd.cuh"
#include "backend/gpu/kernels/prim/codec/rice.cuh"

enum mixed_kind { MIXED_NONE, MIXED_RICE, MIXED_BP128, MIXED_EFSUM, MIXED_OPTPFD };

/* By its first byte, which is a name of its own (bp128, efsum), or the block's. */
PRIM mixed_kind mixed_kind_of(uint32_t first)
{
    if (first < 32)
        return MIXED_RICE;
    if (first < 34)
        return first == 32 ? MIXED_BP128 : MIXED_EFSUM;
    return first >= 64 && first % 64 <= 32 ? MIXED_OPTPFD : MIXED_NONE;
}

PRIM bool mixed_is_sound(const sound_bytes &in)
{
    mixed_kind kind = in.bytes ? mixed_kind_of(sound_byte(in, 0)) : MIXED_NONE;
    if (kind == MIXED_RICE)
        return rice_is_sound(in);
    if (kind == MIXED_OPTPFD)
        return optpfd_is_sound(in);
    if (kind == MIXED_NONE)
        return false;
    sound_bytes rest = sound_after(in, 1, in.n);
    return kind == MIXED_BP128 ? bp128_is_sound(rest) : efsum_is_sound(rest);
}

#endif
