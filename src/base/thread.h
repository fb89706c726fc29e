/* base/thread.h: a few threads that run one function, and a wait of limited time. */
#ifndef RP_BASE_THREAD_H
#define RP_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "riposte/status.h"

/* Runs fn(arg, 0..n-1) on n threads and waits for all; the calling thread runs the last one, so n =
 * 1 starts no thread. RP_NO_MEMORY if a thread cannot be started; those started are waited for. */
typedef void rp__thread_fn(void *arg, uint32_t worker);
rp_status rp__thread_run(uint32_t n, rp__thread_fn *fn, void *arg);

/* Cores that a thread may run on, in their order. */
typedef struct rp__thread_cores {
    uint64_t bits[16];
    uint32_t n; /* 0: the system does not say */
} rp__thread_cores;
void rp__thread_get_cores(rp__thread_cores *out); /* of the calling thread */
/* From now on the calling thread, and those that it starts, run on n of these, from the first-th
 * on. False: the system refuses. */
bool rp__thread_keep_to(const rp__thread_cores *cores, uint32_t first, uint32_t n);

/* The calling thread's number, from 0 on in the order in which threads first ask. By its remainder
 * a thread may have one of a few places to itself, or nearly so. */
uint32_t rp__thread_number(void);

/* The core that the thread is on, from 0 on. The next moment it may be on another: for what is
 * rather to be near. */
uint32_t rp__thread_core(void);

/* A lock that is held for less time than a thread takes to sleep and wake: who finds it taken looks
 * for a moment first. */
void rp__thread_lock_init(pthread_mutex_t *lock);
/* Takes such a lock, and looks for up to some 20 microseconds, by the CPU's pause, before it
 * sleeps: for one that many threads take all the time. A thread that sleeps makes who holds it call
 * the system. */
void rp__thread_lock(pthread_mutex_t *lock);

/* Waits for `moved`, at most so many nanoseconds; it may return for no reason. */
void rp__thread_wait(pthread_cond_t *moved, pthread_mutex_t *lock, uint64_t ns);

#endif
