/* lab/times.h: many times of one thing, sorted, and which share of them is below which. */
#ifndef RP_LAB_TIMES_H
#define RP_LAB_TIMES_H

#include <stddef.h>
#include <stdint.h>

void rp__times_sort(uint64_t *times, size_t n);
/* The time below which this share of the sorted ones lies, by rank; 0 where there are none. */
uint64_t rp__times_at(const uint64_t *times, size_t n, double share);
/* The same in units of so many nanoseconds. */
double rp__times_in(const uint64_t *times, size_t n, double share, double unit);
enum { RP_TIMES_US = 1000, RP_TIMES_S = 1000000000 };
/* The middle one, of times that are sorted here. */
uint64_t rp__times_median(uint64_t *times, size_t n);

#endif
