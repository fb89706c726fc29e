/* lab/gpu/lab_kernels.h: kernels that only measure. Their numbers follow those of the product's. */
#ifndef RP_LAB_GPU_LAB_KERNELS_H
#define RP_LAB_GPU_LAB_KERNELS_H

#include "backend/gpu/gpu_lab.h"

enum {
    RP_LAB_KERNELS_BEFORE = RP_KERNELS - 1,
#define KERNEL(file, name, args) RP_KERNEL_##name,
#include "lab/gpu/lab_kernels.def"
#undef KERNEL
    RP_LAB_KERNELS_END,
    RP_LAB_KERNELS = RP_LAB_KERNELS_END - RP_KERNELS
};

/* Makes them known to devices that are opened from now on. More than once is fine. */
void rp__lab_kernels_add(void);

#endif
