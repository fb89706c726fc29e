/* backend/gpu/device/kernel_table.h: interior of gpu: every kernel, one row each, and the images
 * that hold them. */
#ifndef RP_BACKEND_GPU_DEVICE_KERNEL_TABLE_H
#define RP_BACKEND_GPU_DEVICE_KERNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

/* A kernel has one argument, a record of kernels/args.h by value. */
typedef struct rp__kernel {
    const char *file, *name;            /* kernels/<file>.cu; the kernel in it */
    void (*emulated)(const void *args); /* one thread of it, on the host; NULL: made with GPU=0 */
    size_t args_bytes;
} rp__kernel;

/* A table of images ends with NULL. */
typedef struct rp__kernel_image {
    const char *file;
    const void *bytes;
} rp__kernel_image;

typedef enum rp__kernel_id {
#define KERNEL(file, name, args) RP_KERNEL_##name,
#include "backend/gpu/device/kernel_table.def"
#undef KERNEL
    RP_KERNELS,
    RP_KERNELS_ADDED = 32, /* places for a second table, whose numbers begin with RP_KERNELS */
    RP_KERNELS_MAX = RP_KERNELS + RP_KERNELS_ADDED,
} rp__kernel_id;

/* NULL: there is no kernel of this number. */
const rp__kernel *rp__kernel_table_at(size_t id);
/* A kernel with the scores of BM25, or, where it scores, of IIU. */
rp__kernel_id rp__kernel_table_scoring(rp__kernel_id id, bool is_iiu);
/* The image of a file for a real device; NULL: this build has none. */
const void *rp__kernel_table_image(const char *file);
/* Adds a second table, which must last: kernels that are no part of the library. Not while another
 * thread has a device. */
void rp__kernel_table_add(const rp__kernel *rows, size_t n, const rp__kernel_image *images);

#endif
