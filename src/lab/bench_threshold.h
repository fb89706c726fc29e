/* lab/bench_threshold.h: what a choice of processors by query gains over the better of them, and by
 * which threshold. */
#ifndef RP_LAB_BENCH_THRESHOLD_H
#define RP_LAB_BENCH_THRESHOLD_H

#include "lab/bench_queries.h"

/* The mean where queries from so many postings on go to the gpu, and all others to the cpu. */
typedef struct rp__bench_threshold {
    uint64_t min_postings; /* UINT64_MAX: none goes there */
    double mean;
} rp__bench_threshold;

/* Means in microseconds, of the best time of each query. */
typedef struct rp__bench_placement {
    double cpu, gpu;
    double perfect;   /* each query on the processor that was faster */
    double automatic; /* 0: `auto` was not measured */
    /* the best ones: by blocks that an AND may read, all lists but most of the longest, all */
    rp__bench_threshold by_blocks, by_rest, by_all;
} rp__bench_placement;

/* Of one form, whose operations on cpu and gpu were measured. RP_NOT_FOUND: they were not. */
rp_status rp__bench_threshold_find(const rp__bench_queries *bench, const char *form,
                                   rp__bench_placement *out, rp_error *err);

#endif
