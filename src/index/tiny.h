/* index/tiny.h: interior of index: a tiny list, which lies in its entry of the dictionary. */
#ifndef RP_INDEX_TINY_H
#define RP_INDEX_TINY_H

#include "index/segment.h"

/* One that was read. */
typedef struct rp__tiny {
    uint32_t docids[RP_TINY_DF], tfs[RP_TINY_DF];
    /* of the positions of all postings, one after the other, as positions.c has them */
    uint32_t gaps[RP_TINY_POSITIONS];
    /* what of it takes how much; the byte that docids and frequencies share counts as docids */
    uint32_t bytes_docids, bytes_freqs, bytes_gaps;
} rp__tiny;

/* Bytes that one takes at most, and what a writer needs. */
enum { RP_TINY_BYTES = (2 * RP_TINY_DF + RP_TINY_POSITIONS) * 5 + 8 };

/* Writes a list of n postings, at most RP_TINY_DF, of an index of n_docs documents; gaps NULL: it
 * has no positions. Returns its bytes. */
uint32_t rp__tiny_put(const uint32_t *docids, const uint32_t *tfs, uint32_t n, const uint32_t *gaps,
                      uint64_t n_docs, uint8_t out[RP_TINY_BYTES]);
/* A list in the form that the segment has them in, with RP_PAD bytes readable behind it; all but
 * its gaps. RP_DAMAGED. */
rp_status rp__tiny_get(const rp__segment *s, const rp__term *term, rp__tiny *out);
/* Its gaps too. */
rp_status rp__tiny_get_whole(const rp__segment *s, const rp__term *term, rp__tiny *out);

#endif
