/* gpu_case_decode.c: decoding kernels on synthetic lists: docids to device memory against those that were encoded, or
 * their sum. */
#include "lab/gpu/gpu_case_decode.h"

#include "base/alloc.h"
#include "base/error.h"
#include "lab/gpu/gpu_case_lists.h"

typedef struct decode {
    rp__gpu_case_lists set;
    rp__cu_ptr docids, sum;
} decode;

static bool is_sum(const rp__gpu_case *row)
{
    return row->option & RP_GPU_DECODE_SUM;
}

static rp__gpu_case_gaps gaps_of(uint32_t width)
{
    if (width == RP_GPU_DECODE_VARIED || width == RP_GPU_DECODE_DAMAGED)
        return (rp__gpu_case_gaps){.most = 1U << 28, .is_varied = true};
    if (width >= RP_GPU_DECODE_LOW) /* gaps of 1.25 times 2^l on average: high parts of 160 zeros */
        return (rp__gpu_case_gaps){.most = 5U << (width - RP_GPU_DECODE_LOW) >> 1};
    return (rp__gpu_case_gaps){.most = 1U << width};
}

static rp_status bring(const rp__gpu_case *row, rp__device *device, uint64_t n, decode *d)
{
    static const uint32_t zero = 0;
    const uint64_t postings = row->given && row->given->source ? 0 : n;
    rp_status status = rp__gpu_case_lists_send(&d->set, device, postings, row->option >> 22 & 255);
    if (status == RP_OK && !is_sum(row))
        status = rp__gpu_case_lists_room(&d->set, device, &d->docids);
    if (status == RP_OK)
        status = rp__device_alloc(device, sizeof(uint32_t), &d->sum);
    if (status == RP_OK)
        status = rp__device_copy_in(device, d->sum, &zero, sizeof zero);
    return status == RP_OK ? rp__device_wait(device) : status;
}

rp_status rp__gpu_case_decode_make(const rp__gpu_case *row, rp__device *device, uint64_t n,
                                   uint64_t seed, void **state)
{
    const rp__codec *codec = rp__codec_by_id((uint8_t)row->codec, 0);
    decode *d = rp__alloc_zero(1, sizeof *d);
    *state = d;
    if (!d)
        return RP_NO_MEMORY;
    const rp__gpu_source *source = row->given ? row->given->source : NULL;
    rp_status status = source
                           ? rp__gpu_case_lists_take(&d->set, codec, source, n)
                           : rp__gpu_case_lists_draw(&d->set, codec, gaps_of(row->width), n, seed);
    if (status == RP_OK && row->width == RP_GPU_DECODE_DAMAGED)
        rp__gpu_case_lists_damage(&d->set, seed);
    if (status == RP_OK)
        status = bring(row, device, n, d);
    if (status != RP_OK) {
        rp__gpu_case_decode_free(row, device, d);
        *state = NULL;
    }
    return status;
}

rp_status rp__gpu_case_decode_run(const rp__gpu_case *row, rp__device *device, void *state)
{
    const decode *d = state;
    uint32_t warps = row->option >> 16 & 63, shared = (row->option & 0xFFFF) * 16;
    karg_decode args = {.lists = d->set.at_lists,
                        .tiles = d->set.at_tiles,
                        .docids = d->docids,
                        .sum = d->sum,
                        .n_tiles = d->set.n_tiles};
    uint32_t grid = (d->set.n_tiles + warps - 1) / warps;
    uint32_t threads = 32 * (warps + (row->option & RP_GPU_DECODE_AHEAD ? 1 : 0));
    /* Few enough that adding up the warps' sums is not what is measured. */
    uint32_t most = is_sum(row) ? device->processors * 256 / warps : grid;
    return rp__device_launch(device, (rp__kernel_id)row->kernel,
                             (rp__launch){grid < most ? grid : most, threads, shared * warps},
                             &args);
}

