/* backend/gpu/exec/step_run.h: interior of gpu: a flat AND that is answered step by step
 * (rp__steps), by whichever way its row has: what all of them have in common.
 *
 * Each step looks whether the query is to stop, makes the persistent kernel leave, is counted, and
 * is traced. Start or put comes first; the others need candidates. */
#ifndef RP_BACKEND_GPU_EXEC_STEP_RUN_H
#define RP_BACKEND_GPU_EXEC_STEP_RUN_H

#include "backend/backend.h"
#include "backend/gpu/exec/persistent_kernel.h"

typedef struct rp__step_run rp__step_run;

/* A step of leaves from `first` to `last`. `what`: of select the answer; of put and take the
 * partial result. */
typedef rp_status rp__step(rp__step_run *run, uint32_t first, uint32_t last, void *what);

typedef struct rp__step_row {
    rp__step *start, *meet, *score, *narrow, *select, *put, *take;
    uint32_t (*count)(const rp__step_run *run);
    void (*close)(rp__step_run *run);
} rp__step_row;

/* The beginning of a row's own record. */
struct rp__step_run {
    const rp__step_row *row;
    rp__device *device;
    rp__persistent_kernel *persistent;
    const rp__query *query;
    rp__arena *arena;
    rp_error *err;
    const rp_fallback *why; /* (optional) where the row says why it failed; NONE: by its status */
    uint32_t n_leaves;
    bool has_candidates;
    rp_status status;      /* of the last step */
    uint64_t postings;     /* decoded for the query so far */
    rp_gpu_counters spent; /* and what devices did */
};

/* RP_UNAVAILABLE, with the reason. */
rp_status rp__step_run_refuse(const rp__step_run *run, rp_fallback why);
/* The status, with a message where it is none of RP_OK. */
rp_status rp__step_run_explain(const rp__step_run *run, rp_status status);

/* Whether a candidate has a score. */
bool rp__step_run_has_scores(const rp__partial *partial);
/* Memory for n candidates, whose scores are 0. RP_NO_MEMORY. */
rp_status rp__step_run_alloc(const rp__step_run *run, uint32_t n, rp__partial *out);

/* As rp__steps has them. */
rp_status rp__step_run_start(void *run, uint32_t leaf);
rp_status rp__step_run_meet(void *run, uint32_t leaf);
rp_status rp__step_run_score(void *run, uint32_t leaf);
rp_status rp__step_run_narrow(void *run, uint32_t first, uint32_t last);
rp_status rp__step_run_select(void *run, rp__answer *answer);
uint32_t rp__step_run_count(const void *run);
rp_status rp__step_run_put(void *run, const rp__partial *partial);
rp_status rp__step_run_take(void *run, rp__partial *partial);
void rp__step_run_report(const void *run, rp__answer *answer);
void rp__step_run_close(void *run);

#endif
