/* bench_queries_plot.c: draws sorted times: the share of queries to the right, microseconds upwards,
 * logarithmic, because the slowest query takes a thousand times the fastest one's. */
#include "cli/bench_queries_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/bench_svg.h"

enum {
    WIDTH = 960,
    HEIGHT = 420, /* of a panel */
    LEFT = 70,
    RIGHT = 780, /* names stand right of it */
    TOP = 60,
    BOTTOM = 360,
    FOOT = 40,
    SHARES = 200, /* points of a line */
    NAME = 16,    /* pixels between names */
};

/* Times in the panel, as powers of ten of a microsecond. */
typedef struct scale {
    double low, high, top;
} scale;

static double to_x(double share)
{
    return LEFT + share * (RIGHT - LEFT);
}

static double to_y(const scale *s, double us)
{
    return s->top + BOTTOM - (log10(us) - s->low) / (s->high - s->low) * (BOTTOM - TOP);
}

static int rising(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Operations [begin, end) of one form that have times. */
static scale scale_of(const rp__bench_queries *b, size_t begin, size_t end, size_t panel)
{
    scale s = {.low = 9, .high = -9, .top = (double)panel * HEIGHT};
    for (size_t i = begin; i < end; i++) {
        const rp__bench_operation *o = &b->operations[i];
        for (size_t q = 0; !o->is_refused && q < b->set->n; q++) {
            double us = log10((double)(o->best[q] ? o->best[q] : 1) / 1e3);
            s.low = fmin(s.low, us);
            s.high = fmax(s.high, us);
        }
    }
    s.low = floor(s.low);
    s.high = ceil(s.high > s.low ? s.high : s.low + 1);
    return s;
}

static void put_axes(const scale *s, rp__buf *out)
{
    char text[32];
    for (int tenth = 0; tenth <= 10; tenth++) {
        double x = to_x(tenth / 10.0);
        rp__bench_svg_line(out, x, s->top + TOP, x, s->top + BOTTOM, "#e6e6e6");
        snprintf(text, sizeof text, "%d%%", tenth * 10);
        rp__bench_svg_text(out, x, s->top + BOTTOM + 18, "middle", text);
    }
    for (int power = (int)s->low; power <= (int)s->high; power++) {
        double us = pow(10, power);
        rp__bench_svg_line(out, LEFT, to_y(s, us), RIGHT, to_y(s, us), "#e6e6e6");
        snprintf(text, sizeof text, "%g", us);
        rp__bench_svg_text(out, LEFT - 8, to_y(s, us) + 4, "end", text);
    }
    rp__bench_svg_frame(out, LEFT, s->top + TOP, RIGHT - LEFT, BOTTOM - TOP);
    rp__bench_svg_upward(out, 20, s->top + (TOP + BOTTOM) / 2.0, "microseconds");
}

/* `times` is room for the queries. */
static void put_line(const rp__bench_queries *b, const rp__bench_operation *o, const scale *s,
                     size_t nth, uint64_t *times, rp__buf *out)
{
    const char *colour = rp__bench_svg_colours[nth % RP_BENCH_SVG_COLOURS];
    bool is_dashed = nth >= RP_BENCH_SVG_COLOURS;
    const char *algorithm = o->options.algorithm ? o->options.algorithm : "auto";
    char name[64];
    int bytes = snprintf(name, sizeof name, "%.32s", algorithm);
    if (o->policy)
        snprintf(name + bytes, sizeof name - (size_t)bytes, "@policy:%.16s", o->policy);
    else if (o->options.threads > 1)
        snprintf(name + bytes, sizeof name - (size_t)bytes, "@%zu", o->options.threads);
    size_t n = b->set->n;
    memcpy(times, o->best, n * sizeof *times);
    qsort(times, n, sizeof *times, rising);
    rp__buf_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s points=\"",
                   colour, is_dashed ? RP_BENCH_SVG_DASHES : "");
    for (int i = 0; i <= SHARES; i++) {
        size_t at = (size_t)i * (n - 1) / SHARES;
        rp__buf_printf(out, "%.1f,%.1f ", to_x((double)i / SHARES),
                       to_y(s, (double)(times[at] ? times[at] : 1) / 1e3));
    }
    rp__buf_put_string(out, "\"/>\n");
    double y = s->top + TOP + 10 + NAME * (double)nth;
    rp__bench_svg_stroke(out, RIGHT + 12, y - 4, RIGHT + 32, y - 4, colour, is_dashed);
    rp__bench_svg_text(out, RIGHT + 38, y, "start", name);
}

static void put_panel(const rp__bench_queries *b, size_t begin, size_t end, size_t panel,
                      uint64_t *times, rp__buf *out)
{
    scale s = scale_of(b, begin, end, panel);
    size_t nth = 0;
    rp__bench_svg_title(out, LEFT, s.top + TOP - 16, b->operations[begin].form);
    put_axes(&s, out);
    for (size_t i = begin; i < end; i++)
        if (!b->operations[i].is_refused)
            put_line(b, &b->operations[i], &s, nth++, times, out);
}

static size_t end_of_form(const rp__bench_queries *b, size_t begin)
{
    size_t end = begin;
    while (end < b->n && strcmp(b->operations[end].form, b->operations[begin].form) == 0)
        end++;
    return end;
}

void rp__bench_queries_plot(const rp__bench_queries *b, const char *caption, rp__buf *out)
{
    size_t panels = 0;
    uint64_t *times = rp__alloc_array(b->set->n, sizeof *times);
    if (!times) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < b->n; i = end_of_form(b, i))
        panels++;
    int height = (int)panels * HEIGHT + FOOT;
    rp__bench_svg_begin(out, WIDTH, height);
    for (size_t i = 0, panel = 0; i < b->n; i = end_of_form(b, i))
        put_panel(b, i, end_of_form(b, i), panel++, times, out);
    rp__bench_svg_text(out, LEFT, height - 14, "start", caption);
    rp__bench_svg_end(out);
    rp__free(times);
}
