/* lab_kernels.c: the table of the lab's kernels; the assembler put their images beside this file. */
#include "lab/gpu/lab_kernels.h"

/* `make GPU=0` compiles no kernel. */
#ifdef RP_NO_KERNELS
#define EMULATED(function) NULL
#else
#define EMULATED(function) function
#endif

#define KERNEL(file, name, args) void rp__##name(const void *args_of);
#include "lab/gpu/lab_kernels.def"
#undef KERNEL

_Static_assert((int)RP_LAB_KERNELS <= (int)RP_KERNELS_ADDED, "devices have places for so many");

static const rp__kernel rows[RP_LAB_KERNELS] = {
#define KERNEL(file, name, args) {#file, #name, EMULATED(rp__##name), sizeof(args)},
#include "lab/gpu/lab_kernels.def"
#undef KERNEL
};

extern const rp__kernel_image rp__lab_kernels_images[]; /* made by the Makefile */

void rp__lab_kernels_add(void)
{
    rp__kernel_table_add(rows, RP_LAB_KERNELS, rp__lab_kernels_images);
}
