/* lab/dram_traffic.h: memory under defined traffic, alone: what goes in, and how long it takes.
 *
 * A closed loop has at most `window` requests in flight; an open loop makes them at a fixed rate.
 * Requests are offered in order, at most one a channel before each clock; the first that is refused
 * ends the attempt. All is drawn from the seed: the same traffic gives the same clocks. */
#ifndef RP_LAB_DRAM_TRAFFIC_H
#define RP_LAB_DRAM_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/dram.h"

enum rp__dram_pattern {
    RP__DRAM_RAND,    /* lines of the first 8 GiB */
    RP__DRAM_SEQ,     /* one line after the other; writes go to a region of their own */
    RP__DRAM_STRIDE,  /* every `stride` bytes */
    RP__DRAM_STREAMS, /* `streams` sequences in turn */
};

struct rp__dram_traffic {
    enum rp__dram_pattern pattern;
    uint64_t n;             /* requests */
    uint32_t window;        /* of a closed loop */
    uint32_t load;          /* of an open loop, in % of the peak; 0: closed */
    uint32_t write_percent; /* of requests */
    uint32_t stride, streams;
    uint64_t seed; /* of rand; 0: 88172645463325252 */
};

/* Latencies are of reads, in steps. */
struct rp__dram_measured {
    uint64_t done_steps; /* to the end of the clock in which the last request was done */
    uint64_t steps;      /* to the last delivery or WR */
    uint64_t reads, writes;
    uint64_t latency_sum, latency_p99;     /* from acceptance */
    uint64_t generated_sum, generated_p99; /* from generation, where the loop is open */
    struct rp__dram_counters counters;
};

/* false: no memory, or the configuration has a fault. */
bool rp__dram_traffic_run(const struct rp__dram_config *config,
                          const struct rp__dram_traffic *traffic, struct rp__dram_measured *out);

#endif
