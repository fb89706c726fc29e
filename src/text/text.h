/* text/text.h: the door of text: bytes to terms.
 *
 * An analyzer is a rule that cuts text into words (tokens.h), a folding (ASCII by table, anything
 * else by NFKC casefold; possessives and accents are dropped on request), an optional stop list and
 * an optional stemmer. The same analyzer, stored in the index, is applied to documents and to
 * queries.
 * Invalid UTF-8 never fails here: a bad byte is a break and part of no token. */
#ifndef RP_TEXT_TEXT_H
#define RP_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

enum { RP_TEXT_TERM_MAX = 255 }; /* bytes of a term; a longer one is cut at a character */

/* What is stored in the index to make the same analyzer again. */
typedef struct rp__text_options {
    const char *stem;       /* "none", or an algorithm of libstemmer */
    const char *stop_words; /* words separated by '\n', as given; "" for none */
    size_t stop_bytes;
    const char *tokens; /* how text is cut into words; NULL: "plain" */
    bool drops_possessive, folds_accents;
} rp__text_options;

/* Read only after opening; any thread may read, but each thread needs its own state. */
typedef struct rp__analyzer rp__analyzer;
/* One thread's state: folding buffers, stemmer, stem cache. One thread at a time. */
typedef struct rp__analyzer_state rp__analyzer_state;

/* RP_USAGE for an unknown stemmer or rule. */
rp_status rp__analyzer_open(const rp__text_options *options, rp__analyzer **out, rp_error *err);
void rp__analyzer_close(rp__analyzer *analyzer);
rp_status rp__analyzer_state_new(const rp__analyzer *analyzer, rp__analyzer_state **out);
void rp__analyzer_state_free(rp__analyzer_state *state);

typedef struct rp__token {
    const char *term;  /* not NUL-ended; valid until the next token */
    uint32_t bytes;    /* 1 to RP_TEXT_TERM_MAX */
    uint32_t position; /* counts every word, stop words too, from 0 */
    size_t begin, end; /* bytes of the source that it came from; pairs of letters overlap */
} rp__token;

/* Token by token: begin on a text, then next until it is false. After the last one,
 * rp__analyzer_positions is how many words there were, stop words included. */
void rp__analyzer_begin(rp__analyzer_state *state, const char *text, size_t bytes);
bool rp__analyzer_next(rp__analyzer_state *state, rp__token *token);
uint32_t rp__analyzer_positions(const rp__analyzer_state *state);
/* The term of a run of lower-case letters and digits that is all of a text, as next would give it;
 * 0 bytes: nothing is left of it. False: it may be more than one word, and is to be begun on. */
bool rp__analyzer_run(rp__analyzer_state *state, const char *run, size_t bytes, rp__token *token);

/* Whether a term is a letter that texts have in pairs with its neighbours: Han, Hiragana, Katakana
 * or Hangul, as the rule has it. *first: no such pair begins with a lesser byte. */
bool rp__analyzer_is_lone(const rp__analyzer_state *state, const char *term, size_t bytes,
                          uint8_t *first);

/* One word folded as a prefix is: no stop list, no stemmer. Returns its bytes; 0 if nothing is
 * left. */
size_t rp__analyzer_fold(rp__analyzer_state *state, const char *word, size_t bytes,
                         char out[RP_TEXT_TERM_MAX]);

/* The version of the library that knows the characters. */
const char *rp__unicode_version(void);

/* Names for users, the default first; NULL past the last. */
const char *rp__stemming_name(size_t i);
const char *rp__tokens_name(size_t i);
const char *rp__stopwords_name(size_t i);

/* Named stop lists: the words separated by '\n' ("lucene": its 33 English ones; "none": ""; a
 * language's), or NULL. */
const char *rp__stopwords_get(const char *name);

#endif
