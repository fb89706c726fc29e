/* lowbits.h: the low parts of values, w bits each, in order, as rice, ef128 and qs keep them.
 * Interior of the room.
 *
 * The low part of value i occupies bits i*w to i*w + w - 1, counted from the lowest bit of the
 * first byte: bp128's layout without its first byte. */
#ifndef RP_CODEC_LOWBITS_H
#define RP_CODEC_LOWBITS_H

#include "base/bits.h"
#include "codec/codec.h"

static inline uint64_t rp__lowbits_bytes(uint64_t n, uint32_t w)
{
    return (n * w + 7) / 8;
}

/* That of value i; w is at most 32. Reads up to 7 bytes past it. */
static inline uint32_t rp__lowbits_at(const uint8_t *bits, uint32_t w, uint64_t i)
{
    uint64_t bit = i * w, mask = (1ULL << w) - 1;
    return (uint32_t)(rp__load64(bits + bit / 8) >> bit % 8 & mask);
}

/* Writes those of n values, w at most 32, from the start of a byte on; zeros fill the last byte.
 * Returns the byte after. */
uint8_t *rp__lowbits_put(const uint32_t *values, size_t n, uint32_t w, uint8_t *out);

#endif
