/* backend/gpu/gpu_card.h: interior of gpu: a card that a searcher uses: the device, the index on
 * it, and its queries. */
#ifndef RP_BACKEND_GPU_GPU_CARD_H
#define RP_BACKEND_GPU_GPU_CARD_H

#include "backend/gpu/exec/exec.h"
#include "backend/gpu/gpu_steps.h"

/* One thread at a time, but for its batches. */
typedef struct rp__gpu_card {
    rp__device device;
    rp__gpu_index index;
    rp__exec exec; /* of single queries */
    rp__gpu_steps steps;
    rp__exec stepper; /* of queries that name operators, step by step; open once one came */
    bool has_index;   /* otherwise every query is refused */
} rp__gpu_card;

/* Opens it with what fits of the index: a card without it is no reason to fail, since the cpu
 * answers then. Mapped memory is read: call it under the guard, and where that leaves it, close
 * what there is. */
rp_status rp__gpu_card_open(rp__gpu_card *card, const rp__driver *driver, int ordinal,
                            const rp__segment *segment, const rp__place *place, rp_error *err);
void rp__gpu_card_close(rp__gpu_card *card);   /* all zero is fine */
bool rp__gpu_card_answers(rp__gpu_card *card); /* it has the index, and was not lost */

#endif
