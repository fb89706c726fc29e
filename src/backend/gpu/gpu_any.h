/* backend/gpu/gpu_any.h: interior of gpu: the k best documents of one OR at a time, over lists laid out by tiles
 * (gpu_tiled.h, gpu_or.h), without counting all that match. */
#ifndef RP_BACKEND_GPU_GPU_ANY_H
#define RP_BACKEND_GPU_GPU_ANY_H

#include "backend/backend.h"
#include "backend/gpu/gpu_or.h"

/* Lists stay for the queries that follow. One thread at a time; all zero is closed. */
typedef struct rp__gpu_any {
    rp__gpu_tiled tiled;
    rp__gpu_or or;
    uint64_t table; /* of norms, with which lists were laid out */
} rp__gpu_any;

/* What is asked: words as rp__gpu_list_word has them, each with a key that tells its list from others. */
typedef struct rp__gpu_any_query {
    const karg_word *words;
    const uint64_t *keys;
    uint32_t n; /* 1 to KARG_OR_TERMS */
    uint32_t k, least; /* at least 1; k documents are known to score so much */
    karg_norms norms;
} rp__gpu_any_query;

void rp__gpu_any_close(rp__gpu_any *any);
/* Asks the device, and waits for nothing. `most`: bytes of device memory (0: a quarter of what is there). */
rp_status rp__gpu_any_start(rp__gpu_any *any, rp__device *device, const rp__query *query,
                            const rp__gpu_any_query *what, uint64_t most);
/* Waits. *pairs, *n of them, best first, are there until the next start. RP_UNAVAILABLE: they cannot be told by tiles;
 * ask for all scores. */
rp_status rp__gpu_any_finish(rp__gpu_any *any, const karg_pair **pairs, uint32_t *n);

#endif
