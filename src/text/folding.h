/* text/folding.h: interior to text. A word made equal to all words that mean the same letters. */
#ifndef RP_TEXT_FOLDING_H
#define RP_TEXT_FOLDING_H

#include <stddef.h>
#include <stdint.h>

#include "text/text.h"

enum {
    RP_FOLDING_SOURCE = 512, /* bytes of a word that are looked at; a longer one is cut at a character */
    /* Code points they may become, by the worst that Unicode has: U+FDFA, 3 bytes to 18. */
    RP_FOLDING_CODES = RP_FOLDING_SOURCE * 6,
};

/* Scratch and result. One thread at a time. */
typedef struct rp__folding {
    char term[RP_TEXT_TERM_MAX + 9]; /* the result, with 8 readable bytes behind it */
    int32_t codes[RP_FOLDING_CODES + 1];
} rp__folding;

/* All fill folding->term and return its bytes, 0 to RP_TEXT_TERM_MAX. */
/* A word that is its own folding. */
size_t rp__folding_copy(rp__folding *folding, const char *word, size_t bytes);
size_t rp__folding_ascii(rp__folding *folding, const char *word, size_t bytes);
/* NFKC casefold; the word must be valid UTF-8. */
size_t rp__folding_unicode(rp__folding *folding, const char *word, size_t bytes);
/* Any bytes: the right one of the last two. Invalid bytes are left out. */
size_t rp__folding_any(rp__folding *folding, const char *word, size_t bytes);

/* The most bytes, at most `max`, that end at a character of valid UTF-8. */
size_t rp__folding_cut(const char *word, size_t bytes, size_t max);

#endif
