/* cli/bench_codecs_report.h: what came of measuring codecs, for people, for programs, and as a
 * plot. */
#ifndef RP_CLI_BENCH_CODECS_REPORT_H
#define RP_CLI_BENCH_CODECS_REPORT_H

#include "cli/bench_pareto.h"
#include "lab/bench.h"

/* A table, fastest decoder first. */
void rp__bench_codecs_report_print(const rp__bench_codecs *bench);
/* An object of an array. */
void rp__bench_codecs_report_write(rp__json_writer *w, const rp__bench_codecs *bench);
/* A panel: bits a docid against decoding speed. */
void rp__bench_codecs_report_plot(rp__bench_pareto *plot, const rp__bench_codecs *bench);

#endif
