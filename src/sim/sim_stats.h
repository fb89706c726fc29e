/* sim_stats.h: what the machine counts. Part of the door. */
#ifndef RP_SIM_SIM_STATS_H
#define RP_SIM_SIM_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, text): what a unit did in a cycle; each cycle of each unit is in exactly one. */
#define RP_SIM_CLASS_MAP(X)                                                                        \
    X(BUSY, "busy")                                                                                \
    X(WAIT_IN, "wait-in")                                                                          \
    X(WAIT_MEMORY, "wait-memory")                                                                  \
    X(WAIT_OUT, "wait-out")                                                                        \
    X(IDLE, "idle")

/* X(name, text, per): kinds of units; `per`: how many of them for each core, 0: one in all. */
#define RP_SIM_KIND_MAP(X)                                                                         \
    X(HOST, "host", 0)                                                                             \
    X(COMMAND_QUEUE, "command_queue", 0)                                                           \
    X(QUERY_SCHEDULER, "query_scheduler", 0)                                                       \
    X(MAI, "mai", 0)                                                                               \
    X(MEMORY, "memory", 0)                                                                         \
    X(BLOCK_READER, "block_reader", 1)                                                             \
    X(BLOCK_SCHEDULER, "block_scheduler", 1)                                                       \
    X(DCU, "dcu", 2)                                                                               \
    X(SU, "su", 2)                                                                                 \
    X(BSU, "bsu", 1)                                                                               \
    X(L1_FETCH, "l1_fetch", 1)                                                                     \
    X(MERGE, "merge_unit", 1)                                                                      \
    X(WRITE_BACK, "write_back", 2)

/* X(name, text): what bytes are read or written for. */
#define RP_SIM_TRAFFIC_MAP(X)                                                                      \
    X(INDEX, "index")                                                                              \
    X(META, "meta")                                                                                \
    X(SKIP, "skip")                                                                                \
    X(DL, "dl")                                                                                    \
    X(L1, "l1")                                                                                    \
    X(RESULT, "result")                                                                            \
    X(WALK, "walk")

enum {
#define RP_SIM_CLASS_ENUM(name, text) RP_SIM_##name,
    RP_SIM_CLASS_MAP(RP_SIM_CLASS_ENUM) RP_SIM_CLASSES,
#undef RP_SIM_CLASS_ENUM
};
enum {
#define RP_SIM_KIND_ENUM(name, text, per) RP_SIM_KIND_##name,
    RP_SIM_KIND_MAP(RP_SIM_KIND_ENUM) RP_SIM_KINDS,
#undef RP_SIM_KIND_ENUM
};
enum {
#define RP_SIM_TRAFFIC_ENUM(name, text) RP_SIM_TRAFFIC_##name,
    RP_SIM_TRAFFIC_MAP(RP_SIM_TRAFFIC_ENUM) RP_SIM_TRAFFICS,
#undef RP_SIM_TRAFFIC_ENUM
};
enum { RP_SIM_MAI_BUCKETS = 17, RP_SIM_REPORT_UNITS = 128 };

/* Counters of the items themselves. */
typedef struct rp__sim_counts {
    uint64_t requests[RP_SIM_TRAFFICS]; /* of 64 bytes, reads and writes */
    uint64_t bytes[RP_SIM_TRAFFICS];    /* that the unit needed of them */
    uint64_t mai_allocated, mai_freed;  /* entries of the interface */
    uint64_t mai_refused;               /* addresses outside the memory */
    uint64_t
        mai_fill[RP_SIM_MAI_BUCKETS]; /* cycles with none, up to 1/16, 2/16, ... of the entries */
    uint64_t mai_max_fill;            /* entries */
    uint64_t tlb_lookups, tlb_misses;
    uint64_t memory_reads, memory_writes; /* requests that the memory took */
    uint64_t blocks, postings;            /* dispatched; decoded */
    uint64_t blocks_skipped;              /* not dispatched, by their bound */
    uint64_t payload_bits;                /* that decompression units took out of lines */
    uint64_t reader_lines, reader_bits; /* lines that block readers fetched; bits served of them */
    uint64_t scored, written;           /* postings; result slots */
    uint64_t norm_reads, norm_shared;   /* lines of document constants; postings that shared one */
    uint64_t searches;                  /* that left the block of the last one */
    uint64_t levels_cached,
        levels_read;                 /* steps of a search, by the traversal cache or by memory */
    uint64_t same_block;             /* docids that stayed in the block of the last search */
    uint64_t dropped;                /* docids before the first or after the last block */
    uint64_t l1_blocks, l1_postings; /* blocks fetched for candidates; their postings */
} rp__sim_counts;

typedef struct rp__sim_unit_report {
    uint32_t kind, index; /* index among its kind */
    uint64_t cycles[RP_SIM_CLASSES];
} rp__sim_unit_report;

typedef struct rp__sim_report {
    uint64_t cycles; /* core cycles from 0 to the last completion */
    uint64_t queries;
    uint32_t n_units;
    rp__sim_unit_report units[RP_SIM_REPORT_UNITS];
    rp__sim_counts counts;
    uint64_t evaluations; /* of units: what the simulation cost */
    uint64_t memory_ticks;
    /* memory=dram: by the first command that a request needed; data bus in memory clocks summed
     * over channels; energy */
    uint64_t row_hits, row_closed, row_conflicts, bus_busy, column_commands, dram_pj;
    /* column commands that were not needed, as another request had the data or the address; and
     * those of writes that the memory has taken over and still holds */
    uint64_t commands_saved, commands_left;
    uint32_t memory_mhz, memory_channels, burst_clocks;
    uint32_t request_commands; /* column commands of a request of 64 bytes; 0: no DRAM */
} rp__sim_report;

const char *rp__sim_stats_class(uint32_t c);     /* "wait-in" */
const char *rp__sim_stats_kind(uint32_t kind);   /* "dcu" */
const char *rp__sim_stats_traffic(uint32_t use); /* "skip" */

/* Cycles of all units of a kind, by class. */
void rp__sim_stats_sum(const rp__sim_report *report, uint32_t kind,
                       uint64_t cycles[RP_SIM_CLASSES]);

/* Energy in joules by the paper's Table 3 and the memory's own model. `all_on`: every module is
 * powered for the whole time; otherwise for its busy cycles. */
typedef struct rp__sim_energy {
    double modules, memory, host;
} rp__sim_energy;
rp__sim_energy rp__sim_energy_sum(const rp__sim_report *report, uint32_t core_mhz, bool all_on,
                                  double host_seconds);

#endif
