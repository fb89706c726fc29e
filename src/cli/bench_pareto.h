/* cli/bench_pareto.h: a plot of what is small against what is fast, as SVG: points, their names,
 * and a line through those that nothing beats in both. */
#ifndef RP_CLI_BENCH_PARETO_H
#define RP_CLI_BENCH_PARETO_H

#include <stddef.h>

#include "base/buf.h"
#include "cli/bench_svg.h"

typedef struct rp__bench_point {
    char label[48];
    size_t group; /* points of a group have one colour */
    double x, y;  /* x: less is better; y: more is, and it is above 0 */
    bool is_best; /* on the line */
} rp__bench_point;

enum { RP_BENCH_GROUPS = RP_BENCH_SVG_COLOURS }; /* more share the last one's colour */

/* One thread. A failed allocation shows in what finish leaves. */
typedef struct rp__bench_pareto {
    const char *x_title, *y_title;
    rp__buf body; /* finished panels */
    size_t n_panels;
    rp__buf title;                    /* of the open panel */
    char groups[RP_BENCH_GROUPS][16]; /* as they came, in all panels */
    size_t n_groups;
    rp__bench_point *points;
    size_t n, cap;
} rp__bench_pareto;

void rp__bench_pareto_init(rp__bench_pareto *plot, const char *x_title, const char *y_title);
/* Begins a panel below those before it. */
void rp__bench_pareto_panel(rp__bench_pareto *plot, const char *title);
void rp__bench_pareto_point(rp__bench_pareto *plot, const char *label, const char *group, double x,
                            double y);
/* The whole document. `caption` says what was measured where. */
void rp__bench_pareto_finish(rp__bench_pareto *plot, const char *caption, rp__buf *out);
void rp__bench_pareto_free(rp__bench_pareto *plot);

#endif
