/* lab/gpu/gpu_case_top.h: rows of gpu_case.h for batches of ANDs through fused_and.h. */
#ifndef RP_LAB_GPU_GPU_CASE_TOP_H
#define RP_LAB_GPU_GPU_CASE_TOP_H

#include "lab/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_top[]; /* the last has no name */

#endif
