/* text/tokens.h: interior to text. The rules by which text is cut into words, for any text.
 *
 * plain       UAX #29 word breaks: indexes that record no analysis
 * uax29       the same, but letters of Han, Hiragana, Katakana and Hangul go by pairs
 * split       runs of letters and digits, with apostrophes inside; those four scripts by pairs
 * whitespace  whatever lies between blanks
 * bigram      runs of letters and digits of any script, all by pairs
 *
 * A run goes by pairs: each letter with the next one is a word; a letter without neighbours is one
 * by itself. A letter includes the marks behind it, a Hangul one the parts of its syllable. */
#ifndef RP_TEXT_TOKENS_H
#define RP_TEXT_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/wordbreak.h"

typedef enum rp__tokens {
    RP_TOKENS_PLAIN,
    RP_TOKENS_UAX29,
    RP_TOKENS_SPLIT,
    RP_TOKENS_WHITESPACE,
    RP_TOKENS_BIGRAM,
} rp__tokens;

bool rp__tokens_find(const char *name, rp__tokens *out);

/* The segment that begins at byte `at` < bytes: the start of the text, or where a segment or a
 * letter ended. No letter that goes by pairs may begin there. */
rp__wordbreak_segment rp__tokens_next(rp__tokens rule, const char *text, size_t bytes, size_t at);

/* The letter that begins at byte `at`, if it goes by pairs; otherwise its `end` is `at`. */
rp__wordbreak_segment rp__tokens_letter(rp__tokens rule, const char *text, size_t bytes, size_t at);

/* Whether a term is one letter of the four scripts and the rule cuts texts of it into pairs, so
 * that most texts with the letter have it in longer terms alone. *first: no such term begins with a
 * lesser byte. */
bool rp__tokens_is_lone(rp__tokens rule, const char *term, size_t bytes, uint8_t *first);

/* Where the word [begin, end) ends without a possessive 's ("'", U+2019 or U+FF07, then s or S); at
 * `end` if it has none or is nothing else. */
size_t rp__tokens_trim(const char *text, size_t begin, size_t end);

#endif
