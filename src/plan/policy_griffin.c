/* policy_griffin.c: Griffin's rule: an intersection is the card's while the longer list is less than 128 times as long
 * as the shorter one; decided again after each, and once the host has a query it keeps it. */
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
    .help = "the card while the next list is less than 128 times as long as the candidates, then "
            "a core",
    .needs_card = true,
    .move_ratio = RATIO,
    .seat = seat,
    .take = rp__policy_take_own,
};
