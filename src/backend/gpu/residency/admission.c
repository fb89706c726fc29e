/* admission.c: counts of touches in little memory. */
#include "backend/gpu/residency/admission.h"

#include "base/alloc.h"

enum {
    EACH = 4,     /* counters of a key */
    COUNTERS = 8, /* for each distinct list */
    MAX = 15,     /* that is counted */
    MIN_LISTS = 64,
};

bool rp__admission_open(rp__admission *t, size_t lists)
{
    size_t n = COUNTERS * MIN_LISTS;
    while (n < lists * COUNTERS)
        n *= 2;
    *t = (rp__admission){.counts = rp__alloc_zero(n, sizeof *t->counts), .n = n};
    return t->counts;
}

void rp__admission_close(rp__admission *t)
{
    rp__free((void *)t->counts);
    *t = (rp__admission){0};
}

/* Counter number i of the key. */
static _Atomic uint8_t *counter(const rp__admission *t, uint64_t key, uint32_t i)
{
    uint64_t x = (key ^ (uint64_t)i << 56) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return &t->counts[(x ^ x >> 32) & (t->n - 1)];
}

static uint32_t read(const rp__admission *t, uint64_t key, uint32_t i)
{
    return atomic_load_explicit(counter(t, key, i), memory_order_relaxed);
}

uint32_t rp__admission_get(const rp__admission *t, uint64_t key)
{
    uint32_t min = MAX;
    for (uint32_t i = 0; i < EACH; i++) {
        uint32_t count = read(t, key, i);
        min = count < min ? count : min;
    }
    return min;
}

/* Only counters at the least are raised: others count for somebody else too. */
void rp__admission_add(rp__admission *t, uint64_t key)
{
    uint32_t min = rp__admission_get(t, key);
    for (uint32_t i = 0; i < EACH && min < MAX; i++)
        if (read(t, key, i) == min)
            atomic_store_explicit(counter(t, key, i), (uint8_t)(min + 1), memory_order_relaxed);
    atomic_fetch_add_explicit(&t->since, 1, memory_order_relaxed);
}

void rp__admission_halve(rp__admission *t)
{
    for (size_t i = 0; i < t->n; i++) {
        uint8_t count = atomic_load_explicit(&t->counts[i], memory_order_relaxed);
        atomic_store_explicit(&t->counts[i], count / 2, memory_order_relaxed);
    }
    atomic_store_explicit(&t->since, 0, memory_order_relaxed);
}
