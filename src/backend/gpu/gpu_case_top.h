/* backend/gpu/gpu_case_top.h: interior of gpu: rows of gpu_case.h for batches of ANDs through gpu_and.h. */
#ifndef RP_BACKEND_GPU_GPU_CASE_TOP_H
#define RP_BACKEND_GPU_GPU_CASE_TOP_H

#include "backend/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_top[]; /* the last has no name */

#endif
