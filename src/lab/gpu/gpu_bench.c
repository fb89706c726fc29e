/* gpu_bench.c: times a case by events, cold: before each round a buffer larger than the second-level cache is
 * read, so that no round finds its data there, nor words of others that would have to be written back first. */
#include "lab/gpu/gpu_bench.h"

#include <stdlib.h>

#include "backend/gpu/gpu_lab.h"
#include "base/clock.h"
#include "lab/gpu/lab_kernels.h"

enum { ROUNDS_MOST = 64, CPU_ROUNDS = 3, FLUSH = 512 << 20 };
#define CPU_LONG 0.1 /* seconds */

typedef struct timer {
    rp__device *device;
    rp__cu_event begin, end;
    rp__cu_ptr other; /* what goes through the cache in between, and a word for its sum */
} timer;

/* An emulated device has no cache. */
static rp_status open_timer(timer *t, rp__device *device)
{
    const rp__driver *driver = device->driver;
    *t = (timer){.device = device};
    rp_status status = rp__device_check(device, driver->event_create(&t->begin, 0));
    if (status == RP_OK)
        status = rp__device_check(device, driver->event_create(&t->end, 0));
    if (status != RP_OK || driver->is_emulated)
        return status;
    status = rp__device_alloc(device, FLUSH + 16, &t->other);
    return status == RP_OK ? rp__device_fill(device, t->other, 1, (FLUSH + 16) / sizeof(uint32_t))
                           : status;
}

static void close_timer(timer *t)
{
    const rp__driver *driver = t->device->driver;
    rp__device_free(t->device, t->other);
    if (t->begin)
        driver->event_destroy(t->begin);
    if (t->end)
        driver->event_destroy(t->end);
}

static rp_status flush(timer *t)
{
    const uint32_t block = 256, each = 16 * KARG_COPY_WORDS * block;
    karg_copy args = {.from = t->other, .to = t->other + FLUSH, .n = FLUSH / 16};
    rp__launch how = {.grid = FLUSH / each, .block = block};
    if (!t->other)
        return RP_OK;
    return rp__device_launch(t->device, (rp__kernel_id)RP_KERNEL_copy_read_kernel, how, &args);
}

static rp_status time_round(timer *t, const rp__gpu_case *row, void *state, double *seconds)
{
    rp__device *d = t->device;
    float ms = 0;
    rp_status status = flush(t);
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->event_record(t->begin, d->stream));
    if (status == RP_OK)
        status = row->run(row, d, state);
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->event_record(t->end, d->stream));
    if (status == RP_OK)
        status = rp__device_wait_event(d, t->end);
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->event_elapsed(&ms, t->begin, t->end));
    *seconds = (double)ms / 1e3;
    return status;
}

rp_status rp__gpu_bench_open(const rp__place *place, rp__device *device, rp_error *err)
{
    const rp__driver *driver;
    int ordinal;
    *device = (rp__device){0};
    rp__lab_kernels_add();
    rp_status status = rp__gpu_place_find(place, 0, &driver, &ordinal, err);
    return status == RP_OK ? rp__device_open(device, driver, ordinal, err) : status;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static rp_status time_rounds(timer *t, const rp__gpu_case *row, void *state, uint32_t rounds,
                             rp__gpu_figures *out)
{
    double seconds[ROUNDS_MOST];
    rp_status status = RP_OK;
    uint32_t n = rounds < ROUNDS_MOST ? rounds : ROUNDS_MOST;
    for (uint32_t i = 0; i < n && status == RP_OK; i++)
        status = time_round(t, row, state, &seconds[i]);
    if (status != RP_OK || n == 0)
        return status;
    qsort(seconds, n, sizeof seconds[0], rising);
    out->median = seconds[n / 2];
    out->best = seconds[0];
    return RP_OK;
}

/* One more run, each launch of it apart. */
static rp_status time_launches(timer *t, const rp__gpu_case *row, void *state, rp__gpu_figures *out)
{
    rp_status status = flush(t);
    rp__launch_clock_begin(t->device);
    if (status == RP_OK)
        status = row->run(row, t->device, state);
    out->n_launches = rp__launch_clock_end(t->device, out->launches);
    return status;
}

/* The best of a few, or one that took long. */
static rp_status time_cpu(const rp__gpu_case *row, void *state, const rp__gpu_peer *peer,
                          double *seconds)
{
    double best = 0, took = 0, times = 1;
    rp_status status = RP_OK;
    for (uint32_t i = 0; row->cpu && i < CPU_ROUNDS && took < CPU_LONG && status == RP_OK; i++) {
        uint64_t begin = rp__clock_thread();
        times = 1;
        status = row->cpu(row, state, peer, &times);
        took = (double)(rp__clock_thread() - begin) / 1e9;
        best = i == 0 || took < best ? took : best;
    }
    *seconds = times * best;
    return status;
}

rp_status rp__gpu_bench_run(const rp__gpu_case *row, rp__device *device, uint64_t n,
                            uint32_t rounds, const rp__gpu_peer *peer, rp__gpu_figures *out,
                            rp_error *what)
{
    timer t;
    void *state = NULL;
    *out = (rp__gpu_figures){0};
    rp_status status = rp__device_enter(device); /* the thread may have used another one since */
    if (status != RP_OK)
        return status;
    status = open_timer(&t, device);
    if (status == RP_OK)
        status = row->make(row, device, n, 1, &state);
    if (status == RP_OK)
        status = row->run(row, device, state);
    if (status == RP_OK)
        status = row->check(row, device, state, what);
    if (status == RP_OK)
        status = time_rounds(&t, row, state, rounds, out);
    if (status == RP_OK)
        status = time_launches(&t, row, state, out);
    if (status == RP_OK)
        status = time_cpu(row, state, peer, &out->cpu);
    if (status == RP_OK)
        row->cost(row, state, &out->bytes, &out->elements);
    row->free(row, device, state);
    close_timer(&t);
    return status;
}
