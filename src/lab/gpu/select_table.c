/* select_table.c: the table of selections, and launches. What each does is in its kernel's file; which is best, in
 * docs/kernels.md. */
#include "lab/gpu/select_table.h"

static uint32_t power_of(uint32_t n)
{
    uint32_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

static uint32_t best_shared(uint32_t k)
{
    return KARG_TOPK_SHARED + 8 * power_of(k);
}

/* As many blocks as there is work for, up to some a multiprocessor. */
static uint32_t grid_of(const rp__device *device, uint64_t work, uint32_t a_block, uint32_t most)
{
    uint64_t blocks = work / a_block + 1, cap = (uint64_t)device->processors * most;
    return (uint32_t)(blocks < cap ? blocks : cap);
}

static rp_status run_block(rp__device *device, karg_select args)
{
    return rp__device_launch(device, RP_KERNEL_select_block_kernel,
                             (rp__launch){args.n_queries, TUNE_SELECT_BLOCK, best_shared(args.k)},
                             &args);
}

/* Passes over all scores, of which those after the last that is needed do nothing; then one that gathers. */
static rp_status run_narrow(rp__device *device, karg_select *args, rp__kernel_id pass,
                            uint32_t passes, rp__kernel_id gather, uint32_t shared)
{
    const uint32_t grid = grid_of(device, args->n, 32 * TUNE_SELECT_BLOCK, 8);
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < passes && status == RP_OK; i++)
        status = rp__device_launch(device, pass,
                                   (rp__launch){grid, TUNE_SELECT_BLOCK, KARG_TOPK_SHARED}, args);
    if (status == RP_OK)
        status =
            rp__device_launch(device, gather, (rp__launch){grid, TUNE_SELECT_BLOCK, shared}, args);
    return status;
}

static rp_status run_bucket(rp__device *device, karg_select args)
{
    const uint32_t grid = grid_of(device, args.n, 32 * TUNE_SELECT_BLOCK, 8), passes = 10;
    rp_status status = rp__device_fill(device, args.scratch, 0, KARG_SELECT_ZEROS);
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_select_bucket_extremes_kernel,
                                   (rp__launch){grid, TUNE_SELECT_BLOCK, 0}, &args);
    return status == RP_OK ? run_narrow(device, &args, RP_KERNEL_select_bucket_kernel, passes,
                                        RP_KERNEL_select_bucket_gather_kernel, best_shared(args.k))
                           : status;
}

/* Sorts the n keys in scratch by the digits from `from` on, and writes the first k. */
static rp_status run_passes(rp__device *device, karg_select *args, uint32_t from)
{
    const uint32_t tiles = (args->n + KARG_SORT_TILE - 1) / KARG_SORT_TILE;
    const rp__launch tile = {tiles, 256, 4 * (256 * 8 + 16)},
                     digit = {256, tiles < 64 ? 32 : 256, 64};
    rp_status status = RP_OK;
    for (args->step = from; args->step < 8 && status == RP_OK; args->step++) {
        status = rp__device_launch(device, RP_KERNEL_select_sort_count_kernel, tile, args);
        if (status == RP_OK)
            status = rp__device_launch(device, RP_KERNEL_select_sort_scan_kernel, digit, args);
        if (status == RP_OK)
            status = rp__device_launch(device, RP_KERNEL_select_sort_scatter_kernel, tile, args);
    }
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_select_sort_out_kernel,
                                   (rp__launch){args->k / 256 + 1, 256, 0}, args);
    return status;
}

/* Docids that are places rise already: sorting by scores keeps them so. */
static rp_status run_sort(rp__device *device, karg_select args)
{
    rp_status status =
        rp__device_launch(device, RP_KERNEL_select_sort_keys_kernel,
                          (rp__launch){grid_of(device, args.n, 2048, 16), 256, 0}, &args);
    return status == RP_OK ? run_passes(device, &args, args.docids ? 0 : 4) : status;
}

