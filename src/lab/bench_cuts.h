/* lab/bench_cuts.h: ANDs of terms that two processors answer one after the other, cut at every
 * list: the card intersects the first lists, a core the others. */
#ifndef RP_LAB_BENCH_CUTS_H
#define RP_LAB_BENCH_CUTS_H

#include "lab/bench_query_set.h"

enum { RP_BENCH_CUTS_LISTS = 16 }; /* of a query, at most; longer ones are left out */

/* What one query takes, in nanoseconds: the least of all rounds, from the bound query to its k best
 * documents. */
typedef struct rp__bench_cut {
    uint32_t lists;
    uint64_t shortest, second; /* postings */
    uint64_t cpu_ns, gpu_ns;   /* answered at once by one processor */
    /* by how many lists the card intersects; 0 and all: one processor does all, list by list */
    uint64_t cut_ns[RP_BENCH_CUTS_LISTS + 1];
} rp__bench_cut;

typedef struct rp__bench_cuts {
    const rp_index *index;
    const rp__bench_query_set *set;
    rp_search_options search;
    uint32_t rounds;
    rp__bench_cut *at; /* of those that were measured */
    size_t n;
    size_t left_out; /* queries of fewer than two lists or too many, or that the card refuses */
} rp__bench_cuts;

/* RP_DAMAGED: answers differ. RP_UNAVAILABLE: there is no card. RP_NOT_FOUND: no query is left. */
rp_status rp__bench_cuts_run(rp__bench_cuts *bench, rp_error *err);
void rp__bench_cuts_free(rp__bench_cuts *bench);

/* Means of some queries, in nanoseconds. */
typedef struct rp__bench_cut_means {
    size_t n;
    double cpu, gpu;
    double better;   /* the better processor of each query */
    double best_cut; /* the best cut of each query at which both work */
    double best;     /* the best of all */
    size_t wins;     /* queries for which a cut is the best */
} rp__bench_cut_means;

/* By ratio of the two shortest lists: below 16, then by powers of two, the last from 1024 on. */
enum { RP_BENCH_CUT_RATIOS = 8 };
size_t rp__bench_cuts_ratio(const rp__bench_cut *cut);
/* Of queries with so many lists (0: any number; `or_more`: at least so many) and of a group of
 * ratios (RP_BENCH_CUT_RATIOS: any). */
void rp__bench_cuts_sum(const rp__bench_cuts *bench, uint32_t lists, bool or_more, size_t ratio,
                        rp__bench_cut_means *out);

#endif
