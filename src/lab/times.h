/* lab/times.h: many times of one thing, sorted, and which share of them is below which. */
#ifndef RP_LAB_TIMES_H
#define RP_LAB_TIMES_H

#include <stddef.h>
#include <stdint.h>

void rp__times_sort(uint64_t *times, size_t n);
/* The time below which this share of the sorted ones lies, by rank; 0 where there are none. */
uint64_t rp__times_at(const uint64_t *times, size_t n, double share);

#endif
