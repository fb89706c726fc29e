/* bp128_values.cuh: values of a block of bp128 (docs/format.md, chapter 6): one without the others;
 * four a lane. */
#ifndef RP_KERNELS_BP128_VALUES_CUH
#define RP_KERNELS_BP128_VALUES_CUH

#include "backend/gpu/kernels/prim/thread/bitpack.cuh"

/* Value i of the n in these bytes; i is below n. Any bytes: 0 where the values do not lie
 * inside. */
PRIM uint32_t freq_bp128_at(uint64_t in, uint32_t bytes, uint32_t n, uint32_t i)
{
    uint32_t w = bytes ? prim_load(prim_at<const uint8_t>(in)) : 0;
    if (w > 32 || 1 + bitpack_bytes(n * w) > bytes)
        return 0;
    return bitpack_one(bitpack_at(in + 1), i * w, w);
}

/* Those from 4 times the lane's number on; what is past the last is some number. Any bytes: 0 where
 * they do not lie inside. */
PRIM void freq_bp128_four(uint64_t in, uint32_t bytes, uint32_t n, uint32_t v[4])
{
    uint32_t w = bytes ? prim_load(prim_at<const uint8_t>(in)) : 0;
    if (w > 32 || 1 + bitpack_bytes(n * w) > bytes)
        w = 0;
    const uint32_t bit = 4 * prim_lane() < n ? 4 * prim_lane() * w : 0;
    const bitpack_bits at = bitpack_at(in + 1);
    bitpack_values(bitpack_load(at, bit), at, bit, w, v);
}

#endif
