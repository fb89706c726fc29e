/* backend/gpu/gpu_batch.h: interior of gpu: many queries at once on a device that holds their index. */
#ifndef RP_BACKEND_GPU_GPU_BATCH_H
#define RP_BACKEND_GPU_GPU_BATCH_H

#include "backend/backend.h"
#include "backend/gpu/gpu_ors.h"
#include "backend/gpu/gpu_words.h"

/* Queries that one launch answers. */
typedef struct rp__gpu_flight {
    rp__gpu_and and;
    uint32_t *asked;  /* of its queries: which they are; in the arena; NULL: there are none */
    rp_fallback fallback; /* of the launch */
} rp__gpu_flight;

/* ORs on their way. */
typedef struct rp__gpu_batch_any {
    rp__gpu_ors_query *queries; /* in the arena */
    uint32_t *asked;            /* which they are */
    const rp__query *like;
    size_t n;
} rp__gpu_batch_any;

/* Queries on their way, on a stream of their own. One thread at a time; any number for a device. */
typedef struct rp__gpu_batch {
    rp__device device; /* for this thread */
    const rp__gpu_index *index;
    rp__gpu_words *words;
    rp__gpu_ors *ors;
    uint64_t most; /* bytes of device memory; 0: any number */
    rp__gpu_norms norms;
    rp__gpu_flight all;     /* words that all must be there: the k best documents */
    rp__gpu_flight phrases; /* words of a phrase: documents that have them all */
    rp__gpu_batch_any any;        /* words any of which may be there */
} rp__gpu_batch;

/* On the device that holds the index; `words` and `ors` are for all batches of it. */
rp_status rp__gpu_batch_open(rp__gpu_batch *batch, rp__gpu_words *words, rp__gpu_ors *ors,
                             uint64_t most, rp_error *err);
void rp__gpu_batch_close(rp__gpu_batch *batch); /* all zero is fine */

/* As rp__backend's batch_start and batch_finish. */
void rp__gpu_batch_start(rp__gpu_batch *batch, rp__asked *asked, size_t n, rp__arena *arena);
void rp__gpu_batch_finish(rp__gpu_batch *batch, rp__asked *asked, size_t n, rp__arena *arena);

#endif
