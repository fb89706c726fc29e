/* lab/gpu/gpu_case_select.h: rows of gpu_case.h for selection. */
#ifndef RP_LAB_GPU_GPU_CASE_SELECT_H
#define RP_LAB_GPU_GPU_CASE_SELECT_H

#include "lab/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_select[]; /* the last has no name */

/* The k best of n by select_sample.cu; args has all but what the method wants of its own. */
rp_status rp__gpu_case_select_sample(rp__device *device, karg_select args);

#endif
