/* plan/fuzzy.h: interior of plan: which terms are within one or two edits of a word.
 *
 * An edit puts a character in, takes one out or makes it another (Levenshtein). Characters are
 * those of UTF-8; a byte that is none counts as a character of its own. */
#ifndef RP_PLAN_FUZZY_H
#define RP_PLAN_FUZZY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RP_FUZZY_CODES = 62, RP_FUZZY_EDITS = 2, RP_FUZZY_TERM = 256 };

/* One thread at a time. */
typedef struct rp__fuzzy {
    uint32_t codes[RP_FUZZY_CODES]; /* of the word */
    uint32_t n, edits;
    uint64_t ascii[128]; /* by character: bit i + 1 where the i-th of the word is it */
    /* After so many characters of the last term: bit i of [e] where the first i of the word fit
     * with e edits. */
    uint64_t rows[RP_FUZZY_TERM][RP_FUZZY_EDITS + 1];
    uint32_t ends[RP_FUZZY_TERM]; /* and bytes that they take */
    uint32_t depth, n_valid;      /* rows but the first; of which so many are of valid characters */
    char term[RP_FUZZY_TERM];
    uint32_t term_bytes; /* that were looked at */
} rp__fuzzy;

/* False: the word has more than RP_FUZZY_CODES characters. */
bool rp__fuzzy_init(rp__fuzzy *f, const char *word, size_t bytes, uint32_t edits);
/* How many edits the term is away; more than f->edits where it is too far. *dead: no term that
 * begins with so many bytes of this one is near enough; 0: that is not known. Terms in byte order
 * cost least: what two have in common is looked at once. At most RP_FUZZY_TERM - 1 bytes. */
uint32_t rp__fuzzy_distance(rp__fuzzy *f, const char *term, size_t bytes, size_t *dead);

#endif
