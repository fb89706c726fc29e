/* lab/bench_para.h: the clock around PARA (Ao et al. 2011): batches of ANDs of a log over an index,
 * by each of its searches, and by one core. */
#ifndef RP_LAB_BENCH_PARA_H
#define RP_LAB_BENCH_PARA_H

#include "lab/bench_query_set.h"

typedef struct rp__bench_para_options {
    const char *gpu;          /* as in rp_search_options */
    uint32_t processors;      /* multiprocessors to use; 0: all */
    uint32_t batches, rounds; /* of each number of elements; how often each is timed */
} rp__bench_para_options;

/* Seconds of a batch, in the mean: of the round that took least. */
typedef struct rp__bench_para_figures {
    uint32_t batches;
    double queries, elements, found; /* of a batch, in the mean */
    double host, transfer, kernels;
    double search; /* of the kernels' the search alone, without scan and compaction */
    double cpu;    /* of one core for the same, by skip pointers */
} rp__bench_para_figures;

/* Where a method comes from. */
typedef struct rp__bench_para_origin {
    const char *paper; /* the section of Ao et al. */
    bool is_literal;   /* otherwise it is ours */
} rp__bench_para_origin;

typedef struct rp__bench_para rp__bench_para;

/* The queries must outlive it. RP_UNAVAILABLE: why there is no such GPU, or no such part of it. */
rp_status rp__bench_para_open(const rp_index *index, const rp__bench_query_set *queries,
                              const rp__bench_para_options *options, rp__bench_para **out,
                              rp_error *err);
void rp__bench_para_free(rp__bench_para *bench); /* NULL is fine */
const char *rp__bench_para_gpu(const rp__bench_para *bench, uint32_t *processors);

const char *rp__bench_para_method(size_t i);                   /* names; NULL past the last */
rp__bench_para_origin rp__bench_para_from(const char *method); /* one of these */
/* RP_USAGE: the index does not have what the method reads. */
rp_status rp__bench_para_check(const rp_index *index, const char *method, rp_error *err);
/* Batches of at least `elements` docids of shortest lists, or of all queries that one launch takes.
 * RP_DAMAGED: what the method found is not what the core found. */
rp_status rp__bench_para_run(rp__bench_para *bench, const char *method, uint64_t elements,
                             rp__bench_para_figures *out, rp_error *err);

#endif
