/* strict/strict_case.h: rows of gpu_case.h on the strict device. */
#ifndef STRICT_STRICT_CASE_H
#define STRICT_STRICT_CASE_H

#include "lab/gpu/gpu_bench.h"

/* Makes, runs and checks a row on a device of its own. RP_OK: the kernels gave what the CPU
 * gives. */
rp_status strict_case_run(const rp__gpu_case *row, uint64_t n, uint64_t seed, rp_error *err);
uint64_t strict_case_seeds(void); /* 1, or 20 in a thorough run */

#endif
