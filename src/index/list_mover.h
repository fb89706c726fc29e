/* index/list_mover.h: interior of index: one list in another order of documents, with its
 * positions. */
#ifndef RP_INDEX_LIST_MOVER_H
#define RP_INDEX_LIST_MOVER_H

#include "index/tiny.h"

/* One thread at a time. */
typedef struct rp__list_mover {
    const rp__segment *from;
    const uint32_t *place; /* by docid: the one that it gets */
    const rp__block_code *pos_code;
    uint32_t *docids, *tfs; /* of the list as it was */
    uint64_t *keys, *spare; /* what is sorted: docid << 32 | rank as it was */
    uint32_t *values;       /* positions as they are stored, in the old order */
    uint32_t *frames;       /* where those of each frame begin, in the new */
} rp__list_mover;

/* Memory for lists of up to n postings and cf positions. False: no memory; reset it all the
 * same. */
bool rp__list_mover_init(rp__list_mover *m, const rp__segment *from, const uint32_t *place,
                         uint32_t n, uint64_t cf);
void rp__list_mover_reset(rp__list_mover *m);
uint64_t rp__list_mover_bytes(uint32_t n, uint64_t cf); /* what init takes; cf 0: no positions */
uint64_t rp__list_mover_bound(uint32_t n, uint64_t cf); /* bytes of so many positions, encoded */

/* The list's postings by rising docids. Both arrays have n + RP_BLOCK_CAPACITY. Reads the
 * mapping. */
rp_status rp__list_mover_move(rp__list_mover *m, const rp__term *term, uint32_t *docids,
                              uint32_t *tfs);
/* Then its positions; m->frames says where those of each RP_BLOCK postings begin. RP_LIMIT: past 4
 * GiB. */
rp_status rp__list_mover_positions(rp__list_mover *m, const rp__term *term, uint8_t *out,
                                   size_t *used);
/* A tiny list of n postings, in place. */
void rp__list_mover_tiny(const rp__list_mover *m, uint32_t n, rp__tiny *tiny);

#endif
