/* backend/gpu/gpu_share.h: interior of gpu: what lies of an index on a card, once for all that search it there.
 *
 * Where all sections fit, they lie there as they are; otherwise the codes of lengths do, which every query needs, and
 * a cache of lists. Searchers of one process find each other by card, segment and limit. */
#ifndef RP_BACKEND_GPU_GPU_SHARE_H
#define RP_BACKEND_GPU_GPU_SHARE_H

#include <pthread.h>

#include "backend/gpu/device.h"
#include "backend/gpu/list_cache.h"
#include "index/index.h"

typedef struct rp__gpu_section {
    const uint8_t *host; /* mapped; only its address counts after the copy */
    size_t bytes;
    rp__cu_ptr at;
} rp__gpu_section;

typedef struct rp__gpu_share {
    struct rp__gpu_share *next;
    const rp__driver *driver; /* by these it is found */
    rp__cu_context context;
    const rp__segment *segment;
    uint64_t most;
    rp__gpu_budget budget; /* of what is here and of what its users have beside it; unless most is 0 */
    size_t users;
    bool is_ready; /* otherwise the only user is still filling it */
    uint8_t *stage; /* pinned; while it is filled */

    /* once ready, what follows does not change */
    rp__gpu_section sections[RP_AUX_KINDS + 2];
    size_t n;
    uint64_t bytes;  /* of device memory */
    bool is_whole;   /* all sections are there: the rest is not used */
    rp__cu_ptr room; /* of the caches */

    pthread_mutex_t lock; /* of what follows */
    rp__list_cache lists;
    rp__list_cache guests; /* what stays for one query: lists that were not admitted, blocks of lists */
    uint64_t copied;       /* bytes, from the host */
    uint64_t sparse;       /* lists of which only some blocks were copied */
} rp__gpu_share;

/* What is there already, or else copied now by `device`, on the card of which it is found; at most `most` bytes (0:
 * what the card has), with all that its users allocate from then on: `device` has a budget. RP_NO_MEMORY: not even a cache fits. Reads mapped memory, though never by way of the driver: call
 * it under the guard, and where that leaves it, drop *out. Any thread, each with its own device. */
rp_status rp__gpu_share_get(rp__device *device, const rp__segment *segment, uint64_t most,
                            rp__gpu_share **out);
/* The last one frees it. NULL is fine. */
void rp__gpu_share_drop(rp__gpu_share *share, rp__device *device);

#endif
