/* backend/gpu/gpu_maker.h: interior of gpu: brings new lists to the device: bytes by way of pinned memory, and what a kernel
 * makes of them there (gpu_derive.h). A few of them share the work of all threads, each with a stream of its own: take
 * its lock first. All zero is one that is not open yet. */
#ifndef RP_BACKEND_GPU_GPU_MAKER_H
#define RP_BACKEND_GPU_GPU_MAKER_H

#include <pthread.h>

#include "backend/gpu/gpu_derive.h"

enum { RP_GPU_MAKER_LISTS = 1 << 11 }; /* that it makes at a time */

typedef struct rp__gpu_maker {
    pthread_mutex_t lock;
    rp__device device;
    uint8_t *stage;      /* pinned */
    rp__cu_ptr making;   /* what the kernel is given, and tells */
    size_t from, n;      /* bytes of the stage that wait to be copied */
    uint64_t to;         /* where they go */
    bool is_busy;        /* work was given to the device, and nobody saw it end */
} rp__gpu_maker;

/* On the device of another one; with nothing in work. */
rp_status rp__gpu_maker_enter(rp__gpu_maker *maker, const rp__device *of);
void rp__gpu_maker_close(rp__gpu_maker *maker); /* all zero is fine */

/* Bytes to the device; cheapest where places rise without gaps. They are on their way after run. */
rp_status rp__gpu_maker_send(rp__gpu_maker *maker, uint64_t to, const void *from, size_t bytes);
rp_status rp__gpu_maker_clear(rp__gpu_maker *maker, uint64_t at, uint64_t bytes);
/* Makes n lists, at most RP_GPU_MAKER_LISTS, n_blocks in all, when all that was sent is there, and waits. *found: of each;
 * valid until the next call. */
rp_status rp__gpu_maker_run(rp__gpu_maker *maker, const karg_made *lists, uint32_t n, uint32_t n_blocks,
                            const karg_found **found);

#endif
