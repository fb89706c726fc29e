/* gpu_case.c: all rows, area by area; and the first of them, the copy that others are measured by. */
#include "lab/gpu/gpu_case.h"

#include <string.h>

#include "backend/gpu/gpu_lab.h"
#include "base/alloc.h"
#include "base/error.h"
#include "lab/gpu/gpu_case_batch.h"
#include "lab/gpu/gpu_case_decode.h"
#include "lab/gpu/gpu_case_flat.h"
#include "lab/gpu/gpu_case_intersect.h"
#include "lab/gpu/gpu_case_or.h"
#include "lab/gpu/gpu_case_select.h"
#include "lab/gpu/gpu_case_top.h"

/* ---- Copy ---------------------------------------------------------------------------------------- */

typedef struct copy {
    uint64_t n;                   /* words of 16 bytes */
    unsigned char *data, *copied; /* on the host */
    void *pinned;                 /* the data once more, of a row that uploads */
    uint32_t sum;
    rp__cu_ptr from, to;
} copy;

static void free_copy(const rp__gpu_case *row, rp__device *device, void *state)
{
    copy *c = state;
    (void)row;
    if (!c)
        return;
    rp__device_free(device, c->from);
    rp__device_free(device, c->to);
    if (c->pinned)
        device->driver->host_free(c->pinned);
    rp__free(c->data);
    rp__free(c->copied);
    rp__free(c);
}

static rp_status make_copy(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                           void **state)
{
    copy *c = rp__alloc_zero(1, sizeof *c);
    *state = c;
    if (!c)
        return RP_NO_MEMORY;
    c->n = n / 4 + 1;
    c->data = rp__alloc_array(c->n, 16);
    rp_status status = c->data ? RP_OK : RP_NO_MEMORY;
    for (uint64_t i = 0; status == RP_OK && i < 16 * c->n; i++)
        c->data[i] = (unsigned char)((i + seed) * UINT64_C(0x9E3779B97F4A7C15) >> 56);
    if (status == RP_OK)
        status = rp__device_alloc(device, 16 * c->n, &c->from);
    if (status == RP_OK)
        status = rp__device_alloc(device, 16 * c->n, &c->to);
    if (status == RP_OK)
        status = rp__device_copy_in(device, c->from, c->data, 16 * c->n);
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status != RP_OK) {
        free_copy(row, device, c);
        *state = NULL;
    }
    return status;
}

static rp_status make_upload(const rp__gpu_case *row, rp__device *device, uint64_t n, uint64_t seed,
                             void **state)
{
    rp_status status = make_copy(row, device, n, seed, state);
    copy *c = *state;
    if (status == RP_OK)
        status = rp__device_pin(device, 16 * c->n, 0, &c->pinned);
    if (status == RP_OK)
        memcpy(c->pinned, c->data, 16 * c->n);
    else {
        free_copy(row, device, c);
        *state = NULL;
    }
    return status;
}

static rp_status run_upload(const rp__gpu_case *row, rp__device *device, void *state)
{
    const copy *c = state;
    (void)row;
    return rp__device_copy_in(device, c->to, c->pinned, 16 * c->n);
}

static rp_status run_copy(const rp__gpu_case *row, rp__device *device, void *state)
{
    const copy *c = state;
    const uint32_t block = 256;
    karg_copy args = {.from = c->from, .to = c->to, .n = c->n};
    rp__launch how = {.grid = (uint32_t)(c->n / (block * KARG_COPY_WORDS) + 1), .block = block};
    if (row->kernel == RP_KERNEL_copy_read_kernel) {
        rp_status status = rp__device_fill(device, c->to, 0, 4);
        if (status != RP_OK)
            return status;
    }
    return rp__device_launch(device, (rp__kernel_id)row->kernel, how, &args);
}

static rp_status check_copy(const rp__gpu_case *row, rp__device *device, void *state,
                            rp_error *what)
{
    const copy *c = state;
    unsigned char *got = rp__alloc_array(c->n, 16);
    if (!got)
        return RP_NO_MEMORY;
    rp_status status = rp__device_copy_out(device, got, c->to, 16 * c->n);
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status == RP_OK && memcmp(got, c->data, 16 * c->n) != 0)
        status = rp__error_set(what, RP_DAMAGED, "%s: the bytes differ", row->name);
    rp__free(got);
    return status;
}

static uint32_t sum_of(const copy *c)
{
    uint32_t word, sum = 0;
    for (uint64_t i = 0; i < 4 * c->n; i++) {
        memcpy(&word, c->data + 4 * i, sizeof word);
        sum += word;
    }
    return sum;
}

static rp_status check_read(const rp__gpu_case *row, rp__device *device, void *state,
                            rp_error *what)
{
    const copy *c = state;
    uint32_t got = 0, sum = sum_of(c);
    rp_status status = rp__device_copy_out(device, &got, c->to, sizeof got);
    if (status == RP_OK)
        status = rp__device_wait(device);
    if (status == RP_OK && got != sum)
        status = rp__error_set(what, RP_DAMAGED, "%s: the sums differ", row->name);
    return status;
}

static rp_status copy_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                           double *times)
{
    copy *c = state;
    (void)row, (void)peer, (void)times;
    if (!c->copied)
        c->copied = rp__alloc_array(c->n, 16);
    if (!c->copied)
        return RP_NO_MEMORY;
    memcpy(c->copied, c->data, 16 * c->n);
    return RP_OK;
}

static rp_status read_here(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                           double *times)
{
    copy *c = state;
    (void)row, (void)peer, (void)times;
    c->sum = sum_of(c);
    return RP_OK;
}

static void cost_copy(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                      uint64_t *elements)
{
    const copy *c = state;
    *bytes = (row->kernel == RP_KERNEL_copy_read_kernel ? 16 : 32) * c->n;
    *elements = 4 * c->n;
}

static void cost_upload(const rp__gpu_case *row, const void *state, uint64_t *bytes,
                        uint64_t *elements)
{
    cost_copy(row, state, bytes, elements);
    *bytes /= 2; /* what is read lies on the host */
}

static const rp__gpu_case copies[] = {
    {.area = "copy",
     .name = "copy",
     .make = make_copy,
     .run = run_copy,
     .check = check_copy,
     .free = free_copy,
     .cost = cost_copy,
     .cpu = copy_here,
     .kernel = RP_KERNEL_copy_kernel},
    {.area = "copy",
     .name = "read",
     .make = make_copy,
     .run = run_copy,
     .check = check_read,
     .free = free_copy,
     .cost = cost_copy,
     .cpu = read_here,
     .kernel = RP_KERNEL_copy_read_kernel},
    {.area = "copy", /* no kernel: the driver copies from pinned memory of the host */
     .name = "upload",
     .make = make_upload,
     .run = run_upload,
     .check = check_copy,
     .free = free_copy,
     .cost = cost_upload,
     .cpu = copy_here},
    {0},
};

const bool rp__gpu_case_literal = true;

/* ---- All ----------------------------------------------------------------------------------------- */

static const rp__gpu_case *const areas[] = {
    copies,           rp__gpu_case_decode_rows, rp__gpu_case_intersect, rp__gpu_case_batch,
    rp__gpu_case_top, rp__gpu_case_decode2,     rp__gpu_case_flat,      rp__gpu_case_select,
    rp__gpu_case_or};

const rp__gpu_case *rp__gpu_case_at(size_t i)
{
    for (size_t a = 0; a < sizeof areas / sizeof areas[0]; a++)
        for (const rp__gpu_case *row = areas[a]; row->name; row++)
            if (i-- == 0)
                return row;
    return NULL;
}
