/* index/term_sort.h: interior of index: terms into byte order, in place, without allocating. */
#ifndef RP_INDEX_TERM_SORT_H
#define RP_INDEX_TERM_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct rp__sort_term {
    uint64_t prefix; /* rp__term_sort_prefix of the term */
    const char *term;
    uint32_t bytes, tag; /* tag: the caller's */
} rp__sort_term;

/* The first 8 bytes as a number that orders as they do; shorter terms are filled with zeros. */
uint64_t rp__term_sort_prefix(const char *term, size_t bytes);
void rp__term_sort(rp__sort_term *terms, size_t n);

#endif
