/* gaps.h: whether decoded docids rise, inline. Interior of the room. */
#ifndef RP_CODEC_GAPS_H
#define RP_CODEC_GAPS_H

#include "codec/codec.h"

/* Whether out[0..n) rises, and starts above base (UINT32_MAX: anywhere). */
static inline rp_status rp__gaps_rising(const uint32_t *out, size_t n, uint32_t base)
{
    uint32_t bad = n > 0 && out[0] < (uint32_t)(base + 1);
    for (size_t i = 1; i < n; i++)
        bad |= out[i] <= out[i - 1];
    return bad ? RP_DAMAGED : RP_OK;
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
