/* policy_auto.c: least expected completion time, counting what waits and what the host spends to feed the card.
 *
 * A card that is busy takes what has gathered as one batch, so a job that waits for it costs its share of a batch and
 * one start of a batch. Whoever is free takes jobs of the other where that ends them sooner than waiting. A job that
 * cannot end before its deadline is refused when it arrives. Under overload, jobs that cost most are refused first.
 *
 * Under a long backlog what counts is no longer when this job ends but how soon all do: then a job goes where the time that
 * it takes, weighed by how long others wait for it there, is least. That is MaxWeight, which keeps up with any rate that a
 * policy can keep up with (Tassiulas and Ephremides 1992). While cores have nothing to wait for, weights say nothing of
 * them: then a job that waits for the card and still ends sooner there stays with it. */
#include "plan/policy.h"

enum {
    LONG_NS = 200000, /* of waiting: a backlog */
    UNIT = 1024,      /* of shares */
};
static const uint64_t LEFT_MOST = (uint64_t)1 << 40; /* nanoseconds, so that products fit */

static uint64_t cores_wait(const rp__policy_view *view)
{
    const uint64_t rest = view->cores_ns + view->queues[RP_QUEUE_CPU].cpu_ns;
    return view->busy_cores < view->cores && view->queues[RP_QUEUE_CPU].n == 0 ? 0
                                                                               : rest / view->cores;
}

/* What a job takes of the card's time: its share of a batch, and of the batch's start as much as it fills of it. */
static uint64_t card_share(const rp__policy_view *view, const rp__policy_job *job)
{
    const uint64_t most = view->elements;
    const uint64_t start = job->gpu_ns > job->batch_ns ? job->gpu_ns - job->batch_ns : 0;
    return job->batch_ns + start * (job->shortest < most ? job->shortest : most) / most;
}

/* A card that is late is likely to be so for as long again. An idle one takes what comes, unless it is stuck. */
static uint64_t card_lateness(const rp__policy_view *view)
{
    const rp__policy_queue *gpu = &view->queues[RP_QUEUE_GPU];
    if (view->is_busy_card || gpu->n == 0)
        return view->card_late_ns;
    return view->now > gpu->head_key ? view->now - gpu->head_key : 0;
}

/* With the starts of batches that are full. */
static uint64_t card_wait(const rp__policy_view *view)
{
    const rp__policy_queue *gpu = &view->queues[RP_QUEUE_GPU];
    const uint64_t starts =
        gpu->n > 0 && gpu->gpu_ns > gpu->batch_ns ? (gpu->gpu_ns - gpu->batch_ns) / gpu->n : 0;
    return view->card_ns + card_lateness(view) + gpu->batch_ns +
           starts * (gpu->elements / view->elements);
}

/* Microseconds, so that products fit. */
static uint64_t weigh(uint64_t ns, uint64_t wait_ns)
{
    const uint64_t most = (uint64_t)1 << 40;
    return (ns < most ? ns : most) * (wait_ns / 1000 < 1 << 20 ? wait_ns / 1000 : 1 << 20);
}

/* Whether the card is to have a job under a backlog: cores are many, so the time of one of them is divided. */
static bool weighs_less_on_card(const rp__policy_view *view, const rp__policy_job *job)
{
    const uint64_t cores = cores_wait(view), card = card_wait(view);
    return weigh(card_share(view, job), card) + weigh(job->feed_ns / view->cores, cores) <
           weigh(job->cpu_ns / view->cores, cores);
}

static rp__policy_seat choose(const rp__policy_view *view, const rp__policy_job *job)
{
    const uint64_t cores = cores_wait(view), card = card_wait(view);
    if (!rp__policy_suits_card(view, job))
        return rp__policy_sit(RP_QUEUE_CPU, job, rp__policy_why_no_card(view));
    const bool is_sooner_on_card = card + job->gpu_ns + job->feed_ns < cores + job->cpu_ns;
    const bool has_backlog = cores > LONG_NS || (card > LONG_NS && !is_sooner_on_card);
    if (has_backlog)
        return weighs_less_on_card(view, job)
                   ? rp__policy_sit(RP_QUEUE_GPU, job, "much waits, and the card does it for less")
                   : rp__policy_sit(RP_QUEUE_CPU, job, "much waits, and a core does it for less");
    return is_sooner_on_card
               ? rp__policy_sit(RP_QUEUE_GPU, job, "the card is likely to end it sooner")
               : rp__policy_sit(RP_QUEUE_CPU, job, "a core is likely to end it sooner");
}

