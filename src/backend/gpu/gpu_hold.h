/* backend/gpu/gpu_hold.h: interior of gpu: lists that a query needs on the device, present and held until it is done.
 *
 * Where the whole index is there, that costs nothing. Otherwise lists come from the cache, or are copied to it on a
 * stream of the hold's own, while the device may be at work; its stream goes on when they are there. What the cache does
 * not admit is a guest for this query. Of a long list of an AND that is seen for the first time, or not admitted, only
 * the blocks that the shortest list asks for are copied. */
#ifndef RP_BACKEND_GPU_GPU_HOLD_H
#define RP_BACKEND_GPU_GPU_HOLD_H

#include "backend/gpu/gpu_index.h"
#include "backend/gpu/list_fetch.h"

/* One thread at a time; any number of them for an index. All zero is closed. */
typedef struct rp__gpu_hold {
    rp__device *device;         /* whose stream waits for what is copied */
    const rp__gpu_index *index;
    struct rp__gpu_held {
        rp__list_piece *piece;
        rp__list_cache *cache;
        bool is_filled;         /* by this one */
    } *held;
    size_t n, cap;
    rp__list_fetch fetch;       /* opened when it is first needed */
    rp__cu_event ready;         /* after what was copied last */
} rp__gpu_hold;

/* A list with a codec that is wanted, with or without its frequencies, and how kernels read it: where only some blocks
 * of it are there, it has counts of its own. */
typedef struct rp__gpu_want {
    const rp__list *list;
    bool freqs;
    bool whole; /* its docids or frequencies come otherwise, and are found by rank: some blocks would not do */
    karg_list at;
} rp__gpu_want;

/* Nothing is allocated before it is needed. */
void rp__gpu_hold_open(rp__gpu_hold *hold, rp__device *device, const rp__gpu_index *index);
void rp__gpu_hold_close(rp__gpu_hold *hold); /* the device is done with what was held; all zero is fine */

/* Lists of one query. `among`: (optional) what is asked of them concerns only docids of this list, any one. May be
 * called again for other queries before done. RP_NO_MEMORY: there is no room for them all; RP_DAMAGED: a list says what
 * cannot be. Reads mapped memory: where the guard leaves it, done is still to be called. */
rp_status rp__gpu_hold_want(rp__gpu_hold *hold, rp__gpu_want *wants, size_t n, const rp__list *among,
                            rp__arena *arena);
/* The device has worked with them, and is not any more. */
void rp__gpu_hold_done(rp__gpu_hold *hold);

#endif
