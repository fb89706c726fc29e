/* backend/gpu/residency/list_checks.h: interior of gpu: whether lists that kernels of queries read
 * as they are stored are sound.
 *
 * A list is checked by a kernel when a query first reads it, before the query's own kernels on the
 * same stream: nobody waits for it, and the verdict is there when the answer is. To check all lists
 * when an index is opened would need records of all of them, for which the host would have to walk
 * through the whole dictionary; most queries need a few. Verdicts stay as long as the residency,
 * whatever is evicted: a list that was checked costs a query one load.
 * A sound list is one that the CPU decodes to the same values. */
#ifndef RP_BACKEND_GPU_RESIDENCY_LIST_CHECKS_H
#define RP_BACKEND_GPU_RESIDENCY_LIST_CHECKS_H

#include "backend/gpu/residency/lease.h"

typedef enum rp__verdict {
    RP_VERDICT_NONE, /* it was not checked yet */
    RP_VERDICT_SOUND,
    RP_VERDICT_DAMAGED, /* kernels cannot have it */
} rp__verdict;

/* Of a list that the segment opens, and that is not tiny. Any thread, with a lease or without. */
rp__verdict rp__list_checks_find(const rp__residency *residency, const rp__term *term);
void rp__list_checks_keep(rp__residency *residency, const rp__term *term, rp__verdict verdict);

/* A list on its way to be checked. */
typedef struct rp__list_check {
    const rp__term *term;
    karg_term word;  /* as kernels read it */
    bool is_partial; /* some blocks of it: only damage is remembered */
    bool is_damaged; /* once it was checked */
} rp__list_check;

/* What a check of a list reads: `word`, but frequencies only where kernels ever read them. */
rp__list_check rp__list_checks_of(const rp__list *list, const rp__term *term, const karg_term *word,
                                  bool is_partial);
/* Enqueues the checks of n lists on a stream; their bytes are there by then. Does not wait. */
rp_status rp__list_checks_run(rp__lease *lease, rp__cu_stream stream, const rp__list_check *checks,
                              size_t n);
/* The device was seen to be done with them: verdicts are known from now on. Whether all are
 * sound. */
bool rp__list_checks_end(rp__lease *lease, rp__list_check *checks, size_t n);

#endif
