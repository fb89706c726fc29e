/* text/stopwords.h: interior to text. A set of words that are left out of an index. */
#ifndef RP_TEXT_STOPWORDS_H
#define RP_TEXT_STOPWORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"
#include "text/accents.h"

typedef struct rp__stopwords_slot {
    uint64_t hash;
    size_t at;      /* of the word in `words` */
    uint32_t bytes; /* 0: empty */
} rp__stopwords_slot;

/* Read only once filled; any thread may read. All zero is the empty set. */
typedef struct rp__stopwords {
    rp__stopwords_slot *slots;
    size_t mask; /* slots - 1, a power of two less one */
    char *words;
    size_t n;             /* words in it */
    uint64_t lengths[64]; /* by the first byte: which lengths words have, both modulo 64 */
} rp__stopwords;

/* Folds the words of a list ('\n' between them, blanks around them do not count) into an all zero
 * set, as words of a text are folded. RP_NO_MEMORY: the set is still to be reset. */
rp_status rp__stopwords_init(rp__stopwords *set, const rp__accents *accents, const char *list,
                             size_t bytes);
void rp__stopwords_reset(rp__stopwords *set);

/* Says no, quickly, for most terms that are no stop words; otherwise ask rp__stopwords_has. */
static inline bool rp__stopwords_may_have(const rp__stopwords *set, const char *term, size_t bytes)
{
    return set->lengths[(unsigned char)*term % 64] >> (bytes % 64) & 1;
}

/* `hash` is the term's (term_hash.h). The set must not be empty. */
bool rp__stopwords_has(const rp__stopwords *set, const char *term, size_t bytes, uint64_t hash);

#endif
