/* lab/gpu/gpu_case_flat.h: cases of single flat queries. */
#ifndef RP_LAB_GPU_GPU_CASE_FLAT_H
#define RP_LAB_GPU_GPU_CASE_FLAT_H

#include "lab/gpu/gpu_case.h"

extern const rp__gpu_case rp__gpu_case_flat[]; /* all zero past the last */

#endif
