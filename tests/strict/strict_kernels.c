/* strict_kernels.c: the kernels as strict mode runs them, by their numbers. */
#include "strict/strict_kernels.h"

#define KERNEL(file, name, args) void rp__strict_##name(const void *at);
#include "backend/gpu/device/kernel_table.def"
#include "lab/gpu/lab_kernels.def"
#undef KERNEL

void (*const strict_kernels[RP_KERNELS_MAX])(const void *args) = {
#define KERNEL(file, name, args) rp__strict_##name,
#include "backend/gpu/device/kernel_table.def"
#include "lab/gpu/lab_kernels.def"
#undef KERNEL
};
