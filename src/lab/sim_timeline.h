/* lab/sim_timeline.h: what each unit of a simulated machine did, over time.
 *
 * Time is cut into buckets of one width, at most RP_SIM_TIMELINE_BUCKETS of them. When a run is
 * longer, two buckets become one and the width doubles. So the memory is bounded, and no cycle is
 * lost: the buckets of a unit add up to its counters. */
#ifndef RP_LAB_SIM_TIMELINE_H
#define RP_LAB_SIM_TIMELINE_H

#include <stdint.h>

#include "riposte/status.h"
#include "sim/sim.h"

enum { RP_SIM_TIMELINE_BUCKETS = 1024 };

/* One thread at a time. */
typedef struct rp__sim_timeline {
    uint64_t *cycles; /* by unit, bucket and class */
    uint64_t width;   /* cycles of a bucket: a power of two */
    uint64_t end;     /* cycles of the run so far */
    uint64_t offset;  /* of the machine that runs now: cycles of those before it */
} rp__sim_timeline;

rp_status rp__sim_timeline_init(rp__sim_timeline *timeline); /* RP_NO_MEMORY */
void rp__sim_timeline_free(rp__sim_timeline *timeline);      /* all zero is fine */

/* on_spent of a configuration, with the timeline as its context. */
void rp__sim_timeline_add(void *timeline, uint32_t unit, uint32_t spent, uint64_t from,
                          uint64_t cycles);

/* Buckets that have cycles. */
uint32_t rp__sim_timeline_count(const rp__sim_timeline *timeline);
/* The cycles of a unit in a bucket, by class. */
const uint64_t *rp__sim_timeline_get(const rp__sim_timeline *timeline, uint32_t unit,
                                     uint32_t bucket);

#endif
