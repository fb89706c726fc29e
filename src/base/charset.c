/* charset.c: the conversion, left to right: a valid UTF-8 sequence is kept, any other byte is looked up
 * in Windows-1252. The five bytes which that leaves open are C1 controls, as in the WHATWG's table. */
#include "base/charset.h"

#include <string.h>

#include "base/utf8.h"

/* 0x80 to 0x9F; from 0xA0 on a byte is its code point. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
};

enum { REPLACEMENT = 0xFFFD };

rp__charset_kind rp__charset_mark(const uint8_t *head, size_t n, size_t *mark_bytes)
{
    static const struct {
        rp__charset_kind kind;
        size_t n;
        uint8_t mark[4];
    } marks[] = {{RP_CHARSET_BYTES, 3, {0xEF, 0xBB, 0xBF}},
                 {RP_CHARSET_UTF32, 4, {0xFF, 0xFE, 0, 0}},
                 {RP_CHARSET_UTF32, 4, {0, 0, 0xFE, 0xFF}},
                 {RP_CHARSET_UTF16LE, 2, {0xFF, 0xFE}},
                 {RP_CHARSET_UTF16BE, 2, {0xFE, 0xFF}}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (n >= marks[i].n && memcmp(head, marks[i].mark, marks[i].n) == 0) {
            *mark_bytes = marks[i].n;
            return marks[i].kind;
        }
    *mark_bytes = 0;
    return RP_CHARSET_BYTES;
}

static void put_code(rp__buf *out, uint32_t code)
{
    char bytes[4];
    rp__buf_put(out, bytes, rp__utf8_encode(code, bytes));
}

/* ---- UTF-8 and Windows-1252 ------------------------------------------------------------------ */

/* Whether some bytes behind these make a valid sequence of them: the lowest or the highest ones do. */
static bool is_front(const uint8_t *in, size_t n)
{
    char bytes[4];
    for (int fill = 0; fill < 2; fill++)
        for (size_t length = n + 1; length <= sizeof bytes; length++) {
            memset(bytes, fill ? 0xBF : 0x80, sizeof bytes);
            memcpy(bytes, in, n);
            if (rp__utf8_valid(bytes, length) == length)
                return true;
        }
    return false;
}

size_t rp__charset_open_tail(const uint8_t *in, size_t n)
{
    for (size_t tail = 1; tail <= 3 && tail <= n; tail++)
        if (in[n - tail] >= 0xC0)
            return is_front(in + n - tail, tail) ? tail : 0;
    return 0;
}

/* The character at the front of n bytes; *used 0: its end has not come. */
static uint32_t read_byte_char(rp__charset *c, const uint8_t *p, size_t n, bool is_end,
                               size_t *used)
{
    uint32_t length = rp__utf8_valid((const char *)p, n);
    *used = length ? length : 1;
    if (length > 0)
        return rp__utf8_decode((const char *)p, &length);
    if (!is_end && is_front(p, n)) {
        *used = 0;
        return 0;
    }
    c->foreign++;
    return p[0] < 0xA0 ? windows_1252[p[0] - 0x80] : p[0];
}

static void put_bytes(rp__charset *c, const uint8_t *in, size_t n, rp__buf *out)
{
    for (size_t i = 0, used; i < n; i += used) {
        size_t good = rp__utf8_check((const char *)in + i, n - i);
        rp__buf_put(out, in + i, good);
        i += good;
        if (i == n)
            return;
        put_code(out, read_byte_char(c, in + i, n - i, true, &used));
    }
}

/* ---- UTF-16 ---------------------------------------------------------------------------------- */

static uint32_t unit_at(const rp__charset *c, const uint8_t *p)
{
    return c->kind == RP_CHARSET_UTF16LE ? (uint32_t)(p[0] | p[1] << 8)
                                         : (uint32_t)(p[0] << 8 | p[1]);
}

/* As read_byte_char. */
static uint32_t read_utf16_char(const rp__charset *c, const uint8_t *p, size_t n, bool is_end,
                                size_t *used)
{
    uint32_t unit = n < 2 ? 0xD800 : unit_at(c, p);
    *used = n < 2 ? n : 2;
    if (unit < 0xD800 || unit > 0xDFFF)
        return unit;
    if (unit > 0xDBFF)
        return REPLACEMENT;
    if (n < 4) {
        *used = is_end ? *used : 0;
        return REPLACEMENT;
    }
    uint32_t low = unit_at(c, p + 2);
    if (low < 0xDC00 || low > 0xDFFF)
        return REPLACEMENT;
    *used = 4;
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

static void put_utf16(const rp__charset *c, const uint8_t *in, size_t n, rp__buf *out)
{
    for (size_t used; n > 0; in += used, n -= used)
        put_code(out, read_utf16_char(c, in, n, true, &used));
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Puts what is whole of the bytes held. */
static void put_held(rp__charset *c, bool is_end, rp__buf *out)
{
    while (c->n_held > 0) {
        size_t used;
        uint32_t code = c->kind == RP_CHARSET_BYTES
                            ? read_byte_char(c, c->held, c->n_held, is_end, &used)
                            : read_utf16_char(c, c->held, c->n_held, is_end, &used);
        if (used == 0)
            return;
        put_code(out, code);
        c->n_held -= used;
        memmove(c->held, c->held + used, c->n_held);
    }
}

/* Bytes at the end of [in, in + n) whose character may go on in the next piece: 0 to 3. */
static size_t open_tail(const rp__charset *c, const uint8_t *in, size_t n)
{
    if (c->kind == RP_CHARSET_BYTES)
        return rp__charset_open_tail(in, n);
    size_t odd = n % 2;
    if (n - odd < 2)
        return odd;
    uint32_t unit = unit_at(c, in + n - odd - 2);
    return unit >= 0xD800 && unit <= 0xDBFF ? odd + 2 : odd;
}

void rp__charset_put(rp__charset *c, const uint8_t *in, size_t n, bool is_end, rp__buf *out)
{
    while (c->n_held > 0 && n > 0) { /* what is held grows byte by byte until it is whole */
        c->held[c->n_held++] = *in++;
        n--;
        put_held(c, false, out);
    }
    size_t open = is_end ? 0 : open_tail(c, in, n);
    if (c->kind == RP_CHARSET_BYTES)
        put_bytes(c, in, n - open, out);
    else
        put_utf16(c, in, n - open, out);
    if (open > 0) {
        memcpy(c->held, in + n - open, open);
        c->n_held = open;
    }
    if (is_end)
        put_held(c, true, out);
}
