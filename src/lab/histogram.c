/* histogram.c: a bucket for each value below 256; above, 128 for each doubling. */
#include "lab/histogram.h"

#include <math.h>
#include <stddef.h>

enum { EXACT = 256, PART_BITS = 7 };

static unsigned shift_of(uint64_t value)
{
    return value < EXACT ? 0 : 63 - (unsigned)__builtin_clzll(value) - PART_BITS;
}

static size_t bucket_of(uint64_t value)
{
    const unsigned shift = shift_of(value);
    return ((size_t)shift << PART_BITS) + (size_t)(value >> shift);
}

/* The highest value that falls into it. */
static uint64_t end_of(size_t bucket)
{
    if (bucket < EXACT)
        return bucket;
    const unsigned shift = (unsigned)(bucket >> PART_BITS) - 1;
    const uint64_t top = bucket - ((size_t)shift << PART_BITS);
    return (top << shift) + ((UINT64_C(1) << shift) - 1);
}

void rp__histogram_add(rp__histogram *h, uint64_t value)
{
    h->n++;
    h->sum += value;
    h->most = value > h->most ? value : h->most;
    h->of[bucket_of(value)]++;
}

void rp__histogram_merge(rp__histogram *h, const rp__histogram *other)
{
    h->n += other->n;
    h->sum += other->sum;
    h->most = other->most > h->most ? other->most : h->most;
    for (size_t i = 0; i < RP_HISTOGRAM_BUCKETS; i++)
        h->of[i] += other->of[i];
}

uint64_t rp__histogram_at(const rp__histogram *h, double share)
{
    const uint64_t needed = (uint64_t)ceil(share * (double)h->n);
    uint64_t seen = 0;
    for (size_t i = 0; i < RP_HISTOGRAM_BUCKETS && h->n > 0; i++) {
        seen += h->of[i];
        if (seen >= needed && seen > 0)
            return end_of(i) < h->most ? end_of(i) : h->most;
    }
    return h->most;
}
