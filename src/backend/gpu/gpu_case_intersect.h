/* backend/gpu/gpu_case_intersect.h: interior of gpu: the rows of intersection, for gpu_case.c. */
#ifndef RP_BACKEND_GPU_GPU_CASE_INTERSECT_H
#define RP_BACKEND_GPU_GPU_CASE_INTERSECT_H

#include "backend/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_intersect[]; /* to a row without a name */

#endif
