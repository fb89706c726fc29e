/* gaps.h: gaps to docids, and whether decoded docids rise, inline. Interior of the room. */
#ifndef RP_CODEC_GAPS_H
#define RP_CODEC_GAPS_H

#include "codec/codec.h"

/* Makes docids of n gaps less one, in place; RP_DAMAGED where they would pass 2^32. */
static inline rp_status rp__gaps_sum(uint32_t *out, size_t n, uint32_t base)
{
    uint64_t next = (uint32_t)(base + 1); /* the least docid that may follow; n * 2^32 fits */
    for (size_t i = 0; i < n; i++) {
        next += out[i];
        out[i] = (uint32_t)next++;
    }
    return next > 1ULL << 32 ? RP_DAMAGED : RP_OK;
}

/* Bit 31 says whether a < b. It is the borrow of a - b; compilers make SIMD of it, which they do
 * not of the comparison. */
static inline uint32_t rp__gaps_less(uint32_t a, uint32_t b)
{
    return (~a & b) | ((~a | b) & (a - b));
}

/* Whether out[0..n) rises, and starts above base (UINT32_MAX: anywhere). Sixteen at a time, for
 * compilers that make SIMD only of a count they know. */
static inline rp_status rp__gaps_rising(const uint32_t *out, size_t n, uint32_t base)
{
    uint32_t rises = n == 0 || out[0] >= (uint32_t)(base + 1) ? UINT32_MAX : 0;
    size_t i = 1;
    for (; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 16; k++)
            rises &= rp__gaps_less(out[i + k - 1], out[i + k]);
    for (; i < n; i++)
        rises &= rp__gaps_less(out[i - 1], out[i]);
    return rises >> 31 ? RP_OK : RP_DAMAGED;
}

/* The same for sums, modulo 2^32, of gaps less one of at most `bits` bits. Up to 24 bits,
 * RP_BLOCK_MAX gaps sum to less than 2^32: they wrapped at most once, and the last one tells. */
static inline rp_status rp__gaps_check(const uint32_t *out, size_t n, uint32_t base, uint32_t bits)
{
    if (bits > 24)
        return rp__gaps_rising(out, n, base);
    return n == 0 || out[n - 1] >= (uint32_t)(base + 1) ? RP_OK : RP_DAMAGED;
}

#endif
