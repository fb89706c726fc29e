/* policy_share.c: one query on the card and on cores at once: each has a range of docids, cut so that they are likely to end
 * together. Cores that are idle take part, and one that is not where all are busy. A query that the card prunes only as
 * a whole is not cut between them: the card answers it, or the cores by ranges, whichever is likely to end sooner. */
#include "plan/policy.h"

enum { CORES_MAX = 8 };

static rp__policy_seat seat(const rp__policy_view *view, const rp__policy_job *job)
{
    if (!rp__policy_suits_card(view, job))
        return rp__policy_sit(RP_QUEUE_CPU, job, rp__policy_why_no_card(view));
    const uint32_t idle = view->cores > view->busy_cores ? view->cores - view->busy_cores : 1;
    const uint32_t cores = idle < CORES_MAX ? idle : CORES_MAX;
    const bool cores_win = cores > 1 && job->cpu_ns / cores < job->gpu_ns;
    if (job->prunes_whole && !cores_win)
        return rp__policy_sit(RP_QUEUE_GPU, job, "the card prunes it as a whole");
    const char *reason =
        job->prunes_whole ? "cores share its documents" : "the card and cores share its documents";
    rp__policy_seat at =
        rp__policy_sit(job->prunes_whole ? RP_QUEUE_CPU : RP_QUEUE_GPU, job, reason);
    at.cores = cores;
    if (job->prunes_whole)
        return at;
    /* cores / cpu_ns : 1 / gpu_ns */
    at.card_share = (uint32_t)(RP_SHARE_UNIT * job->cpu_ns / (job->cpu_ns + cores * job->gpu_ns));
    return at;
}

const rp__policy rp__policy_share_row = {
    .name = "share",
    .help =
        "the card and idle cores at once, each a range of docids, cut by what it is likely to cost",
    .needs_card = true,
    .shares = true,
    .seat = seat,
    .take = rp__policy_take_own,
};
