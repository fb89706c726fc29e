/* lab/lookup_cost.h: the most time that one docid of the shortest list takes to be
 * looked up in the others, each coded along a line. */
#ifndef RP_LAB_LOOKUP_COST_H
#define RP_LAB_LOOKUP_COST_H

#include <stddef.h>

typedef struct rp__lookup_list {
    double n;                 /* postings */
    double contraction;       /* of the whole list: rp__regression_contraction */
    double local_contraction; /* the largest of its segments: rp__regression_local */
} rp__lookup_list;

typedef struct rp__lookup_times {
    double access, compare; /* of one word of memory; of two docids */
} rp__lookup_times;

/* `lists` are those that are looked up in: all but the shortest. `segment`: postings of a
 * segment. */

/* lrc and lrcseg, the first docids of segments lying apart. */
double rp__lookup_cost_headed(const rp__lookup_list *lists, size_t n, double segment,
                              rp__lookup_times t);
/* The same without them. */
double rp__lookup_cost_headless(const rp__lookup_list *lists, size_t n, rp__lookup_times t);
/* seglrc: the segment's own line narrows it. */
double rp__lookup_cost_local(const rp__lookup_list *lists, size_t n, double segment,
                             rp__lookup_times t);

#endif
