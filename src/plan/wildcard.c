/* wildcard.c: a word with '*' and '?' in it as a row of bytes and wildcards, and whether a term fits.
 *
 * A '*' takes as little as it can; where that does not fit, the last one takes a character more.
 * No earlier one needs to, so a term costs at most its length times the pattern's. */
#include "plan/wildcard.h"

#include <string.h>

#include "base/utf8.h"

enum { PIECE = 512 }; /* bytes of a piece that folding looks at */

static void put(rp__wildcard *w, uint16_t part)
{
    if (w->n == RP_WILDCARD_PARTS)
        w->fits_nothing = true;
    else
        w->parts[w->n++] = part;
}

/* Folds the bytes that were gathered, and begins again. */
static void put_piece(rp__wildcard *w, rp__analyzer_state *analyzer, const char *piece, size_t *n)
{
    char folded[RP_TEXT_TERM_MAX];
    size_t bytes = *n > 0 ? rp__analyzer_fold(analyzer, piece, *n, folded) : 0;
    for (size_t i = 0; i < bytes; i++)
        put(w, (unsigned char)folded[i]);
    *n = 0;
}

void rp__wildcard_init(rp__wildcard *w, rp__analyzer_state *analyzer, const char *word,
                       size_t bytes)
{
    char piece[PIECE];
    size_t n = 0;
    *w = (rp__wildcard){0};
    for (size_t i = 0; i < bytes && !w->fits_nothing; i++) {
        if (word[i] == '*' || word[i] == '?') {
            put_piece(w, analyzer, piece, &n);
            put(w, word[i] == '*' ? RP_WILDCARD_RUN : RP_WILDCARD_ONE);
            continue;
        }
        i += word[i] == '\\' && i + 1 < bytes;
        if (n == sizeof piece)
            w->fits_nothing = true;
        else
            piece[n++] = word[i];
    }
    put_piece(w, analyzer, piece, &n);
    while (w->n_first < w->n && w->parts[w->n_first] < RP_WILDCARD_ONE)
        w->n_first++;
}

/* Bytes of the character at p; a byte that is none counts as one. */
static size_t char_bytes(const char *p, size_t bytes)
{
    uint32_t len = rp__utf8_valid(p, bytes);
    return len ? len : 1;
}

bool rp__wildcard_fits(const rp__wildcard *w, const char *term, size_t bytes)
{
    size_t at = 0, run_at = 0; /* of the term; what the last '*' has taken ends at run_at */
    uint32_t i = 0, after_run = UINT32_MAX;
    if (w->fits_nothing)
        return false;
    for (;;) {
        uint16_t part = i < w->n ? w->parts[i] : RP_WILDCARD_RUN + 1;
        if (part == RP_WILDCARD_RUN) {
            after_run = ++i;
            run_at = at;
        } else if (part == RP_WILDCARD_ONE && at < bytes) {
            at += char_bytes(term + at, bytes - at);
            i++;
        } else if (at < bytes && part == (unsigned char)term[at]) {
            at++;
            i++;
        } else if (at == bytes && i == w->n) {
            return true;
        } else if (after_run == UINT32_MAX || run_at >= bytes) {
            return false;
        } else {
            run_at += char_bytes(term + run_at, bytes - run_at);
            at = run_at;
            i = after_run;
        }
    }
}
