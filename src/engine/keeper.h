/* engine/keeper.h: interior of engine: the process that keeps a worker running.
 *
 * It is forked from the searcher's process and has one thread and no device. A worker that ends is
 * followed by another: at once, and later when they keep ending soon. It ends with its worker when
 * its owner does, however that comes about. */
#ifndef RP_ENGINE_KEEPER_H
#define RP_ENGINE_KEEPER_H

#include <sys/types.h>

#include "engine/gpu_worker.h"

typedef struct rp__keeper {
    pid_t process;
    int line; /* to it; whoever hears nothing more knows that the other is gone */
} rp__keeper;

/* Forks. Its first worker has the number after the mailbox's. Workers that lived for `steady`
 * nanoseconds are followed at once. */
rp_status rp__keeper_start(rp__keeper *keeper, const rp__gpu_work *work, uint64_t steady,
                           rp_error *err);
/* Ends it and its worker, and waits until they are gone. All zero is fine. */
void rp__keeper_stop(rp__keeper *keeper);
/* The worker is lost, as the mailbox says: it is to be ended and replaced. */
void rp__keeper_call(const rp__keeper *keeper);
/* False: it is gone, and so is its worker, which is killed with it. */
bool rp__keeper_is_there(const rp__keeper *keeper);

#endif
