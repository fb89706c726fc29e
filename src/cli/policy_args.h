/* cli/policy_args.h: options that choose a policy for queries, and the executor that they
 * describe. */
#ifndef RP_CLI_POLICY_ARGS_H
#define RP_CLI_POLICY_ARGS_H

#include "cli/console.h"
#include "cli/options.h"
#include "riposte/executor.h"

typedef struct rp__policy_args {
    const char *policy, *costs; /* NULL: not given */
    double deadline_ms;
    bool has_deadline;
} rp__policy_args;

/* Rows of rp__policy_args. */
extern const rp__option rp__policy_args_rows[];

/* Whether one of them was given: an executor answers. */
bool rp__policy_args_has(const rp__policy_args *args);
/* RP_USAGE: they make no sense, alone or beside --processor. */
rp_status rp__policy_args_check(rp__console *console, const rp__policy_args *args,
                                const char *processor, rp_error *err);
/* The policy's name: --policy, otherwise the processor, otherwise auto. They were checked. */
const char *rp__policy_args_name(const rp__policy_args *args, const char *processor);
uint64_t rp__policy_args_deadline(const rp__policy_args *args); /* nanoseconds; 0: none */

/* Opens an executor for queries with these options; `options` has its threads and elements. Notes a
 * cost file of the environment that cannot be used. */
rp_status rp__policy_args_open(const rp__console *console, const rp__policy_args *args,
                               const rp_search_options *search, const rp_index *index,
                               const rp_executor_options *options, rp_executor **out,
                               rp_error *err);

#endif
