/* cli/bench_queries_plot.h: how the times of queries spread, as SVG. */
#ifndef RP_CLI_BENCH_QUERIES_PLOT_H
#define RP_CLI_BENCH_QUERIES_PLOT_H

#include "base/buf.h"
#include "lab/bench.h"

/* A panel for each form: the share of queries that a time is enough for, a line for each algorithm.
 * `caption` says what was measured where. A failed allocation shows in `out`. */
void rp__bench_queries_plot(const rp__bench_queries *bench, const char *caption, rp__buf *out);

#endif
