/* engine/gpu_child_steps.h: interior of engine: steps of a query at the process that uses the
 * GPU. */
#ifndef RP_ENGINE_GPU_CHILD_STEPS_H
#define RP_ENGINE_GPU_CHILD_STEPS_H

#include "backend/backend.h"

extern const rp__steps rp__gpu_child_steps_row;

#endif
