/* policy_names.c: the rows of the policies, for who sees public headers alone. */
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
