/* backend/gpu/gpu_asked.h: interior of gpu: a query on its way through a device, from its words to its answer.
 *
 * gpu_query.c leads it: asked (which words, which lists), staged (what the device is to read), launched, answered. */
#ifndef RP_BACKEND_GPU_GPU_ASKED_H
#define RP_BACKEND_GPU_GPU_ASKED_H

#include "backend/gpu/gpu_query.h"
#include "backend/gpu/lookup_lists.h"
#include "backend/gpu/stored_lists.h"
#include "backend/gpu/tiled_lists.h"

/* A word on its way to the device. */
typedef struct rp__gpu_asked_word {
    rp__list list;
    const rp__leaf *leaf;
    bool is_transcoded;      /* kernels do not read it as it is stored */
    karg_word made;          /* as it is transcoded */
    size_t docids, tfs;      /* of a tiny one: where among what is staged */
    rp__stored_list *stored; /* where it is on the device; NULL: it is tiny, or transcoded */
} rp__gpu_asked_word;

typedef struct rp__gpu_asked {
    rp__gpu_query *q;
    const rp__query *query;
    rp__arena *arena;
    rp_error own; /* why not */
    rp_fallback fallback;
    bool is_or;
    rp__gpu_asked_word *words; /* the shortest list first */
    uint32_t n;
    uint32_t end;         /* of the documents asked about that there are */
    uint64_t postings;    /* that may be decoded */
    uint64_t most;        /* documents that may match */
    size_t staged;        /* bytes, from staged_from on in the stage, and in the room behind what was found */
    size_t staged_from;
    size_t pairs, scores; /* where in the room; marks are behind scores */
    size_t bytes;         /* of the room */
    bool is_copied;       /* what is staged */
    bool is_tiled;        /* an OR by fused_or.h */
    bool has_tiles;       /* all its lists are there by tiles */
    rp__stored_list *stored; /* n_stored: lists that kernels read as they are stored */
    size_t n_stored;
    rp__lookup_lists lists; /* those that are transcoded, of n_transcoded terms */
    const rp__term **transcoded;
    size_t n_transcoded;
    rp__tiled_list *tiles; /* n, of an OR by tiles */
    rp__cu_ptr tile_records; /* of those that are made */
    karg_norms norms;
    uint32_t norms_serial;
    bool is_resident;     /* an AND by persistent_kernel.h */
    karg_flat args;
} rp__gpu_asked;

/* Says why the device does not answer it; RP_UNAVAILABLE. */
rp_status rp__gpu_asked_refuse(rp__gpu_asked *asked, rp_fallback why);
/* Its form, its lists and its limits; `most` is 0 where nothing matches. Nothing is asked of the device. */
rp_status rp__gpu_asked_open(rp__gpu_asked *asked);
/* Its memory: lists, norms and scratch, by a lease. */
rp_status rp__gpu_asked_lease(rp__gpu_asked *asked);
/* Others may find what it has brought, when the device is done with it. */
void rp__gpu_asked_publish(rp__gpu_asked *asked);

/* gpu_staged.c: how large everything is, and whether it is copied; where in the stage it lies, and how large that is
 * to be; then what the device reads: words in `args`, or staged where there are many, and lists that are decoded here. */
void rp__gpu_staged_lay_out(rp__gpu_asked *asked);
void rp__gpu_staged_place(rp__gpu_asked *asked);
size_t rp__gpu_staged_end(const rp__gpu_asked *asked);
rp_status rp__gpu_staged_fill(rp__gpu_asked *asked);
const karg_word *rp__gpu_staged_words(const rp__gpu_asked *asked);
uint64_t rp__gpu_staged_at(const rp__gpu_asked *asked, size_t at); /* where the device has it */

/* gpu_launched.c: the OR's record, by tiles; then gives all of it to the device, and waits for nothing. */
rp_status rp__gpu_launched_hold_tiles(rp__gpu_asked *asked); /* scratch, as rp__scratch_hold */
rp_status rp__gpu_launched_start(rp__gpu_asked *asked);

/* gpu_answered.c: waits, and answers; an OR by tiles. */
rp_status rp__gpu_answered_take(rp__gpu_asked *asked, rp__answer *answer);
rp_status rp__gpu_answered_take_tiles(rp__gpu_asked *asked, rp__answer *answer);

#endif
