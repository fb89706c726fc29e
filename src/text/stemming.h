/* text/stemming.h: interior to text. Stems of folded words, with a memory for frequent ones. */
#ifndef RP_TEXT_STEMMING_H
#define RP_TEXT_STEMMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"
#include "text/accents.h"

/* One thread at a time. */
typedef struct rp__stemming rp__stemming;

/* True for "none" too, whose *algorithm is NULL. The string is static. */
bool rp__stemming_find(const char *name, const char **algorithm);
/* The letters with an accent that the algorithm's rules mention: its words must keep them. */
const char *rp__stemming_letters(const char *algorithm);

/* `algorithm` is one that find gave, not NULL; `accents` are dropped from stems, and outlive them.
 * RP_NO_MEMORY is the only failure. */
rp_status rp__stemming_new(const char *algorithm, const rp__accents *accents, rp__stemming **out);
void rp__stemming_free(rp__stemming *stemming);

/* The stem of a folded term (1 to RP_TEXT_TERM_MAX bytes, hash by term_hash.h); *bytes goes from
 * the term's to the stem's, of the same range. Valid until the next call; it may be the term. */
const char *rp__stemming_get(rp__stemming *stemming, const char *term, uint32_t *bytes,
                             uint64_t hash);

#endif
