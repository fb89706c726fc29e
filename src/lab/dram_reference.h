/* lab/dram_reference.h: what two other simulators say of the same memory under the same traffic.
 *
 * Measured with DRAMsim3 and Ramulator 2.1 by the loops of lab/dram_traffic.h; docs/dram.md says
 * how. compat is held to the first, r21 and frfcfs to the second. DRAMsim3 counts latency from the
 * clock after acceptance; here it is from acceptance. */
#ifndef RP_LAB_DRAM_REFERENCE_H
#define RP_LAB_DRAM_REFERENCE_H

#include "lab/dram_traffic.h"

struct rp__dram_reference {
    const char *standard;
    struct rp__dram_traffic traffic;
    uint64_t half_clocks;            /* to the end */
    double latency, p99;             /* of reads from acceptance, in clocks; 0: not measured */
    double generated, generated_p99; /* from generation; 0: not measured, or saturated */
    uint32_t rows[3];                /* hit, closed, conflict; all 0: not measured */
    uint32_t ranks;                  /* 0: the standard's */
    const char *map;                 /* NULL: the standard's */
    bool is_quick;                   /* worth a run in every test */
};

/* The i-th row of Ramulator 2.1 and of DRAMsim3; NULL past the last. */
const struct rp__dram_reference *rp__dram_reference_r21_get(size_t i);
const struct rp__dram_reference *rp__dram_reference_compat_get(size_t i);
/* Runs its traffic on this controller; false: no memory. */
bool rp__dram_reference_run(const struct rp__dram_reference *row, const char *controller,
                            struct rp__dram_config *config, struct rp__dram_measured *out);
/* The end of the run in half clocks, as the reference counts it. */
uint64_t rp__dram_reference_end(const struct rp__dram_config *config,
                                const struct rp__dram_measured *measured);
/* Bytes a second in MB/s that the standard allows for this pattern in a run of so many clocks: the
 * refreshes that are over, and four ACT a window or the row bus where rows are drawn at random. */
uint64_t rp__dram_reference_bound(const struct rp__dram_config *config, bool is_random,
                                  uint64_t clocks);

#endif
