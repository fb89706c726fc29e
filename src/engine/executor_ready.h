/* engine/executor_ready.h: jobs whose queries were bound before they are submitted.
 *
 * A load measures what an executor makes of queries, and would measure its own parsing too where
 * both share cores. One that is ready may be submitted any number of times, by any thread. */
#ifndef RP_ENGINE_EXECUTOR_READY_H
#define RP_ENGINE_EXECUTOR_READY_H

#include "base/arena.h"
#include "plan/plan.h"
#include "plan/policy.h"
#include "riposte/executor.h"

/* For the executor that made it. */
typedef struct rp__executor_ready {
    rp__query query; /* in the arena */
    rp__policy_job job;
    rp__auto_shape shape;
} rp__executor_ready;

/* Statuses as of rp_executor_submit; job->done is not called. */
rp_status rp__executor_submit_ahead(rp_executor *executor, const rp_job *job, rp__arena *arena,
                                    rp__executor_ready *out, rp_error *err);
/* As rp_executor_submit, but that here_ns does not count; of the job that it was made from, options
 * of the search must be the same. */
rp_status rp__executor_submit_ready(rp_executor *executor, const rp_job *job,
                                    const rp__executor_ready *ready, rp_error *err);

#endif
