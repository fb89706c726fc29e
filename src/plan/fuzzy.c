/* fuzzy.c: Levenshtein's automaton as a nondeterministic one, whose states are bits of words.
 *
 * A state (i, e) says that the first i characters of the word fit what was read of the term with e
 * edits. One character of the term moves all states at once by shifts and a mask of the places where
 * the word has that character (Wu and Manber 1992, for whole words). Rows are kept by character, so
 * that a term goes on where it begins to differ from the one before. No bit left: no term that begins
 * so is near enough. The plain reference is a table of distances, in the tests. */
#include "plan/fuzzy.h"

#include <string.h>

#include "base/utf8.h"

/* The character at p, and its bytes. A byte that is none has a code that no character has. */
static uint32_t read_code(const char *p, size_t bytes, uint32_t *len, bool *is_valid)
{
    *len = rp__utf8_valid(p, bytes);
    *is_valid = *len > 0;
    if (*is_valid)
        return rp__utf8_decode(p, len);
    *len = 1;
    return 0x110000U + (unsigned char)*p;
}

bool rp__fuzzy_init(rp__fuzzy *f, const char *word, size_t bytes, uint32_t edits)
{
    memset(f, 0, offsetof(rp__fuzzy, rows));
    f->edits = edits;
    f->depth = f->n_valid = f->term_bytes = 0;
    f->ends[0] = 0;
    for (uint32_t e = 0; e <= RP_FUZZY_EDITS; e++)
        f->rows[0][e] = e <= edits ? (UINT64_C(2) << e) - 1 : 0;
    for (size_t at = 0; at < bytes;) {
        uint32_t len;
        bool is_valid;
        if (f->n == RP_FUZZY_CODES)
            return false;
        uint32_t code = read_code(word + at, bytes - at, &len, &is_valid);
        if (code < 128)
            f->ascii[code] |= UINT64_C(2) << f->n;
        f->codes[f->n++] = code;
        at += len;
    }
    return true;
}

static uint64_t places_of(const rp__fuzzy *f, uint32_t code)
{
    if (code < 128)
        return f->ascii[code];
    uint64_t places = 0;
    for (uint32_t i = 0; i < f->n; i++)
        places |= (uint64_t)(f->codes[i] == code) << (i + 1);
    return places;
}

/* The next row: the character is the word's, is put in, stands for another, or comes after some that
 * are left out. */
static void step(rp__fuzzy *f, uint32_t code)
{
    const uint64_t *from = f->rows[f->depth];
    uint64_t *to = f->rows[f->depth + 1], places = places_of(f, code);
    uint64_t all = (UINT64_C(2) << f->n) - 1;
    to[0] = from[0] << 1 & places;
    for (uint32_t e = 1; e <= f->edits; e++)
        to[e] = ((from[e] << 1 & places) | from[e - 1] | from[e - 1] << 1 | to[e - 1] << 1) & all;
}

static bool is_dead(const rp__fuzzy *f)
{
    const uint64_t *row = f->rows[f->depth];
    uint64_t any = row[0];
    for (uint32_t e = 1; e <= f->edits; e++)
        any |= row[e];
    return any == 0;
}

/* Back to the last row that both terms share. A byte that is no character may be part of one in
 * another term, so rows are shared up to it only. */
static void rewind_to(rp__fuzzy *f, const char *term, size_t bytes)
{
    size_t most = bytes < f->term_bytes ? bytes : f->term_bytes, same = 0;
    while (same < most && f->term[same] == term[same])
        same++;
    if (f->depth > f->n_valid)
        f->depth = f->n_valid;
    while (f->ends[f->depth] > same)
        f->depth--;
    f->n_valid = f->depth;
}

uint32_t rp__fuzzy_distance(rp__fuzzy *f, const char *term, size_t bytes, size_t *dead)
{
    const uint32_t too_far = f->edits + 1;
    rewind_to(f, term, bytes);
    uint32_t at = f->ends[f->depth];
    bool is_over = is_dead(f), has_invalid = false;
    while (!is_over && at < bytes) {
        uint32_t len;
        bool is_valid;
        step(f, read_code(term + at, bytes - at, &len, &is_valid));
        at += len;
        f->ends[++f->depth] = at;
        has_invalid = has_invalid || !is_valid;
        f->n_valid = has_invalid ? f->n_valid : f->depth;
        is_over = is_dead(f);
    }
    memcpy(f->term, term, at);
    f->term_bytes = at;
    *dead = is_over && !has_invalid ? at : 0;
    for (uint32_t e = 0; !is_over && e <= f->edits; e++)
        if (f->rows[f->depth][e] >> f->n & 1)
            return e;
    return too_far;
}
