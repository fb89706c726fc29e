/* lab/bench_queries.h: one set of queries, answered by several operations side by side. */
#ifndef RP_LAB_BENCH_QUERIES_H
#define RP_LAB_BENCH_QUERIES_H

#include "lab/auto_tuning.h"
#include "lab/bench_query_set.h"
#include "lab/bench_samples.h"
#include "lab/bench_steps.h"
#include "lab/lab.h"
#include "riposte/executor.h"

/* What is measured of an operation, once a round; the table in bench_queries.c has a row for
 * each. */
typedef enum rp__bench_figure {
    RP_BENCH_MEAN, /* of the times of all queries, in microseconds */
    RP_BENCH_P50,
    RP_BENCH_P95,
    RP_BENCH_P99,
    RP_BENCH_RATE,       /* queries a second, one at a time */
    RP_BENCH_ONE,        /* queries a second of a pool of one thread, by the wall clock */
    RP_BENCH_POOL,       /* and of all threads */
    RP_BENCH_SCALE,      /* the second over the first */
    RP_BENCH_JOULES,     /* of the processor for 1,000 queries, where its counters can be read */
    RP_BENCH_GPU_JOULES, /* and of the first card */
    RP_BENCH_FIGURES
} rp__bench_figure;

const char *rp__bench_queries_key(rp__bench_figure figure);
const char *rp__bench_queries_unit(rp__bench_figure figure);
bool rp__bench_queries_is_rate(rp__bench_figure figure);

typedef struct rp__bench_operation {
    char name[200]; /* and:10, or:count, or:10:maxscore, or:10@2 */
    char form[40];  /* mode and k alone: one form, one answer */
    bool is_phrase; /* asks for the words side by side */
    rp_search_options options;
    const char *policy; /* of an executor that answers; NULL: searchers do */
    rp_executor *executor;
    rp__lab_hit *hits;       /* of the executor's last answer, for each thread; k of them */
    size_t late;             /* queries of all rounds whose time was over, or that it refused */
    rp_searcher **searchers; /* one a thread; without a policy */
    bool is_refused;         /* the algorithm cannot answer all of these queries */
    size_t elsewhere;        /* queries that another processor answered; 0 for auto */
    size_t on_gpu;           /* queries that the gpu answered */
    uint64_t *best;          /* nanoseconds of each query, the least of all rounds */
    uint64_t *times;         /* and all: for each query, those of its rounds */
    uint64_t *totals;        /* documents that match it, where `counts` */
    uint64_t *digests;       /* what it answered */
    double postings;         /* read for a query, on average */
    rp__bench_steps steps;   /* of all rounds, where operators are timed */
    rp__bench_samples samples[RP_BENCH_FIGURES];
    size_t place; /* of its form; 1 is the fastest; equal: no difference was seen */
} rp__bench_operation;

typedef struct rp__bench_queries {
    const rp_index *index;
    const rp__bench_query_set *set;
    rp__bench_operation *operations; /* by form, fastest first, once measured */
    size_t n;
    uint32_t rounds, threads;
    uint32_t pause_us;       /* without queries, before each one that is timed */
    rp__auto_tuning *tuning; /* of the processor auto; NULL: the default */
    /* wall time, because threads or a card share a query in some operation; otherwise CPU time */
    bool by_wall;
    bool has_names;          /* hits are asked for with their ids */
    bool no_energy;          /* it is not measured */
    rp__lab_question *asked; /* what each query asks, once measured; NULL before */
    uint64_t deadline_ns; /* of queries that an executor answers, while it is measured; 0: none */
    const char *costs;    /* its cost file; NULL: its own choice */
} rp__bench_queries;

/* Answers every query by every operation once, to warm up and to see that all of a form agree; then
 * measures, round by round, every operation once a round. RP_DAMAGED: answers differ. */
rp_status rp__bench_queries_run(rp__bench_queries *bench, rp_error *err);
/* The median of all rounds, in nanoseconds. */
uint64_t rp__bench_queries_median(const rp__bench_queries *bench,
                                  const rp__bench_operation *operation, size_t query);
/* How much faster an operation by several threads is than the same by one, over the `n` queries
 * that take one thread a millisecond or more; 0: there is no such operation or query. */
double rp__bench_queries_gain(const rp__bench_queries *bench, const rp__bench_operation *operation,
                              size_t *n);
/* Frees the operations, what they hold, and the tuning. All zero is fine. */
void rp__bench_queries_free(rp__bench_queries *bench);

#endif
