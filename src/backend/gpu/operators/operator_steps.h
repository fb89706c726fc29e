/* backend/gpu/operators/operator_steps.h: an AND that names operators, step by step, as rp__steps
 * says: its intersections are those of the row that it names.
 *
 * A run has a lease while the device has its candidates; lists are decoded when it begins. Scores
 * are always looked up, list by list, and candidates are docids: rows that have neither take no
 * steps. */
#ifndef RP_BACKEND_GPU_OPERATORS_OPERATOR_STEPS_H
#define RP_BACKEND_GPU_OPERATORS_OPERATOR_STEPS_H

#include "backend/gpu/exec/exec.h"

/* The run, by an exec of its own; other queries of the device dismiss `persistent`. As rp__steps'
 * open, of a flat AND. */
rp_status rp__operator_steps_open(rp__exec *exec, rp__persistent_kernel *persistent,
                                  const rp__query *query, rp__arena *arena, void **run,
                                  rp_error *err);
rp_status rp__operator_steps_start(void *run, uint32_t leaf);
rp_status rp__operator_steps_meet(void *run, uint32_t leaf);
rp_status rp__operator_steps_score(void *run, uint32_t leaf);
rp_status rp__operator_steps_narrow(void *run, uint32_t first, uint32_t last);
rp_status rp__operator_steps_select(void *run, rp__answer *answer);
rp_status rp__operator_steps_put(void *run, const rp__partial *partial);
rp_status rp__operator_steps_take(void *run, rp__partial *partial);
void rp__operator_steps_close(void *run);

#endif
