/* lab/gpu/gpu_case_batch.h: rows of gpu_case.h for batches. */
#ifndef RP_LAB_GPU_GPU_CASE_BATCH_H
#define RP_LAB_GPU_GPU_CASE_BATCH_H

#include "lab/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_batch[]; /* the last has no name */

#endif
