/* backend/gpu/exec/exec.h: one or many queries on their way through a card.
 *
 * Each query is given to a row of the launch table. A launch of a row leases what it reads, is
 * given to the device, and is collected later. Queries of one row share launches, as many as fit;
 * what does not fit alone is answered by a row that needs less, or refused with a reason, so that
 * the caller asks another processor.
 * Order of calls: open; then begin, add any number of times, launch, collect, and begin again;
 * close. One thread at a time. The guard of mapped memory may leave add, launch and collect: then
 * abandon, or the next begin, gives back what they had. */
#ifndef RP_BACKEND_GPU_EXEC_EXEC_H
#define RP_BACKEND_GPU_EXEC_EXEC_H

#include "backend/backend.h"
#include "backend/gpu/exec/fused_and.h"
#include "backend/gpu/exec/fused_or.h"
#include "backend/gpu/exec/fused_single.h"
#include "backend/gpu/exec/launch_lists.h"
#include "backend/gpu/exec/launch_policy.h"
#include "backend/gpu/operators/operators.h"
#include "backend/gpu/operators/para_launch.h"
#include "backend/gpu/residency/device_norms.h"

/* Queries that one launch answers, and what it reads. */
typedef struct rp__flight {
    struct rp__exec *exec;
    const rp__launch_row *row;
    rp__lease lease;
    rp__batch_item **items; /* in the arena */
    size_t n;               /* of them; 0: nothing is in flight */
    rp_status status;       /* of the launch */
    rp_fallback why;        /* what the row says of a failure; NONE: what the device says */
    rp__launch_lists lists;
    void *own; /* the row's, in the arena */
} rp__flight;

/* Queries of one row, in their order: those before `next` are in flight, or answered. */
typedef struct rp__exec_queue {
    rp__batch_item **items; /* in the arena */
    size_t n, next;
    uint64_t elements; /* postings of the shortest lists of all that were added */
    size_t
        fits; /* how many a launch may have, by what fitted lately; 0: as many as the row takes */
} rp__exec_queue;

typedef struct rp__exec {
    rp__device *device; /* this thread's */
    const rp__gpu_index *index;
    rp__device_norms norms;
    rp__flight lanes[RP_LANES];
    rp__fused_and ands, phrases;
    rp__fused_or ors;
    rp__fused_single single;
    rp__para_launch para;
    rp__operators operators;
    /* from begin to collect */
    rp__arena *arena;
    size_t max;      /* queries that may be added */
    bool in_group;   /* they are a group's, even if there is one alone */
    rp_fallback why; /* none of them can be answered */
    bool has_stops;  /* some may be stopped on their way */
    rp__exec_queue queues[RP_LAUNCHES];
    rp__batch_item *first;      /* with which all work is counted */
    const rp__query *prototype; /* all are like it, but for their terms */
    rp_gpu_counters before;     /* the device's, when they began */
    uint64_t start_ns;          /* from handing launches to the card's queue until it had them */
    rp__batch_item one;         /* of start and finish */
} rp__exec;

/* Nothing is allocated before the first query. The device and the index stay the caller's. */
void rp__exec_open(rp__exec *exec, rp__device *device, const rp__gpu_index *index);
void rp__exec_close(rp__exec *exec); /* on the device's thread; all zero is fine */

/* Up to `max` queries; memory for them and their answers is the arena's until they are
 * collected. */
void rp__exec_begin(rp__exec *exec, size_t max, bool in_group, rp__arena *arena);
/* The item stays the caller's, at its place. Its status says whether it is refused. */
void rp__exec_add(rp__exec *exec, rp__batch_item *item);
/* Gives to the device what can go at once; waits for nothing but for lists that are brought. */
void rp__exec_launch(rp__exec *exec);
/* Whether collect would not wait. */
bool rp__exec_is_done(rp__exec *exec);
/* Waits, and answers all, or says why not. */
void rp__exec_collect(rp__exec *exec);
/* After the guard has left: what the queries had is given back. */
void rp__exec_abandon(rp__exec *exec);

/* One query, as rp__backend's run: in two halves, so that several cards may work at a time, or at
 * once. Of a query that was not started there is nothing to finish; one that was may be left so. */
rp_status rp__exec_start(rp__exec *exec, const rp__query *query, rp__arena *arena, rp_error *err);
rp_status rp__exec_finish(rp__exec *exec, rp__answer *answer, rp_error *err);
rp_status rp__exec_run(rp__exec *exec, const rp__query *query, rp__arena *arena, rp__answer *answer,
                       rp_error *err);
/* What the last query of start cost so far, and why it failed. */
void rp__exec_tell(const rp__exec *exec, rp__answer *answer);

/* For rows. The query is not answered, for this reason; NONE: it is. */
void rp__exec_refuse(rp__batch_item *item, rp_fallback why);
/* The arena is full; RP_NO_MEMORY. */
rp_status rp__exec_no_memory(rp__flight *flight);

#endif
