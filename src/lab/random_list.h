/* lab/random_list.h: the list of n docids drawn at random from 1 to m, all sets being alike: how
 * far its i-th docid X (i from 1) strays from the straight line, and so how many bits a docid takes
 * that is coded by its distance from that line. */
#ifndef RP_LAB_RANDOM_LIST_H
#define RP_LAB_RANDOM_LIST_H

#include <stdint.h>

/* 1 <= i <= n <= m < 2^32 in all of these. */

double rp__random_list_mean(uint64_t m, uint64_t n, uint64_t i);
double rp__random_list_variance(uint64_t m, uint64_t n, uint64_t i);
/* E|X - E(X)|^r. Takes some forty standard deviations' steps. */
double rp__random_list_moment(uint64_t m, uint64_t n, uint64_t i, uint32_t r);
/* The least distance t for which the r-th moment shows that the docid in the middle, which strays
 * most, is as far from the line with a probability below `epsilon`. */
double rp__random_list_distance(uint64_t m, uint64_t n, uint32_t r, double epsilon);
/* ceil(log2(t) + 1) of that t. */
uint32_t rp__random_list_width(uint64_t m, uint64_t n, uint32_t r, double epsilon);

#endif
