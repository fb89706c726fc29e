/* text/wordbreak.h: interior to text. Where words begin and end, by UAX #29, for any text. */
#ifndef RP_TEXT_WORDBREAK_H
#define RP_TEXT_WORDBREAK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rp__wordbreak_segment {
    size_t end;
    bool is_word;   /* holds a letter, a number or Katakana: a token */
    bool is_ascii;  /* all of it */
    bool is_folded; /* it is its own folding */
} rp__wordbreak_segment;

/* The segment that begins at byte `at` < bytes, which must be a boundary: the start of the text or
 * the end of a segment. An invalid byte is a segment of its own. */
rp__wordbreak_segment rp__wordbreak_next(const char *text, size_t bytes, size_t at);

#endif
