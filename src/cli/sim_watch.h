/* cli/sim_watch.h: how far simulated machines are: queries, cycles a second, time left. */
#ifndef RP_CLI_SIM_WATCH_H
#define RP_CLI_SIM_WATCH_H

#include "cli/progress.h"

typedef struct rp__sim_watch {
    rp__progress progress;
    uint64_t begun;
    uint64_t total, done; /* queries of all runs; of those that have ended */
    uint64_t cycles;      /* of those that have ended */
} rp__sim_watch;

void rp__sim_watch_init(rp__sim_watch *watch, const rp__console *console, uint64_t queries);
/* An rp__lab_sim_progress_fn; arg is an rp__sim_watch. False after an interrupt. */
bool rp__sim_watch_tick(void *arg, size_t queries, uint64_t cycles);
/* A run has ended, or several at once: ticks count from 0 again. */
void rp__sim_watch_next(rp__sim_watch *watch, uint64_t queries, uint64_t cycles);
/* Takes the bar off the screen. */
void rp__sim_watch_end(rp__sim_watch *watch);

#endif
