/* backend/gpu/operators/para_method.h: the searches of PARA (Ao et al. 2011), one row each: the
 * algorithm "para", whose option `method` names one. */
#ifndef RP_BACKEND_GPU_OPERATORS_PARA_METHOD_H
#define RP_BACKEND_GPU_OPERATORS_PARA_METHOD_H

#include "backend/algorithm_spec.h"
#include "backend/backend.h"
#include "backend/gpu/device/kernel_table.h"
#include "backend/gpu/kernels/tuning.h"

enum { RP_PARA_K = TUNE_SELECT_FITS }; /* hits of a query, at most */

typedef struct rp__para_method {
    const char *name;
    const char *paper; /* the section of Ao et al. */
    /* it has the paper's own steps; otherwise it is ours: `is-8` ends with halving, and a warp
     * decodes the blocks of parapfor that its elements lie in */
    bool is_literal;
    rp__kernel_id kernel;
    uint32_t shared; /* bytes of shared memory of a warp */
    /* the auxiliary data that lists of more than RP_BLOCK postings are searched by; NULL: none */
    const char *aux;
    bool needs_aux; /* it cannot go without */
    /* the codec whose lists it reads as they are stored, and its id; NULL: it reads docids */
    const char *codec;
    uint32_t codec_id;
} rp__para_method;

const rp__para_method *rp__para_method_at(size_t i); /* NULL past the last */
/* The method of an algorithm that was parsed before; NULL: it is not PARA, or unknown. */
const rp__para_method *rp__para_method_of(const char *algorithm);
/* Options of the algorithm. RP_USAGE: an option is not known, k is too large, the mode may ask ORs
 * after ANDs, or the index lacks what the method reads; the message says what makes it. */
rp_status rp__para_method_check(const char *algorithm, const rp__algorithm_use *use, rp_error *err);

#endif