static rp_status check_sum(const rp__gpu_case *row, rp__device *device, const decode *d,
                           rp_error *what)
{
    uint32_t got = 0, right = rp__gpu_case_lists_sum(&d->set);
    rp_status status = rp__device_copy_out(device, &got, d->sum, sizeof got);
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status == RP_OK && got != right && !d->set.is_damaged)
        status =
            rp__error_set(what, RP_DAMAGED, "%s: the sum is %u, not %u", row->name, got, right);
    return status;
}

rp_status rp__gpu_case_decode_check(const rp__gpu_case *row, rp__device *device, void *state,
                                    rp_error *what)
{
    const decode *d = state;
    return is_sum(row) ? check_sum(row, device, d, what)
                       : rp__gpu_case_lists_check(&d->set, device, d->docids, what);
}

void rp__gpu_case_decode_free(const rp__gpu_case *row, rp__device *device, void *state)
{
    decode *d = state;
    (void)row;
    if (!d)
        return;
    rp__gpu_case_lists_free(&d->set, device);
    rp__device_free(device, d->docids);
    rp__device_free(device, d->sum);
    rp__free(d);
}

void rp__gpu_case_decode_cost(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                              uint64_t *elements)
{
    const decode *d = state;
    *elements = rp__gpu_case_lists_postings(&d->set);
    *bytes = rp__gpu_case_lists_payload(&d->set) + rp__gpu_case_lists_directory(&d->set) +
             (is_sum(row) ? 0 : 4 * *elements);
}

rp_status rp__gpu_case_decode_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                                   double *times)
{
    decode *d = state;
    (void)row, (void)peer;
    *times = d->set.copies;
    return rp__gpu_case_lists_decode(&d->set, RP_GPU_CASE_DOCIDS);
}

/* ---- Rows ------------------------------------------------------------------------------------------ */

enum { RAW = 1, VBYTE = 2, BP128 = 3, EF128 = 12, IIU = 16, BITMAP = 17 };

#define BLOCKS(threads, tile) RP_GPU_DECODE_HOW(KARG_SHARED_BLOCKS, threads, tile)
#define BP(threads, tile)                                                                          \
    (RP_GPU_DECODE_HOW(KARG_SHARED_BP128, threads, tile) | RP_GPU_DECODE_AHEAD)
#define EF(threads, tile) RP_GPU_DECODE_HOW(KARG_SHARED_EF128, threads, tile)
#define EF_STAGED(threads, tile)                                                                   \
    (RP_GPU_DECODE_HOW(KARG_SHARED_EF128_STAGED, threads, tile) | RP_GPU_DECODE_AHEAD)
#define BITS(threads, tile)  RP_GPU_DECODE_HOW(KARG_SHARED_BITMAP, threads, tile)
#define PAIRS(threads, tile) RP_GPU_DECODE_HOW(KARG_SHARED_IIU, threads, tile)
#define SUM                  RP_GPU_DECODE_SUM
#define VARIED               RP_GPU_DECODE_VARIED
#define DAMAGED              RP_GPU_DECODE_DAMAGED
#define LOW(l)               (RP_GPU_DECODE_LOW + (l))
#define ROW                  RP_GPU_DECODE_ROW
/* The widths that figures are given for. */
#define BP128_ROWS(what, kernel, option)                                                           \
    ROW("bp128 " what "w4", kernel, BP128, 4, option),                                             \
        ROW("bp128 " what "w8", kernel, BP128, 8, option),                                         \
        ROW("bp128 " what "w13", kernel, BP128, 13, option),                                       \
        ROW("bp128 " what "varied", kernel, BP128, VARIED, option)
#define EF128_ROWS(what, kernel, option)                                                           \
    ROW("ef128 " what "l4", kernel, EF128, LOW(4), option),                                        \
        ROW("ef128 " what "l8", kernel, EF128, LOW(8), option),                                    \
        ROW("ef128 " what "l13", kernel, EF128, LOW(13), option),                                  \
        ROW("ef128 " what "varied", kernel, EF128, VARIED, option)

