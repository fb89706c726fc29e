/* machine.h: the machine: its units, and what the clock `awake` keeps of them. machine_new.c builds
 * it, machine.c owns its time. Interior of the room. */
#ifndef RP_SIM_MACHINE_H
#define RP_SIM_MACHINE_H

#include "sim/units.h"

/* Units of a core, from its first. */
enum {
    RP_SIM_SECOND_DCU = 1,
    RP_SIM_FIRST_SU = 2,
    RP_SIM_BSU = 4,
    RP_SIM_L1_FETCH = 5,
    RP_SIM_MERGE = 6,
    RP_SIM_FIRST_LANE = 7,
    RP_SIM_CORE_UNITS = 9
};

/* A unit: first what each evaluation needs. */
typedef struct rp__unit {
    _Alignas(32) rp__turn (*step)(void *state, rp__sim_clock *clock);
    void *state;
    uint64_t timer;
    uint32_t spent; /* class of the last step */
} rp__unit;

typedef struct rp__unit_counts {
    uint32_t kind, index;
    uint64_t counted; /* cycles before this one are in `cycles` */
    uint64_t cycles[RP_SIM_CLASSES];
} rp__unit_counts;

typedef struct rp__pair {
    rp__block_reader reader;
    rp__block_scheduler scheduler;
} rp__pair;

/* Cycles of a core that are made later, at once. */
typedef struct rp__core_run {
    uint64_t start;                   /* the first of them */
    uint64_t mask[RP_SIM_WAKE_WORDS]; /* the core's second decompression unit and merge unit */
    uint32_t dcu;                     /* the number of the former */
    uint32_t docids[RP_SIM_RUN];      /* that it decodes */
} rp__core_run;

struct rp__machine {
    void *block; /* allocated: the machine is aligned in it */
    rp__sim_config config;
    rp__sim_memory bytes;
    rp__sim_clock clock;
    rp__sim_counts counts;
    rp__host host;
    rp__command_queue queue;
    rp__query_scheduler scheduler;
    rp__mai mai;
    rp__memory memory;
    rp__pair pairs[RP_SIM_MAX_CORES];
    rp__core cores[RP_SIM_MAX_CORES];
    rp__unit units[RP_SIM_MAX_UNITS];
    rp__unit_counts unit_counts[RP_SIM_MAX_UNITS];
    uint32_t n_units;
    uint32_t order[RP_SIM_MAX_UNITS];
    bool is_ordered, is_hung;
    bool is_paused; /* between two parts of a run */
    rp__descriptor *descriptors;
    size_t n_descriptors, descriptors_cap, completions_cap;
    uint64_t evaluations, next_timer; /* next_timer: no unit's is earlier */
    rp__core_run runs[RP_SIM_MAX_CORES];
    uint32_t running; /* cores that are in a run */
    /* Units that may begin a run when they wake, or that are in one: all merge units, and the
     * second decompression units of `running`. */
    uint64_t watched[RP_SIM_WAKE_WORDS];
    uint64_t timed[RP_SIM_WAKE_WORDS]; /* units that have a timer */
};

#endif
