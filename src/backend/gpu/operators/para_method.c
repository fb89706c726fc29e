/* para_method.c: the rows, and what an index must have for them. */
#include "backend/gpu/operators/para_method.h"

#include <string.h>

#include "backend/gpu/kernels/args.h"
#include "backend/gpu/operators/operator_table.h"
#include "base/error.h"

#define HS(bucket)                                                                                 \
    {                                                                                              \
        .name = "hs" #bucket, .paper = "4.4", .is_literal = true,                                  \
        .kernel = RP_KERNEL_para_hs_kernel, .aux = "hs" #bucket, .needs_aux = true                 \
    }
#define CODED(name_, paper_, kernel_, id)                                                          \
    .name = (name_), .paper = (paper_), .kernel = RP_KERNEL_para_##kernel_##_kernel,               \
    .codec = (name_), .codec_id = (id)

static const rp__para_method methods[] = {
    {.name = "bs", .paper = "4.2", .is_literal = true, .kernel = RP_KERNEL_para_bs_kernel},
    {.name = "is", .paper = "4.3", .is_literal = true, .kernel = RP_KERNEL_para_is_plain_kernel},
    {.name = "is-8", .paper = "4.3", .kernel = RP_KERNEL_para_is_kernel},
    {.name = "lr",
     .paper = "4.3",
     .is_literal = true,
     .kernel = RP_KERNEL_para_lr_kernel,
     .aux = "lr",
     .needs_aux = true},
    {.name = "lr-local",
     .paper = "4.3",
     .is_literal = true,
     .kernel = RP_KERNEL_para_lr_local_kernel,
     .aux = "lr",
     .needs_aux = true},
    HS(16),
    HS(32),
    HS(64),
    HS(128),
    HS(256),
    {CODED("parapfor", "5.1", parapfor, KARG_CODEC_PARAPFOR), .shared = KARG_PARA_SHARED},
    {CODED("lrc", "5.3", lrc, KARG_CODEC_LRC), .is_literal = true, .aux = "lr"},
    {CODED("lrcseg", "5.3", lrcseg, KARG_CODEC_LRCSEG), .is_literal = true},
    {CODED("seglrc", "5.3", seglrc, KARG_CODEC_SEGLRC), .is_literal = true},
    {CODED("hslrc256", "5.3", hslrc, KARG_CODEC_HSLRC256), .is_literal = true},
    {CODED("hslrc128", "5.3", hslrc, KARG_CODEC_HSLRC128), .is_literal = true},
};

enum { METHODS = sizeof methods / sizeof methods[0] };

const rp__para_method *rp__para_method_at(size_t i)
{
    return i < METHODS ? &methods[i] : NULL;
}

static const char *name_at(size_t i)
{
    return i < METHODS ? methods[i].name : NULL;
}

static const rp__algorithm_option options[] = {{.name = "method", .value_at = name_at}};

static rp_status find(const char *algorithm, const rp__para_method **out, rp_error *err)
{
    rp__algorithm_spec spec;
    rp_status status = rp__algorithm_spec_parse(algorithm, options, 1, &spec, err);
    *out = status == RP_OK ? &methods[spec.values[0]] : NULL;
    return status;
}

const rp__para_method *rp__para_method_of(const char *algorithm)
{
    const rp__para_method *method = NULL;
    rp_error err;
    if (algorithm && rp__algorithm_spec_is(algorithm, "para"))
        (void)find(algorithm, &method, &err);
    return method;
}

static bool has_aux(const rp__segment_info *index, const char *name)
{
    for (size_t i = 0; i < index->n_aux; i++)
        if (strcmp(index->aux[i]->name, name) == 0)
            return true;
    return false;
}

rp_status rp__para_method_check(const char *algorithm, const rp__algorithm_use *use, rp_error *err)
{
    const rp__para_method *m;
    const rp__segment_info *index = rp__segment_get_info(use->segment);
    rp_status status = find(algorithm, &m, err);
    if (status != RP_OK)
        return status;
    if (use->k > RP_PARA_K)
        return rp__error_set(err, RP_USAGE, "para gives at most %d hits, not %zu", RP_PARA_K,
                             use->k);
    if (use->is_and && use->is_or)
        return rp__error_set(err, RP_USAGE,
                             "para answers ANDs, and --mode andor asks an OR where they have too "
                             "few hits; choose --mode and");
    if (m->needs_aux && !has_aux(index, m->aux))
        return rp__error_set(err, RP_USAGE,
                             "para:method=%s reads auxiliary data that the index does not have; "
                             "'riposte recode DIR --aux %s -o NEW' adds them",
                             m->name, m->aux);
    if (m->codec && strcmp(index->codec, m->codec) != 0)
        return rp__error_set(err, RP_USAGE,
                             "para:method=%s reads lists in %s, and those of the index are %s%s; "
                             "'riposte recode DIR --codec %s -o NEW' makes one that it reads",
                             m->name, m->codec, rp__operator_table_codec_words(index->codec),
                             index->codec, m->codec);
    return RP_OK;
}
