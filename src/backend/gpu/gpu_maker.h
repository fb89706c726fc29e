/* backend/gpu/gpu_maker.h: interior of gpu: brings new lists to the device: bytes by way of pinned
 * memory, and transcodes them there (transcode.h). A few of them share the work of all threads, each
 * with a stream of its own: take its lock first. All zero is one that is not open yet. */
#ifndef RP_BACKEND_GPU_GPU_MAKER_H
#define RP_BACKEND_GPU_GPU_MAKER_H

#include <pthread.h>

#include "backend/gpu/transcode_word.h"

enum { RP_GPU_MAKER_LISTS = 1 << 11 }; /* that it transcodes at a time */

typedef struct rp__gpu_maker {
    pthread_mutex_t lock;
    rp__device device;
    uint8_t *stage;      /* pinned */
    void *records;       /* pinned: what the host writes of a chain */
    size_t records_bytes;
    rp__cu_ptr scratch;  /* of a chain; behind it a u32 a list: whether it is damaged */
    size_t scratch_bytes;
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
/* Transcodes n lists, at most RP_GPU_MAKER_LISTS, when all that was sent is there, and waits.
 * *damaged: not 0 of those that are; valid until the next call. */
rp_status rp__gpu_maker_run(rp__gpu_maker *maker, const rp__transcode_list *lists, size_t n,
                            const uint32_t **damaged);

#endif
