/* cli/bench_svg.h: the few marks that plots are made of. */
#ifndef RP_CLI_BENCH_SVG_H
#define RP_CLI_BENCH_SVG_H

#include <stdbool.h>

#include "base/buf.h"
#include "riposte/status.h"

enum { RP_BENCH_SVG_FONT = 12, RP_BENCH_SVG_COLOURS = 5 };
extern const char *const rp__bench_svg_colours[RP_BENCH_SVG_COLOURS];
/* As attribute of a dashed line. */
#define RP_BENCH_SVG_DASHES " stroke-dasharray=\"5 4\""

/* RP_USAGE where the file's name says that it is not SVG; NULL is fine. */
rp_status rp__bench_svg_check(const char *path, rp_error *err);

/* A document of this size, white, and its end. */
void rp__bench_svg_begin(rp__buf *out, int width, int height);
void rp__bench_svg_end(rp__buf *out);
/* Text as XML, with nothing in it that could steer a terminal. */
void rp__bench_svg_xml(rp__buf *out, const char *text);
/* `anchor`: "start", "middle" or "end". */
void rp__bench_svg_text(rp__buf *out, double x, double y, const char *anchor, const char *text);
/* The title of a panel. */
void rp__bench_svg_title(rp__buf *out, double x, double y, const char *text);
/* A title that reads upwards. */
void rp__bench_svg_upward(rp__buf *out, double x, double y, const char *text);
void rp__bench_svg_line(rp__buf *out, double x1, double y1, double x2, double y2,
                        const char *colour);
/* The same, dashed or not. */
void rp__bench_svg_stroke(rp__buf *out, double x1, double y1, double x2, double y2,
                          const char *colour, bool is_dashed);
void rp__bench_svg_frame(rp__buf *out, double x, double y, double width, double height);

#endif
