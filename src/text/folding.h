/* text/folding.h: interior to text. A word made equal to all words that mean the same letters. */
#ifndef RP_TEXT_FOLDING_H
#define RP_TEXT_FOLDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/accents.h"
#include "text/text.h"

enum {
    RP_FOLDING_SOURCE = 512, /* bytes of a word that count; a longer one is cut at a character */
    /* Code points they may become, by the worst that Unicode has: U+FDFA, 3 bytes to 18. */
    RP_FOLDING_CODES = RP_FOLDING_SOURCE * 6,
};

/* Scratch. One thread at a time. */
typedef struct rp__folding {
    int32_t codes[RP_FOLDING_CODES + 1];
} rp__folding;

/* All write at most RP_TEXT_TERM_MAX bytes to `term` and return how many. */

/* Of a word that is its own folding. */
size_t rp__folding_copy(const char *word, size_t bytes, char *term);
size_t rp__folding_ascii(const char *word, size_t bytes, char *term);
/* NFKC casefold, then what `accents` drops; the word must be valid UTF-8. */
size_t rp__folding_unicode(rp__folding *folding, const rp__accents *accents, const char *word,
                           size_t bytes, char *term);
/* The same; `is_stable` says that NFKC casefold changes nothing. Takes short cuts. */
size_t rp__folding_word(rp__folding *folding, const rp__accents *accents, const char *word,
                        size_t bytes, bool is_stable, char *term);
/* Any bytes: the right one of the others. Invalid bytes are left out. */
size_t rp__folding_any(rp__folding *folding, const rp__accents *accents, const char *word,
                       size_t bytes, char *term);

/* The most bytes, at most `max`, that end at a character of valid UTF-8. */
size_t rp__folding_cut(const char *word, size_t bytes, size_t max);

#endif
