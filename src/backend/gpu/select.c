/* select.c: launches of a selection. Why by a sample: docs/kernels.md. */
#include "backend/gpu/select.h"

/* Of samplers' threads' bests the one that several times as many scores as the k best reach, in all likelihood. */
static uint32_t rank_of(const karg_select *args)
{
    const uint64_t sample = 4ULL * TUNE_SAMPLE_EACH * TUNE_SAMPLE_BLOCK * args->samplers;
    return 6 + (uint32_t)(args->n > sample ? 2 * args->k * sample / args->n : args->k);
}

rp_status rp__select_by_sample(rp__device *device, karg_select args)
{
    const uint32_t a_block = 4 * TUNE_SAMPLE_LOADS * TUNE_SAMPLE_BLOCK;
    const uint32_t blocks = args.n / a_block + 1;
    uint32_t best = 2;
    while (best < 2 * args.k)
        best *= 2;
    args.capacity = args.n / 2 < TUNE_SAMPLE_CAPACITY ? args.n / 2 : TUNE_SAMPLE_CAPACITY;
    args.samplers = blocks < TUNE_SAMPLERS ? blocks : TUNE_SAMPLERS;
    args.step = rank_of(&args);
    args.enough = best + (best < TUNE_SAMPLE_KEYS ? TUNE_SAMPLE_KEYS : TUNE_SAMPLE_KEYS / 2);
    rp_status status =
        rp__device_launch(device, RP_KERNEL_select_sample_kernel,
                          (rp__launch){blocks, TUNE_SAMPLE_BLOCK, KARG_TOPK_SHARED}, &args);
    return status == RP_OK
               ? rp__device_launch(device, RP_KERNEL_select_sample_rank_kernel,
                                   (rp__launch){1, 1024, KARG_SAMPLE_SHARED + 8 * args.enough},
                                   &args)
               : status;
}
