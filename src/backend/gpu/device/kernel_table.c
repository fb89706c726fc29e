/* kernel_table.c: the table of kernels, and their images, which the assembler put beside this file. */
#include "backend/gpu/device/kernel_table.h"

#include <string.h>

#include "backend/gpu/kernels/args.h"

/* `make GPU=0` compiles no kernel. */
#ifdef RP_NO_KERNELS
#define EMULATED(function) NULL
#else
#define EMULATED(function) function
#endif

#define KERNEL(file, name, args) void rp__##name(const void *args_of);
#include "backend/gpu/device/kernel_table.def"
#undef KERNEL

static const rp__kernel kernels[RP_KERNELS] = {
#define KERNEL(file, name, args) {#file, #name, EMULATED(rp__##name), sizeof(args)},
#include "backend/gpu/device/kernel_table.def"
#undef KERNEL
};

extern const rp__kernel_image rp__kernel_table_images[]; /* made by the Makefile */

static struct {
    const rp__kernel *rows;
    size_t n;
    const rp__kernel_image *images;
} added;

void rp__kernel_table_add(const rp__kernel *rows, size_t n, const rp__kernel_image *images)
{
    added.rows = rows;
    added.n = n;
    added.images = images;
}

const rp__kernel *rp__kernel_table_at(size_t id)
{
    if (id < RP_KERNELS)
        return &kernels[id];
    return id - RP_KERNELS < added.n ? &added.rows[id - RP_KERNELS] : NULL;
}

/* Kernels that score, and the same with IIU's scores. */
static const rp__kernel_id with_iiu[RP_KERNELS] = {
    [RP_KERNEL_and_single_kernel] = RP_KERNEL_iiu_and_single_kernel,
    [RP_KERNEL_and_single_many_kernel] = RP_KERNEL_iiu_and_single_many_kernel,
    [RP_KERNEL_and_single_persistent_kernel] = RP_KERNEL_iiu_and_single_persistent_kernel,
    [RP_KERNEL_and_batch_topk_kernel] = RP_KERNEL_iiu_and_batch_topk_kernel,
    [RP_KERNEL_or_accumulate_kernel] = RP_KERNEL_iiu_or_accumulate_kernel,
    [RP_KERNEL_or_accumulate_many_kernel] = RP_KERNEL_iiu_or_accumulate_many_kernel,
    [RP_KERNEL_or_maxscore_kernel] = RP_KERNEL_iiu_or_maxscore_kernel,
    [RP_KERNEL_count_or_maxscore_kernel] = RP_KERNEL_iiu_count_or_maxscore_kernel,
    [RP_KERNEL_long_or_maxscore_kernel] = RP_KERNEL_iiu_long_or_maxscore_kernel,
    [RP_KERNEL_long_count_or_maxscore_kernel] = RP_KERNEL_iiu_long_count_or_maxscore_kernel,
    [RP_KERNEL_step_and_narrow_kernel] = RP_KERNEL_iiu_step_and_narrow_kernel,
    [RP_KERNEL_build_tiled_kernel] = RP_KERNEL_iiu_build_tiled_kernel,
    [RP_KERNEL_score_accumulate_kernel] = RP_KERNEL_iiu_score_accumulate_kernel,
    [RP_KERNEL_score_probe_kernel] = RP_KERNEL_iiu_score_probe_kernel,
    [RP_KERNEL_para_score_kernel] = RP_KERNEL_iiu_para_score_kernel,
};

rp__kernel_id rp__kernel_table_scoring(rp__kernel_id id, bool is_iiu)
{
    return is_iiu && id < RP_KERNELS && with_iiu[id] ? with_iiu[id] : id;
}

static const void *find_image(const rp__kernel_image *images, const char *file)
{
    while (images->file && strcmp(images->file, file) != 0)
        images++;
    return images->bytes;
}

const void *rp__kernel_table_image(const char *file)
{
    const void *image = find_image(rp__kernel_table_images, file);
    return image || !added.images ? image : find_image(added.images, file);
}