/* A large k is ranked by sorting what was gathered. */
static rp_status run_radix(rp__device *device, karg_select args)
{
    const bool fits = args.k <= TUNE_SELECT_FITS;
    const uint32_t passes = 8, kept = args.k < args.n ? args.k : args.n;
    args.step = fits;
    rp_status status =
        rp__device_fill(device, args.scratch, 0, KARG_SELECT_ZEROS + (fits ? 0 : 2 * kept));
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_select_radix_begin_kernel,
                                   (rp__launch){1, 32, 0}, &args);
    if (status == RP_OK)
        status = run_narrow(device, &args, RP_KERNEL_select_radix_kernel, passes,
                            RP_KERNEL_select_radix_gather_kernel,
                            fits ? best_shared(args.k) : KARG_TOPK_SHARED);
    args.n = kept;
    return status == RP_OK && !fits ? run_passes(device, &args, 0) : status;
}

static rp_status run_heap(rp__device *device, karg_select args)
{
    uint32_t nodes = args.n;
    rp_status status = RP_OK;
    do {
        nodes = (nodes + 31) / 32;
        args.step++;
        status = rp__device_launch(device, RP_KERNEL_select_heap_build_kernel,
                                   (rp__launch){grid_of(device, nodes, 32, 16), 256, 0}, &args);
    } while (nodes > 1 && status == RP_OK);
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_select_heap_take_kernel,
                                   (rp__launch){1, 32, 0}, &args);
    return status;
}

/* A block of threads has a group. */
static rp_status run_heap512(rp__device *device, karg_select args)
{
    const uint32_t group = 512;
    uint32_t nodes = args.n;
    rp_status status = RP_OK;
    do {
        nodes = (nodes + group - 1) / group;
        args.step++;
        status = rp__device_launch(
            device, RP_KERNEL_select_heap512_build_kernel,
            (rp__launch){grid_of(device, nodes, 1, 16), group, KARG_SHARED_HEAP512}, &args);
    } while (nodes > 1 && status == RP_OK);
    if (status == RP_OK)
        status = rp__device_launch(device, RP_KERNEL_select_heap512_take_kernel,
                                   (rp__launch){1, group, KARG_SHARED_HEAP512}, &args);
    return status;
}

static rp_status run_bitonic(rp__device *device, karg_select args)
{
    rp_status status = RP_OK;
    for (uint32_t tiles = 2; tiles > 1 && status == RP_OK; args.step++, args.n = tiles * args.k) {
        tiles = args.n > KARG_BITONIC_TILE ? (args.n - 1) / KARG_BITONIC_TILE + 1 : 1;
        status = rp__device_launch(device, RP_KERNEL_select_bitonic_kernel,
                                   (rp__launch){tiles, 512, 8 * KARG_BITONIC_TILE}, &args);
    }
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

const rp__select rp__select_table[RP_SELECTS] = {
    [RP_SELECT_SAMPLE] = {"sample", TUNE_SELECT_FITS, rp__select_by_sample, false},
    [RP_SELECT_RADIX] = {"radix", UINT32_MAX, run_radix, false},
    [RP_SELECT_BUCKET] = {"bucket", TUNE_SELECT_FITS, run_bucket, false},
    [RP_SELECT_HEAP] = {"heap", UINT32_MAX, run_heap, false},
    [RP_SELECT_HEAP512] = {"heap512", UINT32_MAX, run_heap512, true},
    [RP_SELECT_BITONIC] = {"bitonic", KARG_BITONIC_TILE / 2, run_bitonic, false},
    [RP_SELECT_SORT] = {"sort", UINT32_MAX, run_sort, false},
    [RP_SELECT_BLOCK] = {"block", TUNE_SELECT_FITS, run_block, false},
};

uint32_t rp__select_table_room(uint32_t n, uint32_t k)
{
    return n + 2 * k + 64;
}

/* Keys twice over: methods may go from one half to the other; and what select_sort.cu counts. */
size_t rp__select_table_scratch(uint32_t n, uint32_t k)
{
    return 4 * (size_t)KARG_SELECT_ZEROS + 16 * (size_t)rp__select_table_room(n, k) +
           1024 * (size_t)(n / KARG_SORT_TILE + 3);
}

rp_status rp__select_table_run(rp__select_id id, rp__device *device, karg_select args)
{
    args.enough = args.n < TUNE_SAMPLE_FROM ? 32 : TUNE_NARROW_ENOUGH;
    return rp__select_table[id].run(device, args);
}
