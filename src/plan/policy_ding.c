/* policy_ding.c: Ding's schedulers of whole queries: three groups by the ratio of estimates; stealing; and shortest
 * first with regard to deadlines.
 *
 * The paper leaves two numbers open. "Much more suitable" is MUCH times as fast here, and a job approaches its
 * deadline once half of its time has passed. */
#include "plan/policy.h"

enum { MUCH = 2 };

static rp__policy_queue_kind group_of(const rp__policy_view *view, const rp__policy_job *job)
{
    if (!rp__policy_suits_card(view, job) || job->cpu_ns < job->gpu_ns / MUCH)
        return RP_QUEUE_CPU;
    return job->gpu_ns < job->cpu_ns / MUCH ? RP_QUEUE_GPU : RP_QUEUE_ANY;
}

static const char *const reasons[RP_QUEUES] = {
    [RP_QUEUE_CPU] = "a core is likely to be much faster",
    [RP_QUEUE_ANY] = "whichever is free first",
    [RP_QUEUE_GPU] = "the card is likely to be much faster",
};

static rp__policy_seat seat(const rp__policy_view *view, const rp__policy_job *job)
{
    const rp__policy_queue_kind group = group_of(view, job);
    return rp__policy_sit(group, job, reasons[group]);
}

/* Its own group, then the third. */
static rp__policy_take take(const rp__policy_view *view, bool is_card)
{
    const rp__policy_take own = rp__policy_take_own(view, is_card);
    return own.queue != RP_QUEUE_NONE ? own : rp__policy_take_from(view, RP_QUEUE_ANY);
}

/* From a processor that is busy, and for the card nothing that it would refuse. */
static rp__policy_take steal(const rp__policy_view *view, bool is_card)
{
    const rp__policy_take own = take(view, is_card);
    const rp__policy_queue_kind others = is_card ? RP_QUEUE_CPU : RP_QUEUE_GPU;
    const bool can = is_card ? view->busy_cores == view->cores &&
                                   view->queues[others].head_gpu_ns != RP_POLICY_NEVER
                             : view->is_busy_card || !view->has_card;
    return own.queue != RP_QUEUE_NONE || !can ? own : rp__policy_take_from(view, others);
}

static rp__policy_seat seat_shortest(const rp__policy_view *view, const rp__policy_job *job)
{
    rp__policy_seat at = seat(view, job);
    if (at.queue == RP_QUEUE_CPU)
        at.key = job->cpu_ns;
    else if (at.queue == RP_QUEUE_GPU)
        at.key = job->gpu_ns;
    if (job->deadline != RP_POLICY_NEVER)
        at.urgent = job->arrived + (job->deadline - job->arrived) / 2;
    return at;
}

/* A job that approaches its deadline is for its preferred processor. So what would do so while the other one has it is
 * not stolen. */
static bool is_in_time(const rp__policy_view *view, bool is_card)
{
    const rp__policy_queue *queue = &view->queues[is_card ? RP_QUEUE_CPU : RP_QUEUE_GPU];
    const uint64_t left = queue->head_urgent > view->now ? queue->head_urgent - view->now : 0;
    return !view->has_card || (is_card ? queue->head_gpu_ns : queue->head_cpu_ns) <= left;
}

static rp__policy_take take_urgent(const rp__policy_view *view, bool is_card)
{
    const rp__policy_queue_kind own = is_card ? RP_QUEUE_GPU : RP_QUEUE_CPU;
    const rp__policy_queue_kind queues[] = {own, RP_QUEUE_ANY};
    for (int i = 0; i < 2; i++)
        if (view->queues[queues[i]].n > 0 && view->queues[queues[i]].first_urgent <= view->now)
            return (rp__policy_take){.queue = queues[i], .is_urgent = true};
    return is_in_time(view, is_card) ? steal(view, is_card) : take(view, is_card);
}

const rp__policy rp__policy_ding_queues_row = {
    .name = "ding-queues",
    .paper = "Ding et al. 2009",
    .help = "three groups: much faster on a core, much faster on the card, and the rest for "
            "whichever is free",
    .needs_card = true,
    .seat = seat,
    .take = take,
};

const rp__policy rp__policy_ding_steal_row = {
    .name = "ding-steal",
    .paper = "Ding et al. 2009",
    .help = "ding-queues, and who has nothing to do takes a job of the other",
    .needs_card = true,
    .seat = seat,
    .take = steal,
};

const rp__policy rp__policy_ding_deadline_row = {
    .name = "ding-deadline",
    .paper = "Ding et al. 2009",
    .help = "ding-steal, shortest first, but first of all what has used up half of its time",
    .needs_card = true,
    .seat = seat_shortest,
    .take = take_urgent,
};
