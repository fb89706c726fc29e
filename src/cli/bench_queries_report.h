/* cli/bench_queries_report.h: what came of measuring queries: for people, for programs, query by
 * query. */
#ifndef RP_CLI_BENCH_QUERIES_REPORT_H
#define RP_CLI_BENCH_QUERIES_REPORT_H

#include <stdio.h>

#include "base/buf.h"
#include "lab/bench.h"

/* A table, form by form, fastest algorithm first. */
void rp__bench_queries_report_print(const rp__bench_queries *bench);
/* Members of an object. */
void rp__bench_queries_report_write(rp__json_writer *w, const rp__bench_queries *bench);
/* Lines "operation<TAB>qid<TAB>nanoseconds<TAB>total": the best of the rounds; a total where
 * nothing but it was asked for, -1 elsewhere. The same lines as the programs of bench/peers
 * write. */
void rp__bench_queries_report_lines(FILE *out, const rp__bench_queries *bench);

#endif
