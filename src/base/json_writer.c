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

static void put_quoted(rp__buf *out, const char *s, size_t bytes)
{
    static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
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

/* Everything that stands before a value: the comma and the key. */
static void put_prefix(rp__json_writer *w, const char *key)
{
    if (w->depth > 0) {
        uint64_t bit = (uint64_t)1 << ((w->depth - 1) % 64);
        if (w->has_item & bit)
            rp__buf_put_byte(w->out, ',');
        w->has_item |= bit;
    }
    if (key) {
        put_quoted(w->out, key, strlen(key));
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
    rp__buf_printf(w->out, "%llu", (unsigned long long)v);
}

void rp__json_writer_real(rp__json_writer *w, const char *key, double v, int decimals)
{
    put_prefix(w, key);
    if (!isfinite(v)) {
        rp__buf_put_string(w->out, "null");
        return;
    }
    char text[512]; /* 309 digits before the point at most */
    decimals = decimals < 0 ? 0 : decimals > 100 ? 100 : decimals;
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
