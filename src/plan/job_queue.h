/* plan/job_queue.h: jobs that wait, in the order that a policy gave them.
 *
 * Two heaps over the same jobs: one by key, one by the time at which a job becomes urgent. A job is
 * a member of at most one queue. Room is made when the queue is, so nothing that is done to a queue
 * can fail. */
#ifndef RP_PLAN_JOB_QUEUE_H
#define RP_PLAN_JOB_QUEUE_H

#include "plan/policy.h"
#include "riposte/status.h"

enum { RP_JOB_BY_KEY, RP_JOB_BY_URGENCY, RP_JOB_ORDERS };

/* What a queue needs of a job; part of whatever a job is. */
typedef struct rp__waiting {
    rp__policy_job job;
    rp__policy_seat seat;
    uint64_t number;          /* of equal keys, the lower one is first */
    size_t at[RP_JOB_ORDERS]; /* its places in the heaps */
} rp__waiting;

typedef struct rp__job_queue {
    rp__waiting **heaps[RP_JOB_ORDERS];
    size_t n, room;
    rp__policy_queue sums; /* kept up to date; but for its heads, what a policy sees */
} rp__job_queue;

rp_status rp__job_queue_init(rp__job_queue *queue, size_t room);
void rp__job_queue_free(rp__job_queue *queue);

void rp__job_queue_put(rp__job_queue *queue, rp__waiting *job); /* there must be room */
void rp__job_queue_remove(rp__job_queue *queue, rp__waiting *job);
/* The first one, in one of the orders; NULL: it is empty. */
rp__waiting *rp__job_queue_first(const rp__job_queue *queue, int order);
void rp__job_queue_look(const rp__job_queue *queue, rp__policy_queue *out);

#endif
