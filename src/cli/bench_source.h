/* cli/bench_source.h: lists of an index for a bench: DIR and QUERIES, --lengths and --format. */
#ifndef RP_CLI_BENCH_SOURCE_H
#define RP_CLI_BENCH_SOURCE_H

#include "cli/console.h"
#include "cli/options.h"
#include "lab/lab.h"

typedef struct rp__bench_source_args {
    const char *lengths, *format;
} rp__bench_source_args;

extern const rp__option rp__bench_source_rows[];

/* All zero is empty. */
typedef struct rp__bench_source {
    rp_index *index;
    rp__bench_query_set queries;
    rp__lab_source_options options;
    rp__lab_source *lists; /* NULL: there is no DIR */
} rp__bench_source;

/* RP_USAGE: --lengths is no range, or without DIR. */
rp_status rp__bench_source_check(rp__bench_source *source, rp__console *console,
                                 const rp__bench_source_args *args, const rp__call *call,
                                 rp_error *err);
/* Reads lists of about so many postings, where there is DIR. `source` must stay where it is. */
rp_status rp__bench_source_open(rp__bench_source *source, const rp__bench_source_args *args,
                                uint64_t postings, const rp__call *call, rp_error *err);
void rp__bench_source_free(rp__bench_source *source);

#endif
