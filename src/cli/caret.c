/* caret.c: shows where in a query an error is. A long query is cut around that place. */
#include "cli/caret.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

enum {
    BEFORE = 50, /* columns before the caret that are shown at most */
    WIDTH = 70,  /* columns of the query in all */
};

static const char dots[] = "...";

/* Columns of a character: Chinese, Japanese and Korean ones take two, marks on another none. */
static uint32_t columns_of(uint32_t c)
{
    if (c >= 0x300 && c <= 0x36F)
        return 0;
    bool is_wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                   (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                   (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                   (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
    return is_wide ? 2 : 1;
}

/* The character at p, and its bytes; 0 and 1 of what is none or would steer a terminal. */
static uint32_t read_at(const char *p, size_t bytes, uint32_t *len)
{
    uint32_t c = 0;
    *len = rp__utf8_valid(p, bytes);
    if (*len > 0)
        c = rp__utf8_decode(p, len);
    else
        *len = 1;
    bool is_harmless = c >= 0x20 && c != 0x7F && !(c >= 0x80 && c < 0xA0) &&
                       !(c >= 0x200E && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069) &&
                       c != 0xFEFF;
    return is_harmless ? c : 0;
}

static uint32_t width_of(const char *p, size_t bytes, uint32_t *len)
{
    uint32_t c = read_at(p, bytes, len);
    return c ? columns_of(c) : 1;
}

/* The byte of a column, and the columns before it. */
static size_t find_column(const char *query, size_t bytes, size_t column, size_t *before)
{
    size_t at = 0;
    *before = 0;
    for (uint32_t len; column > 1 && at < bytes; column--, at += len)
        *before += width_of(query + at, bytes - at, &len);
    return at;
}

void rp__caret_draw(const char *query, const char *message, char out[RP_CARET_BYTES])
{
    static const char start[] = "column ";
    rp__buf line;
    size_t bytes = strlen(query), before, at = 0, shown = 0;
    uint32_t len;
    out[0] = 0;
    if (strncmp(message, start, strlen(start)) != 0)
        return;
    find_column(query, bytes, strtoul(message + strlen(start), NULL, 10), &before);
    rp__buf_init(&line);
    rp__buf_put_string(&line, "  ");
    bool is_cut = before > BEFORE;
    for (size_t skip = is_cut ? before - BEFORE : 0; skip > 0 && at < bytes; at += len) {
        uint32_t w = width_of(query + at, bytes - at, &len);
        before -= w;
        skip -= w < skip ? w : skip;
    }
    rp__buf_put_string(&line, is_cut ? dots : "");
    before += is_cut ? strlen(dots) : 0;
    for (; at < bytes && shown < WIDTH; at += len) {
        shown += width_of(query + at, bytes - at, &len);
        rp__buf_put(&line, read_at(query + at, bytes - at, &len) ? query + at : " ",
                    read_at(query + at, bytes - at, &len) ? len : 1);
    }
    rp__buf_printf(&line, "%s\n  %*s^\n", at < bytes ? dots : "", (int)before, "");
    if (!line.failed && line.n < RP_CARET_BYTES) {
        memcpy(out, line.at, line.n);
        out[line.n] = 0;
    }
    rp__buf_free(&line);
}
