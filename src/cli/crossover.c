/* crossover.c: costs by ratio. The plot has ratios to the right and microseconds upwards, both logarithmic, and a line for
 * each processor. */
#include "cli/crossover.h"

#include <stdio.h>

#include "cli/bench_panel.h"

/* In the plot. */
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

static double to_share(size_t i)
{
    return (double)i / (RP_CALIBRATE_RATIOS - 1);
}

static double us_of(double ns)
{
    return ns > 1 ? ns / 1e3 : 1e-3;
}

static void scale(rp__bench_panel *panel, const rp__calibrate_figures *f, size_t mode)
{
    rp__bench_panel_init(panel, mode);
    for (size_t i = 0; i < RP_CALIBRATE_RATIOS; i++)
        for (size_t p = 0; f->ratios[mode][i].n > 0 && p < processors_of(f); p++)
            rp__bench_panel_widen(panel, us_of(f->ratios[mode][i].ns[p]));
    rp__bench_panel_round(panel);
}

static void put_axes(const rp__bench_panel *panel, rp__buf *out)
{
    char text[32];
    for (size_t i = 0; i < RP_CALIBRATE_RATIOS; i++) {
        snprintf(text, sizeof text, "%u", 1U << i);
        rp__bench_panel_mark(panel, to_share(i), text, out);
    }
    rp__bench_panel_axes(panel, "length of the second list over the shortest's",
                         "microseconds of a query", out);
}

static void put_line(const rp__calibrate_figures *f, size_t mode, size_t p,
                     const rp__bench_panel *panel, rp__buf *out)
{
    rp__bench_panel_line(p, out);
    for (size_t i = 0; i < RP_CALIBRATE_RATIOS; i++)
        if (f->ratios[mode][i].n > 0)
            rp__bench_panel_point(panel, to_share(i), us_of(f->ratios[mode][i].ns[p]), out);
    rp__bench_panel_name(panel, p, names[p], out);
}

void rp__crossover_plot(const rp__calibrate_figures *f, const char *caption, rp__buf *out)
{
    rp__bench_panel_begin(RP_CALIBRATE_MODES, out);
    for (size_t mode = 0; rp__calibrate_mode(mode); mode++) {
        rp__bench_panel panel;
        scale(&panel, f, mode);
        rp__bench_panel_title(&panel, rp__calibrate_mode(mode), out);
        put_axes(&panel, out);
        for (size_t p = 0; p < processors_of(f); p++)
            put_line(f, mode, p, &panel, out);
    }
    rp__bench_panel_end(RP_CALIBRATE_MODES, caption, out);
}
