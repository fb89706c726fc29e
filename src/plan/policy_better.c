/* policy_better.c: each query on the better processor, one query in the whole system at a time (the third
 * configuration of Ding's Figure 7). */
#include "plan/policy.h"

static rp__policy_seat seat(const rp__policy_view *view, const rp__policy_job *job)
{
    const bool is_for_card = rp__policy_suits_card(view, job) && job->gpu_ns < job->cpu_ns;
    return is_for_card ? rp__policy_sit(RP_QUEUE_GPU, job, "the card is likely to be faster")
                       : rp__policy_sit(RP_QUEUE_CPU, job, "a core is likely to be faster");
}

/* Whoever has the oldest job, and only once nothing is running. */
static rp__policy_take take(const rp__policy_view *view, bool is_card)
{
    const rp__policy_queue *cpu = &view->queues[RP_QUEUE_CPU], *gpu = &view->queues[RP_QUEUE_GPU];
    const bool is_cards_turn = gpu->n > 0 && (cpu->n == 0 || gpu->head_key < cpu->head_key);
    if (view->busy_cores > 0 || view->is_busy_card || is_card != is_cards_turn)
        return (rp__policy_take){.queue = RP_QUEUE_NONE};
    return rp__policy_take_own(view, is_card);
}

const rp__policy rp__policy_better_row = {
    .name = "better",
    .paper = "Ding et al. 2009",
    .help = "the processor that is likely to be faster, one query in the whole system at a time",
    .needs_card = true,
    .seat = seat,
    .take = take,
};
