/* dram_energy.c: what memory takes, from the currents of its data sheet.
 *
 * As Micron's power notes have it: a row cycle beyond standby, data beyond active standby, refresh
 * beyond active standby, and standby with and without open rows. Currents are those of the core
 * supply; I/O and termination are not in them. */
#include "sim/dram_channel.h"

/* mA times clocks of one device. */
static uint64_t charge(const struct rp__dram_channel *c, uint64_t now)
{
    const struct rp__dram_timing *t = &c->config->timing;
    const struct rp__dram_power *p = &c->config->power;
    const struct rp__dram_counters *n = &c->counters;
    uint64_t active = 0, total = now / c->config->steps * c->n_ranks;
    for (uint32_t i = 0; i < c->n_ranks; i++) {
        active += c->ranks[i].active_steps;
        if (c->open & rp__dram_rank_mask(c, i)) {
            active += now - c->ranks[i].active_since;
        }
    }
    active = rp__dram_min(active / c->config->steps, total);
    uint64_t cycle = (uint64_t)p->idd0 * t->rc;
    uint64_t standby = (uint64_t)p->idd3n * t->ras + (uint64_t)p->idd2n * t->rp;
    return n->act * (cycle > standby ? cycle - standby : 0) +
           n->rd * (p->idd4r - p->idd3n) * (uint64_t)t->bl +
           n->wr * (p->idd4w - p->idd3n) * (uint64_t)t->bl +
           n->ref * (p->idd5 - p->idd3n) * (uint64_t)t->rfc + active * p->idd3n +
           (total - active) * p->idd2n;
}

uint64_t rp__dram_energy_pj(const struct rp__dram_channel *channel, uint64_t now)
{
    const struct rp__dram_config *config = channel->config;
    /* mA * mV / MHz = pJ */
    return charge(channel, now) * config->power.devices * config->power.vdd_mv / config->clock_mhz;
}
