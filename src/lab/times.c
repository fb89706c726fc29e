/* times.c: percentiles by rank. */
#include "lab/times.h"

#include <stdlib.h>

static int rising(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void rp__times_sort(uint64_t *times, size_t n)
{
    qsort(times, n, sizeof *times, rising);
}

uint64_t rp__times_at(const uint64_t *times, size_t n, double share)
{
    const size_t at = (size_t)(share * (double)n);
    return n == 0 ? 0 : times[at < n ? at : n - 1];
}

double rp__times_in(const uint64_t *times, size_t n, double share, double unit)
{
    return (double)rp__times_at(times, n, share) / unit;
}

uint64_t rp__times_median(uint64_t *times, size_t n)
{
    rp__times_sort(times, n);
    return rp__times_at(times, n, 0.5);
}
