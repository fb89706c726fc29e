/* lab/gpu/gpu_case_or.h: rows of gpu_case.h for ORs. */
#ifndef RP_LAB_GPU_GPU_CASE_OR_H
#define RP_LAB_GPU_GPU_CASE_OR_H

#include "lab/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_or[]; /* the last has no name */

#endif
