/* bitpack.cuh: numbers of w bits one after the other, from any byte on: what all codes keep low
 * parts in.
 *
 * Loads are of aligned words. A number is read as the word it begins in and the next one: up to 7
 * bytes past it are read, and up to 12 past the last of four. */
#ifndef RP_KERNELS_BITPACK_CUH
#define RP_KERNELS_BITPACK_CUH

#include "backend/gpu/kernels/prim/platform.cuh"

/* Bits from bit `shift`, 0 to 31, of words[0] on. */
struct bitpack_bits {
    const uint32_t *words;
    uint32_t shift;
};

PRIM bitpack_bits bitpack_at(uint64_t address)
{
    return {prim_at<const uint32_t>(address & ~(uint64_t)3), (uint32_t)(address & 3) * 8};
}

PRIM uint32_t bitpack_bytes(uint32_t bits)
{
    return (bits + 7) / 8;
}

/* The 32 bits from bit `bit` on. */
PRIM uint32_t bitpack_word(bitpack_bits p, uint32_t bit)
{
    const uint32_t *at = p.words + ((bit + p.shift) >> 5);
    return prim_funnel(prim_load(at), prim_load(at + 1), bit + p.shift);
}

/* The w bits, at most 32, from bit `bit` on. */
PRIM uint32_t bitpack_one(bitpack_bits p, uint32_t bit, uint32_t w)
{
    return bitpack_word(p, bit) & prim_mask(w);
}

/* The two words that bits from bit `bit` of byte `at` on begin in; and 32 of these bits. */
struct bitpack_pair {
    uint32_t low, high, shift;

    PRIM_MEMBER void load(const uint32_t *words, uint32_t at, uint32_t bit)
    {
        shift = at % 4 * 8 + bit;
        const uint32_t *from = words + (at / 4 + shift / 32);
        low = prim_load(from);
        high = prim_load(from + 1);
    }
    PRIM_MEMBER uint32_t value() const { return prim_funnel(low, high, shift); }
};

/* Four numbers of w bits on their way: loaded, and taken apart, both from the same bit on. Those of
 * more than 16 bits, which are rare, are loaded when they are taken apart. */
struct bitpack_four {
    uint32_t a, b, c;
};

PRIM bitpack_four bitpack_load(bitpack_bits p, uint32_t bit)
{
    const uint32_t *at = p.words + ((bit + p.shift) >> 5);
    return {prim_load(at), prim_load(at + 1), prim_load(at + 2)};
}

PRIM void bitpack_values(const bitpack_four &four, bitpack_bits p, uint32_t bit, uint32_t w,
                         uint32_t v[4])
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
            v[k] = bitpack_word(p, bit + k * w) & mask;
    }
}

/* The same of numbers of at most K bits, which is 8, 16, 21 (then of at least 17) or 32: with as
 * few loads and operations as that needs. */
template <int K> struct bitpack_quad {
    static const int WINDOWS = K == 32 ? 2 : 1, WORDS = K == 8 ? 2 : K == 21 ? 4 : 3;
    uint32_t word[WINDOWS][WORDS], shift[WINDOWS];

    /* From bit `bit` of byte `at` on. */
    PRIM_MEMBER void load(const uint32_t *words, uint32_t at, uint32_t bit, uint32_t w)
    {
        bit += at % 4 * 8;
#pragma unroll
        for (int j = 0; j < WINDOWS; j++) {
            const uint32_t *from = words + (at / 4 + bit / 32);
            shift[j] = bit;
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                word[j][k] = prim_load(from + k);
            bit += 2 * w;
        }
    }
    /* Word k of window j. */
    PRIM_MEMBER uint64_t part(int j, int k) const
    {
        return prim_funnel(word[j][k], word[j][k + 1], shift[j]);
    }

    PRIM_MEMBER void values(uint32_t w, uint32_t v[4]) const
    {
        if (K <= 16)
            narrow(w, v);
        else if (K == 21)
            wide(w, v);
        else
            any(w, v);
    }
    PRIM_MEMBER void narrow(uint32_t w, uint32_t v[4]) const
    {
        uint64_t all = part(0, 0) | (K == 8 ? 0 : part(0, WORDS - 2) << 32);
        uint32_t mask = (1U << w) - 1, rest = (uint32_t)(all >> 2 * w);
        v[0] = (uint32_t)all & mask;
        v[1] = (uint32_t)all >> w & mask;
        v[2] = rest & mask;
        v[3] = rest >> w & mask;
    }
    /* The same of at most 16 bits, where several have one width: shifts and masks have half the
     * rate of products and sums, so that of two numbers one is what is there less what is above. */
    PRIM_MEMBER void products(uint32_t w, uint32_t v[4]) const
    {
        /* less: -(1 << w), as a factor */
        uint32_t less = prim_opaque(~0U << w), mask = prim_opaque(~less);
        uint64_t all = part(0, 0) | (K == 8 ? 0 : part(0, WORDS - 2) << 32);
        uint32_t low = (uint32_t)all, rest = (uint32_t)(all >> 2 * w), above = low >> w,
                 last = rest >> w;
        v[0] = low + above * less;
        v[1] = above & mask;
        v[2] = rest + last * less;
        v[3] = last & mask;
    }
    PRIM_MEMBER void wide(uint32_t w, uint32_t v[4]) const
    {
        uint32_t mask = (1U << w) - 1, middle = (uint32_t)part(0, 1),
                 last = (uint32_t)part(0, WORDS - 2);
        uint64_t all = part(0, 0) | (uint64_t)middle << 32;
        v[0] = (uint32_t)all & mask;
        v[1] = (uint32_t)(all >> w) & mask;
        v[2] = prim_funnel(middle, last, 2 * w - 32) & mask;
        v[3] = prim_funnel(middle, last, 3 * w - 32) & mask;
    }
    PRIM_MEMBER void any(uint32_t w, uint32_t v[4]) const
    {
#pragma unroll
        for (int j = 0; j < WINDOWS; j++) {
            uint64_t all = part(j, 0) | part(j, 1) << 32;
            v[2 * j % 4] = (uint32_t)all & prim_mask(w);
            v[(2 * j + 1) % 4] = (uint32_t)(all >> w) & prim_mask(w);
        }
    }
};

#endif
