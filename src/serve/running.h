/* serve/running.h: queries that are being answered, so that they can be listed and cancelled. Any
 * thread. */
#ifndef RP_SERVE_RUNNING_H
#define RP_SERVE_RUNNING_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/json.h"
#include "riposte/executor.h"

/* One query: of its list, and of who submits it. */
typedef struct rp__running {
    struct rp__running *next, *before;
    struct rp__running_list *list; /* that it is in */
    _Atomic uint32_t refs;
    uint64_t ticket; /* 0: it is not submitted yet; the executor sets it, by an atomic store */
    rp_executor *executor;
    uint64_t id, began_ns;
    size_t index;
    size_t searches;  /* of a request that has many; 0: it is one */
    char request[65]; /* its request's id */
    char *text;       /* NULL: queries are not shown */
} rp__running;

/* Those that some threads have submitted: the lock of one list for all would go from core to core
 * with every query. */
typedef struct rp__running_list {
    pthread_mutex_t lock; /* of all below */
    rp__running *first;
    uint64_t n_ids;    /* that it has given */
    uint8_t apart[64]; /* other threads' are in other lines of the cache */
} rp__running_list;

enum { RP_RUNNING_LISTS = 16 };

typedef struct rp__runnings {
    rp__running_list lists[RP_RUNNING_LISTS];
} rp__runnings;

void rp__running_open(rp__runnings *all);
void rp__running_close(rp__runnings *all);

/* Submits a job, whose arg must know `*running` when its `done` is called: it ends it. NULL in
 * *running: there was no memory for the list, and the job runs unlisted. */
typedef struct rp__running_job {
    rp_executor *executor;
    size_t index;
    const char *request;
    bool shows_text;
} rp__running_job;
rp_status rp__running_submit(rp__runnings *all, const rp__running_job *about, const rp_job *job,
                             rp__running **running, rp_error *err);
/* The same for jobs that are submitted together: one entry stands for all, and the last one's
 * `done` ends it. */
rp_status rp__running_submit_many(rp__runnings *all, const rp__running_job *about,
                                  const rp_job *jobs, size_t n, rp__running **running,
                                  rp_error *err);
/* Of `done`. NULL is fine. */
void rp__running_end(rp__running *running);

/* The array "queries" of an index. */
void rp__running_write(rp__runnings *all, size_t index, rp__json_writer *w);
/* RP_NOT_FOUND: it has ended. */
rp_status rp__running_cancel(rp__runnings *all, size_t index, uint64_t id, rp_error *err);

#endif
