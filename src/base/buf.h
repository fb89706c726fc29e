/* base/buf.h: a growing run of bytes. One thread at a time.
 *
 * A failed allocation sets `failed` and later calls do nothing, so that a writer checks once, at
 * the end. */
#ifndef RP_BASE_BUF_H
#define RP_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
uint8_t *rp__buf_room(rp__buf *buf, size_t n);
/* memory for n bytes more, so that they do not grow it one after the other */
void rp__buf_reserve(rp__buf *buf, size_t n);
void rp__buf_put(rp__buf *buf, const void *bytes, size_t n);
void rp__buf_put_byte(rp__buf *buf, uint8_t byte);
void rp__buf_put_zeros(rp__buf *buf, size_t n);
void rp__buf_put_u32(rp__buf *buf, uint32_t v); /* little endian */
void rp__buf_put_u64(rp__buf *buf, uint64_t v);
void rp__buf_put_varint(rp__buf *buf, uint64_t v);  /* LEB128, 1 to 10 bytes */
void rp__buf_put_decimal(rp__buf *buf, uint64_t v); /* its digits */
/* The same without a buffer, of which they may be part: `out` has room for RP_BUF_DIGITS. Returns
 * how many there are. */
enum { RP_BUF_DIGITS = 20 };
size_t rp__buf_digits(uint8_t *out, uint64_t v);
/* The last n of its digits, or zeros before them. */
void rp__buf_last_digits(uint8_t *out, uint64_t v, size_t n);
void rp__buf_put_string(rp__buf *buf, const char *s);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void rp__buf_printf(rp__buf *buf, const char *format, ...);

#endif
