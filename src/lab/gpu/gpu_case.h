/* lab/gpu/gpu_case.h: kernels on made data: rows that a test runs on small sizes and in
 * many orders on the emulated device, and `riposte bench gpu` on large ones on a card. */
#ifndef RP_LAB_GPU_GPU_CASE_H
#define RP_LAB_GPU_GPU_CASE_H

#include "codec/codec.h"
#include "lab/gpu/gpu_source.h"
#include "lab/gpu/lab_kernels.h"

/* What a core does for comparison, from somebody who knows other processors. */
typedef struct rp__gpu_peer {
    /* Which of A's docids, which rise, the list has, to `out`, which has room for na, and may be
     * A. */
    rp_status (*intersect)(const uint32_t *a, uint32_t na, const rp__list *list, uint32_t *out,
                           uint32_t *n);
} rp__gpu_peer;

/* What a caller gives in place of what a row says (gpu_case_param.h). */
typedef struct rp__gpu_case_given {
    const rp__gpu_source *source; /* NULL: data are drawn */
    /* of an encoder: those of them that are set */
    rp__codec_options options;
    uint32_t threads; /* of a block of a row that decodes step by step; 0: as it has them */
} rp__gpu_case_given;

typedef struct rp__gpu_case {
    const char *area; /* decode, intersect, select, ... */
    const char *name;
    /* Draws data of about n elements by the seed (of few elements: edges too), works out the answer
     * on the CPU, and brings the data to the device. *state is the case's own. */
    rp_status (*make)(const struct rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                      void **state);
    /* does not wait */
    rp_status (*run)(const struct rp__gpu_case *row, rp__device *device, void *state);
    /* After a run: fetches the result, waits, and compares; RP_DAMAGED: it differs, `what` says
     * where. */
    rp_status (*check)(const struct rp__gpu_case *row, rp__device *device, void *state,
                       rp_error *what);
    /* NULL is fine */
    void (*free)(const struct rp__gpu_case *row, rp__device *device, void *state);
    /* What a run cannot do without: bytes read and written in device memory; elements. */
    void (*cost)(const struct rp__gpu_case *row, const void *state, uint64_t *bytes,
                 uint64_t *elements);
    /* The same on one core of the host, by the best that there is for it, or a part of it: *times
     * (1 before) is how often that part is in the whole. RP_DAMAGED: the core has another answer.
     * NULL: lists are damaged, and nobody has an answer. */
    rp_status (*cpu)(const struct rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                     double *times);
    uint32_t kernel; /* the case's own: which kernel, which codec, how wide, ... */
    uint32_t codec, width, option;
    /* whether the kernel takes the steps of one of the five papers, and no others
     * (docs/papers.md): where its method's row says so; NULL: it does not */
    const bool *is_literal;
    const rp__gpu_case_given *given; /* NULL: nothing */
    const char *twin; /* the row of gpu-anchors' simple kernel it stands against; NULL: none */
} rp__gpu_case;

extern const bool rp__gpu_case_literal; /* true, for rows whose methods have no table */
/* Rows of an area's file; a row of zeros is the last. */
extern const rp__gpu_case rp__gpu_case_decode2[];
bool rp__gpu_case_decode2_has_steps(const rp__gpu_case *row); /* qs, step by step */

const rp__gpu_case *rp__gpu_case_at(size_t i); /* every row; NULL past the last */

#endif
