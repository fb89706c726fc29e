/* backend/gpu/kernels.h: interior of gpu: every kernel, one row each, and the images that hold them. */
#ifndef RP_BACKEND_GPU_KERNELS_H
#define RP_BACKEND_GPU_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

/* A kernel has one argument, a record of kernels/args.h by value. */
typedef struct rp__kernel {
    const char *file, *name; /* kernels/<file>.cu; the kernel in it */
    void (*emulated)(const void *args); /* one thread of it, on the host */
    size_t args_bytes;
} rp__kernel;

typedef enum rp__kernel_id {
#define KERNEL(file, name, args) RP_KERNEL_##name,
#include "backend/gpu/kernels.def"
#undef KERNEL
    RP_KERNELS,
} rp__kernel_id;

extern const rp__kernel rp__kernels[RP_KERNELS];

/* The image of a file for a real device; NULL: this build has none. */
const void *rp__kernels_image(const char *file);

#endif
