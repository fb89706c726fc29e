/* sim_laws.h: what no run may break, whatever its configuration: cycles, requests and bytes are all
 * accounted for. */
#ifndef RP_TESTS_SIM_LAWS_H
#define RP_TESTS_SIM_LAWS_H

#include "base/bits.h"
#include "sim/dram.h"
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

/* Cycles in which DRAM cannot answer a read: those of a row that is open, in an idle machine. */
static inline uint64_t dram_latency(const rp__sim_config *config)
{
    struct rp__dram_config dram;
    assert_true(rp__dram_standard_set(&dram, config->standard, config->controller));
    return (uint64_t)(dram.timing.cl + dram.timing.bl) * config->core_mhz / dram.clock_mhz;
}

/* Cycles of requests that wait for each other: a header, a payload, a document's constant, and a
 * result, which DRAM takes over at once. Lists of one block have no more of them. */
static inline uint64_t dependent_latency(const rp__sim_config *config)
{
    const uint64_t reads = config->dl == RP_SIM_DL_FREE ? 2 : 3;
    if (config->memory == RP_SIM_MEMORY_IDEAL)
        return 0;
    return config->memory == RP_SIM_MEMORY_DRAM ? reads * dram_latency(config)
                                                : (reads + 1) * config->latency;
}

/* A query takes no less than its postings need at two a core and cycle, an OR its results, and any
 * with results the requests that wait for each other. n: postings of list0. A query over a range
 * may have no block. */
static inline void check_time(const rp__sim_config *config, const rp__completion *record,
                              uint32_t type, uint64_t n, uint64_t n_results, bool has_range)
{
    const uint64_t cycles = record->end - record->start;
    const uint64_t cores = rp__bits_count64(record->cores);
    if (type == RP_SIM_SINGLE)
        assert_true(cycles >= n / (2 * cores));
    else if (type == RP_SIM_AND)
        assert_true(cycles >= n / cores);
    else
        assert_true(cycles >= n_results);
    assert_true(record->arrival < record->start && record->start < record->end);
    if (!has_range)
        assert_true(record->start < record->first && record->first <= record->last);
    if (n_results > 0)
        assert_true(cycles >= dependent_latency(config));
}

#endif
