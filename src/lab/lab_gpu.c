/* lab_gpu.c: kernels by case, on one device: chapter 7 of lab/lab.h. */
#include <string.h>

#include "backend/cpu/probe.h"
#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "lab/lab_source.h"

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

static rp_status run_row(rp__lab_gpu *gpu, const rp__gpu_case *row, const char *name, uint64_t n,
                         uint32_t rounds, rp__lab_case_figures *out, rp_error *err)
{
    _Static_assert((int)RP_LAB_CASE_NAME == (int)RP_GPU_CASE_NAME, "one is the other");
    rp__gpu_figures f;
    rp_error what = {.text = ""};
    if (n == 0 || n > UINT32_MAX)
        return rp__error_set(err, RP_USAGE, "a case has 1 to 2^32 - 1 elements, not %llu",
                             (unsigned long long)n);
    rp_status status = rp__gpu_bench_run(row, &gpu->device, n, rounds, &peer, &f, &what);
    *out = (rp__lab_case_figures){.median = f.median,
                                  .best = f.best,
                                  .cpu = f.cpu,
                                  .bytes = f.bytes,
                                  .elements = f.elements,
                                  .n_launches = f.n_launches};
    memcpy(out->launches, f.launches, sizeof f.launches);
    memcpy(out->name, name, sizeof out->name);
    if (status == RP_OK)
        return RP_OK;
    return rp__error_set(err, status, "%s %s: %s", row->area, row->name,
                         what.text[0]                ? what.text
                         : gpu->device.fault.text[0] ? gpu->device.fault.text
                                                     : rp_status_text(status));
}

rp_status rp__lab_gpu_run(rp__lab_gpu *gpu, size_t i, uint64_t n, uint32_t rounds,
                          rp__lab_case_figures *out, rp_error *err)
{
    if (RP_MISSING(err, gpu, out))
        return RP_USAGE;
    const rp__lab_given none = {0};
    return rp__lab_gpu_run_given(gpu, i, &none, n, rounds, out, err);
}

/* ---- What is given ------------------------------------------------------------------------------- */

const char *rp__lab_param_name(size_t i)
{
    _Static_assert((int)RP_LAB_PARAMS == (int)RP_GPU_PARAMS, "one is the other");
    return i < RP_LAB_PARAMS ? rp__gpu_case_param_name((rp__gpu_param)i) : NULL;
}

bool rp__lab_case_has(size_t i, size_t param)
{
    const rp__gpu_case *row = rp__gpu_case_at(i);
    double min, max;
    return row && param < RP_LAB_PARAMS &&
           rp__gpu_case_param_range(row, (rp__gpu_param)param, &min, &max);
}

/* A row whose data alone differ from those of an earlier one is the same on an index. */
static bool is_repeated(size_t i)
{
    const rp__gpu_case *row = rp__gpu_case_at(i);
    for (size_t k = 0; k < i; k++) {
        const rp__gpu_case *before = rp__gpu_case_at(k);
        if (before->make == row->make && before->kernel == row->kernel &&
            before->codec == row->codec && before->option == row->option &&
            strcmp(row->area, "decode") == 0)
            return true;
    }
    return false;
}

/* Damaged lists nobody has an answer to. */
bool rp__lab_case_takes(size_t i, const rp__lab_source *source)
{
    const rp__gpu_case *row = rp__gpu_case_at(i);
    if (RP_MISSING(NULL, source))
        return false;
    const rp__gpu_source *at = rp__lab_source_at(source);
    if (!row || !row->cpu || is_repeated(i))
        return false;
    return strcmp(row->area, "decode") == 0 || strcmp(row->area, "intersect") == 0 ||
           (strcmp(row->area, "select") == 0 && at->n_queries > 0);
}

static rp__gpu_params params_of(const rp__lab_given *given)
{
    rp__gpu_params params;
    memcpy(params.has, given->has, sizeof params.has);
    memcpy(params.value, given->value, sizeof params.value);
    return params;
}

/* The case with what is given. */
static rp_status change(const rp__gpu_case *row, const rp__lab_given *given,
                        rp__gpu_case_given *what, rp__gpu_case *out, rp_error *err)
{
    const rp__gpu_params params = params_of(given);
    return rp__gpu_case_param_apply(row, &params, rp__lab_source_at(given->source), what, out, err);
}

rp_status rp__lab_case_check(size_t i, const rp__lab_given *given, rp_error *err)
{
    const rp__gpu_case *row = rp__gpu_case_at(i);
    rp__gpu_case changed;
    rp__gpu_case_given what;
    if (RP_MISSING(err, given))
        return RP_USAGE;
    return row ? change(row, given, &what, &changed, err)
               : rp__error_set(err, RP_NOT_FOUND, "there is no case %zu", i);
}

rp_status rp__lab_gpu_run_given(rp__lab_gpu *gpu, size_t i, const rp__lab_given *given, uint64_t n,
                                uint32_t rounds, rp__lab_case_figures *out, rp_error *err)
{
    if (RP_MISSING(err, gpu, given, out))
        return RP_USAGE;
    const rp__gpu_case *row = rp__gpu_case_at(i);
    const rp__gpu_params params = params_of(given);
    char name[RP_GPU_CASE_NAME];
    rp__gpu_case changed;
    rp__gpu_case_given what;
    if (!row)
        return rp__error_set(err, RP_NOT_FOUND, "there is no case %zu", i);
    rp__gpu_case_param_put_name(row, &params, name);
    rp_status status = change(row, given, &what, &changed, err);
    return status == RP_OK ? run_row(gpu, &changed, name, n, rounds, out, err) : status;
}
