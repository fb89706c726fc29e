/* executor_batch.c: keeps an executor busy with queries, and waits for all of them. */
#include "cli/executor_batch.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/futex.h"

/* That wait or run at once: fewer than an executor takes, so that none is refused for their number. */
enum { MAX_LIVE = 512 };

typedef struct slot {
    rp_batch_query *query;
    _Atomic uint32_t *ended; /* of all slots */
} slot;

/* Who waits may be gone once it has seen the number: its address alone is used then. */
static void keep_answer(void *arg, rp_outcome *outcome)
{
    slot *s = arg;
    _Atomic uint32_t *ended = s->ended;
    s->query->status = outcome->status;
    s->query->err = outcome->err;
    s->query->hits = outcome->hits;
    atomic_fetch_add(ended, 1);
    rp__futex_wake(ended);
}

static void wait_for(_Atomic uint32_t *ended, uint32_t n)
{
    for (uint32_t seen; (seen = atomic_load(ended)) < n;)
        rp__futex_wait(ended, seen, UINT64_MAX);
}

rp_status rp__executor_batch_run(rp_executor *executor, rp_batch_query *queries, size_t n,
                                 uint64_t deadline_ns, bool (*goes_on)(void *arg), rp_error *err)
{
    _Atomic uint32_t ended = 0;
    uint32_t submitted = 0;
    bool is_stopped = false;
    slot *slots = rp__alloc_array(n, sizeof *slots);
    if (!slots)
        return rp__error_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        rp_batch_query *q = &queries[i];
        slots[i] = (slot){q, &ended};
        const rp_job job = {.query = q->query,
                            .query_bytes = q->query_bytes,
                            .plain = q->plain,
                            .deadline_ns = deadline_ns,
                            .done = keep_answer,
                            .arg = &slots[i]};
        wait_for(&ended, submitted < MAX_LIVE ? 0 : submitted - MAX_LIVE + 1);
        q->hits = (rp_hits){0};
        is_stopped = is_stopped || !goes_on(NULL);
        const rp_status status =
            is_stopped ? RP_INTERRUPTED : rp_executor_submit(executor, &job, NULL, &q->err);
        if (status == RP_OK)
            submitted++; /* and its status is the call back's */
        else
            q->status = status;
    }
    wait_for(&ended, submitted);
    rp__free(slots);
    return is_stopped ? rp__error_set(err, RP_INTERRUPTED, "interrupted") : RP_OK;
}
