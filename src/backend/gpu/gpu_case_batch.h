/* backend/gpu/gpu_case_batch.h: interior of gpu: rows of gpu_case.h for batches. */
#ifndef RP_BACKEND_GPU_GPU_CASE_BATCH_H
#define RP_BACKEND_GPU_GPU_CASE_BATCH_H

#include "backend/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_batch[]; /* the last has no name */

#endif