/* Griffin's Algorithm 1: a block of four warps has a tile. */
#define EF128_LITERAL(what, width)                                                                 \
    RP_GPU_DECODE_LITERAL("ef128 literal " what, decode_ef128_literal_kernel, EF128, width,        \
                          RP_GPU_DECODE_HOW(KARG_SHARED_EF128_LITERAL, 128, 8))

const rp__gpu_case rp__gpu_case_decode_rows[] = {
    ROW("raw", decode_raw_kernel, RAW, 8, BLOCKS(256, 32)),
    ROW("raw damaged", decode_raw_kernel, RAW, DAMAGED, BLOCKS(64, 5)),
    ROW("raw sum", decode_raw_sum_kernel, RAW, 8, BLOCKS(256, 32) | SUM),

    BP128_ROWS("", decode_bp128_kernel, BP(128, 8)),
    ROW("bp128 damaged", decode_bp128_kernel, BP128, DAMAGED, BP(64, 5)),
    BP128_ROWS("sum ", decode_bp128_sum_kernel, BLOCKS(128, 32) | SUM),
    ROW("bp128 sum damaged", decode_bp128_sum_kernel, BP128, DAMAGED, BLOCKS(64, 5) | SUM),
    BP128_ROWS("sum ones ", decode_bp128_ones_kernel, BLOCKS(256, 32) | SUM),

    EF128_ROWS("", decode_ef128_kernel, EF_STAGED(128, 16)),
    ROW("ef128 damaged", decode_ef128_kernel, EF128, DAMAGED, EF_STAGED(64, 5)),
    EF128_LITERAL("l4", LOW(4)),
    EF128_LITERAL("l8", LOW(8)),
    EF128_LITERAL("l13", LOW(13)),
    EF128_LITERAL("varied", VARIED),
    EF128_LITERAL("damaged", DAMAGED),
    EF128_ROWS("sum ", decode_ef128_sum_kernel, EF(128, 32) | SUM),
    ROW("ef128 sum damaged", decode_ef128_sum_kernel, EF128, DAMAGED, EF(64, 5) | SUM),
    EF128_ROWS("sum ones ", decode_ef128_ones_kernel, EF(256, 32) | SUM),

    ROW("vbyte w8", decode_vbyte_kernel, VBYTE, 8, BLOCKS(256, 32)),
    ROW("vbyte varied", decode_vbyte_kernel, VBYTE, VARIED, BLOCKS(256, 32)),
    ROW("vbyte damaged", decode_vbyte_kernel, VBYTE, DAMAGED, BLOCKS(64, 5)),

    ROW("bitmap w1", decode_bitmap_kernel, BITMAP, 1, BITS(256, 32)),
    ROW("bitmap w4", decode_bitmap_kernel, BITMAP, 4, BITS(256, 32)),
    ROW("bitmap w6", decode_bitmap_kernel, BITMAP, 6, BITS(256, 32)),
    ROW("bitmap varied", decode_bitmap_kernel, BITMAP, VARIED, BITS(256, 32)),
    ROW("bitmap damaged", decode_bitmap_kernel, BITMAP, DAMAGED, BITS(64, 5)),
    ROW("bitmap sum w1", decode_bitmap_sum_kernel, BITMAP, 1, BITS(256, 32) | SUM),
    ROW("bitmap sum w4", decode_bitmap_sum_kernel, BITMAP, 4, BITS(256, 32) | SUM),

    ROW("iiu w8", decode_iiu_kernel, IIU, 8, PAIRS(256, 32)),
    ROW("iiu varied", decode_iiu_kernel, IIU, VARIED, PAIRS(256, 32)),
    ROW("iiu damaged", decode_iiu_kernel, IIU, DAMAGED, PAIRS(64, 5)),
    ROW("iiu sum w8", decode_iiu_sum_kernel, IIU, 8, PAIRS(256, 32) | SUM),
    ROW("iiu sum varied", decode_iiu_sum_kernel, IIU, VARIED, PAIRS(256, 32) | SUM),
    {0},
};
