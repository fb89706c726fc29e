/* base/alloc.h: the one way to get memory from the system.
 *
 * Every allocation passes one table, so that a test can make the n-th one fail and the builder can
 * know how much is in use. Freed with rp__free; rp__free(NULL) is fine. Any thread. */
#ifndef RP_BASE_ALLOC_H
#define RP_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL: no memory; 0 bytes give a pointer */
void *rp__alloc(size_t bytes);
/* n * size zero bytes, overflow checked */
void *rp__alloc_zero(size_t n, size_t size);
void *rp__alloc_array(size_t n, size_t size);           /* n * size bytes, overflow checked */
void *rp__alloc_resize(void *p, size_t n, size_t size); /* NULL: p is still there */
void rp__free(void *p);

/* n * size zero bytes that will be touched at random all over: on large pages where the system has
 * them, because most of the cost of such a touch is finding the page. */
void *rp__alloc_random(size_t n, size_t size);
void rp__free_random(void *p, size_t n, size_t size); /* as it was asked for */

/* Makes room for `want` elements in an array of `*cap`: doubles it up to 1 MiB, then adds at least
 * a quarter; false: no memory, all unchanged. */
bool rp__alloc_grow(void *array_ptr, size_t *cap, size_t want, size_t size);

/* Bytes now held through this table, and the most ever held since the last reset of the mark. Where
 * threads allocate at the same time, the most may be off by about 1 MiB in all. */
uint64_t rp__alloc_in_use(void);
uint64_t rp__alloc_peak(void);
/* Of a hard total, what a process needs beside what it allocates here: code, stacks, libraries. */
uint64_t rp__alloc_slack(uint64_t memory);
void rp__alloc_reset_peak(void);

/* A hard total. While the calling thread has a limit, its allocations fail that would take what the
 * process holds through this table past it; 0: none. set returns the limit before, to be set again.
 * Threads that rp__thread_run starts inherit it. */
uint64_t rp__alloc_set_limit(uint64_t bytes);
uint64_t rp__alloc_get_limit(void);
bool rp__alloc_was_refused(void); /* the limit, since it was set, made an allocation fail */

/* Gives pages of freed memory back to the system, of all threads: takes milliseconds. */
void rp__alloc_trim(void);

/* For tests: the n-th allocation from now (1 = next) fails, and all after it when sticky; 0 turns
 * it off. rp__alloc_count is the number of allocations asked for since the process began. */
void rp__alloc_fail_at(uint64_t n, bool sticky);
uint64_t rp__alloc_count(void);

#endif
