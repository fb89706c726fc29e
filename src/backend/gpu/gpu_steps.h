/* backend/gpu/gpu_steps.h: interior of gpu: a flat AND step by step on a device that holds its
 * index (rp__steps). */
#ifndef RP_BACKEND_GPU_GPU_STEPS_H
#define RP_BACKEND_GPU_GPU_STEPS_H

#include "backend/backend.h"
#include "backend/gpu/exec/exec.h"
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

/* As rp__steps has them. A run that nobody closed is over when the next one begins. */
rp_status rp__gpu_steps_begin(rp__gpu_steps *steps, const rp__query *query, rp__arena *arena,
                              void **run, rp_error *err);
rp_status rp__gpu_steps_start(void *run, uint32_t leaf);
rp_status rp__gpu_steps_meet(void *run, uint32_t leaf);
rp_status rp__gpu_steps_score(void *run, uint32_t leaf);
rp_status rp__gpu_steps_narrow(void *run, uint32_t first, uint32_t last);
rp_status rp__gpu_steps_select(void *run, rp__answer *answer);
rp_status rp__gpu_steps_put(void *run, const rp__partial *partial);
rp_status rp__gpu_steps_take(void *run, rp__partial *partial);
void rp__gpu_steps_end(void *run);

#endif
