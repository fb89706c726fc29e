/* plan/query_lexer.h: interior of plan: query text to tokens, and errors that point into it. */
#ifndef RP_PLAN_QUERY_LEXER_H
#define RP_PLAN_QUERY_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/search.h"
#include "riposte/status.h"

typedef enum rp__query_lexer_kind {
    RP_TOKEN_END,
    RP_TOKEN_WORD,
    RP_TOKEN_PREFIX,
    RP_TOKEN_WILDCARD, /* a word with '*' or '?' in it */
    RP_TOKEN_FUZZY,    /* a word with '~' behind it */
    RP_TOKEN_PHRASE,
    RP_TOKEN_LEFT, /* parenthesis */
    RP_TOKEN_RIGHT,
    RP_TOKEN_AND,
    RP_TOKEN_OR,
    RP_TOKEN_NOT,
    RP_TOKEN_PLUS,
    RP_TOKEN_MINUS,
} rp__query_lexer_kind;

typedef struct rp__query_lexer_token {
    rp__query_lexer_kind kind;
    uint32_t at; /* byte at which it starts */
    /* of a prefix without '*', of a phrase without quotes; escapes still in it */
    uint32_t begin, end;
    uint32_t slop;     /* of a phrase; of a fuzzy word its edits */
    double boost;      /* 1 where none is written */
    uint32_t boost_at; /* byte of its '^' */
} rp__query_lexer_token;

/* One thread at a time. The text must be valid UTF-8. */
typedef struct rp__query_lexer {
    const char *text;
    uint32_t bytes, at;
    const rp_search_options *options;
    rp_error *err;
} rp__query_lexer;

extern const double rp__query_lexer_boost_max;

rp_status rp__query_lexer_next(rp__query_lexer *lexer, rp__query_lexer_token *token);

/* The column of a byte, counted in characters from 1. */
size_t rp__query_lexer_column(const char *text, size_t at);

/* Fails with "column N: " before the text. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
rp_status
rp__query_lexer_fail(const char *text, size_t at, rp_error *err, rp_status code, const char *format,
                     ...);

#endif
