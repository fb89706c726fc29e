/* cli/query_args.h: options that search and batch share, and the searcher that they describe. */
#ifndef RP_CLI_QUERY_ARGS_H
#define RP_CLI_QUERY_ARGS_H

#include "cli/console.h"
#include "cli/options.h"
#include "riposte/search.h"

typedef struct rp__query_args {
    rp_search_options search;
    bool verify;
} rp__query_args;

/* Rows of rp__query_args. */
extern const char *const rp__query_args_modes[]; /* in rp_mode's order; NULL ends them */
extern const rp__option rp__query_args_ranking[];
extern const rp__option rp__query_args_limits[];

/* Opens the index and a searcher. Close both, the searcher first; NULL after a failure. */
rp_status rp__query_args_open(const rp__query_args *args, const char *dir, rp_index **index,
                              rp_searcher **searcher, rp_error *err);

/* A note, if the searcher's GPU was lost. */
void rp__query_args_note_gpu(const rp__console *console, const rp_searcher *searcher);

#endif
