/* backend/gpu/exec/fused_or.h: interior of gpu: the k best documents of many ORs at once, by tiles
 * of docids.
 *
 * Lists are those of tiled_lists.h. One thread at a time; one batch in work at a time. */
#ifndef RP_BACKEND_GPU_EXEC_FUSED_OR_H
#define RP_BACKEND_GPU_EXEC_FUSED_OR_H

#include <stdbool.h>

#include "backend/gpu/kernels/args.h"
#include "backend/gpu/residency/lease.h"

/* A term of a query: a list, and 2^s times its weight. */
typedef struct rp__fused_or_term {
    karg_tiled list;
    float weight;
} rp__fused_or_term;

typedef struct rp__fused_or_query {
    const rp__fused_or_term *terms;
    uint32_t n_terms;   /* 1 to KARG_OR_LONG_TERMS; not more than KARG_OR_TERMS with has_stored */
    uint32_t min_score; /* k documents are known to score so much; 0: none are */
} rp__fused_or_query;

typedef struct rp__fused_or {
    rp__device *device;
    rp__lease *lease;    /* by which it has scratch; NULL: plain memory of the device */
    uint8_t *stage;      /* pinned: terms and queries on their way; what comes back */
    rp__cu_ptr stage_at; /* the same for kernels */
    size_t stage_bytes;
    rp__scratch scratch;                  /* terms and queries; then what kernels leave */
    rp__scratch states;                   /* all zero between batches */
    bool is_clean;                        /* they are */
    uint32_t counted[KARG_OR_RANKED + 1]; /* by kernels so far, before them */
    karg_or args;                         /* of the batch in work */
    uint32_t n_batches;
} rp__fused_or;

void rp__fused_or_open(rp__fused_or *o, rp__device *device); /* nothing is allocated yet */
/* Its lease has ended. `residency`: of it; NULL: it has none. All zero is fine. */
void rp__fused_or_close(rp__fused_or *o, rp__residency *residency);

typedef struct rp__fused_or_batch {
    const rp__fused_or_query *queries;
    uint32_t n_queries; /* at least 1 */
    uint32_t k;         /* 0: only totals are wanted */
    uint32_t n_docs;
    bool scores_all; /* no posting is passed over; the answer is the same */
    bool is_iiu;     /* tiles and weights are of IIU; else of BM25 */
    bool has_stored; /* some lists are read as they are stored; not of IIU, nor with totals */
    bool counts_all; /* totals are wanted, too */
} rp__fused_or_batch;

/* Scratch for a batch, as rp__scratch_hold; it may be held already. */
rp_status rp__fused_or_hold(rp__fused_or *o, const rp__fused_or_batch *batch);
/* Asks the device for the k best of each query, and does not wait; the batch before must have been
 * fetched, or waited for. */
rp_status rp__fused_or_run(rp__fused_or *o, const rp__fused_or_batch *batch);
/* Waits until the batch is answered: *pairs has k of them a query (of a k of 0: 1), best first,
 * *counts how many there are; UINT32_MAX: a list is damaged, or too many documents came near the k
 * best: ask another. Where totals are wanted, n_queries of them lie behind the counts. They lie in
 * the stage until the next batch. */
rp_status rp__fused_or_fetch(rp__fused_or *o, const karg_pair **pairs, const uint32_t **counts);
bool rp__fused_or_is_done(const rp__fused_or *o); /* fetch would not wait */

#endif
