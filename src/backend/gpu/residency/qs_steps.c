/* qs_steps.c: launches of the steps that decode a list in qs. */
#include "backend/gpu/residency/qs_steps.h"

#include "base/bits.h"

enum { THREADS = 256, SCAN_PART = 16 * THREADS, ALIGN = 256 };

/* Kernels of a method: one over words or bits before the scan, one after it, some over docids. */
typedef struct method {
    bool by_word;
    rp__kernel_id count, gather, over_docids[2];
    uint32_t n_over_docids;
} method;

static const method methods[RP_QS_METHODS] = {
    [RP_QS_NAIVE] = {false,
                     RP_KERNEL_decode_qs_naive_unpack_kernel,
                     RP_KERNEL_decode_qs_naive_gather_kernel,
                     {RP_KERNEL_decode_qs_naive_combine_kernel},
                     1},
    [RP_QS_WORDS] = {true,
                     RP_KERNEL_decode_qs_block_count_kernel,
                     RP_KERNEL_decode_qs_block_gather_kernel,
                     {RP_KERNEL_decode_qs_block_combine_kernel},
                     1},
    [RP_QS_SEPARATE] = {true,
                        RP_KERNEL_decode_qs_block_count_kernel,
                        RP_KERNEL_decode_qs_li_gather_kernel,
                        {RP_KERNEL_decode_qs_li_lows_kernel, RP_KERNEL_decode_qs_li_combine_kernel},
                        2},
    [RP_QS_MERGED] = {true,
                      RP_KERNEL_decode_qs_block_count_kernel,
                      RP_KERNEL_decode_qs_li_gather_kernel,
                      {RP_KERNEL_decode_qs_block_combine_kernel},
                      1},
    [RP_QS_LOW_BITS] = {true,
                        RP_KERNEL_decode_qs_block_count_kernel,
                        RP_KERNEL_decode_qs_li_gather_kernel,
                        {RP_KERNEL_decode_qs_li_lows_kernel},
                        1},
};

/* Words or bits. */
static uint64_t items_of(rp__qs_method which, uint64_t bits)
{
    return methods[which].by_word ? bits / 32 + (bits % 32 > 0) : bits;
}

static uint64_t take(uint64_t *end, uint64_t n)
{
    const uint64_t at = *end;
    *end = rp__bits_align(at + n * sizeof(uint32_t), ALIGN);
    return at;
}

/* All, from *end on. */
static rp__qs_steps lay_out(rp__qs_method which, uint64_t bits, uint32_t n, uint64_t *end)
{
    const uint64_t items = items_of(which, bits) + SCAN_PART;
    rp__qs_steps out = {.method = which};
    out.ones = take(end, items);
    out.sums = take(end, items);
    out.uppers = take(end, (uint64_t)n + 1);
    out.parts = take(end, items / SCAN_PART + 1);
    return out;
}

uint64_t rp__qs_steps_bytes(rp__qs_method which, uint64_t bits, uint32_t n)
{
    uint64_t end = 0;
    (void)lay_out(which, bits, n, &end);
    return end;
}

rp__qs_steps rp__qs_steps_at(rp__qs_method which, uint64_t bits, uint32_t n, rp__cu_ptr at)
{
    uint64_t end = at;
    return lay_out(which, bits, n, &end);
}

/* ---- Launches ---------------------------------------------------------------------------------- */

typedef struct run {
    const rp__qs_steps *steps;
    rp__device *device;
    rp__cu_stream stream;
    karg_qs args;
} run;

static rp_status launch(const run *r, rp__kernel_id kernel, uint64_t threads)
{
    const uint32_t block = r->steps->threads ? r->steps->threads : THREADS;
    const uint64_t grid = (threads + block - 1) / block, max = 1 << 20;
    return rp__device_launch_on(r->device, r->stream, kernel,
                                (rp__launch){(uint32_t)(grid < max ? grid : max), block, 0},
                                &r->args);
}

static rp_status scan(const run *r, uint64_t n)
{
    const uint32_t parts = (uint32_t)((n + SCAN_PART - 1) / SCAN_PART);
    const rp__qs_steps *s = r->steps;
    const karg_scan args = {
        .from = s->ones, .to = s->sums, .parts = s->parts, .n = n, .n_parts = parts};
    const rp__launch how = {parts, THREADS, (THREADS / 32 + 1) * sizeof(uint32_t)},
                     top = {1, 1024, 33 * sizeof(uint32_t)};
    rp_status status =
        rp__device_launch_on(r->device, r->stream, RP_KERNEL_qs_scan_sum_kernel, how, &args);
    if (status == RP_OK)
        status =
            rp__device_launch_on(r->device, r->stream, RP_KERNEL_qs_scan_top_kernel, top, &args);
    return status == RP_OK ? rp__device_launch_on(r->device, r->stream,
                                                  RP_KERNEL_qs_scan_add_kernel, how, &args)
                           : status;
}

static rp_status find_highs(const run *r, const method *m)
{
    const uint64_t items = items_of(r->steps->method, r->args.bits);
    rp_status status = launch(r, m->count, items);
    if (status == RP_OK)
        status = scan(r, items);
    return status == RP_OK ? launch(r, m->gather, items) : status;
}

rp_status rp__qs_steps_run(const rp__qs_steps *steps, rp__device *device, rp__cu_stream stream,
                           const rp__qs_list *list)
{
    const method *m = &methods[steps->method];
    const run r = {.steps = steps,
                   .device = device,
                   .stream = stream,
                   .args = {.list = list->list,
                            .ones = steps->ones,
                            .sums = steps->sums,
                            .uppers = steps->uppers,
                            .docids = list->out,
                            .bits = list->bits}};
    rp_status status = steps->method == RP_QS_LOW_BITS ? RP_OK : find_highs(&r, m);
    for (uint32_t k = 0; k < m->n_over_docids && status == RP_OK; k++)
        status = launch(&r, m->over_docids[k], list->n);
    return status;
}
