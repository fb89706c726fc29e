/* policy_griffin.c: Griffin's rule: an intersection is the card's while the longer list is less than 128 times as long
 * as the shorter one.
 *
 * The first intersection decides where a query waits. After each one the rule is applied to the candidates that are left
 * and the next list. Candidates become fewer and lists longer, so a query that has left the card stays on a core, unless
 * the view allows the way back. */
#include "plan/policy.h"

enum { RATIO = 128 };

static bool is_for_card(const rp__policy_view *view, uint64_t shorter, uint64_t longer)
{
    return longer / (view->ratio ? view->ratio : RATIO) < shorter;
}

static rp__policy_seat seat(const rp__policy_view *view, const rp__policy_job *job)
{
    if (!rp__policy_suits_card(view, job))
        return rp__policy_sit(RP_QUEUE_CPU, job, rp__policy_why_no_card(view));
    return is_for_card(view, job->shortest, job->second)
               ? rp__policy_sit(RP_QUEUE_GPU, job, "the second list is not much longer")
               : rp__policy_sit(RP_QUEUE_CPU, job, "the second list is much longer");
}

static rp__policy_way step(const rp__policy_view *view, const rp__policy_job *job,
                           const rp__policy_step *at)
{
    (void)job;
    const bool suits = is_for_card(view, at->candidates, at->next);
    if (at->left == 0 || (!at->on_card && !view->goes_back))
        return RP_WAY_REST;
    if (suits != at->on_card)
        return RP_WAY_MOVE;
    return at->left == 1 ? RP_WAY_REST : RP_WAY_NEXT;
}

const rp__policy rp__policy_griffin_row = {
    .name = "griffin",
    .paper = "Liu et al. 2018",
    .help = "the card, while the next list has under 128 postings for each candidate; then a core",
    .needs_card = true,
    .takes_algorithms = true,
    .seat = seat,
    .take = rp__policy_take_own,
    .step = step,
};
