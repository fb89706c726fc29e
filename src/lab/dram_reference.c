/* dram_reference.c: traffic whose figures other simulators gave, on our memory. */
#include "lab/dram_reference.h"

#include <stdio.h>
#include <string.h>

bool rp__dram_reference_run(const struct rp__dram_reference *row, const char *controller,
                            struct rp__dram_config *config, struct rp__dram_measured *out)
{
    if (!rp__dram_standard_set(config, row->standard, controller)) {
        return false;
    }
    if (row->ranks) {
        config->ranks = row->ranks;
    }
    if (row->map) {
        snprintf(config->map, sizeof config->map, "%s", row->map);
    }
    return rp__dram_traffic_run(config, &row->traffic, out);
}

/* DRAMsim3's loop ends when every request was answered; some writes then still wait. */
uint64_t rp__dram_reference_end(const struct rp__dram_config *config,
                                const struct rp__dram_measured *measured)
{
    uint64_t steps =
        strcmp(config->controller, "compat") == 0 ? measured->done_steps : measured->steps;
    return steps * 2 / config->steps;
}

uint64_t rp__dram_reference_bound(const struct rp__dram_config *config, bool is_random,
                                  uint64_t clocks)
{
    const struct rp__dram_timing *t = &config->timing;
    uint64_t buses = (uint64_t)config->channels * (config->has_pseudo ? config->ranks : 1);
    uint64_t line = config->has_pseudo ? 32 : 64, clock = config->clock_mhz;
    uint64_t bound = buses * line * clock / t->bl;
    if (is_random) {
        uint64_t windows = (uint64_t)config->channels * config->ranks;
        uint64_t faw = windows * 4 * 64 * clock / t->faw;
        uint64_t row_bus = config->channels * 64ULL * clock * config->steps /
                           (config->act_steps + config->pre_steps);
        bound = faw < bound ? faw : bound;
        bound = config->has_two_buses && row_bus < bound ? row_bus : bound;
    }
    /* A refresh begins less than RFC late. */
    uint64_t refreshes = clocks > 2ULL * t->rfc ? (clocks - 2ULL * t->rfc) / t->refi : 0;
    return clocks ? bound * (clocks - refreshes * t->rfc) / clocks : bound;
}
