/* executor_ask.c: a job submitted by a thread that waits for it. */
#include <stdatomic.h>

#include "base/error.h"
#include "base/futex.h"
#include "base/record.h"
#include "riposte/executor.h"

enum { SPIN_NS = 50000 };

typedef struct waiter {
    rp_outcome *out;
    _Atomic uint32_t has_ended;
} waiter;

/* The waiter may be gone once it sees the flag: its address alone is used then. */
static void end_wait(void *arg, rp_outcome *outcome)
{
    waiter *w = arg;
    *w->out = *outcome;
    atomic_store(&w->has_ended, 1);
    rp__futex_wake(&w->has_ended);
}

rp_status rp_executor_ask(rp_executor *executor, const rp_job *job, rp_outcome *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_outcome){0};
    if (RP_MISSING(err, executor, job) || RP_MISSING_ARRAY(err, job->query, job->query_bytes))
        return RP_USAGE;
    rp_job own;
    waiter w = {.out = out};
    rp_status status = RP_TAKE(&own, job, err);
    own.done = end_wait;
    own.arg = &w;
    if (status == RP_OK)
        status = rp_executor_submit(executor, &own, NULL, err);
    if (status != RP_OK)
        return status;
    if (!rp__futex_spin(&w.has_ended, 0, SPIN_NS))
        while (atomic_load(&w.has_ended) == 0)
            rp__futex_wait(&w.has_ended, 0, UINT64_MAX);
    if (err && out->status != RP_OK)
        *err = out->err;
    return out->status;
}