/* All of a batch end together. So one more must not make the first that waits for the card late, either. */
static bool ends_in_time(const rp__policy_view *view, const rp__policy_job *job,
                         rp__policy_queue_kind queue)
{
    const uint64_t first = view->queues[RP_QUEUE_GPU].head_deadline;
    if (queue != RP_QUEUE_GPU)
        return view->now + cores_wait(view) + job->cpu_ns <= job->deadline;
    return view->now + card_wait(view) + job->gpu_ns + job->feed_ns <=
           (view->queues[RP_QUEUE_GPU].n > 0 && first < job->deadline ? first : job->deadline);
}

/* ---- Admission ------------------------------------------------------------------------------- */

/* Of UNIT; at most UNIT. */
static uint64_t share_of(uint64_t part, uint64_t whole)
{
    return part < whole ? UNIT * part / whole : UNIT;
}

/* The most that a job may cost a queue that others wait in. The fuller the queues are, by the time that is left or by
 * the room, the less it is: so the fewest are refused. A job of the mean cost at which a full queue takes just the
 * time that is left is refused from one half on. While there is much room, cores take all that they end in time. */
static uint64_t most_worth(const rp__policy_view *view, uint64_t left, bool is_card)
{
    const uint64_t room = view->max_queued;
    const uint64_t wait = share_of(is_card ? card_wait(view) : cores_wait(view), left);
    uint64_t n = 0;
    for (int q = 0; q < RP_QUEUES; q++)
        n += view->queues[q].n;
    const uint64_t filled = share_of(n, room), full = filled > wait ? filled : wait;
    const uint64_t mean = (is_card ? 1 : view->cores) * left / room;
    const uint64_t worth = mean * (UNIT - full) / (full ? full : 1);
    const uint64_t used = is_card ? full : filled;
    if (2 * used >= UNIT)
        return worth;
    const uint64_t spare = UNIT - 2 * used, cube = spare * spare / UNIT * spare / UNIT;
    return worth + left / UNIT * cube * (UNIT - wait) / UNIT;
}

static bool is_worth_it(const rp__policy_view *view, const rp__policy_job *job,
                        rp__policy_queue_kind queue)
{
    const bool is_card = queue == RP_QUEUE_GPU;
    const uint64_t left = job->deadline - view->now; /* it ends in time, so there is some */
    return view->queues[queue].n == 0 ||
           (is_card ? card_share(view, job) : job->cpu_ns) <=
               most_worth(view, left < LEFT_MOST ? left : LEFT_MOST, is_card);
}

/* A core without work may try what is likely to take it a little too long: estimates are not exact. */
static bool may_try(const rp__policy_view *view, const rp__policy_job *job)
{
    const bool names_wait = view->has_card && view->busy_cores + 1 >= view->cores;
    return cores_wait(view) == 0 && !names_wait && view->now < job->deadline &&
           job->cpu_ns / 2 <= job->deadline - view->now;
}

static rp__policy_seat seat(const rp__policy_view *view, const rp__policy_job *job)
{
    const rp__policy_seat at = choose(view, job);
    if (job->deadline == RP_POLICY_NEVER ||
        (ends_in_time(view, job, at.queue) && is_worth_it(view, job, at.queue)))
        return at;
    if (at.queue == RP_QUEUE_GPU && ends_in_time(view, job, RP_QUEUE_CPU) &&
        is_worth_it(view, job, RP_QUEUE_CPU))
        return rp__policy_sit(RP_QUEUE_CPU, job, "the card would not end it in time");
    if (may_try(view, job))
        return rp__policy_sit(RP_QUEUE_CPU, job, "a core is idle and may end it in time");
    return ends_in_time(view, job, at.queue)
               ? rp__policy_sit(RP_QUEUE_NONE, job, "much waits, and it costs more than others")
               : rp__policy_sit(RP_QUEUE_NONE, job, "it cannot end before its deadline");
}

/* ---- Who takes what -------------------------------------------------------------------------- */

/* A core helps the card with what it ends before the card would begin it. */
static bool core_helps(const rp__policy_view *view)
{
    const rp__policy_queue *gpu = &view->queues[RP_QUEUE_GPU];
    return gpu->n > 0 && view->is_busy_card && gpu->head_cpu_ns < card_wait(view);
}

static bool card_helps(const rp__policy_view *view)
{
    const rp__policy_queue *cpu = &view->queues[RP_QUEUE_CPU];
    return cpu->n > 0 && cpu->head_gpu_ns < cores_wait(view);
}

static rp__policy_take take(const rp__policy_view *view, bool is_card)
{
    const rp__policy_take own = rp__policy_take_own(view, is_card);
    if (own.queue != RP_QUEUE_NONE)
        return own;
    if (is_card ? card_helps(view) : core_helps(view))
        return (rp__policy_take){.queue = is_card ? RP_QUEUE_CPU : RP_QUEUE_GPU};
    return own;
}

const rp__policy rp__policy_auto_row = {
    .name = "auto",
    .help = "whichever is likely to end the query sooner, with what waits before it",
    .batches = true,
    .seat = seat,
    .take = take,
};
