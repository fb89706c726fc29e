/* policy_split.c: the card intersects what every match of a tree, a phrase or a NOT query has, and a core answers the query
 * from the documents that are left. All other queries are placed as by `auto`; but nobody takes what waits for the other. */
#include "plan/policy.h"

static rp__policy_seat seat(const rp__policy_view *view, const rp__policy_job *job)
{
    if (!view->has_card || job->meet_ns == 0)
        return rp__policy_auto_row.seat(view, job);
    rp__policy_seat at =
        rp__policy_sit(RP_QUEUE_GPU, job, "the card intersects, a core does the rest");
    at.splits = true;
    return at;
}

const rp__policy rp__policy_split_row = {
    .name = "split",
    .help = "as auto; of trees, phrases and NOT queries the card intersects what every match has",
    .batches = true,
    .needs_card = true,
    .splits = true,
    .seat = seat,
    .take = rp__policy_take_own,
};
