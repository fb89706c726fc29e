/* verbs.c: the table of verbs. A new verb is a file cmd_<verb>.c and a row here. */
#include "cli/verbs.h"

#include <string.h>

#include "base/error.h"

static const rp__verb *const verbs[] = {
    &rp__cmd_index_verb,       &rp__cmd_search_verb,  &rp__cmd_batch_verb,      &rp__cmd_eval_verb,
    &rp__cmd_bench_serve_verb, &rp__cmd_stats_verb,   &rp__cmd_check_verb,      &rp__cmd_demo_verb,
    &rp__cmd_help_verb,        &rp__cmd_version_verb, &rp__cmd_completion_verb, NULL,
};

const rp__verb *rp__verbs_at(size_t i)
{
    return verbs[i];
}

const rp__verb *rp__verbs_find(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

rp_status rp__verbs_refuse(rp__console *console, const char *name, rp_error *err)
{
    rp__nearest near = {0};
    for (size_t i = 0; verbs[i]; i++)
        rp__options_nearest(&near, name, verbs[i]->name);
    snprintf(console->remedy, sizeof console->remedy, "riposte %s", near.name ? near.name : "help");
    return rp__error_set(err, RP_USAGE, "unknown verb \"%s\"", name);
}
