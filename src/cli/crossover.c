/* crossover.c: costs by ratio. The plot has ratios to the right and microseconds upwards, both logarithmic, and a line for
 * each processor. */
#include "cli/crossover.h"

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

/* As people are told. */
static const char *const names[RP_CALIBRATE_PROCESSORS] = {"a core", "the card",
                                                           "the card, in a batch"};

static size_t processors_of(const rp__calibrate_figures *f)
{
    return f->has_card ? RP_CALIBRATE_PROCESSORS : 1;
}

/* ---- A table, and JSON ----------------------------------------------------------------------- */

static void print_mode(const rp__calibrate_figures *f, size_t mode)
{
    printf("%s: microseconds of a query by the ratio of its two shortest lists\n",
           rp__calibrate_mode(mode));
    printf("%9s %8s", "ratio", "queries");
    for (size_t p = 0; p < processors_of(f); p++)
        printf(" %10s", rp__calibrate_processor(p));
    putchar('\n');
    size_t n = 0;
    for (size_t i = 0; i < RP_CALIBRATE_RATIOS; i++) {
        const rp__calibrate_ratio *r = &f->ratios[mode][i];
        if (r->n == 0)
            continue;
        n += r->n;
        printf("%9u %8zu", 1U << i, r->n);
        for (size_t p = 0; p < processors_of(f); p++)
            printf(" %10.1f", r->ns[p] / 1e3);
        putchar('\n');
    }
    if (f->has_card && f->crossover[mode])
        printf("crossover: from ratio %u on a core costs less than the card\n", f->crossover[mode]);
    else if (f->has_card && n > 0)
        puts("crossover: none; the card costs less at the highest ratio");
}

void rp__crossover_print(const rp__calibrate_figures *f)
{
    for (size_t mode = 0; rp__calibrate_mode(mode); mode++)
        print_mode(f, mode);
}

static void write_ratio(rp__json_writer *w, const rp__calibrate_figures *f, size_t mode, size_t i)
{
    const rp__calibrate_ratio *r = &f->ratios[mode][i];
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "mode", rp__calibrate_mode(mode));
    rp__json_writer_uint(w, "ratio", 1U << i);
    rp__json_writer_uint(w, "queries", r->n);
    for (size_t p = 0; p < processors_of(f); p++)
        rp__json_writer_real(w, rp__calibrate_processor(p), r->ns[p] / 1e9, 9);
    rp__json_writer_end(w, '}');
}

void rp__crossover_write(rp__json_writer *w, const rp__calibrate_figures *f)
{
    rp__json_writer_begin(w, "crossover", '{');
    for (size_t mode = 0; f->has_card && rp__calibrate_mode(mode); mode++)
        rp__json_writer_uint(w, rp__calibrate_mode(mode), f->crossover[mode]);
    rp__json_writer_end(w, '}');
    rp__json_writer_begin(w, "ratios", '[');
    for (size_t mode = 0; rp__calibrate_mode(mode); mode++)
        for (size_t i = 0; i < RP_CALIBRATE_RATIOS; i++)
            if (f->ratios[mode][i].n > 0)
                write_ratio(w, f, mode, i);
    rp__json_writer_end(w, ']');
}

/* ---- A plot ---------------------------------------------------------------------------------- */

/* Times in the panel, as powers of ten of a microsecond. */
typedef struct scale {
    double low, high, top;
} scale;

static double to_x(size_t i)
{
    return LEFT + (double)i / (RP_CALIBRATE_RATIOS - 1) * (RIGHT - LEFT);
}

static double to_y(const scale *s, double us)
{
    return s->top + BOTTOM - (log10(us) - s->low) / (s->high - s->low) * (BOTTOM - TOP);
}

static double us_of(double ns)
{
    return ns > 1 ? ns / 1e3 : 1e-3;
}

static scale scale_of(const rp__calibrate_figures *f, size_t mode)
{
    scale s = {.low = 9, .high = -9, .top = (double)mode * HEIGHT};
    for (size_t i = 0; i < RP_CALIBRATE_RATIOS; i++)
        for (size_t p = 0; f->ratios[mode][i].n > 0 && p < processors_of(f); p++) {
            const double us = log10(us_of(f->ratios[mode][i].ns[p]));
            s.low = fmin(s.low, us);
            s.high = fmax(s.high, us);
        }
    s.low = s.low > s.high ? 0 : floor(s.low);
    s.high = ceil(s.high > s.low ? s.high : s.low + 1);
    return s;
}

static void put_axes(const scale *s, rp__buf *out)
{
    char text[32];
    for (size_t i = 0; i < RP_CALIBRATE_RATIOS; i++) {
        rp__bench_svg_line(out, to_x(i), s->top + TOP, to_x(i), s->top + BOTTOM, "#e6e6e6");
        snprintf(text, sizeof text, "%u", 1U << i);
        rp__bench_svg_text(out, to_x(i), s->top + BOTTOM + 18, "middle", text);
    }
    for (int power = (int)s->low; power <= (int)s->high; power++) {
        const double us = pow(10, power);
        rp__bench_svg_line(out, LEFT, to_y(s, us), RIGHT, to_y(s, us), "#e6e6e6");
        snprintf(text, sizeof text, "%g", us);
        rp__bench_svg_text(out, LEFT - 8, to_y(s, us) + 4, "end", text);
    }
    rp__bench_svg_frame(out, LEFT, s->top + TOP, RIGHT - LEFT, BOTTOM - TOP);
    rp__bench_svg_text(out, (LEFT + RIGHT) / 2.0, s->top + BOTTOM + 40, "middle",
                       "length of the second list over the shortest's");
    rp__bench_svg_upward(out, 20, s->top + (TOP + BOTTOM) / 2.0, "microseconds of a query");
}

static void put_line(const rp__calibrate_figures *f, size_t mode, size_t p, const scale *s,
                     rp__buf *out)
{
    const char *colour = rp__bench_svg_colours[p];
    rp__buf_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
                   colour);
    for (size_t i = 0; i < RP_CALIBRATE_RATIOS; i++)
        if (f->ratios[mode][i].n > 0)
            rp__buf_printf(out, "%.1f,%.1f ", to_x(i), to_y(s, us_of(f->ratios[mode][i].ns[p])));
    rp__buf_put_string(out, "\"/>\n");
    const double y = s->top + TOP + 10 + NAME * (double)p;
    rp__bench_svg_line(out, RIGHT + 12, y - 4, RIGHT + 32, y - 4, colour);
    rp__bench_svg_text(out, RIGHT + 38, y, "start", names[p]);
}

void rp__crossover_plot(const rp__calibrate_figures *f, const char *caption, rp__buf *out)
{
    const int height = RP_CALIBRATE_MODES * HEIGHT + FOOT;
    rp__bench_svg_begin(out, WIDTH, height);
    for (size_t mode = 0; rp__calibrate_mode(mode); mode++) {
        const scale s = scale_of(f, mode);
        rp__bench_svg_title(out, LEFT, s.top + TOP - 16, rp__calibrate_mode(mode));
        put_axes(&s, out);
        for (size_t p = 0; p < processors_of(f); p++)
            put_line(f, mode, p, &s, out);
    }
    rp__bench_svg_text(out, LEFT, height - 14, "start", caption);
    rp__bench_svg_end(out);
}
