/* gpu_case_param.c: which rows have which parameters. */
#include "lab/gpu/gpu_case_param.h"

#include <stdio.h>
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

/* ---- Names ------------------------------------------------------------------------------------- */

/* How names of rows say what a parameter is: a word before the number, or words of their own. */
static const struct {
    rp__gpu_param param;
    bool has_number;
    const char *word;
} words[] = {{RP_GPU_PARAM_RATIO, true, "1:"},
             {RP_GPU_PARAM_BUCKET, true, "hs"},
             {RP_GPU_PARAM_LEVELS, true, "pmf heads "},
             {RP_GPU_PARAM_LEVELS, true, "pmf "},
             {RP_GPU_PARAM_LEVELS, false, ", three levels"},
             {RP_GPU_PARAM_EXCEPTIONS, false, ", a tenth patched"}};

/* Where a name says it, and how long that is; NULL: it does not. */
static const char *find_words(const char *name, rp__gpu_param param, size_t *n, bool *is_number)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = words[i].param == param ? strstr(name, words[i].word) : NULL;
        if (!at)
            continue;
        *is_number = words[i].has_number;
        *n = strlen(words[i].word);
        if (*is_number)
            at += *n, *n = strspn(at, "0123456789");
        return at;
    }
    return NULL;
}

/* One parameter of a name. */
static void rename_by(char *name, rp__gpu_param param, double value)
{
    char before[RP_GPU_CASE_NAME];
    size_t n = 0;
    bool is_number = false;
    memcpy(before, name, sizeof before);
    const char *at = find_words(before, param, &n, &is_number);
    const int head = (int)(at ? (size_t)(at - before) : strlen(before));
    const char *rest = before + head + n;
    if (is_number)
        snprintf(name, RP_GPU_CASE_NAME, "%.*s%g%s", head, before, value, rest);
    else
        snprintf(name, RP_GPU_CASE_NAME, "%.*s%s, %s %g", head, before, rest, names[param], value);
}

void rp__gpu_case_param_put_name(const rp__gpu_case *row, const rp__gpu_params *params, char *out)
{
    double min, max;
    memset(out, 0, RP_GPU_CASE_NAME);
    snprintf(out, RP_GPU_CASE_NAME, "%s", row->name);
    for (int p = 0; p < RP_GPU_PARAMS; p++)
        if (params->has[p] && rp__gpu_case_param_range(row, (rp__gpu_param)p, &min, &max))
            rename_by(out, (rp__gpu_param)p, params->value[p]);
}
