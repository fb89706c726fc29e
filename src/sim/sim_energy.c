/* sim_energy.c: what a run costs in joules, by the paper's Table 3. */
#include "sim/sim_stats.h"

/* Milliwatts of one module: a core is its two decompression and scoring units, its search, its
 * fetch, its merge unit and its lanes, which share the core's 115.6 by their number. */
static const double milliwatts[RP_SIM_KINDS] = {
    [RP_SIM_KIND_COMMAND_QUEUE] = 2.7,
    [RP_SIM_KIND_QUERY_SCHEDULER] = 6.4,
    [RP_SIM_KIND_MAI] = 9.6,
    [RP_SIM_KIND_BLOCK_READER] = 13.9,
    [RP_SIM_KIND_BLOCK_SCHEDULER] = 11.0,
    [RP_SIM_KIND_DCU] = 115.6 / 9,
    [RP_SIM_KIND_SU] = 115.6 / 9,
    [RP_SIM_KIND_BSU] = 115.6 / 9,
    [RP_SIM_KIND_L1_FETCH] = 115.6 / 9,
    [RP_SIM_KIND_MERGE] = 115.6 / 9,
    [RP_SIM_KIND_WRITE_BACK] = 115.6 / 9,
};

enum { HOST_WATTS = 140 };

rp__sim_energy rp__sim_energy_sum(const rp__sim_report *report, uint32_t core_mhz, bool all_on,
                                  double host_seconds)
{
    double joules_per_mw_cycle = 1e-3 / (core_mhz * 1e6);
    rp__sim_energy energy = {.memory = (double)report->dram_pj * 1e-12,
                             .host = HOST_WATTS * host_seconds};
    for (uint32_t i = 0; i < report->n_units; i++) {
        const rp__sim_unit_report *unit = &report->units[i];
        uint64_t cycles = all_on ? report->cycles : unit->cycles[RP_SIM_BUSY];
        energy.modules += milliwatts[unit->kind] * (double)cycles * joules_per_mw_cycle;
    }
    return energy;
}
