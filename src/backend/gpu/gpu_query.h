/* backend/gpu/gpu_query.h: interior of gpu: a query on a device that holds its index. */
#ifndef RP_BACKEND_GPU_GPU_QUERY_H
#define RP_BACKEND_GPU_GPU_QUERY_H

#include "backend/backend.h"
#include "backend/gpu/device_norms.h"
#include "backend/gpu/exec/fused_or.h"
#include "backend/gpu/exec/exec_stage.h"

/* What queries leave for the next one. One thread at a time. */
typedef struct rp__gpu_query {
    rp__device *device;
    const rp__gpu_index *index;
    rp__lease lease;      /* of the query on its way */
    rp__device_norms norms;
    rp__exec_stage room;
    uint32_t number;      /* of the last query */
    rp__fused_or or;        /* ORs that need not be counted */
    struct rp__gpu_asked *asked; /* between start and finish */
    rp_gpu_counters before; /* the device's, when the last query began */
    rp_fallback fallback;   /* why the last query was not answered */
} rp__gpu_query;

/* Nothing is allocated before the first query. */
void rp__gpu_query_open(rp__gpu_query *q, rp__device *device, const rp__gpu_index *index);
void rp__gpu_query_close(rp__gpu_query *q); /* all zero is fine */

/* A query in two halves, so that several devices may work at a time. start: gives it to the device, and waits for
 * nothing; scratch is the arena's, until finish, which waits and answers, as rp__backend's run. RP_UNAVAILABLE also of
 * queries that the device does not answer, and of damaged lists: whoever is asked next tells which. Of a query that
 * was not started there is nothing to finish; one that was may be left so. */
rp_status rp__gpu_query_start(rp__gpu_query *q, const rp__query *query, rp__arena *arena, rp_error *err);
rp_status rp__gpu_query_finish(rp__gpu_query *q, rp__answer *answer, rp_error *err);
/* What the last query cost so far, and why it failed, into the answer: finish and run do so themselves. */
void rp__gpu_query_tell(const rp__gpu_query *q, rp__answer *answer);
/* Both. */
rp_status rp__gpu_query_run(rp__gpu_query *q, const rp__query *query, rp__arena *arena,
                            rp__answer *answer, rp_error *err);

#endif
