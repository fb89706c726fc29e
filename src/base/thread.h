/* base/thread.h: a few threads that run one function, and a wait of limited time. */
#ifndef RP_BASE_THREAD_H
#define RP_BASE_THREAD_H

#include <pthread.h>
#include <stdint.h>

#include "riposte/status.h"

/* Runs fn(arg, 0..n-1) on n threads and waits for all; the calling thread runs the last one, so n =
 * 1 starts no thread. RP_NO_MEMORY if a thread cannot be started; those started are waited for. */
typedef void rp__thread_fn(void *arg, uint32_t worker);
rp_status rp__thread_run(uint32_t n, rp__thread_fn *fn, void *arg);

/* Waits for `moved`, at most so many nanoseconds; it may return for no reason. */
void rp__thread_wait(pthread_cond_t *moved, pthread_mutex_t *lock, uint64_t ns);

#endif
