/* buf.c: a byte buffer that doubles, and remembers that it could not. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

void rp__buf_init(rp__buf *buf)
{
    *buf = (rp__buf){0};
}

void rp__buf_free(rp__buf *buf)
{
    rp__free(buf->at);
    *buf = (rp__buf){0};
}

void rp__buf_clear(rp__buf *buf, size_t keep)
{
    if (buf->cap > keep || buf->failed)
        rp__buf_free(buf);
    buf->n = 0;
}

uint8_t *rp__buf_grow(rp__buf *buf, size_t n)
{
    size_t want =
        buf->n + n > 0 ? buf->n + n : 1; /* a pointer even to nothing: NULL means failed */
    if (buf->failed || n > SIZE_MAX - buf->n || !rp__alloc_grow(&buf->at, &buf->cap, want, 1)) {
        buf->failed = true;
        return NULL;
    }
    return buf->at + buf->n;
}

void rp__buf_reserve(rp__buf *buf, size_t n)
{
    (void)rp__buf_room(buf, n);
}

void rp__buf_put(rp__buf *buf, const void *bytes, size_t n)
{
    uint8_t *p = rp__buf_room(buf, n);
    if (!p || n == 0)
        return;
    memcpy(p, bytes, n);
    buf->n += n;
}

void rp__buf_put_byte(rp__buf *buf, uint8_t byte)
{
    if (buf->n < buf->cap && !buf->failed)
        buf->at[buf->n++] = byte;
    else
        rp__buf_put(buf, &byte, 1);
}

void rp__buf_put_zeros(rp__buf *buf, size_t n)
{
    uint8_t *p = rp__buf_room(buf, n);
    if (!p || n == 0)
        return;
    memset(p, 0, n);
    buf->n += n;
}

void rp__buf_put_u32(rp__buf *buf, uint32_t v)
{
    rp__buf_put(buf, &v, sizeof v);
}

void rp__buf_put_u64(rp__buf *buf, uint64_t v)
{
    rp__buf_put(buf, &v, sizeof v);
}

void rp__buf_put_varint(rp__buf *buf, uint64_t v)
{
    uint8_t *p = rp__buf_room(buf, 10);
    if (p)
        buf->n += (size_t)(rp__bits_put_varint(p, v) - p);
}

void rp__buf_last_digits(uint8_t *out, uint64_t v, size_t n)
{
    for (; n > 8; v /= RP_BUF_EIGHT_DIGITS)
        rp__store64(&out[n -= 8], rp__buf_eight_digits((uint32_t)(v % RP_BUF_EIGHT_DIGITS)));
    if (n == 0)
        return;
    const uint64_t first =
        rp__buf_eight_digits((uint32_t)(v % RP_BUF_EIGHT_DIGITS)) >> (64 - 8 * n);
    memcpy(out, &first, n);
}

/* A number of b bits has b * log10(2) digits, or one more. */
static size_t count_digits(uint64_t v)
{
    static const uint64_t powers[RP_BUF_DIGITS] = {
        0,
        10,
        100,
        1000,
        10000,
        100000,
        1000000,
        10000000,
        100000000,
        1000000000,
        10000000000,
        100000000000,
        1000000000000,
        10000000000000,
        100000000000000,
        1000000000000000,
        10000000000000000,
        100000000000000000,
        1000000000000000000,
        10000000000000000000U,
    };
    const size_t below = rp__bits_width64(v) * 1233 >> 12;
    return below + (v >= powers[below]);
}

size_t rp__buf_long_digits(uint8_t *out, uint64_t v)
{
    const size_t n = count_digits(v);
    rp__buf_last_digits(out, v, n);
    return n;
}

void rp__buf_put_decimal(rp__buf *buf, uint64_t v)
{
    uint8_t *p = rp__buf_room(buf, RP_BUF_DIGITS);
    if (p)
        buf->n += rp__buf_digits(p, v);
}

void rp__buf_put_string(rp__buf *buf, const char *s)
{
    rp__buf_put(buf, s, strlen(s));
}

void rp__buf_printf(rp__buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    uint8_t *p = n < 0 ? NULL : rp__buf_room(buf, (size_t)n + 1);
    if (p) {
        vsnprintf((char *)p, (size_t)n + 1, format, again);
        buf->n += (size_t)n;
    }
    va_end(again);
}
