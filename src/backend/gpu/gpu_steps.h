/* backend/gpu/gpu_steps.h: interior of gpu: a flat AND step by step on a device that holds its
 * index (rp__steps). */
#ifndef RP_BACKEND_GPU_GPU_STEPS_H
#define RP_BACKEND_GPU_GPU_STEPS_H

#include "backend/backend.h"
#include "backend/gpu/exec/exec.h"
#include "backend/gpu/exec/step_run.h"
#include "backend/gpu/gpu_candidates.h"
#include "backend/gpu/residency/device_norms.h"
#include "backend/gpu/residency/lease.h"

/* What runs leave for the next one. One run at a time. */
typedef struct rp__gpu_steps {
    rp__device *device;
    const rp__gpu_index *index;
    rp__persistent_kernel *persistent; /* of the device; it leaves before a step */
    rp__lease lease; /* of the run that is open, while the device has its candidates */
    rp__scratch scratch;
    rp__device_norms norms;
    rp__gpu_candidates candidates;
} rp__gpu_steps;

/* Nothing is allocated before the first step. */
void rp__gpu_steps_open(rp__gpu_steps *steps, rp__device *device, const rp__gpu_index *index,
                        rp__persistent_kernel *persistent);
void rp__gpu_steps_close(rp__gpu_steps *steps); /* all zero is fine */

/* Opens a run, which rp__step_run_* take on. One that nobody closed is over when the next one
 * begins. */
rp_status rp__gpu_steps_begin(rp__gpu_steps *steps, const rp__query *query, rp__arena *arena,
                              void **run, rp_error *err);

#endif
