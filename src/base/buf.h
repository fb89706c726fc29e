/* base/buf.h: a growing run of bytes. One thread at a time.
 *
 * A failed allocation sets `failed` and later calls do nothing, so that a writer checks once, at
 * the end. */
#ifndef RP_BASE_BUF_H
#define RP_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

typedef struct rp__buf {
    uint8_t *at;
    size_t n, cap;
    bool failed;
} rp__buf;

void rp__buf_init(rp__buf *buf);
void rp__buf_free(rp__buf *buf);
/* empties it; one of more than `keep` bytes is given back */
void rp__buf_clear(rp__buf *buf, size_t keep);
/* n writable bytes at the end, not yet counted; NULL: failed */
uint8_t *rp__buf_grow(rp__buf *buf, size_t n);
static inline uint8_t *rp__buf_room(rp__buf *buf, size_t n)
{
    return n < buf->cap - buf->n && !buf->failed ? buf->at + buf->n : rp__buf_grow(buf, n);
}
/* memory for n bytes more, so that they do not grow it one after the other */
void rp__buf_reserve(rp__buf *buf, size_t n);
void rp__buf_put(rp__buf *buf, const void *bytes, size_t n);
void rp__buf_put_byte(rp__buf *buf, uint8_t byte);
void rp__buf_put_zeros(rp__buf *buf, size_t n);
void rp__buf_put_u32(rp__buf *buf, uint32_t v); /* little endian */
void rp__buf_put_u64(rp__buf *buf, uint64_t v);
void rp__buf_put_varint(rp__buf *buf, uint64_t v);  /* LEB128, 1 to 10 bytes */
void rp__buf_put_decimal(rp__buf *buf, uint64_t v); /* its digits */
/* All eight digits of a number below 10^8, the first one in the lowest byte: halves, then their
 * halves, then single digits, each time side by side in one word. Dividing is multiplying by
 * 10486 / 2^20 and 103 / 2^10, which is exact for four and for two digits. */
static inline uint64_t rp__buf_eight_digits(uint32_t v)
{
    const uint64_t fours = v / 10000 | (uint64_t)(v % 10000) << 32;
    const uint64_t hundreds = fours * 10486 >> 20 & UINT64_C(0x7F0000007F);
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = twos * 103 >> 10 & UINT64_C(0x000F000F000F000F);
    return (tens | (twos - 10 * tens) << 8) + UINT64_C(0x3030303030303030);
}
/* The same of a number below 10^4. */
static inline uint32_t rp__buf_four_digits(uint32_t v)
{
    const uint32_t hundreds = v * 10486 >> 20;
    const uint32_t twos = hundreds | (v - 100 * hundreds) << 16;
    const uint32_t tens = twos * 103 >> 10 & 0x000F000F;
    return (tens | (twos - 10 * tens) << 8) + 0x30303030;
}
/* The same without a buffer, of which they may be part: `out` has room for RP_BUF_DIGITS. Returns
 * how many there are. */
enum { RP_BUF_DIGITS = 20, RP_BUF_FOUR_DIGITS = 10000, RP_BUF_EIGHT_DIGITS = 100000000 };
size_t rp__buf_long_digits(uint8_t *out, uint64_t v); /* of a number of more than eight */
static inline size_t rp__buf_digits(uint8_t *out, uint64_t v)
{
    if (v < 10) {
        *out = (uint8_t)('0' + v);
        return 1;
    }
    if (v >= RP_BUF_EIGHT_DIGITS)
        return rp__buf_long_digits(out, v);
    const bool is_short = v < RP_BUF_FOUR_DIGITS;
    const uint64_t digits = is_short ? (uint64_t)rp__buf_four_digits((uint32_t)v) << 32 | 0x30303030
                                     : rp__buf_eight_digits((uint32_t)v);
    const uint32_t zeros = rp__bits_lowest64(digits & UINT64_C(0x0F0F0F0F0F0F0F0F)) / 8;
    rp__store64(out, digits >> 8 * zeros);
    return 8 - zeros;
}
/* The last n of its digits, or zeros before them. */
void rp__buf_last_digits(uint8_t *out, uint64_t v, size_t n);
void rp__buf_put_string(rp__buf *buf, const char *s);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void rp__buf_printf(rp__buf *buf, const char *format, ...);

#endif
