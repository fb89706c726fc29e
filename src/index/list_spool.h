/* index/list_spool.h: interior of index: whole lists, in any order of terms, into sorted runs.
 *
 * Lists stand as streams (index/inverter.h) in one block of memory; when it is full it is sorted by
 * term and written as a run. A list that is longer than the block goes on in the next run, which
 * the merge puts together again. One thread at a time. */
#ifndef RP_INDEX_LIST_SPOOL_H
#define RP_INDEX_LIST_SPOOL_H

#include "index/run.h"

typedef struct rp__list_spool rp__list_spool;

enum { RP_LIST_SPOOL_LEAST = 1 << 12 }; /* bytes of the block */

rp_status rp__list_spool_new(const rp__folder *folder, size_t bytes, rp__list_spool **out,
                             rp_error *err);
/* Begins a list; the term has 1 to 255 bytes. A list without postings is forgotten. RP_INPUT: two
 * lists of one term met in the block; those that do not are found by the merge. */
rp_status rp__list_spool_term(rp__list_spool *spool, const char *term, uint32_t bytes,
                              rp_error *err);
/* More postings of the list: docids rising from call to call, frequencies at least 1. */
rp_status rp__list_spool_postings(rp__list_spool *spool, const uint32_t *docids,
                                  const uint32_t *tfs, size_t n, rp_error *err);
/* Writes what is left and gives the block back; no list may follow. */
rp_status rp__list_spool_end(rp__list_spool *spool, rp_error *err);
void rp__list_spool_free(rp__list_spool *spool); /* removes the runs; NULL is fine */

/* What was seen; the runs and the longest list are known after the end. */
typedef struct rp__list_spool_info {
    const rp__run *runs;
    size_t n_runs;
    uint64_t longest; /* postings of one list */
    uint32_t docs;    /* one more than the largest docid; 0: there are no postings */
    uint32_t most_tf;
} rp__list_spool_info;

void rp__list_spool_get(const rp__list_spool *spool, rp__list_spool_info *out);

#endif
