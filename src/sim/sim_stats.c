/* sim_stats.c: names of what is counted, and sums. */
#include "sim/sim_stats.h"

#include <string.h>

static const char *const classes[] = {
#define RP_SIM_TEXT(name, text) text,
    RP_SIM_CLASS_MAP(RP_SIM_TEXT)};
static const char *const traffics[] = {RP_SIM_TRAFFIC_MAP(RP_SIM_TEXT)
#undef RP_SIM_TEXT
};
static const char *const kinds[] = {
#define RP_SIM_TEXT(name, text, per) text,
    RP_SIM_KIND_MAP(RP_SIM_TEXT)
#undef RP_SIM_TEXT
};

const char *rp__sim_stats_class(uint32_t c)
{
    return c < RP_SIM_CLASSES ? classes[c] : "unknown";
}

const char *rp__sim_stats_kind(uint32_t kind)
{
    return kind < RP_SIM_KINDS ? kinds[kind] : "unknown";
}

const char *rp__sim_stats_traffic(uint32_t use)
{
    return use < RP_SIM_TRAFFICS ? traffics[use] : "unknown";
}

void rp__sim_stats_sum(const rp__sim_report *report, uint32_t kind, uint64_t cycles[RP_SIM_CLASSES])
{
    memset(cycles, 0, RP_SIM_CLASSES * sizeof *cycles);
    for (uint32_t i = 0; i < report->n_units; i++)
        for (uint32_t c = 0; c < RP_SIM_CLASSES && report->units[i].kind == kind; c++)
            cycles[c] += report->units[i].cycles[c];
}
