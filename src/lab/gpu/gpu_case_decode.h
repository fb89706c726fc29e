/* lab/gpu/gpu_case_decode.h: what cases of decoding kernels share: they take a karg_decode, and a
 * warp has a tile. */
#ifndef RP_LAB_GPU_GPU_CASE_DECODE_H
#define RP_LAB_GPU_GPU_CASE_DECODE_H

#include "lab/gpu/gpu_case.h"

/* What a row's `width` says of its lists: so many bits a gap less one, or one of these. */
enum {
    RP_GPU_DECODE_VARIED = 0,   /* all widths, from posting to posting */
    RP_GPU_DECODE_DAMAGED = 64, /* the same with bytes changed: nothing may be written elsewhere */
    RP_GPU_DECODE_LOW = 128,    /* + l: as Elias-Fano has l low bits for */
};
/* A row's `option`: bytes of shared memory a warp has (a multiple of 16), threads of a block that
 * have tiles, blocks of a tile; whether docids are summed; whether a block has a warp more, which
 * looks ahead. */
#define RP_GPU_DECODE_HOW(shared, threads, tile)                                                   \
    ((shared) / 16U | (threads) / 32U << 16 | (tile) << 22)
#define RP_GPU_DECODE_SUM   (1U << 31)
#define RP_GPU_DECODE_AHEAD (1U << 30)

rp_status rp__gpu_case_decode_make(const rp__gpu_case *row, rp__device *device, uint64_t n,
                                   uint64_t seed, void **state);
rp_status rp__gpu_case_decode_run(const rp__gpu_case *row, rp__device *device, void *state);
rp_status rp__gpu_case_decode_check(const rp__gpu_case *row, rp__device *device, void *state,
                                    rp_error *what);
void rp__gpu_case_decode_free(const rp__gpu_case *row, rp__device *device, void *state);
void rp__gpu_case_decode_cost(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                              uint64_t *elements);
rp_status rp__gpu_case_decode_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                                   double *times);

#define RP_GPU_DECODE_ANY(is_of_paper, name_, kernel_, codec_, width_, option_)                    \
    {                                                                                              \
        .area = "decode", .name = (name_), .make = rp__gpu_case_decode_make,                       \
        .run = rp__gpu_case_decode_run, .check = rp__gpu_case_decode_check,                        \
        .free = rp__gpu_case_decode_free, .cost = rp__gpu_case_decode_cost,                        \
        .cpu = (width_) == RP_GPU_DECODE_DAMAGED ? NULL : rp__gpu_case_decode_here,                \
        .kernel = RP_KERNEL_##kernel_, .codec = (codec_), .width = (width_), .option = (option_),  \
        .is_literal = (is_of_paper) ? &rp__gpu_case_literal : NULL                                 \
    }

#define RP_GPU_DECODE_ROW(...)     RP_GPU_DECODE_ANY(false, __VA_ARGS__)
#define RP_GPU_DECODE_LITERAL(...) RP_GPU_DECODE_ANY(true, __VA_ARGS__)

extern const rp__gpu_case rp__gpu_case_decode_rows[];

#endif
