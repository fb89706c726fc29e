/* executor_batch.c: keeps an executor busy with queries, and waits for all of them.
 *
 * Several threads parse queries and submit them, in groups. Who submits waits for the end of a whole group, before the
 * group's place is used again: the last one that ends wakes it, and nobody else does. */
#include "cli/executor_batch.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/pool.h"

enum {
    MAX_LIVE = 512,  /* that wait or run at once: an executor takes more */
    THREADS = 8,     /* that submit, at most */
    GROUPS = 8,      /* of one of them, at once */
    FULL_NS = 50000, /* until a query is submitted again that had no room */
};

typedef struct group {
    _Atomic uint32_t left; /* queries that have not ended, and 1 while more may come */
} group;

typedef struct slot {
    rp_batch_query *query;
    group *group;
} slot;

typedef struct batch {
    rp_executor *executor;
    rp_batch_query *queries;
    slot *slots;
    size_t n, group; /* queries; and of a group, at most */
    uint64_t deadline_ns;
    bool (*goes_on)(void *arg);
    _Atomic size_t next; /* that nobody has taken */
    _Atomic bool is_stopped;
} batch;

/* Who waits may be gone once it has seen the number: its address alone is used then. */
static void leave(group *g)
{
    if (atomic_fetch_sub(&g->left, 1) == 1)
        rp__futex_wake(&g->left);
}

static void wait_for(group *g)
{
    for (uint32_t left; (left = atomic_load(&g->left)) > 0;)
        rp__futex_wait(&g->left, left, UINT64_MAX);
}

static void keep_answer(void *arg, rp_outcome *outcome)
{
    slot *s = arg;
    s->query->status = outcome->status;
    s->query->err = outcome->err;
    s->query->hits = outcome->hits;
    leave(s->group);
}

static void submit(batch *b, size_t i, group *g)
{
    rp_batch_query *q = &b->queries[i];
    b->slots[i] = (slot){q, g};
    const rp_job job = {.query = q->query,
                        .query_bytes = q->query_bytes,
                        .plain = q->plain,
                        .deadline_ns = b->deadline_ns,
                        .done = keep_answer,
                        .arg = &b->slots[i]};
    q->hits = (rp_hits){0};
    atomic_fetch_add(&g->left, 1);
    rp_status status;
    while ((status = atomic_load(&b->is_stopped)
                         ? RP_INTERRUPTED
                         : rp_executor_submit(b->executor, &job, NULL, &q->err)) == RP_BUSY &&
           b->deadline_ns == 0)
        rp__clock_sleep(FULL_NS); /* parts of shared queries may fill the queues */
    if (status == RP_OK)
        return; /* and its status is the call back's */
    q->status = status;
    leave(g);
}

/* What one thread does, until all are taken and its own have ended. */
static void submit_groups(void *arg, uint32_t worker)
{
    (void)worker;
    batch *b = arg;
    group groups[GROUPS] = {{0}};
    for (size_t turn = 0, i; (i = atomic_fetch_add(&b->next, b->group)) < b->n; turn++) {
        group *g = &groups[turn % GROUPS];
        const size_t end = b->n - i < b->group ? b->n : i + b->group;
        wait_for(g);
        if (!b->goes_on(NULL))
            atomic_store(&b->is_stopped, true);
        atomic_store(&g->left, 1);
        for (; i < end; i++)
            submit(b, i, g);
        leave(g);
    }
    for (size_t i = 0; i < GROUPS; i++)
        wait_for(&groups[i]);
}

rp_status rp__executor_batch_run(rp_executor *executor, rp_batch_query *queries, size_t n,
                                 size_t cores, uint64_t deadline_ns, bool (*goes_on)(void *arg),
                                 rp_error *err)
{
    size_t threads = (cores + 1) / 2; /* the others answer, or name hits of the card */
    threads = threads > THREADS ? THREADS : threads > 0 ? threads : 1;
    batch b = {.executor = executor,
               .queries = queries,
               .slots = rp__alloc_array(n, sizeof *b.slots),
               .n = n,
               .group = MAX_LIVE / GROUPS / threads,
               .deadline_ns = deadline_ns,
               .goes_on = goes_on};
    if (!b.slots)
        return rp__error_no_memory(err);
    while (threads > 1 && (threads - 1) * b.group >= n)
        threads--; /* it would find nothing */
    rp__pool *pool = NULL;
    if (threads > 1 && rp__pool_new((uint32_t)threads, &pool) == RP_OK)
        rp__pool_run(pool, submit_groups, &b);
    else
        submit_groups(&b, 0);
    rp__pool_free(pool);
    rp__free(b.slots);
    return b.is_stopped ? rp__error_set(err, RP_INTERRUPTED, "interrupted") : RP_OK;
}
