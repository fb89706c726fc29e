/* plan/expansion.h: the terms of an index that a prefix, a wildcard or a fuzzy word stands for. */
#ifndef RP_PLAN_EXPANSION_H
#define RP_PLAN_EXPANSION_H

#include "index/index.h"
#include "plan/fuzzy.h"
#include "plan/plan.h"
#include "plan/wildcard.h"

/* Terms that all patterns of a query together may look at: what bounds their time. */
enum { RP_EXPANSION_VISITS = 1 << 21 };

/* One thread at a time. */
typedef struct rp__expansion {
    rp__term_iter iter; /* the term and its entry, after RP_OK */
    rp__syntax_kind kind;
    uint32_t distance; /* of that term, if it is a fuzzy word: its edits */
    union {
        rp__wildcard wildcard;
        rp__fuzzy fuzzy;
    } by;
} rp__expansion;

/* The word is folded and not stemmed. RP_NOT_FOUND: nothing is left of it; RP_LIMIT: a fuzzy word
 * is too long; RP_DAMAGED. Both read mapped memory. */
rp_status rp__expansion_start(rp__expansion *e, const rp__segment *segment,
                              rp__analyzer_state *analyzer, rp__syntax_kind kind, const char *word,
                              size_t bytes, uint32_t edits);
/* The next term in byte order. RP_NOT_FOUND: no more; RP_LIMIT: *visits, which counts down, is 0;
 * RP_DAMAGED. */
rp_status rp__expansion_next(rp__expansion *e, uint64_t *visits);

#endif
