/* lab/bench_dram.h: simulated memory under traffic, with its settings, its speed and a trace of its
 * commands. */
#ifndef RP_LAB_BENCH_DRAM_H
#define RP_LAB_BENCH_DRAM_H

#include <stdio.h>

#include "lab/dram_reference.h"
#include "riposte/status.h"

/* Names for options; NULL past the last. */
const char *rp__bench_dram_standard(size_t i);
const char *rp__bench_dram_controller(size_t i);

/* The memory that standard, controller and settings name. `settings`: "cl=16,read_queue=64", NULL
 * or empty: none. RP_USAGE: no such name, or it cannot be simulated. */
rp_status rp__bench_dram_configure(struct rp__dram_config *config, const char *standard,
                                   const char *controller, const char *settings, rp_error *err);

/* In clocks, GB/s, and seconds of this machine. */
struct rp__bench_dram_point {
    double clocks, gbps, share; /* share: of the peak */
    double latency, p99;        /* of reads, from acceptance */
    double generated, generated_p99;
    double seconds;
    struct rp__dram_counters counters;
};

rp_status rp__bench_dram_run(const struct rp__dram_config *config,
                             const struct rp__dram_traffic *traffic,
                             struct rp__bench_dram_point *out, rp_error *err);

/* Ours and the reference's for the i-th row of a controller that has one (compat: DRAMsim3; r21 and
 * frfcfs: Ramulator 2.1). RP_NOT_FOUND past the last. */
struct rp__bench_dram_pair {
    const struct rp__dram_reference *row;
    double clocks, latency; /* ours */
    double reference_clocks, reference_latency;
};
rp_status rp__bench_dram_compare(const char *controller, size_t i, struct rp__bench_dram_pair *out,
                                 rp_error *err);

/* Has every command written to `file`, a line each: step, channel, rank, group, bank, row, name. */
void rp__bench_dram_trace(struct rp__dram_config *config, FILE *file);
/* One more command of a memory, or of one memory after the other: a line RESET tells where time
 * begins anew. */
struct rp__bench_dram_log {
    FILE *file;
    uint64_t last; /* step of the last command */
};
void rp__bench_dram_command(struct rp__bench_dram_log *log, const struct rp__dram_command *command);

#endif
