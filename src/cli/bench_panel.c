/* bench_panel.c: draws panels. */
#include "cli/bench_panel.h"

#include <math.h>
#include <stdio.h>

#include "cli/bench_svg.h"

enum {
    WIDTH = 960,
    HEIGHT = 420, /* of a panel */
    LEFT = 70,
    RIGHT = 780, /* names stand right of it */
    TOP = 60,
    BOTTOM = 360,
    FOOT = 40,
    NAME = 16, /* pixels between names */
};

static const char grid[] = "#e6e6e6";

static int height_of(size_t panels)
{
    return (int)panels * HEIGHT + FOOT;
}

void rp__bench_panel_begin(size_t panels, rp__buf *out)
{
    rp__bench_svg_begin(out, WIDTH, height_of(panels));
}

void rp__bench_panel_end(size_t panels, const char *caption, rp__buf *out)
{
    rp__bench_svg_text(out, LEFT, height_of(panels) - 14, "start", caption);
    rp__bench_svg_end(out);
}

/* ---- The scale ------------------------------------------------------------------------------- */

void rp__bench_panel_init(rp__bench_panel *panel, size_t nth)
{
    *panel = (rp__bench_panel){.low = 9, .high = -9, .top = (double)nth * HEIGHT};
}

void rp__bench_panel_widen(rp__bench_panel *panel, double us)
{
    panel->low = fmin(panel->low, log10(us));
    panel->high = fmax(panel->high, log10(us));
}

void rp__bench_panel_round(rp__bench_panel *panel)
{
    panel->low = panel->low > panel->high ? 0 : floor(panel->low); /* 0: there are no times */
    panel->high = ceil(panel->high > panel->low ? panel->high : panel->low + 1);
}

static double to_x(double share)
{
    return LEFT + share * (RIGHT - LEFT);
}

static double to_y(const rp__bench_panel *p, double us)
{
    return p->top + BOTTOM - (log10(us) - p->low) / (p->high - p->low) * (BOTTOM - TOP);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

void rp__bench_panel_title(const rp__bench_panel *panel, const char *text, rp__buf *out)
{
    rp__bench_svg_title(out, LEFT, panel->top + TOP - 16, text);
}

void rp__bench_panel_mark(const rp__bench_panel *panel, double share, const char *text,
                          rp__buf *out)
{
    const double x = to_x(share);
    rp__bench_svg_line(out, x, panel->top + TOP, x, panel->top + BOTTOM, grid);
    rp__bench_svg_text(out, x, panel->top + BOTTOM + 18, "middle", text);
}

void rp__bench_panel_axes(const rp__bench_panel *panel, const char *across, const char *upwards,
                          rp__buf *out)
{
    char text[32];
    for (int power = (int)panel->low; power <= (int)panel->high; power++) {
        const double us = pow(10, power), y = to_y(panel, us);
        rp__bench_svg_line(out, LEFT, y, RIGHT, y, grid);
        snprintf(text, sizeof text, "%g", us);
        rp__bench_svg_text(out, LEFT - 8, y + 4, "end", text);
    }
    rp__bench_svg_frame(out, LEFT, panel->top + TOP, RIGHT - LEFT, BOTTOM - TOP);
    if (across)
        rp__bench_svg_text(out, (LEFT + RIGHT) / 2.0, panel->top + BOTTOM + 40, "middle", across);
    rp__bench_svg_upward(out, 20, panel->top + (TOP + BOTTOM) / 2.0, upwards);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Colours come again, dashed. */
static const char *colour_of(size_t nth)
{
    return rp__bench_svg_colours[nth % RP_BENCH_SVG_COLOURS];
}

static bool is_dashed(size_t nth)
{
    return nth >= RP_BENCH_SVG_COLOURS;
}

void rp__bench_panel_line(size_t nth, rp__buf *out)
{
    rp__buf_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s points=\"",
                   colour_of(nth), is_dashed(nth) ? RP_BENCH_SVG_DASHES : "");
}

void rp__bench_panel_point(const rp__bench_panel *panel, double share, double us, rp__buf *out)
{
    rp__buf_printf(out, "%.1f,%.1f ", to_x(share), to_y(panel, us));
}

void rp__bench_panel_name(const rp__bench_panel *panel, size_t nth, const char *name, rp__buf *out)
{
    const double y = panel->top + TOP + 10 + NAME * (double)nth;
    rp__buf_put_string(out, "\"/>\n");
    rp__bench_svg_stroke(out, RIGHT + 12, y - 4, RIGHT + 32, y - 4, colour_of(nth), is_dashed(nth));
    rp__bench_svg_text(out, RIGHT + 38, y, "start", name);
}
