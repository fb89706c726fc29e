/* backend/gpu/gpu_budget.h: interior of gpu: bytes of a card that several devices may have together.
 *
 * A device that has a budget takes from it what it allocates and gives back what it frees, whichever of them took it. */
#ifndef RP_BACKEND_GPU_GPU_BUDGET_H
#define RP_BACKEND_GPU_GPU_BUDGET_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend/gpu/driver.h"

/* Any thread. */
typedef struct rp__gpu_budget {
    pthread_mutex_t lock; /* of what follows */
    uint64_t most, used;
    struct rp__gpu_taken {
        rp__cu_ptr at;
        uint64_t bytes;
    } *taken;
    size_t n, cap;
    size_t n_open; /* taken, but not yet anywhere */
} rp__gpu_budget;

void rp__gpu_budget_open(rp__gpu_budget *budget, uint64_t most);
void rp__gpu_budget_close(rp__gpu_budget *budget); /* all zero is fine */

/* False: so much is not left. Otherwise one of the next two follows. */
bool rp__gpu_budget_take(rp__gpu_budget *budget, uint64_t bytes);
void rp__gpu_budget_put(rp__gpu_budget *budget, rp__cu_ptr at, uint64_t bytes); /* there they are */
void rp__gpu_budget_undo(rp__gpu_budget *budget, uint64_t bytes);
/* What is at an address is free again. */
void rp__gpu_budget_give(rp__gpu_budget *budget, rp__cu_ptr at);

#endif
