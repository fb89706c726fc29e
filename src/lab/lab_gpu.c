/* lab_gpu.c: kernels by case, on one device: chapter 7 of lab/lab.h. */
#include "backend/cpu/probe.h"
#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "lab/gpu/gpu_bench.h"
#include "lab/lab.h"

struct rp__lab_gpu {
    rp__device device;
};

bool rp__lab_case_get(size_t i, rp__lab_case *out)
{
    if (RP_MISSING(NULL, out))
        return false;
    const rp__gpu_case *row = rp__gpu_case_at(i);
    if (row)
        *out = (rp__lab_case){row->area, row->name, row->twin, row->is_literal && *row->is_literal};
    return row != NULL;
}

rp_status rp__lab_gpu_open(const char *gpu, rp__lab_gpu **out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    rp__lab_gpu *g = rp__alloc_zero(1, sizeof *g);
    *out = NULL;
    if (!g)
        return rp__error_no_memory(err);
    rp_status status = rp__gpu_bench_open(&(rp__place){.gpu = gpu}, &g->device, err);
    if (status != RP_OK) {
        rp__free(g);
        return status;
    }
    *out = g;
    return RP_OK;
}

void rp__lab_gpu_close(rp__lab_gpu *gpu)
{
    if (!gpu)
        return;
    rp__device_close(&gpu->device);
    rp__free(gpu);
}

const char *rp__lab_gpu_name(const rp__lab_gpu *gpu)
{
    return gpu ? gpu->device.name : NULL;
}

/* By the cpu's own choice among its methods. */
static rp_status intersect(const uint32_t *a, uint32_t na, const rp__list *list, uint32_t *out,
                           uint32_t *n)
{
    rp__probe probe;
    uint32_t kept[RP_BLOCK + 16];
    rp__probe_open(&probe, rp__probe_choose(list, NULL, na, rp__cpu_features()), list, NULL);
    *n = 0;
    for (uint32_t i = 0; i < na; i += RP_BLOCK) {
        uint32_t found =
            rp__probe_find(&probe, a + i, na - i < RP_BLOCK ? na - i : RP_BLOCK, kept, NULL);
        for (uint32_t k = 0; k < found; k++)
            out[(*n)++] = a[i + kept[k]];
    }
    return probe.status;
}

static const rp__gpu_peer peer = {.intersect = intersect};

rp_status rp__lab_gpu_run(rp__lab_gpu *gpu, size_t i, uint64_t n, uint32_t rounds,
                          rp__lab_case_figures *out, rp_error *err)
{
    if (RP_MISSING(err, gpu, out))
        return RP_USAGE;
    rp__gpu_figures figures;
    rp_error what = {.text = ""};
    const rp__gpu_case *row = rp__gpu_case_at(i);
    if (!row)
        return rp__error_set(err, RP_NOT_FOUND, "there is no case %zu", i);
    if (n == 0 || n > UINT32_MAX)
        return rp__error_set(err, RP_USAGE, "a case has 1 to 2^32 - 1 elements, not %llu",
                             (unsigned long long)n);
    rp_status status = rp__gpu_bench_run(row, &gpu->device, n, rounds, &peer, &figures, &what);
    *out = (rp__lab_case_figures){figures.median, figures.best, figures.cpu, figures.bytes,
                                  figures.elements};
    if (status == RP_OK)
        return RP_OK;
    return rp__error_set(err, status, "%s %s: %s", row->area, row->name,
                         what.text[0]                ? what.text
                         : gpu->device.fault.text[0] ? gpu->device.fault.text
                                                     : rp_status_text(status));
}
