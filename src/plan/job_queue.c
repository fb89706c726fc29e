/* job_queue.c: two sorted arrays over the same jobs. */
#include "plan/job_queue.h"

#include <string.h>

#include "base/alloc.h"

rp_status rp__job_queue_init(rp__job_queue *queue, size_t room)
{
    *queue = (rp__job_queue){.room = room};
    for (int o = 0; o < RP_JOB_ORDERS; o++) {
        queue->orders[o].at = rp__alloc_array(2 * room, sizeof *queue->orders[o].at);
        if (!queue->orders[o].at) {
            rp__job_queue_free(queue);
            return RP_NO_MEMORY;
        }
    }
    return RP_OK;
}

void rp__job_queue_free(rp__job_queue *queue)
{
    for (int o = 0; o < RP_JOB_ORDERS; o++)
        rp__free(queue->orders[o].at);
    *queue = (rp__job_queue){0};
}

static uint64_t key_of(const rp__waiting *job, int order)
{
    return order == RP_JOB_BY_KEY ? job->seat.key : job->seat.urgent;
}

static bool is_before(const rp__job_place *a, const rp__job_place *b)
{
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

/* How many of an order are before it. */
static size_t find_place(const rp__job_order *order, const rp__job_place *place)
{
    const rp__job_place *at = order->at + order->begin;
    size_t low = 0, high = order->n;
    if (order->n == 0 || !is_before(at, place))
        return 0;
    if (is_before(&at[order->n - 1], place))
        return order->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(&at[middle], place))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void move(rp__job_order *order, size_t to, size_t from, size_t n)
{
    memmove(order->at + to, order->at + from, n * sizeof *order->at);
}

static void put(rp__job_order *order, size_t room, rp__job_place place)
{
    const size_t before = find_place(order, &place);
    if (order->begin + order->n == 2 * room) { /* at least half of it is free */
        move(order, 0, order->begin, order->n);
        order->begin = 0;
    }
    if (before < order->n / 2 && order->begin > 0) {
        move(order, order->begin - 1, order->begin, before);
        order->begin--;
    } else {
        move(order, order->begin + before + 1, order->begin + before, order->n - before);
    }
    order->at[order->begin + before] = place;
    order->n++;
}

static void take_out(rp__job_order *order, rp__job_place place)
{
    const size_t before = find_place(order, &place);
    if (before < order->n / 2 || before == 0) {
        move(order, order->begin + 1, order->begin, before);
        order->begin++;
    } else {
        move(order, order->begin + before, order->begin + before + 1, order->n - before - 1);
    }
    if (--order->n == 0)
        order->begin = 0; /* the same lines of a cache again */
}

static void count(rp__policy_queue *sums, const rp__policy_job *job, bool comes)
{
    const uint64_t sign = comes ? 1 : UINT64_MAX; /* -1, by wrapping */
    sums->cpu_ns += sign * job->cpu_ns;
    if (job->gpu_ns == RP_POLICY_NEVER)
        return;
    sums->gpu_ns += sign * job->gpu_ns;
    sums->batch_ns += sign * job->batch_ns;
    sums->elements += sign * job->shortest;
}

/* Whether an order has the job. */
static bool has_place(const rp__waiting *job, int order)
{
    return order == RP_JOB_BY_KEY || job->seat.urgent != RP_POLICY_NEVER;
}

static rp__job_place place_of(rp__waiting *job, int order)
{
    const rp__policy_job *own = &job->job;
    return (rp__job_place){.key = key_of(job, order),
                           .number = job->number,
                           .job = job,
                           .cpu_ns = own->cpu_ns,
                           .gpu_ns = own->gpu_ns,
                           .deadline = own->deadline,
                           .urgent = job->seat.urgent};
}

void rp__job_queue_put(rp__job_queue *queue, rp__waiting *job)
{
    for (int o = 0; o < RP_JOB_ORDERS; o++)
        if (has_place(job, o))
            put(&queue->orders[o], queue->room, place_of(job, o));
    count(&queue->sums, &job->job, true);
}

void rp__job_queue_remove(rp__job_queue *queue, rp__waiting *job)
{
    for (int o = 0; o < RP_JOB_ORDERS; o++)
        if (has_place(job, o))
            take_out(&queue->orders[o], place_of(job, o));
    count(&queue->sums, &job->job, false);
}

rp__waiting *rp__job_queue_first(const rp__job_queue *queue, int order)
{
    const bool has_any = queue->orders[order].n > 0;
    const rp__job_order *o = &queue->orders[has_any ? order : RP_JOB_BY_KEY];
    return o->n > 0 ? o->at[o->begin].job : NULL;
}

rp__waiting *rp__job_queue_soon(const rp__job_queue *queue, size_t ahead)
{
    const rp__job_order *o = &queue->orders[RP_JOB_BY_KEY];
    return ahead < o->n ? o->at[o->begin + ahead].job : NULL;
}

void rp__job_queue_look(const rp__job_queue *queue, rp__policy_queue *out)
{
    static const rp__policy_queue nothing = {.head_key = RP_POLICY_NEVER,
                                             .head_cpu_ns = RP_POLICY_NEVER,
                                             .head_gpu_ns = RP_POLICY_NEVER,
                                             .head_urgent = RP_POLICY_NEVER,
                                             .head_deadline = RP_POLICY_NEVER,
                                             .first_urgent = RP_POLICY_NEVER};
    const rp__job_order *keys = &queue->orders[RP_JOB_BY_KEY];
    const rp__job_order *urgent = &queue->orders[RP_JOB_BY_URGENCY];
    if (keys->n == 0) {
        *out = nothing;
        return;
    }
    const rp__job_place *head = &keys->at[keys->begin];
    *out = queue->sums;
    out->n = (uint32_t)keys->n;
    out->head_key = head->key;
    out->head_cpu_ns = head->cpu_ns;
    out->head_gpu_ns = head->gpu_ns;
    out->head_deadline = head->deadline;
    out->head_urgent = head->urgent;
    out->first_urgent = urgent->n > 0 ? urgent->at[urgent->begin].key : head->urgent;
}
