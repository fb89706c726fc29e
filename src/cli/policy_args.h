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

/* Rows for a record with the members deadline_ms and has_deadline, or costs. */
#define RP_POLICY_ARGS_DEADLINE(record, text)                                                      \
    {                                                                                              \
        .name = "deadline", .kind = RP_OPTION_REAL, .argument = "MS", .most = 1e6,                 \
        .at = offsetof(record, deadline_ms), .has_value = true,                                    \
        .has_at = offsetof(record, has_deadline), .help = (text)                                   \
    }
#define RP_POLICY_ARGS_COSTS(record)                                                               \
    {                                                                                              \
        .name = "costs", .kind = RP_OPTION_TEXT, .argument = "FILE",                               \
        .at = offsetof(record, costs),                                                             \
        .help = "estimate by the rules of this file, which riposte calibrate wrote on this "       \
                "machine; otherwise RIPOSTE_COSTS, or built-in rules"                              \
    }

/* RP_USAGE: a deadline was given, and it is not above 0. */
rp_status rp__policy_args_check_deadline(rp__console *console, bool is_given, double ms,
                                         rp_error *err);

/* Rows of rp__policy_args. */
extern const rp__option rp__policy_args_rows[];

/* Whether one of them was given: an executor answers. */
bool rp__policy_args_has(const rp__policy_args *args);
/* RP_USAGE: they make no sense, alone or beside --processor. */
rp_status rp__policy_args_check(rp__console *console, const rp__policy_args *args,
                                const char *processor, rp_error *err);
/* The policy's name: --policy, otherwise the processor, otherwise that of the algorithm. They were
 * checked. */
const char *rp__policy_args_name(const rp__policy_args *args, const rp_search_options *search);
uint64_t rp__policy_args_deadline(const rp__policy_args *args); /* nanoseconds; 0: none */

/* Opens an executor for queries with these options; `options` has its threads and elements. Notes a
 * cost file of the environment that cannot be used. */
rp_status rp__policy_args_open(const rp__console *console, const rp__policy_args *args,
                               const rp_search_options *search, const rp_index *index,
                               const rp_executor_options *options, rp_executor **out,
                               rp_error *err);

#endif
