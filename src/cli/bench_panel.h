/* cli/bench_panel.h: a panel of a plot: shares of something to the right, microseconds upwards on a
 * logarithmic scale, lines, and their names right of it. Panels stand one below the other. */
#ifndef RP_CLI_BENCH_PANEL_H
#define RP_CLI_BENCH_PANEL_H

#include <stddef.h>

#include "base/buf.h"

/* Times in the panel, as powers of ten of a microsecond, and where it begins. */
typedef struct rp__bench_panel {
    double low, high, top;
} rp__bench_panel;

/* A document of so many panels, and its end. */
void rp__bench_panel_begin(size_t panels, rp__buf *out);
void rp__bench_panel_end(size_t panels, const char *caption, rp__buf *out);

/* The nth panel, with no times; then all that it has to show; then whole powers of ten. */
void rp__bench_panel_init(rp__bench_panel *panel, size_t nth);
void rp__bench_panel_widen(rp__bench_panel *panel, double us);
void rp__bench_panel_round(rp__bench_panel *panel);

void rp__bench_panel_title(const rp__bench_panel *panel, const char *text, rp__buf *out);
/* A line upwards at this share of the width, with text below it. */
void rp__bench_panel_mark(const rp__bench_panel *panel, double share, const char *text,
                          rp__buf *out);
/* After the marks: the scale of times, the frame, and what both axes show; across may be NULL. */
void rp__bench_panel_axes(const rp__bench_panel *panel, const char *across, const char *upwards,
                          rp__buf *out);

/* The nth line: its beginning, its points, and its end with a name. */
void rp__bench_panel_line(size_t nth, rp__buf *out);
void rp__bench_panel_point(const rp__bench_panel *panel, double share, double us, rp__buf *out);
void rp__bench_panel_name(const rp__bench_panel *panel, size_t nth, const char *name, rp__buf *out);

#endif
