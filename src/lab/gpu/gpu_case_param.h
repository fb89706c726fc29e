/* lab/gpu/gpu_case_param.h: what a caller may set of a case: each row declares which parameters it
 * has, and from where to where they go. */
#ifndef RP_LAB_GPU_GPU_CASE_PARAM_H
#define RP_LAB_GPU_GPU_CASE_PARAM_H

#include "lab/gpu/gpu_case.h"

typedef enum rp__gpu_param {
    RP_GPU_PARAM_RATIO,      /* how many times longer B is than A */
    RP_GPU_PARAM_BUCKET,     /* docids of a bucket of hs, at most on average */
    RP_GPU_PARAM_THREADS,    /* of a block, whole warps */
    RP_GPU_PARAM_LEVELS,     /* of pmf; of pfd_rec */
    RP_GPU_PARAM_C,          /* of qs */
    RP_GPU_PARAM_EXCEPTIONS, /* the share of values that become exceptions */
    RP_GPU_PARAMS
} rp__gpu_param;

/* What is given, by parameter. */
typedef struct rp__gpu_params {
    bool has[RP_GPU_PARAMS];
    double value[RP_GPU_PARAMS];
} rp__gpu_params;

const char *rp__gpu_case_param_name(rp__gpu_param param);
/* False: the row does not have the parameter. */
bool rp__gpu_case_param_range(const rp__gpu_case *row, rp__gpu_param param, double *min,
                              double *max);
/* The row with what is given of its parameters, and with lists of a source, if it is not NULL;
 * *out refers to *given, which is filled. RP_USAGE: a parameter is outside of the row's range. */
rp_status rp__gpu_case_param_apply(const rp__gpu_case *row, const rp__gpu_params *params,
                                   const rp__gpu_source *source, rp__gpu_case_given *given,
                                   rp__gpu_case *out, rp_error *err);

/* What is measured then, to out[RP_GPU_CASE_NAME]: "hs4 1:100" becomes "hs32 1:100" if a bucket has
 * 32 docids. */
enum { RP_GPU_CASE_NAME = 96 };
void rp__gpu_case_param_put_name(const rp__gpu_case *row, const rp__gpu_params *params, char *out);

#endif
