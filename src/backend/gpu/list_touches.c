/* list_touches.c: counts of touches in little memory. */
#include "backend/gpu/list_touches.h"

#include "base/alloc.h"

enum {
    EACH = 4,     /* counters of a key */
    COUNTERS = 8, /* for each list that is told apart */
    MOST = 15,    /* that is counted */
    LEAST_LISTS = 64,
};

bool rp__list_touches_open(rp__list_touches *t, size_t lists)
{
    size_t n = COUNTERS * LEAST_LISTS;
    while (n < lists * COUNTERS)
        n *= 2;
    *t = (rp__list_touches){.counts = rp__alloc_zero(n, 1), .n = n};
    return t->counts;
}

void rp__list_touches_close(rp__list_touches *t)
{
    rp__free(t->counts);
    *t = (rp__list_touches){0};
}

/* Counter number i of the key. */
static uint8_t *counter(const rp__list_touches *t, const void *key, uint32_t i)
{
    uint64_t x = ((uint64_t)(uintptr_t)key ^ (uint64_t)i << 56) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return &t->counts[(x ^ x >> 32) & (t->n - 1)];
}

uint32_t rp__list_touches_get(const rp__list_touches *t, const void *key)
{
    uint32_t least = MOST;
    for (uint32_t i = 0; i < EACH; i++)
        least = *counter(t, key, i) < least ? *counter(t, key, i) : least;
    return least;
}

/* Only counters at the least are raised: others count for somebody else too. */
void rp__list_touches_add(rp__list_touches *t, const void *key)
{
    uint32_t least = rp__list_touches_get(t, key);
    for (uint32_t i = 0; i < EACH && least < MOST; i++)
        if (*counter(t, key, i) == least)
            *counter(t, key, i) = (uint8_t)(least + 1);
    t->since++;
}

void rp__list_touches_halve(rp__list_touches *t)
{
    for (size_t i = 0; i < t->n; i++)
        t->counts[i] /= 2;
    t->since = 0;
}
