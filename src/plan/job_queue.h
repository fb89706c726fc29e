/* plan/job_queue.h: jobs that wait, in the order that a policy gave them.
 *
 * Two orders over the same jobs: by key, and by the time at which a job becomes urgent, if it ever
 * does. Each is a sorted array that has the keys itself, so jobs of other threads are not looked
 * at. Jobs mostly come in the order of their keys and leave from the front: that takes the same
 * time however many wait; any other takes time by their number. A job is a member of at most one
 * queue. Room is made when the queue is, so nothing that is done to a queue can fail. */
#ifndef RP_PLAN_JOB_QUEUE_H
#define RP_PLAN_JOB_QUEUE_H

#include "plan/policy.h"
#include "riposte/status.h"

enum { RP_JOB_BY_KEY, RP_JOB_BY_URGENCY, RP_JOB_ORDERS };

/* What a queue needs of a job; part of whatever a job is. */
typedef struct rp__waiting {
    rp__policy_job job;
    rp__policy_seat seat;
    uint64_t number; /* of equal keys, the lower one is first */
} rp__waiting;

/* With what a policy sees of a queue's first job: jobs themselves were written by other cores. */
typedef struct rp__job_place {
    uint64_t key, number;
    rp__waiting *job;
    uint64_t cpu_ns, gpu_ns, deadline, urgent; /* of the job */
} rp__job_place;

/* Those from begin on, n of them. */
typedef struct rp__job_order {
    rp__job_place *at;
    size_t begin, n;
} rp__job_order;

typedef struct rp__job_queue {
    rp__job_order orders[RP_JOB_ORDERS];
    size_t room;           /* of each order is twice that, so that jobs seldom move */
    rp__policy_queue sums; /* kept up to date; but for its heads, what a policy sees */
} rp__job_queue;

rp_status rp__job_queue_init(rp__job_queue *queue, size_t room);
void rp__job_queue_free(rp__job_queue *queue);

void rp__job_queue_put(rp__job_queue *queue, rp__waiting *job); /* there must be room */
void rp__job_queue_remove(rp__job_queue *queue, rp__waiting *job);
/* The first one, in one of the orders; NULL: the queue is empty. Where none becomes urgent, both
 * orders are the same. */
rp__waiting *rp__job_queue_first(const rp__job_queue *queue, int order);
/* By key, the one that will be first once so many have left; NULL: there are not so many. */
rp__waiting *rp__job_queue_soon(const rp__job_queue *queue, size_t ahead);
void rp__job_queue_look(const rp__job_queue *queue, rp__policy_queue *out);

#endif
