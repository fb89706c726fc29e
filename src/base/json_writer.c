/* json_writer.c: JSON into a buffer, on one line. Puts the commas, escapes the strings and replaces
 * bytes that are no UTF-8, so that what comes out is always JSON; pairs no brackets, that is the
 * caller's. The same bytes come out under every locale. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void rp__json_writer_init(rp__json_writer *w, rp__buf *out)
{
    *w = (rp__json_writer){.out = out};
}

static void put_escape(rp__buf *out, unsigned char c)
{
    static const char letters[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    if (c == '"' || c == '\\')
        rp__buf_printf(out, "\\%c", c);
    else if (c < sizeof letters && letters[c])
        rp__buf_printf(out, "\\%c", letters[c]);
    else
        rp__buf_printf(out, "\\u%04x", c);
}

/* Whether all bytes are ASCII that stands for itself. */
static bool is_plain(const char *s, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)(s[i] - 0x20) >= 0x60 || s[i] == '"' || s[i] == '\\')
            return false;
    return true;
}

static void put_plain(rp__buf *out, const char *s, size_t bytes)
{
    uint8_t *p = rp__buf_room(out, bytes + 2);
    if (!p)
        return;
    p[0] = '"';
    if (bytes > 0)
        memcpy(p + 1, s, bytes);
    p[bytes + 1] = '"';
    out->n += bytes + 2;
}

static void put_quoted(rp__buf *out, const char *s, size_t bytes)
{
    static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
    if (is_plain(s, bytes)) {
        put_plain(out, s, bytes);
        return;
    }
    rp__buf_put_byte(out, '"');
    size_t plain = 0; /* s[plain .. i) is to be written as it stands */
    for (size_t i = 0; i < bytes;) {
        unsigned char c = (unsigned char)s[i];
        uint32_t len = c < 0x80 ? 1 : rp__utf8_valid(s + i, bytes - i);
        if (len && c >= 0x20 && c != '"' && c != '\\') {
            i += len;
            continue;
        }
        rp__buf_put(out, s + plain, i - plain);
        if (len)
            put_escape(out, c);
        else
            rp__buf_put(out, replacement, 3);
        plain = ++i;
    }
    rp__buf_put(out, s + plain, bytes - plain);
    rp__buf_put_byte(out, '"');
}

/* A key of plain ASCII at once, perhaps with a comma before it. */
static void put_plain_key(rp__buf *out, const char *key, size_t bytes, bool has_comma)
{
    uint8_t *p = rp__buf_room(out, bytes + 4);
    if (!p)
        return;
    if (has_comma)
        *p++ = ',';
    *p++ = '"';
    memcpy(p, key, bytes);
    p[bytes] = '"';
    p[bytes + 1] = ':';
    out->n += bytes + 3 + has_comma;
}

/* Everything that stands before a value: the comma and the key. */
static void put_prefix(rp__json_writer *w, const char *key)
{
    bool has_comma = false;
    if (w->depth > 0) {
        uint64_t bit = (uint64_t)1 << ((w->depth - 1) % 64);
        has_comma = w->has_item & bit;
        w->has_item |= bit;
    }
    const size_t bytes = key ? strlen(key) : 0;
    if (key && is_plain(key, bytes)) {
        put_plain_key(w->out, key, bytes, has_comma);
        return;
    }
    if (has_comma)
        rp__buf_put_byte(w->out, ',');
    if (key) {
        put_quoted(w->out, key, bytes);
        rp__buf_put_byte(w->out, ':');
    }
}

void rp__json_writer_begin(rp__json_writer *w, const char *key, char bracket)
{
    put_prefix(w, key);
    rp__buf_put_byte(w->out, (uint8_t)bracket);
    w->depth++;
    w->has_item &= ~((uint64_t)1 << ((w->depth - 1) % 64));
}

void rp__json_writer_end(rp__json_writer *w, char bracket)
{
    rp__buf_put_byte(w->out, (uint8_t)bracket);
    w->depth--;
}

void rp__json_writer_string(rp__json_writer *w, const char *key, const char *s, size_t bytes)
{
    put_prefix(w, key);
    put_quoted(w->out, s, bytes);
}

void rp__json_writer_text(rp__json_writer *w, const char *key, const char *s)
{
    put_prefix(w, key);
    if (s)
        put_quoted(w->out, s, strlen(s));
    else
        rp__buf_put_string(w->out, "null");
}

void rp__json_writer_uint(rp__json_writer *w, const char *key, uint64_t v)
{
    put_prefix(w, key);
    rp__buf_put_decimal(w->out, v);
}

enum { EXACT_DECIMALS = 9 };

/* A number as a whole count of its last decimal, rounded as printf rounds: to nearest, and halves to even, by the exact
 * value. A double is m * 2^e with m below 2^53, so m * 10^9 fits 128 bits. False: it is for printf. */
static bool to_last_decimal(double v, int decimals, uint64_t *out)
{
    __extension__ typedef unsigned __int128 wide;
    int e;
    const double half_to_one = frexp(v, &e);
    if (decimals > EXACT_DECIMALS || v >= 1e9 || e < -60)
        return false;
    wide scaled = (uint64_t)ldexp(half_to_one, 53); /* e is that of 2^53 then */
    for (int i = 0; i < decimals; i++)
        scaled *= 10;
    const int shift = 53 - e; /* 23 to 113 */
    const wide rest = scaled & (((wide)1 << shift) - 1);
    const wide half = (wide)1 << (shift - 1);
    *out = (uint64_t)(scaled >> shift);
    *out += rest > half || (rest == half && (*out & 1));
    return true;
}

static void put_decimals(rp__buf *out, uint64_t v, int decimals)
{
    char digits[EXACT_DECIMALS + 1];
    for (int i = decimals; i > 0; i--, v /= 10)
        digits[i] = (char)('0' + v % 10);
    digits[0] = '.';
    rp__buf_put_decimal(out, v);
    rp__buf_put(out, digits, decimals > 0 ? (size_t)decimals + 1 : 0);
}

void rp__json_writer_real(rp__json_writer *w, const char *key, double v, int decimals)
{
    put_prefix(w, key);
    if (!isfinite(v)) {
        rp__buf_put_string(w->out, "null");
        return;
    }
    char text[512]; /* 309 digits before the point at most */
    uint64_t last;
    decimals = decimals < 0 ? 0 : decimals > 100 ? 100 : decimals;
    if (!signbit(v) && to_last_decimal(v, decimals, &last)) {
        put_decimals(w->out, last, decimals);
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals, v);
    /* The locale's decimal point may be anything, even several bytes; ours is one '.'. */
    bool in_point = false;
    for (const char *p = text; *p; p++) {
        bool is_digit = (*p >= '0' && *p <= '9') || *p == '-';
        if (is_digit || !in_point)
            rp__buf_put_byte(w->out, is_digit ? (uint8_t)*p : '.');
        in_point = !is_digit;
    }
}

void rp__json_writer_bool(rp__json_writer *w, const char *key, bool v)
{
    put_prefix(w, key);
    rp__buf_put_string(w->out, v ? "true" : "false");
}
