/* lab/load.h: jobs that arrive whether or not earlier ones have ended: an open loop, on the
 * executor or in a replay of recorded costs. Latencies count from when a job was to arrive. */
#ifndef RP_LAB_LOAD_H
#define RP_LAB_LOAD_H

#include "lab/bench_query_set.h"
#include "lab/latencies.h"
#include "riposte/executor.h"

/* What can go wrong; but for bursts, of a replay alone. All zero: nothing does. */
typedef struct rp__load_trouble {
    uint32_t wrong;  /* estimates are up to so many times too high or too low */
    uint32_t burst;  /* jobs come so many times as fast for a tenth of the time, from a third on */
    bool stall;      /* a core stops for a second, or half of the time, from a third on */
    bool stall_card; /* the card does */
    bool lose_card;  /* in the middle */
} rp__load_trouble;

typedef struct rp__load_options {
    const char *policy;
    double rate;    /* jobs a second */
    double seconds; /* that they come */
    bool is_poisson;
    uint64_t seed;
    uint64_t deadline_us;   /* 0: none */
    uint32_t cores;         /* 0: those of the machine; of a replay 16 */
    uint32_t max_queued;    /* 0: 1,024 */
    uint64_t elements;      /* 0: 1M */
    uint64_t held_ns;       /* of a replay: as of rp__replay_options */
    uint64_t griffin_ratio; /* as of rp_executor_options */
    bool griffin_returns;
    const char *costs; /* a cost file, not of a replay; NULL: as the executor does it */
    bool no_card;      /* of a replay: there is none */
    bool parses;       /* queries are parsed and bound when they arrive; otherwise before */
    uint32_t clients;  /* threads that submit; 0: 3, or 6 that parse */
    rp__load_trouble trouble;
} rp__load_options;

enum { RP_LOAD_PARTS = 10 };

typedef struct rp__load_figures {
    uint32_t clients; /* threads that submitted, not of a replay */
    bool is_apart;    /* they had cores of their own */
    double stalled;   /* of the time in which they watched the clock, the share they were not run */
    uint64_t jobs, answered, refused, late, failed;
    /* of a replay with deadlines: what a list schedule misses that knows all costs and troubles */
    uint64_t list_misses;
    uint64_t on_cores, on_card, launches, batched, moves, shared, fallbacks;
    double seconds;                    /* from the first arrival to the last end */
    rp__latencies times;               /* from the intended arrival */
    double refusal_mean, refusal_most; /* seconds until a job was refused, not of a replay */
    double p99_parts[RP_LOAD_PARTS];   /* of each tenth of the time, by arrival; 0: it has none */
    char costs_fault[256];             /* of the executor */
} rp__load_figures;

typedef struct rp__load rp__load;

/* A replay. RP_INPUT: line and column. */
rp_status rp__load_open_record(const char *path, rp__load **out, rp_error *err);
/* On the executor; all must outlive it. */
rp_status rp__load_open_index(const rp_index *index, const rp__bench_query_set *queries,
                              const rp_search_options *search, rp__load **out, rp_error *err);
void rp__load_close(rp__load *load); /* NULL is fine */

rp_status rp__load_run(const rp__load *load, const rp__load_options *options, rp__load_figures *out,
                       rp_error *err);
/* The highest rate, within a hundredth, of an executor within three, at which all jobs are
 * answered, 99 of 100 of them within p99 seconds. On the executor a rate that fails is tried twice
 * more, and holds if both succeed: a machine that others use too stops threads now and then. */
rp_status rp__load_find_rate(const rp__load *load, const rp__load_options *options, double p99,
                             double *rate, rp__load_figures *out, rp_error *err);
/* Jobs a second that no policy can pass, by the record; 0: it is no replay. */
double rp__load_bound(const rp__load *load, const rp__load_options *options);

#endif
