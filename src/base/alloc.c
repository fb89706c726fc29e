/* alloc.c: malloc with counters and, for tests, failures on demand. */
#include "base/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t in_use, peak, count;
static _Atomic uint64_t fail_at; /* value of count at which to fail; 0: never */
static _Atomic bool fail_sticky;

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
    while (now > most &&
           !atomic_compare_exchange_weak_explicit(&peak, &most, now, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static void note_less(size_t bytes)
{
    atomic_fetch_sub_explicit(&in_use, bytes, memory_order_relaxed);
}

void *rp__alloc(size_t bytes)
{
    if (must_fail())
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
    if (__builtin_mul_overflow(n, size, &bytes) || must_fail())
        return NULL;
    void *p = calloc(bytes ? bytes : 1, 1);
    if (p)
        note_more(malloc_usable_size(p));
    return p;
}

void *rp__alloc_resize(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || must_fail())
        return NULL;
    size_t before = p ? malloc_usable_size(p) : 0;
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
    size_t next = *cap < 8 ? 8 : *cap;
    while (next < want)
        next = next > SIZE_MAX / 2 ? want : next * 2;
    void *p;
    memcpy(&p, array_ptr, sizeof p);
    p = rp__alloc_resize(p, next, size);
    if (!p)
        return false;
    memcpy(array_ptr, &p, sizeof p);
    *cap = next;
    return true;
}

uint64_t rp__alloc_in_use(void) { return atomic_load_explicit(&in_use, memory_order_relaxed); }
uint64_t rp__alloc_peak(void) { return atomic_load_explicit(&peak, memory_order_relaxed); }
void rp__alloc_reset_peak(void) { atomic_store(&peak, atomic_load(&in_use)); }
uint64_t rp__alloc_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

void rp__alloc_fail_at(uint64_t n, bool sticky)
{
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_at, n ? atomic_load(&count) + n : 0);
}
