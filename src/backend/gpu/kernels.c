/* kernels.c: the table of kernels, and their images, which the assembler put beside this file. */
#include "backend/gpu/kernels.h"

#include <string.h>

#include "backend/gpu/kernels/args.h"

#define KERNEL(file, name, args) void rp__##name(const void *args_of);
#include "backend/gpu/kernels.def"
#undef KERNEL

const rp__kernel rp__kernels[RP_KERNELS] = {
#define KERNEL(file, name, args) {#file, #name, rp__##name, sizeof(args)},
#include "backend/gpu/kernels.def"
#undef KERNEL
};

/* Made by the Makefile: names and images of all files, both NULL at the end. */
extern const struct {
    const char *file;
    const void *bytes;
} rp__kernels_images[];

const void *rp__kernels_image(const char *file)
{
    for (size_t i = 0; rp__kernels_images[i].file; i++)
        if (!strcmp(rp__kernels_images[i].file, file))
            return rp__kernels_images[i].bytes;
    return NULL;
}
