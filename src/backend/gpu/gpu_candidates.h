/* backend/gpu/gpu_candidates.h: interior of gpu: the candidates of an AND on a device: docids,
 * which rise, and their scores. Each call is one launch, but for selections, and waits: the host
 * knows how many candidates are left. */
#ifndef RP_BACKEND_GPU_GPU_CANDIDATES_H
#define RP_BACKEND_GPU_GPU_CANDIDATES_H

#include "backend/backend.h"
#include "backend/gpu/device/device.h"
#include "backend/gpu/kernels/args.h"

typedef struct rp__gpu_candidates {
    rp__device *device;
    uint8_t *report;   /* pinned: what kernels report */
    rp__cu_ptr buffer; /* rp__gpu_candidates_bytes of it, the caller's */
    uint32_t capacity; /* candidates */
    uint32_t n_docs;
    uint32_t n;
    uint32_t half;  /* of the buffer that has them; a launch writes to the other one */
    bool is_scored; /* otherwise all scores are 0, and none are there */
    karg_norms norms;
    bool is_iiu;
} rp__gpu_candidates;

/* Nothing is allocated before it is needed. */
void rp__gpu_candidates_open(rp__gpu_candidates *c, rp__device *device);
void rp__gpu_candidates_close(rp__gpu_candidates *c); /* all zero is fine */

/* Device memory for so many candidates, of which k are selected, of n_docs documents. */
size_t rp__gpu_candidates_bytes(uint32_t capacity, size_t k, uint32_t n_docs);
/* No candidates, in a buffer of so many bytes; scores will be of IIU or of BM25. */
rp_status rp__gpu_candidates_begin(rp__gpu_candidates *c, rp__cu_ptr buffer, uint32_t capacity,
                                   uint32_t n_docs, const karg_norms *norms, bool is_iiu);

/* All return RP_DAMAGED where a list turns out to be. */
rp_status rp__gpu_candidates_start(rp__gpu_candidates *c, const karg_term *word, uint32_t begin,
                                   uint32_t end);
/* Drops those that are not in the list. */
rp_status rp__gpu_candidates_meet(rp__gpu_candidates *c, const karg_term *word);
/* Adds what a word contributes to those that are in its list. */
rp_status rp__gpu_candidates_score(rp__gpu_candidates *c, const karg_term *word);
/* Both, for each of n words, at most KARG_INLINE_TERMS; or, where `adds` is false, the first
 * alone. */
rp_status rp__gpu_candidates_narrow(rp__gpu_candidates *c, const karg_term *words, uint32_t n,
                                    bool adds);
/* The k best, which is at least 1 and at most n, best first; in the arena. */
rp_status rp__gpu_candidates_select(rp__gpu_candidates *c, uint32_t k, rp__arena *arena,
                                    rp__scored **out);

/* From the host, at most the capacity; to the host, n of each. */
rp_status rp__gpu_candidates_put(rp__gpu_candidates *c, const rp__partial *from);
rp_status rp__gpu_candidates_take(rp__gpu_candidates *c, uint32_t *docids, uint32_t *scores);

#endif
