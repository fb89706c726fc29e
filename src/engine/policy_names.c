/* policy_names.c: the rows of the policies, for who sees public headers alone. */
#include "engine/algorithm_choice.h"
#include "plan/policy.h"
#include "riposte/executor.h"

const char *rp_policy_name(size_t i)
{
    const rp__policy *row = rp__policy_at(i);
    return row ? row->name : NULL;
}

const char *rp_policy_help(size_t i)
{
    const rp__policy *row = rp__policy_at(i);
    return row ? row->help : NULL;
}

const char *rp_policy_paper(size_t i)
{
    const rp__policy *row = rp__policy_at(i);
    return row ? row->paper : NULL;
}

const char *rp_policy_default(const char *algorithm)
{
    return rp__algorithm_choice_is_gpu(algorithm) ? rp__policy_gpu_row.name : rp_policy_name(0);
}
