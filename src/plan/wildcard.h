/* plan/wildcard.h: interior of plan: which terms fit a word with '*' (any characters, or none) and
 * '?' (one character) in it. */
#ifndef RP_PLAN_WILDCARD_H
#define RP_PLAN_WILDCARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/text.h"

enum {
    RP_WILDCARD_ONE = 256, /* beyond bytes */
    RP_WILDCARD_RUN = 257,
    RP_WILDCARD_PARTS = 1024,
};

typedef struct rp__wildcard {
    uint16_t parts[RP_WILDCARD_PARTS]; /* bytes, and the two above */
    uint32_t n;
    uint32_t n_first;  /* bytes before the first that is none */
    bool fits_nothing; /* it is longer than any term */
} rp__wildcard;

/* `word` has its backslashes still; what stands between '*' and '?' is folded as a prefix is. */
void rp__wildcard_init(rp__wildcard *w, rp__analyzer_state *analyzer, const char *word,
                       size_t bytes);
bool rp__wildcard_fits(const rp__wildcard *w, const char *term, size_t bytes);

#endif
