/* backend/gpu/operators/operators.h: a query by operators, as a row of the launch table: each phase
 * by a method that the user names (operator_table.h).
 *
 * Lists are leased in the form that the methods read (pipeline_lists.h). */
#ifndef RP_BACKEND_GPU_OPERATORS_OPERATORS_H
#define RP_BACKEND_GPU_OPERATORS_OPERATORS_H

#include "backend/backend.h"
#include "backend/gpu/residency/lease.h"

struct rp__flight;

enum { RP_OPERATORS_CHECKED = 512 };

/* Memory that queries leave for the next one. One thread at a time; all zero is closed. */
typedef struct rp__operators {
    /* auxiliary data that were found to be sound, by a hash of their keys; 0: none */
    uint64_t checked[RP_OPERATORS_CHECKED];
    uint8_t *host; /* pinned */
    size_t host_bytes;
    rp__scratch scratch;
    bool is_busy; /* work was given to the device, and nobody saw it end */
} rp__operators;

/* The device is done with it, and its lease has ended. */
void rp__operators_close(rp__operators *o, rp__residency *residency, rp__device *device);

/* Hooks of the row. */
rp_status rp__operators_check(const char *spec, const rp__algorithm_use *use, rp_error *err);
rp_status rp__operators_begin(struct rp__flight *flight);
rp_status rp__operators_scratch(struct rp__flight *flight);
rp_status rp__operators_find(struct rp__flight *flight);
rp_status rp__operators_launch(struct rp__flight *flight);
bool rp__operators_is_done(const struct rp__flight *flight);
rp_status rp__operators_wait(struct rp__flight *flight);
rp_status rp__operators_take(struct rp__flight *flight);
rp_status rp__operators_settle(struct rp__flight *flight);

/* For steps (operator_steps.h): as begin, where candidates may be looked for in lists from `first`
 * on; what all operators need, and decoding, for a flight that has its lease; and the wait for what
 * an operator has left. */
rp_status rp__operators_begin_at(struct rp__flight *flight, uint32_t first);
rp_status rp__operators_prepare(struct rp__flight *flight);
rp_status rp__operators_see(struct rp__flight *flight);

#endif
