/* policy_cpu.c: every query on the cores. */
#include "plan/policy.h"

static rp__policy_seat seat(const rp__policy_view *view, const rp__policy_job *job)
{
    (void)view;
    return rp__policy_sit(RP_QUEUE_CPU, job, "the cores answer all");
}

const rp__policy rp__policy_cpu_row = {
    .name = "cpu",
    .help = "the cores answer all, in the order of arrival",
    .seat = seat,
    .take = rp__policy_take_own,
};
