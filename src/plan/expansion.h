/* plan/expansion.h: the terms of an index that a prefix, a wildcard, a fuzzy word or a letter
 * without neighbours stands for. */
#ifndef RP_PLAN_EXPANSION_H
#define RP_PLAN_EXPANSION_H

#include "index/index.h"
#include "plan/fuzzy.h"
#include "plan/plan.h"
#include "plan/wildcard.h"

/* Terms that all patterns of a query together may look at: what bounds their time. */
enum { RP_EXPANSION_VISITS = 1 << 21 };

/* A letter that terms have in pairs; those with a lesser first byte have not. */
typedef struct rp__expansion_letter {
    char at[RP_TEXT_TERM_MAX];
    size_t bytes;
    uint8_t first;
} rp__expansion_letter;

/* One thread at a time. */
typedef struct rp__expansion {
    rp__term_iter iter;   /* the term and its entry, after RP_OK */
    rp__syntax_kind kind; /* RP_SYNTAX_WORD: a letter */
    uint32_t distance;    /* of that term, if it is a fuzzy word: its edits */
    union {
        rp__wildcard wildcard;
        rp__fuzzy fuzzy;
        rp__expansion_letter letter;
    } by;
} rp__expansion;

/* The word is folded and not stemmed. RP_NOT_FOUND: nothing is left of it; RP_LIMIT: a fuzzy word
 * is too long; RP_DAMAGED. Both read mapped memory. */
rp_status rp__expansion_start(rp__expansion *e, const rp__segment *segment,
                              rp__analyzer_state *analyzer, rp__syntax_kind kind, const char *word,
                              size_t bytes, uint32_t edits);
/* The terms that contain a letter of which rp__analyzer_is_lone is true. */
rp_status rp__expansion_start_letter(rp__expansion *e, const rp__segment *segment,
                                     const char *letter, size_t bytes, uint8_t first);
/* The next term in byte order. RP_NOT_FOUND: no more; RP_LIMIT: *visits, which counts down, is 0;
 * RP_DAMAGED. */
rp_status rp__expansion_next(rp__expansion *e, uint64_t *visits);

#endif
