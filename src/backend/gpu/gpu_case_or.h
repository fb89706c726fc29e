/* backend/gpu/gpu_case_or.h: interior of gpu: rows of gpu_case.h for ORs. */
#ifndef RP_BACKEND_GPU_GPU_CASE_OR_H
#define RP_BACKEND_GPU_GPU_CASE_OR_H

#include "backend/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_or[]; /* the last has no name */

#endif
