/* lab/histogram.h: how often which time was seen, in buckets that are at most 1/128 of their time
 * wide. One thread. */
#ifndef RP_LAB_HISTOGRAM_H
#define RP_LAB_HISTOGRAM_H

#include <stdint.h>

enum { RP_HISTOGRAM_BUCKETS = 58 * 128 };

/* All zero: empty. */
typedef struct rp__histogram {
    uint64_t n, sum, most;
    uint64_t of[RP_HISTOGRAM_BUCKETS];
} rp__histogram;

void rp__histogram_add(rp__histogram *h, uint64_t value);
void rp__histogram_merge(rp__histogram *h, const rp__histogram *other);
/* A value that this share of all is at most: the end of its bucket; 0 where there are none. */
uint64_t rp__histogram_at(const rp__histogram *h, double share);

#endif
