/* backend/gpu/gpu_batch.h: interior of gpu: many queries at once on a device that holds their index. */
#ifndef RP_BACKEND_GPU_GPU_BATCH_H
#define RP_BACKEND_GPU_GPU_BATCH_H

#include "backend/backend.h"
#include "backend/gpu/exec/fused_and.h"
#include "backend/gpu/gpu_query.h"
#include "backend/gpu/lookup_lists.h"
#include "backend/gpu/tiled_lists.h"

/* Queries that one launch answers. */
typedef struct rp__gpu_flight {
    rp__fused_and and;
    rp__lease lease;
    uint32_t *asked;  /* of its queries: which they are; in the arena; NULL: there are none */
    rp_status status; /* of the launch */
} rp__gpu_flight;

/* Queries of one form, in their order: those before `next` are in flight, or answered. */
typedef struct rp__gpu_queue {
    uint32_t *asked; /* which they are; in the arena */
    size_t n, next;
} rp__gpu_queue;

/* Queries on their way, on a stream of their own. One thread at a time; any number for a device. */
typedef struct rp__gpu_batch {
    rp__device device; /* for this thread */
    const rp__gpu_index *index;
    rp__device_norms norms;
    rp__gpu_flight all;     /* words that all must be there: the k best documents */
    rp__gpu_flight phrases; /* words of a phrase: documents that have them all */
    rp__gpu_queue all_queue, phrase_queue;
    rp__gpu_queue any_queue; /* words any of which may be there */
    rp__gpu_queue one_queue; /* what does not fit among others: one at a time */
    rp__fused_or or;
    rp__lease or_lease;
    rp__gpu_query one;
    rp__asked *first;       /* that the device is asked for */
    const rp__query *like;  /* all are, but for their words */
    bool has_stops;         /* some may be stopped on their way */
} rp__gpu_batch;

/* What is being answered. */
typedef struct rp__gpu_group {
    rp__gpu_batch *b;
    rp__asked *asked;
    size_t n; /* queries */
    rp__arena *arena;
} rp__gpu_group;

/* On the device that holds the index. */
rp_status rp__gpu_batch_open(rp__gpu_batch *batch, const rp__gpu_index *index, rp_error *err);
void rp__gpu_batch_close(rp__gpu_batch *batch); /* all zero is fine */

/* As rp__backend's batch_start and batch_finish. */
void rp__gpu_batch_start(rp__gpu_batch *batch, rp__asked *asked, size_t n, rp__arena *arena);
void rp__gpu_batch_finish(rp__gpu_batch *batch, rp__asked *asked, size_t n, rp__arena *arena);

/* As rp__backend's poll: false also where finish has something to launch. */
bool rp__gpu_batch_poll(rp__gpu_batch *batch);

/* Shared with gpu_batch_ors.c. Why a query is not answered, where a call failed with this status; NONE: it did not. */
rp_fallback rp__gpu_batch_reason(rp__gpu_batch *b, rp_status status);
void rp__gpu_batch_refuse(rp__asked *asked, rp_fallback why); /* NONE: it is answered */
/* Before a launch: drops those of a queue that are to stop. */
void rp__gpu_batch_drop_stopped(const rp__gpu_group *f, rp__gpu_queue *queue);
/* Terms that the index knows, of n queries of a queue from its next one on. */
rp_status rp__gpu_batch_terms(const rp__gpu_group *f, const rp__gpu_queue *queue, size_t n,
                              const rp__term ***out, size_t *n_out);
/* Norms, for the lease, which has begun. RP_NOT_FOUND: they are not there. */
rp_status rp__gpu_batch_find_norms(rp__gpu_batch *b, rp__lease *lease, karg_norms *out, uint32_t *serial);
rp_status rp__gpu_batch_bring_norms(rp__gpu_batch *b, rp__lease *lease); /* it has ended then */

/* gpu_batch_ors.c: answers the ORs of a group, when it is finished. */
void rp__gpu_batch_ors_run(const rp__gpu_group *group);

#endif
