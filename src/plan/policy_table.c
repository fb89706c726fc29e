/* policy_table.c: the policies, one row each, and what rows share. */
#include <string.h>

#include "plan/policy.h"

static const rp__policy *const rows[] = {
    &rp__policy_auto_row,       &rp__policy_cpu_row,           &rp__policy_gpu_row,
    &rp__policy_better_row,     &rp__policy_batch_row,         &rp__policy_ding_queues_row,
    &rp__policy_ding_steal_row, &rp__policy_ding_deadline_row, &rp__policy_griffin_row,
    &rp__policy_split_row,      &rp__policy_share_row,
};

const rp__policy *rp__policy_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? rows[i] : NULL;
}

const rp__policy *rp__policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i]->name, name) == 0)
            return rows[i];
    return NULL;
}

rp__policy_take rp__policy_take_own(const rp__policy_view *view, bool is_card)
{
    return rp__policy_take_from(view, is_card ? RP_QUEUE_GPU : RP_QUEUE_CPU);
}

rp__policy_seat rp__policy_seat_on_card(const rp__policy_view *view, const rp__policy_job *job)
{
    return rp__policy_suits_card(view, job)
               ? rp__policy_sit(RP_QUEUE_GPU, job, "the card answers all that it can")
               : rp__policy_sit(RP_QUEUE_CPU, job, rp__policy_why_no_card(view));
}
