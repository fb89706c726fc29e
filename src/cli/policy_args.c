/* policy_args.c: --policy, --deadline and --costs, and what they mean beside --processor. */
#include "cli/policy_args.h"

#include <math.h>
#include <string.h>

#define AT(field) .at = offsetof(rp__policy_args, field)

const rp__option rp__policy_args_rows[] = {
    {.name = "policy",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_policy_name,
     AT(policy),
     .help = "which processor answers which query, by an executor (docs/policies.md)"},
    RP_POLICY_ARGS_DEADLINE(
        rp__policy_args,
        "milliseconds after which a query is given up: exit code 8, with the hits found by "
        "then; or 9 at once, where the policy sees that it would be late"),
    RP_POLICY_ARGS_COSTS(rp__policy_args),
    {0},
};

bool rp__policy_args_has(const rp__policy_args *args)
{
    return args->policy || args->has_deadline || args->costs;
}

static bool is_auto(const char *processor)
{
    return !processor || strcmp(processor, "auto") == 0;
}

static bool is_policy(const char *name)
{
    for (size_t i = 0; rp_policy_name(i); i++)
        if (strcmp(rp_policy_name(i), name) == 0)
            return true;
    return false;
}

const char *rp__policy_args_name(const rp__policy_args *args, const rp_search_options *search)
{
    if (args->policy)
        return args->policy;
    return is_auto(search->processor) ? rp_policy_default(search->algorithm) : search->processor;
}

rp_status rp__policy_args_check_deadline(rp__console *console, bool is_given, double ms,
                                         rp_error *err)
{
    if (!is_given || ms > 0)
        return RP_OK;
    return rp__console_usage(console, err, "--deadline 10",
                             "--deadline %g: a time above 0 is meant", ms);
}

rp_status rp__policy_args_check(rp__console *console, const rp__policy_args *args,
                                const char *processor, rp_error *err)
{
    rp_status status =
        rp__policy_args_check_deadline(console, args->has_deadline, args->deadline_ms, err);
    if (status != RP_OK)
        return status;
    if (is_auto(processor) || (args->policy && strcmp(args->policy, processor) == 0))
        return RP_OK;
    if (args->policy)
        return rp__console_usage(console, err, "--policy auto",
                                 "--processor %s and --policy %s were given; leave out one of them",
                                 processor, args->policy);
    if (!is_policy(processor))
        return rp__console_usage(console, err, "--processor cpu",
                                 "the processor %s has no policy, no deadline and no cost rules",
                                 processor);
    return RP_OK;
}

uint64_t rp__policy_args_deadline(const rp__policy_args *args)
{
    return args->has_deadline ? (uint64_t)ceil(args->deadline_ms * 1e6) : 0;
}

rp_status rp__policy_args_open(const rp__console *console, const rp__policy_args *args,
                               const rp_search_options *search, const rp_index *index,
                               const rp_executor_options *options, rp_executor **out, rp_error *err)
{
    rp_search_options own = *search;
    rp_executor_options o = *options;
    rp_executor_report report;
    o.search = &own;
    o.policy = rp__policy_args_name(args, search);
    o.costs = args->costs;
    own.processor = NULL;
    rp_status status = rp_executor_new(index, &o, out, err);
    if (status != RP_OK)
        return status;
    rp_executor_get_report(*out, &report);
    if (report.costs_fault[0])
        rp__console_note(console, "riposte: built-in cost rules are used: %s", report.costs_fault);
    return RP_OK;
}
