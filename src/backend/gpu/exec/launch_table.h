/* backend/gpu/exec/launch_table.h: the ways in which a card answers queries, one row each.
 *
 * Rows differ in their kernels, in what these read, and in how much one launch takes. Leases,
 * norms, fallbacks, counters and the order of steps are the same for all (exec.c). */
#ifndef RP_BACKEND_GPU_EXEC_LAUNCH_TABLE_H
#define RP_BACKEND_GPU_EXEC_LAUNCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

/* In the order in which an exec launches them: what does not fit into one of them may go to a later
 * one. */
/* Postings of the shortest lists of one and-batch launch, where memory is not limited. */
enum { RP_LAUNCH_ELEMENTS_MAX = 1 << 25 };

typedef enum rp__launch_id {
    RP_LAUNCH_AND_BATCH,
    RP_LAUNCH_PHRASE_BATCH,
    RP_LAUNCH_OR_MAXSCORE,
    RP_LAUNCH_OR_LONG,
    RP_LAUNCH_AND_PERSISTENT,
    RP_LAUNCH_AND_SINGLE,
    RP_LAUNCH_OR_ACCUMULATE,
    RP_LAUNCH_PARA,
    RP_LAUNCH_OPERATORS,
    RP_LAUNCHES
} rp__launch_id;

/* What a query asks for; bits of a row's `shapes`. */
typedef enum rp__shape {
    RP_SHAPE_NOTHING = 0, /* it matches nothing */
    RP_SHAPE_AND = 1,     /* all of its terms; one term alone is an AND */
    RP_SHAPE_OR = 2,      /* any of its terms */
    RP_SHAPE_PHRASE = 4,  /* one phrase */
    RP_SHAPE_OTHER = 8,
} rp__shape;

/* Representations of lists that a row's kernels read. */
enum {
    RP_LAUNCH_READS_STORED = 1,
    RP_LAUNCH_READS_LOOKUP = 2,
    RP_LAUNCH_READS_TILED = 4,
    RP_LAUNCH_READS_PLAIN = 8, /* in place of LOOKUP */
};

/* Rows of one lane share memory: one launch of them is in flight at a time. */
typedef enum rp__launch_lane {
    RP_LANE_AND,
    RP_LANE_PHRASE,
    RP_LANE_OR,
    RP_LANE_SINGLE,
    RP_LANE_PARA,
    RP_LANES
} rp__launch_lane;

struct rp__exec;
struct rp__batch_item;
struct rp__flight;
struct rp__algorithm_use;

typedef struct rp__launch_row {
    const char *name;
    rp__launch_id id;
    /* (optional, with check) It answers queries that name this algorithm, and no others */
    const char *algorithm;
    /* As rp__backend's check_algorithm. */
    rp_status (*check)(const char *spec, const struct rp__algorithm_use *use, rp_error *err);
    uint32_t shapes, reads;
    uint32_t max_queries, max_k, max_terms; /* max_k 0: any */
    rp__launch_lane lane;
    /* once launched, the host reads nothing more from the device's memory: its lease may end before
     * it is collected */
    bool is_detached;
    /* (optional) How many of the next n queries a launch should have, at least one, by what they
     * are likely to need. */
    size_t (*fit)(const struct rp__exec *exec, struct rp__batch_item *const *items, size_t n);
    /* Memory of the host for the launch; what is read of its lists before they are leased. Reads
     * mapped memory. */
    rp_status (*begin)(struct rp__flight *flight);
    /* Scratch, as rp__scratch_hold. */
    rp_status (*scratch)(struct rp__flight *flight);
    /* Its lists, for the lease. RP_NOT_FOUND: some are not there. Called again once they have been
     * brought. */
    rp_status (*find)(struct rp__flight *flight);
    /* (optional) Names in flight->lists what it needs, so that it can be brought; rows without it
     * did so when they began. Reads mapped memory. */
    rp_status (*name_lists)(struct rp__flight *flight);
    rp_status (*launch)(struct rp__flight *flight); /* does not wait */
    /* Whether the launch has ended; NULL-free. */
    bool (*is_done)(const struct rp__flight *flight);
    /* Waits until all that is needed from the device is in memory of the host. */
    rp_status (*wait)(struct rp__flight *flight);
    /* Answers, after its lease has ended. Reads mapped memory. */
    rp_status (*take)(struct rp__flight *flight);
    /* After a launch that failed, or that nobody waited for: the device is done with it. */
    rp_status (*settle)(struct rp__flight *flight);
} rp__launch_row;

extern const rp__launch_row rp__launch_table[RP_LAUNCHES]; /* by id */

#endif
