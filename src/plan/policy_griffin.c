/* policy_griffin.c: Griffin's rule: an intersection is the card's while the longer list is less than 128 times as long
 * as the shorter one. Here that is decided once, by the two shortest lists: a query does not move after an
 * intersection. */
#include "plan/policy.h"

enum { RATIO = 128 };

static rp__policy_seat seat(const rp__policy_view *view, const rp__policy_job *job)
{
    if (!rp__policy_suits_card(view, job))
        return rp__policy_sit(RP_QUEUE_CPU, job, "the card does not answer such a query");
    return job->second / RATIO < job->shortest
               ? rp__policy_sit(RP_QUEUE_GPU, job, "the second list is less than 128 times as long")
               : rp__policy_sit(RP_QUEUE_CPU, job, "the second list is 128 times as long or more");
}

const rp__policy rp__policy_griffin_row = {
    .name = "griffin",
    .paper = "Liu et al. 2018",
    .help = "the card, where the second list is less than 128 times as long as the shortest",
    .needs_card = true,
    .seat = seat,
    .take = rp__policy_take_own,
};
