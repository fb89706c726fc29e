/* strict/strict_kernels.h: the kernels as strict mode runs them, by their numbers. */
#ifndef STRICT_STRICT_KERNELS_H
#define STRICT_STRICT_KERNELS_H

#include "backend/gpu/device/kernel_table.h"

extern void (*const strict_kernels[RP_KERNELS_MAX])(const void *args);

#endif
