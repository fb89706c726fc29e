/* gpu_case_param.c: which rows have which parameters. */
#include "lab/gpu/gpu_case_param.h"

#include <string.h>

#include "backend/gpu/gpu_lab.h"
#include "base/error.h"
#include "lab/gpu/gpu_case_intersect.h"

enum { WARP = 32 };

typedef struct range {
    double min, max; /* max 0: the row does not have it */
} range;

static const range none = {0, 0};

static const char *const names[RP_GPU_PARAMS] = {"ratio",  "bucket", "threads",
                                                 "levels", "c",      "exceptions"};

const char *rp__gpu_case_param_name(rp__gpu_param param)
{
    return names[param];
}

/* Threads of a block that a kernel can be launched with. */
static range threads_of(const rp__gpu_case *row)
{
    switch (rp__intersect_table[row->kernel].tile) {
    case RP_INTERSECT_A:
        return (range){WARP, 512};
    case RP_INTERSECT_SLICE:
        return (range){4 * WARP, row->kernel == RP_INTERSECT_BP128_TILE ? 256 : 512};
    case RP_INTERSECT_PATH:
        return (range){2 * WARP, 256};
    default:
        return (range){4 * WARP, 512};
    }
}

static range of_intersect(const rp__gpu_case *row, rp__gpu_param param)
{
    const uint32_t needs = rp__intersect_table[row->kernel].needs;
    const bool is_pmf = row->kernel == RP_INTERSECT_PMF || row->kernel == RP_INTERSECT_PMF_HEADS;
    switch (param) {
    case RP_GPU_PARAM_RATIO:
        return (range){1, RP_GPU_INTERSECT_RATIO};
    case RP_GPU_PARAM_BUCKET:
        return needs & RP_INTERSECT_HS ? (range){1, 1024} : none;
    case RP_GPU_PARAM_THREADS:
        return threads_of(row);
    case RP_GPU_PARAM_LEVELS:
        return is_pmf ? (range){1, 4} : none;
    default:
        return none;
    }
}

static range of_decode(const rp__gpu_case *row, rp__gpu_param param)
{
    static const uint8_t patched[] = {KARG_CODEC_PFD,     KARG_CODEC_NEWPFD,   KARG_CODEC_PARAPFOR,
                                      KARG_CODEC_PFD_REC, KARG_CODEC_LRC,      KARG_CODEC_LRCSEG,
                                      KARG_CODEC_SEGLRC,  KARG_CODEC_HSLRC256, KARG_CODEC_HSLRC128};
    switch (param) {
    case RP_GPU_PARAM_THREADS:
        return rp__gpu_case_decode2_has_steps(row) ? (range){WARP, 1024} : none;
    case RP_GPU_PARAM_LEVELS:
        return row->codec == KARG_CODEC_PFD_REC ? (range){0, 4} : none;
    case RP_GPU_PARAM_C:
        return row->codec == KARG_CODEC_QS ? (range){0.25, 16} : none;
    case RP_GPU_PARAM_EXCEPTIONS:
        return memchr(patched, (int)row->codec, sizeof patched) ? (range){0, 0.6} : none;
    default:
        return none;
    }
}

bool rp__gpu_case_param_range(const rp__gpu_case *row, rp__gpu_param param, double *min,
                              double *max)
{
    range r = none;
    if (strcmp(row->area, "intersect") == 0)
        r = of_intersect(row, param);
    else if (strcmp(row->area, "decode") == 0)
        r = of_decode(row, param);
    *min = r.min;
    *max = r.max;
    return r.max > 0;
}

static void set(rp__gpu_case *row, rp__gpu_case_given *given, rp__gpu_param param, double value)
{
    const bool is_intersect = strcmp(row->area, "intersect") == 0;
    if (param == RP_GPU_PARAM_RATIO)
        row->option = (row->option & ~(uint32_t)RP_GPU_INTERSECT_RATIO) | (uint32_t)value;
    else if (param == RP_GPU_PARAM_THREADS && is_intersect)
        row->width = (uint32_t)value;
    else if (param == RP_GPU_PARAM_THREADS)
        given->threads = (uint32_t)value;
    else if (param == RP_GPU_PARAM_BUCKET || (param == RP_GPU_PARAM_LEVELS && is_intersect))
        row->codec = (uint32_t)value;
    else if (param == RP_GPU_PARAM_LEVELS)
        given->options.has_level = true, given->options.level = (uint32_t)value;
    else if (param == RP_GPU_PARAM_C)
        given->options.c = value;
    else
        given->options.has_exceptions = true, given->options.exceptions = value;
}

/* A number of threads is one of whole warps; other counts are whole numbers. */
static bool is_whole(rp__gpu_param param, double value)
{
    const uint32_t count = (uint32_t)value;
    const bool is_count = param != RP_GPU_PARAM_C && param != RP_GPU_PARAM_EXCEPTIONS;
    return !is_count ||
           (value == (double)count && (param != RP_GPU_PARAM_THREADS || count % WARP == 0));
}

rp_status rp__gpu_case_param_apply(const rp__gpu_case *row, const rp__gpu_params *params,
                                   const rp__gpu_source *source, rp__gpu_case_given *given,
                                   rp__gpu_case *out, rp_error *err)
{
    double min, max;
    *given = (rp__gpu_case_given){.source = source};
    *out = *row;
    out->given = given;
    for (int p = 0; p < RP_GPU_PARAMS; p++) {
        const double value = params->value[p];
        if (!params->has[p] || !rp__gpu_case_param_range(row, (rp__gpu_param)p, &min, &max))
            continue;
        if (!(value >= min && value <= max && is_whole((rp__gpu_param)p, value)))
            return rp__error_set(err, RP_USAGE, "--%s %g: %s %s has %s%g to %g", names[p], value,
                                 row->area, row->name,
                                 p == RP_GPU_PARAM_THREADS ? "multiples of 32, " : "", min, max);
        set(out, given, (rp__gpu_param)p, value);
    }
    return RP_OK;
}
