/* index/bounds.h: interior of index: how good the postings of a list are, for those who pass over
 * some. */
#ifndef RP_INDEX_BOUNDS_H
#define RP_INDEX_BOUNDS_H

#include "index/index.h"

/* A list whose blocks are given one after the other. */
typedef struct rp__bounds {
    const rp__lengths *lengths; /* of the documents, the caller's */
    const float *norms;         /* by code of length, the caller's */
    uint32_t reached[256];      /* postings so far by tf/(tf+K), rounded down */
} rp__bounds;

void rp__bounds_init(rp__bounds *b, const rp__lengths *lengths, const float *norms);
/* The bound of the next block, of n postings: the largest tf/(tf+K), rounded up. */
uint8_t rp__bounds_block(rp__bounds *b, const uint32_t *docids, const uint32_t *tfs, size_t n);
/* Of all blocks so far. */
void rp__bounds_kths(const rp__bounds *b, uint8_t out[RP_LIST_KTHS]);

#endif
