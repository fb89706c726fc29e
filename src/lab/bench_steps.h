/* lab/bench_steps.h: interior of lab: what operators of many queries took, by stage. */
#ifndef RP_LAB_BENCH_STEPS_H
#define RP_LAB_BENCH_STEPS_H

#include "riposte/search.h"

enum { RP_BENCH_STAGES = 5 };

/* Sums of one stage; NULL: there was none. */
typedef struct rp__bench_step {
    const char *stage;
    double us;
    uint64_t elements, bytes;
} rp__bench_step;

/* By stage, in the order in which they were first seen. */
typedef struct rp__bench_steps {
    rp__bench_step at[RP_BENCH_STAGES];
    size_t n_queries; /* that have gone through them */
} rp__bench_steps;

/* Adds what the searcher's last query took; nothing, where its operators were not timed. */
void rp__bench_steps_add(rp__bench_steps *steps, const rp_searcher *searcher);

#endif
