/* pack.cuh: numbers of w bits one after the other, from any byte on: what all codes keep low parts in.
 *
 * Loads are of aligned words. A number is read as the word it begins in and the next one: up to 7 bytes past it
 * are read, and up to 12 past the last of four. */
#ifndef RP_KERNELS_PACK_CUH
#define RP_KERNELS_PACK_CUH

#include "backend/gpu/kernels/prim/prim.cuh"

/* Bits from bit `shift`, 0 to 31, of words[0] on. */
struct pack_bits {
    const uint32_t *words;
    uint32_t shift;
};

PRIM pack_bits pack_at(uint64_t address)
{
    return {prim_at<const uint32_t>(address & ~(uint64_t)3), (uint32_t)(address & 3) * 8};
}

PRIM uint32_t pack_bytes(uint32_t bits) { return (bits + 7) / 8; }

/* The 32 bits from bit `bit` on. */
PRIM uint32_t pack_word(pack_bits p, uint32_t bit)
{
    const uint32_t *at = p.words + ((bit + p.shift) >> 5);
    return prim_funnel(prim_load(at), prim_load(at + 1), bit + p.shift);
}

/* The w bits, at most 32, from bit `bit` on. */
PRIM uint32_t pack_one(pack_bits p, uint32_t bit, uint32_t w) { return pack_word(p, bit) & prim_mask(w); }

/* Four numbers of w bits on their way: loaded, and taken apart, both from the same bit on. Those of more than 16
 * bits, which are rare, are loaded when they are taken apart. */
struct pack_four {
    uint32_t a, b, c;
};

PRIM pack_four pack_load(pack_bits p, uint32_t bit)
{
    const uint32_t *at = p.words + ((bit + p.shift) >> 5);
    return {prim_load(at), prim_load(at + 1), prim_load(at + 2)};
}

PRIM void pack_values(const pack_four &four, pack_bits p, uint32_t bit, uint32_t w, uint32_t v[4])
{
    uint32_t mask = prim_mask(w), shift = bit + p.shift;
    if (w <= 16) {
        uint64_t high = prim_funnel(four.b, four.c, shift);
        uint64_t all = high << 32 | prim_funnel(four.a, four.b, shift);
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = (uint32_t)(all >> (k * w)) & mask;
    } else {
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = pack_word(p, bit + k * w) & mask;
    }
}

#endif
