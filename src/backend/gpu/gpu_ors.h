/* backend/gpu/gpu_ors.h: interior of gpu: ORs of many threads, a batch at a time, over lists laid out once for all.
 *
 * Any thread; they take turns. */
#ifndef RP_BACKEND_GPU_GPU_ORS_H
#define RP_BACKEND_GPU_GPU_ORS_H

#include <pthread.h>

#include "backend/backend.h"
#include "backend/gpu/gpu_norms.h"
#include "backend/gpu/gpu_or.h"

typedef struct rp__gpu_ors {
    pthread_mutex_t lock;
    rp__device device;
    const rp__gpu_index *index;
    uint64_t most; /* bytes of device memory; 0: half of what is there */
    rp__gpu_norms norms;
    rp__gpu_tiled tiled;
    rp__gpu_or or;
    bool is_busy; /* work was given to the device, and nobody saw it end */
} rp__gpu_ors;

/* A list that a query has. */
typedef struct rp__gpu_ors_term {
    uint64_t key; /* tells it from others */
    const karg_word *word;
    float weight; /* times 2^s */
} rp__gpu_ors_term;

typedef struct rp__gpu_ors_query {
    const rp__gpu_ors_term *terms;
    uint32_t n_terms; /* 1 to KARG_OR_TERMS */
    uint32_t least;   /* k documents are known to score so much; 0: none are */
    /* The answer: */
    rp_status status; /* RP_UNAVAILABLE, RP_NO_MEMORY: ask another processor, */
    rp_fallback fallback; /* and why */
    rp__scored *at;   /* in the arena, best first */
    uint32_t n;
} rp__gpu_ors_query;

/* Opens no device before the first query. */
void rp__gpu_ors_open(rp__gpu_ors *ors, const rp__gpu_index *index, uint64_t most);
void rp__gpu_ors_close(rp__gpu_ors *ors); /* all zero is fine */

/* Answers them all: `like` says for which k and norms, over all documents. What that took is added to *counters. Reads
 * no mapped memory. */
void rp__gpu_ors_run(rp__gpu_ors *ors, const rp__query *like, rp__gpu_ors_query *queries, size_t n,
                     rp__arena *arena, rp_gpu_counters *counters);

#endif
