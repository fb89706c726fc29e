/* backend/gpu/operators/operator_steps.h: an AND that names operators, step by step, as rp__steps
 * says: its intersections are those of the row that it names.
 *
 * A run has a lease while the device has its candidates; lists are decoded when it begins. Scores
 * are always looked up, list by list, and candidates are docids: rows that have neither take no
 * steps. */
#ifndef RP_BACKEND_GPU_OPERATORS_OPERATOR_STEPS_H
#define RP_BACKEND_GPU_OPERATORS_OPERATOR_STEPS_H

#include "backend/gpu/exec/exec.h"
#include "backend/gpu/exec/step_run.h"

/* The run of a flat AND, which rp__step_run_* take on, by an exec of its own. It dismisses
 * `persistent` before each step. */
rp_status rp__operator_steps_open(rp__exec *exec, rp__persistent_kernel *persistent,
                                  const rp__query *query, rp__arena *arena, void **run,
                                  rp_error *err);

#endif
