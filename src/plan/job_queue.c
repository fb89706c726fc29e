/* job_queue.c: two binary heaps over the same jobs, each of which knows its places. */
#include "plan/job_queue.h"

#include "base/alloc.h"

rp_status rp__job_queue_init(rp__job_queue *queue, size_t room)
{
    *queue = (rp__job_queue){.room = room};
    for (int o = 0; o < RP_JOB_ORDERS; o++) {
        queue->heaps[o] = rp__alloc_array(room, sizeof *queue->heaps[o]);
        if (!queue->heaps[o]) {
            rp__job_queue_free(queue);
            return RP_NO_MEMORY;
        }
    }
    return RP_OK;
}

void rp__job_queue_free(rp__job_queue *queue)
{
    for (int o = 0; o < RP_JOB_ORDERS; o++)
        rp__free(queue->heaps[o]);
    *queue = (rp__job_queue){0};
}

static bool is_before(const rp__waiting *a, const rp__waiting *b, int order)
{
    const uint64_t x = order == RP_JOB_BY_KEY ? a->seat.key : a->seat.urgent;
    const uint64_t y = order == RP_JOB_BY_KEY ? b->seat.key : b->seat.urgent;
    return x != y ? x < y : a->number < b->number;
}

static void set(rp__job_queue *queue, int order, size_t at, rp__waiting *job)
{
    queue->heaps[order][at] = job;
    job->at[order] = at;
}

static void climb(rp__job_queue *queue, int order, size_t at, rp__waiting *job)
{
    rp__waiting **heap = queue->heaps[order];
    for (; at > 0 && is_before(job, heap[(at - 1) / 2], order); at = (at - 1) / 2)
        set(queue, order, at, heap[(at - 1) / 2]);
    set(queue, order, at, job);
}

static void sink(rp__job_queue *queue, int order, size_t at, rp__waiting *job)
{
    rp__waiting **heap = queue->heaps[order];
    for (size_t child; (child = 2 * at + 1) < queue->n; at = child) {
        if (child + 1 < queue->n && is_before(heap[child + 1], heap[child], order))
            child++;
        if (!is_before(heap[child], job, order))
            break;
        set(queue, order, at, heap[child]);
    }
    set(queue, order, at, job);
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

void rp__job_queue_put(rp__job_queue *queue, rp__waiting *job)
{
    for (int o = 0; o < RP_JOB_ORDERS; o++)
        climb(queue, o, queue->n, job);
    queue->n++;
    count(&queue->sums, &job->job, true);
}

void rp__job_queue_remove(rp__job_queue *queue, rp__waiting *job)
{
    queue->n--;
    for (int o = 0; o < RP_JOB_ORDERS; o++) {
        rp__waiting *last = queue->heaps[o][queue->n];
        const size_t at = job->at[o];
        if (last == job)
            continue;
        if (at > 0 && is_before(last, queue->heaps[o][(at - 1) / 2], o))
            climb(queue, o, at, last);
        else
            sink(queue, o, at, last);
    }
    count(&queue->sums, &job->job, false);
}

rp__waiting *rp__job_queue_first(const rp__job_queue *queue, int order)
{
    return queue->n > 0 ? queue->heaps[order][0] : NULL;
}

void rp__job_queue_look(const rp__job_queue *queue, rp__policy_queue *out)
{
    static const rp__policy_queue nothing = {.head_key = RP_POLICY_NEVER,
                                             .head_cpu_ns = RP_POLICY_NEVER,
                                             .head_gpu_ns = RP_POLICY_NEVER,
                                             .head_urgent = RP_POLICY_NEVER,
                                             .head_deadline = RP_POLICY_NEVER,
                                             .first_urgent = RP_POLICY_NEVER};
    if (queue->n == 0) {
        *out = nothing;
        return;
    }
    const rp__waiting *head = rp__job_queue_first(queue, RP_JOB_BY_KEY);
    const rp__waiting *urgent = rp__job_queue_first(queue, RP_JOB_BY_URGENCY);
    *out = queue->sums;
    out->n = (uint32_t)queue->n;
    out->head_key = head ? head->seat.key : RP_POLICY_NEVER;
    out->head_cpu_ns = head ? head->job.cpu_ns : RP_POLICY_NEVER;
    out->head_gpu_ns = head ? head->job.gpu_ns : RP_POLICY_NEVER;
    out->head_deadline = head ? head->job.deadline : RP_POLICY_NEVER;
    out->head_urgent = head ? head->seat.urgent : RP_POLICY_NEVER;
    out->first_urgent = urgent ? urgent->seat.urgent : RP_POLICY_NEVER;
}
