/* engine/gpu_worker.h: interior of engine: the process that has the device and answers what lies in
 * the mailbox. */
#ifndef RP_ENGINE_GPU_WORKER_H
#define RP_ENGINE_GPU_WORKER_H

#include "engine/mailbox.h"

/* What a worker needs to know, from before it was forked. */
typedef struct rp__gpu_work {
    const rp__segment *segment;
    const rp__backend *backend;
    rp__place place;
    rp__mailbox *box;
} rp__gpu_work;

/* Attaches the backend, then answers until the device is lost. Never returns: its process ends. */
_Noreturn void rp__gpu_worker_run(const rp__gpu_work *work, uint32_t number);

#endif
