/* backend/gpu/step.h: interior of gpu: a query step by step on a device (Ding et al. 2009, Liu et al. 2018): each call is one
 * step, whose result stays on the device, in a buffer, until it is moved.
 *
 * How many elements a result has is known to the host when a step ends: what comes next, and where, is decided by that.
 * So a query may begin here and go on elsewhere, or the other way: put and take move docids and scores.
 *
 *   AND: decode the shortest list; search or intersect, list by list; clear scores, score for each word; select.
 *   OR:  clear a score for each document; score for each word; select. */
#ifndef RP_BACKEND_GPU_STEP_H
#define RP_BACKEND_GPU_STEP_H

#include "backend/gpu/gpu_index.h"
#include "backend/gpu/intersect.h"
#include "backend/gpu/select.h"
#include "rank/rank.h"

/* Device memory with what a step left there: n docids, scores (u32) or pairs. All zero is empty; it grows as it is
 * written. */
typedef struct rp__step_buffer {
    rp__cu_ptr at;
    size_t bytes;
    uint32_t n;
} rp__step_buffer;

/* One thread at a time. */
typedef struct rp__step {
    rp__device *device;
    const rp__gpu_index *index;
    rp__step_buffer state;  /* of intersections and selections */
    rp__step_buffer splits; /* of intersections; records of decoding */
    rp__cu_ptr report;      /* what kernels say: karg_found, and behind it a count */
    uint8_t *stage;         /* pinned; what comes back of it, and records of decoding */
} rp__step;

rp_status rp__step_open(rp__step *step, rp__device *device, const rp__gpu_index *index);
void rp__step_close(rp__step *step); /* all zero is fine */
void rp__step_free(rp__step *step, rp__step_buffer *buffer);

/* Between host and device: n words; pairs. */
rp_status rp__step_put(rp__step *step, const uint32_t *from, uint32_t n, rp__step_buffer *to);
rp_status rp__step_take(rp__step *step, const rp__step_buffer *from, uint32_t *to);
rp_status rp__step_take_pairs(rp__step *step, const rp__step_buffer *from, rp__scored *to);

/* All docids of a list of the index. RP_UNAVAILABLE: it is tiny; RP_DAMAGED: the CPU would say so too. */
rp_status rp__step_decode(rp__step *step, const rp__list *list, rp__step_buffer *docids);

/* The docids of `a` that are in `b`, by a row of the table that needs nothing but both; or in a list, by a row for its
 * codec. RP_UNAVAILABLE: the row is not such a one. */
rp_status rp__step_intersect(rp__step *step, rp__intersect_id id, const rp__step_buffer *a, const rp__step_buffer *b,
                             uint32_t universe, rp__step_buffer *out);
rp_status rp__step_search(rp__step *step, rp__intersect_id id, const rp__step_buffer *a, const rp__list *list,
                          rp__step_buffer *out);

/* n scores of nothing. */
rp_status rp__step_clear(rp__step *step, uint32_t n, rp__step_buffer *scores);
/* A list whose postings count, 2^s times its weight, and norms on the device. */
typedef struct rp__step_word {
    const rp__list *list;
    float weight;
    karg_norms norms;
    uint32_t n_docs;
} rp__step_word;

/* Adds what a word contributes to the scores of documents, whose docids rise; NULL: of all documents. RP_UNAVAILABLE: its
 * list, or frequencies, are in codes that kernels of queries do not read; RP_DAMAGED: they cannot be. */
rp_status rp__step_score(rp__step *step, const rp__step_word *word, const rp__step_buffer *docids,
                         rp__step_buffer *scores);

/* The k best, best first, as pairs; docids NULL: places are, and documents without a score do not count.
 * RP_UNAVAILABLE: the method does not rank so many. */
rp_status rp__step_select(rp__step *step, rp__select_id id, const rp__step_buffer *docids,
                          const rp__step_buffer *scores, uint32_t k, rp__step_buffer *pairs);

#endif
