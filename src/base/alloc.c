/* alloc.c: malloc with counters, a limit for each thread and, for tests, failures on demand.
 *
 * Threads that allocate at the same time would pass one line of the cache from core to core if they counted in one place.
 * So each counts in a place of its own, and adds to the sum of all only what has come together there.
 * Invariant: bytes in use are the sum and what all places have that was not added yet. */
#include "base/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/thread.h"

enum {
    PLACES = 64,      /* threads share them where there are more */
    APART = 16 << 10, /* bytes that a place may have more or less before they are added */
    UNSURE = PLACES * APART,
    LINE = 64, /* of the cache */
};

/* Where a thread counts. */
typedef struct place {
    _Alignas(LINE) _Atomic int64_t bytes; /* in use, that were not added to `summed` yet */
    _Atomic uint64_t count;               /* allocations */
} place;

static place places[PLACES];
static _Alignas(LINE) _Atomic int64_t summed;
static _Atomic uint64_t peak;
static _Alignas(LINE) _Atomic uint64_t fail_at; /* allocations until one fails; 0: never */
static _Atomic uint64_t fail_count;             /* of them, so far */
static _Atomic bool fail_sticky;

/* Of the running thread: bytes that the process may hold when this thread allocates; 0: no limit. */
static _Thread_local uint64_t limit;
static _Thread_local bool was_refused; /* since the limit was set */

static place *own_place(void)
{
    static _Thread_local place *own;
    if (!own)
        own = &places[rp__thread_number() % PLACES];
    return own;
}

/* While other threads add to it a sum may be less than nothing. */
static uint64_t zero_or_more(int64_t bytes)
{
    return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Bytes in use, without what other threads have not added yet: UNSURE more or less. */
static uint64_t look_at_sum(const place *own)
{
    return zero_or_more(atomic_load_explicit(&summed, memory_order_relaxed) +
                        atomic_load_explicit(&own->bytes, memory_order_relaxed));
}

/* Whether the limit refuses so many bytes more. Threads that allocate at the same time may pass it
 * together, by what they allocate then. */
static bool is_refused(size_t bytes)
{
    if (limit == 0)
        return false;
    uint64_t held = look_at_sum(own_place());
    if (held <= limit && limit - held > UNSURE && bytes <= limit - held - UNSURE)
        return false;
    held = rp__alloc_in_use();
    if (held <= limit && bytes <= limit - held)
        return false;
    was_refused = true;
    return true;
}

static bool must_fail(void)
{
    atomic_fetch_add_explicit(&own_place()->count, 1, memory_order_relaxed);
    uint64_t at = atomic_load_explicit(&fail_at, memory_order_relaxed);
    if (at == 0)
        return false;
    uint64_t now = atomic_fetch_add_explicit(&fail_count, 1, memory_order_relaxed) + 1;
    return now == at || (now > at && atomic_load_explicit(&fail_sticky, memory_order_relaxed));
}

static void add_to_sum(place *own)
{
    int64_t bytes = atomic_exchange_explicit(&own->bytes, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&summed, bytes, memory_order_relaxed);
}

static void note_more(size_t bytes)
{
    place *own = own_place();
    const int64_t more = (int64_t)bytes;
    if (atomic_fetch_add_explicit(&own->bytes, more, memory_order_relaxed) + more > APART)
        add_to_sum(own);
    uint64_t now = look_at_sum(own);
    uint64_t most = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > most && !atomic_compare_exchange_weak_explicit(
                             &peak, &most, now, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void note_less(size_t bytes)
{
    place *own = own_place();
    const int64_t less = (int64_t)bytes;
    if (atomic_fetch_sub_explicit(&own->bytes, less, memory_order_relaxed) - less < -APART)
        add_to_sum(own);
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
    int64_t held = atomic_load_explicit(&summed, memory_order_relaxed);
    for (size_t i = 0; i < PLACES; i++)
        held += atomic_load_explicit(&places[i].bytes, memory_order_relaxed);
    return zero_or_more(held);
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

void rp__alloc_trim(void)
{
    malloc_trim(0);
}

void rp__alloc_reset_peak(void)
{
    atomic_store(&peak, rp__alloc_in_use());
}
uint64_t rp__alloc_count(void)
{
    uint64_t count = 0;
    for (size_t i = 0; i < PLACES; i++)
        count += atomic_load_explicit(&places[i].count, memory_order_relaxed);
    return count;
}

void rp__alloc_fail_at(uint64_t n, bool sticky)
{
    atomic_store(&fail_at, 0);
    atomic_store(&fail_count, 0);
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_at, n);
}
