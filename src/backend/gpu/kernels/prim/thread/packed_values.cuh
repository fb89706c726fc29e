/* packed_values.cuh: a lane's share of values that lie bit by bit, one after the other. */
#ifndef RP_KERNELS_PACKED_VALUES_CUH
#define RP_KERNELS_PACKED_VALUES_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* The w low bits; w is at most K. */
template <int K> PRIM uint32_t block_mask(uint32_t w)
{
    return K < 32 ? (1U << w) - 1 : prim_mask(w);
}

/* V values of at most K bits each (K is 8, 16, 32 or 64; at most 32 of them are a value's): in
 * windows of 32 or 64 bits, each of which begins in the first of its words. */
template <int V, int K> struct block_bits {
    static const int BITS = V * K <= 32 ? 32 : 64, PER = BITS / K < V ? BITS / K : V;
    static const int WINDOWS = V / PER, WORDS = BITS / 32 + 1;
    uint32_t word[WINDOWS][WORDS];
    uint32_t shift[WINDOWS];

    /* Value i at bit i * stride from bit `bit` on of byte `at`; stride is at most K. */
    template <class SOURCE>
    PRIM_MEMBER void load(const SOURCE &in, uint32_t at, uint32_t bit, uint32_t stride)
    {
        bit += at % 4 * 8;
#pragma unroll
        for (int j = 0; j < WINDOWS; j++, bit += PER * stride) {
            const uint32_t *from = in.words + (at / 4 + bit / 32);
            shift[j] = bit;
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                word[j][k] = SOURCE::load(from + k);
        }
    }

    PRIM_MEMBER void values(uint32_t stride, uint32_t mask, uint32_t *out) const
    {
        const int half = PER / 2 < 1 ? 1 : PER / 2;
#pragma unroll
        for (int j = 0; j < WINDOWS; j++) {
            uint64_t window = prim_funnel(word[j][0], word[j][1], shift[j]);
            if (BITS == 64)
                window |= (uint64_t)prim_funnel(word[j][1], word[j][WORDS - 1], shift[j]) << 32;
            uint64_t rest = window >> half * stride; /* so that few different shifts are needed */
#pragma unroll
            for (int k = 0; k < PER; k++)
                out[j * PER + k] =
                    (uint32_t)((k < half ? window : rest) >> k % half * stride) & mask;
        }
    }
};

/* Four of 9 to 16 bits span more lines of the first-level cache, and loads by words would go
 * through each three times: by 8 bytes it is twice. */
template <> struct block_bits<4, 16> {
    uint2 pair[2];
    uint32_t shift;

    template <class SOURCE>
    PRIM_MEMBER void load(const SOURCE &in, uint32_t at, uint32_t bit, uint32_t)
    {
        shift = bit + at % 8 * 8;
        const uint2 *from = (const uint2 *)in.words + (at / 8 + shift / 64);
        pair[0] = SOURCE::load(from);
        pair[1] = SOURCE::load(from + 1);
    }

    PRIM_MEMBER void values(uint32_t stride, uint32_t mask, uint32_t *out) const
    {
        bool is_later = shift & 32; /* begins in the second of four words */
        uint32_t a = is_later ? pair[0].y : pair[0].x, b = is_later ? pair[1].x : pair[0].y;
        uint32_t low = prim_funnel(a, b, shift),
                 high = prim_funnel(b, is_later ? pair[1].y : pair[1].x, shift);
        uint32_t rest = prim_funnel32(low, high, 2 * stride);
        out[0] = low & mask;
        out[1] = low >> stride & mask;
        out[2] = rest & mask;
        out[3] = rest >> stride & mask;
    }
};

#endif
