/* plain_tokens.h: the words of a text by the plain paths alone: tokens.c, one segment at a time, and
 * utf8proc for every word. No stop list, no stemmer. The reference for analyzer.c. */
#ifndef RP_TESTS_TEXT_PLAIN_TOKENS_H
#define RP_TESTS_TEXT_PLAIN_TOKENS_H

#include <stdlib.h>

#include "text/folding.h"
#include "text/text.h"
#include "text/tokens.h"

typedef struct plain_token {
    size_t begin, end;
    uint32_t position, bytes; /* 0 bytes: nothing is left of the word */
    char term[RP_TEXT_TERM_MAX];
} plain_token;

typedef struct plain_tokens {
    rp__tokens rule;
    bool drops_possessive;
    const rp__accents *accents;
    rp__folding folding;
    plain_token *at;
    size_t n, cap;
} plain_tokens;

static inline void plain_add(plain_tokens *p, const char *text, size_t begin, size_t end,
                             size_t word_end)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 64;
        p->at = realloc(p->at, p->cap * sizeof *p->at);
        if (!p->at)
            abort();
    }
    plain_token *t = &p->at[p->n];
    *t = (plain_token){.begin = begin, .end = end, .position = (uint32_t)p->n};
    t->bytes =
        (uint32_t)rp__folding_any(&p->folding, p->accents, text + begin, word_end - begin, t->term);
    p->n++;
}

/* A whole run of letters that go by pairs; returns its end, or `at` if none begins there. */
static inline size_t plain_run(plain_tokens *p, const char *text, size_t n, size_t at)
{
    size_t ends[3] = {at, at, at}; /* of the letters so far: the last three */
    size_t letters = 0;
    for (;;) {
        size_t end = rp__tokens_letter(p->rule, text, n, ends[2]).end;
        if (end == ends[2])
            break;
        ends[0] = ends[1];
        ends[1] = ends[2];
        ends[2] = end;
        if (++letters >= 2)
            plain_add(p, text, ends[0], ends[2], ends[2]);
    }
    if (letters == 1)
        plain_add(p, text, at, ends[2], ends[2]);
    return ends[2];
}

/* Replaces what is in p->at by the words of the text. */
static inline void plain_analyze(plain_tokens *p, const char *text, size_t n)
{
    p->n = 0;
    for (size_t at = 0; at < n;) {
        size_t end = plain_run(p, text, n, at);
        if (end > at) {
            at = end;
            continue;
        }
        rp__wordbreak_segment s = rp__tokens_next(p->rule, text, n, at);
        if (s.end <= at || s.end > n)
            abort();
        if (s.is_word)
            plain_add(p, text, at, s.end,
                      p->drops_possessive ? rp__tokens_trim(text, at, s.end) : s.end);
        at = s.end;
    }
}

#endif
