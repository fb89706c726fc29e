/* base/pool.h: threads that wait for work, for work that is shorter than starting them.
 *
 * One thread at a time may hand out work. */
#ifndef RP_BASE_POOL_H
#define RP_BASE_POOL_H

#include "base/thread.h"

typedef struct rp__pool rp__pool;

/* n threads beside the calling one. RP_NO_MEMORY: they cannot be had. */
rp_status rp__pool_new(uint32_t n, rp__pool **out);
void rp__pool_free(rp__pool *pool); /* waits until they are gone; NULL is fine */
/* Runs fn(arg, 0..n-1), one call on each thread, and waits for all. */
void rp__pool_run(rp__pool *pool, rp__thread_fn *fn, void *arg);

#endif
