/* sim_laws.h: what no run may break, whatever its configuration: cycles, requests and bytes are all
 * accounted for. */
#ifndef RP_TESTS_SIM_LAWS_H
#define RP_TESTS_SIM_LAWS_H

#include "sim_case.h"

static inline void check_accounting(const rp__sim_report *r)
{
    for (uint32_t i = 0; i < r->n_units; i++) {
        uint64_t sum = 0;
        for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
            sum += r->units[i].cycles[c];
        assert_int_equal(sum, r->cycles);
    }
    uint64_t fill = 0;
    for (uint32_t i = 0; i < RP_SIM_MAI_BUCKETS; i++)
        fill += r->counts.mai_fill[i];
    assert_int_equal(fill, r->cycles);
}

static inline void check_memory(const rp__sim_report *r)
{
    uint64_t requests = 0;
    for (uint32_t i = 0; i < RP_SIM_TRAFFICS; i++)
        requests += r->counts.requests[i];
    assert_int_equal(r->counts.mai_allocated, r->counts.mai_freed);
    assert_int_equal(r->counts.mai_allocated, r->counts.memory_reads + r->counts.memory_writes);
    assert_int_equal(r->counts.mai_allocated, requests);
    assert_int_equal(r->counts.mai_refused, 0);
    assert_int_equal(r->counts.memory_writes, r->counts.requests[RP_SIM_TRAFFIC_RESULT]);
    assert_int_equal(r->counts.requests[RP_SIM_TRAFFIC_DL], r->counts.norm_reads);
    /* Of DRAM: each request has its column commands, but for those that another one made needless.
     * All reads are back, so what is left are writes. */
    assert_int_equal(r->counts.mai_allocated * r->request_commands,
                     r->column_commands + r->commands_saved + r->commands_left);
    assert_true(r->commands_left <= r->counts.memory_writes * r->request_commands);
    /* Data take the bus for their time and not longer than there is. */
    assert_int_equal(r->bus_busy, r->burst_clocks * r->column_commands);
    assert_true(r->bus_busy <= r->memory_ticks * r->memory_channels);
}

#endif
