/* base/bits.h: bits and unaligned little-endian words, inline. */
#ifndef RP_BASE_BITS_H
#define RP_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Riposte's index is read in place: little-endian machines only"
#endif

/* Bytes that a section owes after its last payload, so that the widest load may start at any
 * byte. */
#define RP_PAD 64

static inline uint32_t rp__bits_width(uint32_t v)
{
    return v ? 32U - (uint32_t)__builtin_clz(v) : 0;
}
static inline uint32_t rp__bits_width64(uint64_t v)
{
    return v ? 64U - (uint32_t)__builtin_clzll(v) : 0;
}
/* v != 0 */
static inline uint32_t rp__bits_lowest64(uint64_t v)
{
    return (uint32_t)__builtin_ctzll(v);
}
/* Without an instruction for it, compilers call a function that is slower than these sums of 2, 4
 * and 8 bits. */
static inline uint32_t rp__bits_count64(uint64_t v)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
    v -= v >> 1 & 0x5555555555555555U;
    v = (v & 0x3333333333333333U) + (v >> 2 & 0x3333333333333333U);
    return (uint32_t)(((v + (v >> 4)) & 0x0F0F0F0F0F0F0F0FU) * 0x0101010101010101U >> 56);
#else
    return (uint32_t)__builtin_popcountll(v);
#endif
}

static inline uint32_t rp__load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline uint64_t rp__load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void rp__store32(void *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}
static inline void rp__store64(void *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline uint64_t rp__bits_align(uint64_t v, uint64_t to)
{
    return (v + to - 1) / to * to;
}

/* Reads one LEB128 number from [*p, end). False: cut off, or over 64 bits. */
static inline bool rp__bits_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    uint64_t v = 0;
    if (*p < end && **p < 0x80) { /* as most are */
        *out = *(*p)++;
        return true;
    }
    for (uint32_t shift = 0; shift < 64 && *p < end; shift += 7) {
        uint8_t byte = *(*p)++;
        if (shift == 63 && byte > 1)
            return false;
        v |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* The same, refusing what is over 32 bits. */
static inline bool rp__bits_varint32(const uint8_t **p, const uint8_t *end, uint32_t *out)
{
    uint64_t v;
    if (!rp__bits_varint(p, end, &v) || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

/* Writes LEB128 at p, which has room for 10 bytes; returns the byte after. */
static inline uint8_t *rp__bits_put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

#endif
