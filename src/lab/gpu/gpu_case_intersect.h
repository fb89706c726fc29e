/* lab/gpu/gpu_case_intersect.h: the rows of intersection, for gpu_case.c. */
#ifndef RP_LAB_GPU_GPU_CASE_INTERSECT_H
#define RP_LAB_GPU_GPU_CASE_INTERSECT_H

#include "lab/gpu/gpu_case.h"

enum { RP_GPU_INTERSECT_RATIO = 1023 }; /* bits of a row's option: its ratio */

extern const rp__gpu_case rp__gpu_case_intersect[]; /* to a row without a name */

#endif
