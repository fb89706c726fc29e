/* alloc.c: malloc with counters, a limit for each thread and, for tests, failures on demand. */
#include "base/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic uint64_t in_use, peak, count;
static _Atomic uint64_t fail_at; /* value of count at which to fail; 0: never */
static _Atomic bool fail_sticky;

/* Of the running thread: bytes that the process may hold when this thread allocates; 0: no limit. */
static _Thread_local uint64_t limit;
static _Thread_local bool was_refused; /* since the limit was set */

/* Whether the limit refuses so many bytes more. Threads that allocate at the same time may pass it
 * together, by what they allocate then. */
static bool is_refused(size_t bytes)
{
    if (limit == 0)
        return false;
    uint64_t held = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (held <= limit && bytes <= limit - held)
        return false;
    was_refused = true;
    return true;
}

static bool must_fail(void)
{
    uint64_t now = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    uint64_t at = atomic_load_explicit(&fail_at, memory_order_relaxed);
    if (at == 0 || now < at)
        return false;
    return now == at || atomic_load_explicit(&fail_sticky, memory_order_relaxed);
}

static void note_more(size_t bytes)
{
    uint64_t now = atomic_fetch_add_explicit(&in_use, bytes, memory_order_relaxed) + bytes;
    uint64_t most = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > most && !atomic_compare_exchange_weak_explicit(
                             &peak, &most, now, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void note_less(size_t bytes)
{
    atomic_fetch_sub_explicit(&in_use, bytes, memory_order_relaxed);
}

void *rp__alloc(size_t bytes)
{
    if (must_fail() || is_refused(bytes))
        return NULL;
    void *p = malloc(bytes ? bytes : 1);
    if (p)
        note_more(malloc_usable_size(p));
    return p;
}

void *rp__alloc_array(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    return rp__alloc(bytes);
}

void *rp__alloc_zero(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || must_fail() || is_refused(bytes))
        return NULL;
    void *p = calloc(bytes ? bytes : 1, 1);
    if (p)
        note_more(malloc_usable_size(p));
    return p;
}

enum { LARGE_PAGE = 2 << 20 };

static size_t large_pages(size_t bytes)
{
    return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* Maps a page too much and gives the ends back, so that what stays is aligned. */
static uint8_t *map_aligned(size_t bytes)
{
    uint8_t *all =
        mmap(NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    size_t before = (LARGE_PAGE - (uintptr_t)all % LARGE_PAGE) % LARGE_PAGE;
    if (before)
        munmap(all, before);
    munmap(all + before + bytes, LARGE_PAGE - before);
    return all + before;
}

void *rp__alloc_random(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes < LARGE_PAGE || bytes > SIZE_MAX / 2)
        return rp__alloc_zero(n, size);
    bytes = large_pages(bytes);
    uint8_t *p = must_fail() || is_refused(bytes) ? NULL : map_aligned(bytes);
    if (!p)
        return NULL;
    madvise(p, bytes, MADV_HUGEPAGE); /* a wish; all is well without */
    note_more(bytes);
    return p;
}

void rp__free_random(void *p, size_t n, size_t size)
{
    if (!p || n * size < LARGE_PAGE) {
        rp__free(p);
        return;
    }
    note_less(large_pages(n * size));
    munmap(p, large_pages(n * size));
}

void *rp__alloc_resize(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || must_fail())
        return NULL;
    size_t before = p ? malloc_usable_size(p) : 0;
    if (bytes > before && is_refused(bytes - before))
        return NULL;
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        return NULL;
    note_less(before);
    note_more(malloc_usable_size(q));
    return q;
}

void rp__free(void *p)
{
    if (!p)
        return;
    note_less(malloc_usable_size(p));
    free(p);
}

bool rp__alloc_grow(void *array_ptr, size_t *cap, size_t want, size_t size)
{
    if (want <= *cap)
        return true;
    enum { LARGE = 1 << 20 };
    size_t next = *cap < 8 ? 8 : *cap;
    while (next < want && next < LARGE / size)
        next *= 2;
    if (next < want) {
        size_t more = *cap < SIZE_MAX / 2 ? *cap + *cap / 4 : want;
        next = more > want ? more : want;
    }
    void *p;
    memcpy(&p, array_ptr, sizeof p);
    p = rp__alloc_resize(p, next, size);
    if (!p)
        return false;
    memcpy(array_ptr, &p, sizeof p);
    *cap = next;
    return true;
}

uint64_t rp__alloc_in_use(void)
{
    return atomic_load_explicit(&in_use, memory_order_relaxed);
}
uint64_t rp__alloc_peak(void)
{
    return atomic_load_explicit(&peak, memory_order_relaxed);
}
uint64_t rp__alloc_slack(uint64_t memory)
{
    return (8U << 20) + memory / 16;
}

/* By itself malloc raises the size from which a piece is mapped alone to that of the largest ever freed;
 * freed pieces below it stay with the process. */
uint64_t rp__alloc_set_limit(uint64_t bytes)
{
    enum { MAPPED_ALONE = 256 << 10 };
    uint64_t before = limit;
    if (bytes)
        mallopt(M_MMAP_THRESHOLD, MAPPED_ALONE);
    limit = bytes;
    was_refused = false;
    return before;
}

uint64_t rp__alloc_get_limit(void)
{
    return limit;
}

bool rp__alloc_was_refused(void)
{
    return was_refused;
}

void rp__alloc_reset_peak(void)
{
    atomic_store(&peak, atomic_load(&in_use));
}
uint64_t rp__alloc_count(void)
{
    return atomic_load_explicit(&count, memory_order_relaxed);
}

void rp__alloc_fail_at(uint64_t n, bool sticky)
{
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_at, n ? atomic_load(&count) + n : 0);
}
