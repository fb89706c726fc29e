/* backend/gpu/kernels/args.h: what kernels are given: records that host and device read alike.
 *
 * Plain C and CUDA C++: numbers and addresses of device memory (uint64_t), naturally aligned. */
#ifndef RP_KERNELS_ARGS_H
#define RP_KERNELS_ARGS_H

#include <stdint.h>

/* copy.cu */
typedef struct karg_copy {
    uint64_t from, to; /* n words of 16 bytes each */
    uint64_t n;
} karg_copy;

#endif
