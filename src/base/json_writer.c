/* json_writer.c: JSON into a buffer, on one line. Puts the commas, escapes the strings and replaces
 * bytes that are no UTF-8, so that what comes out is always JSON; pairs no brackets, that is the
 * caller's. The same bytes come out under every locale. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
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

static const uint64_t ones = UINT64_C(0x0101010101010101);

/* The highest bit of a byte is 1 where it is not ASCII that stands for itself. Such a byte may make the one above it look
 * the same, which changes nothing. Other bits mean nothing. */
static uint64_t mark_special(uint64_t x)
{
    const uint64_t quote = x ^ ones * '"', slash = x ^ ones * '\\';
    return (x - ones * 0x20) | x | (quote - ones) | (slash - ones);
}

static bool has_mark(uint64_t marks)
{
    return (marks & ones << 7) != 0;
}

static bool is_plain_byte(char c)
{
    return (unsigned char)(c - 0x20) < 0x60 && c != '"' && c != '\\';
}

bool rp__json_writer_is_plain(const char *s, size_t bytes)
{
    if (bytes >= 8) {
        for (size_t i = 0; i + 8 < bytes; i += 8)
            if (has_mark(mark_special(rp__load64(s + i))))
                return false;
        return !has_mark(mark_special(rp__load64(s + bytes - 8)));
    }
    if (bytes >= 4)
        return !has_mark(mark_special((uint64_t)rp__load32(s) << 32 | rp__load32(s + bytes - 4)));
    for (size_t i = 0; i < bytes; i++)
        if (!is_plain_byte(s[i]))
            return false;
    return true;
}

/* The last words overlap those before them. */
bool rp__json_writer_copy_plain(uint8_t *out, const char *s, size_t bytes)
{
    uint64_t marks = 0;
    if (bytes < 8) {
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)s[i];
        return rp__json_writer_is_plain(s, bytes);
    }
    for (size_t i = 0; i + 8 < bytes; i += 8) {
        const uint64_t x = rp__load64(s + i);
        rp__store64(out + i, x);
        marks |= mark_special(x);
    }
    const uint64_t last = rp__load64(s + bytes - 8);
    rp__store64(out + bytes - 8, last);
    return !has_mark(marks | mark_special(last));
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
    if (rp__json_writer_is_plain(s, bytes)) {
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
    if (key && rp__json_writer_is_plain(key, bytes)) {
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

void rp__json_writer_note_item(rp__json_writer *w)
{
    if (w->depth > 0)
        w->has_item |= (uint64_t)1 << ((w->depth - 1) % 64);
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
static const uint32_t powers[EXACT_DECIMALS + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

/* A number that is not negative as a whole count of its last decimal, rounded as printf rounds: to nearest, and halves
 * to even, by the exact value. A double is m * 2^e with m below 2^53, so m * 10^9 fits 128 bits. False: it is for
 * printf. */
static bool to_last_decimal(double v, int decimals, uint64_t *out)
{
    __extension__ typedef unsigned __int128 wide;
    const uint64_t top = UINT64_C(1) << 52;
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int shift = 1075 - (int)(bits >> 52); /* so many bits are behind the point */
    if (v == 0) {
        *out = 0;
        return decimals <= EXACT_DECIMALS;
    }
    if (decimals > EXACT_DECIMALS || v >= 1e9 || shift > 113)
        return false;
    const wide scaled = (wide)((bits & (top - 1)) | top) * powers[decimals];
    const wide rest = scaled & (((wide)1 << shift) - 1);
    const wide half = (wide)1 << (shift - 1);
    *out = (uint64_t)(scaled >> shift);
    *out += rest > half || (rest == half && (*out & 1));
    return true;
}

static size_t put_decimals(uint8_t *out, uint64_t v, int decimals)
{
    const size_t n = rp__buf_digits(out, v / powers[decimals]);
    if (decimals == 0)
        return n;
    out[n] = '.';
    rp__buf_last_digits(out + n + 1, v % powers[decimals], (size_t)decimals);
    return n + 1 + (size_t)decimals;
}

size_t rp__json_writer_decimals(uint8_t *out, double v, int decimals)
{
    uint64_t last;
    return isfinite(v) && !signbit(v) && to_last_decimal(v, decimals, &last)
               ? put_decimals(out, last, decimals)
               : 0;
}

void rp__json_writer_real(rp__json_writer *w, const char *key, double v, int decimals)
{
    char text[512]; /* 309 digits before the point at most */
    put_prefix(w, key);
    if (!isfinite(v)) {
        rp__buf_put_string(w->out, "null");
        return;
    }
    decimals = decimals < 0 ? 0 : decimals > 100 ? 100 : decimals;
    uint8_t *room = rp__buf_room(w->out, RP_JSON_DECIMALS);
    const size_t n = room ? rp__json_writer_decimals(room, v, decimals) : 0;
    w->out->n += n;
    if (n > 0 || !room)
        return;
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
