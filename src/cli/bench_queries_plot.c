/* bench_queries_plot.c: draws sorted times: the share of queries to the right, microseconds upwards,
 * logarithmic, because the slowest query takes a thousand times the fastest one's. */
#include "cli/bench_queries_plot.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/bench_panel.h"
#include "lab/times.h"

enum { SHARES = 200, NAME_BYTES = 64 }; /* points of a line; of its name */

static double us_of(uint64_t ns)
{
    return (double)(ns ? ns : 1) / 1e3;
}

/* Operations [begin, end) of one form that have times. */
static void scale(rp__bench_panel *panel, const rp__bench_queries *b, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const rp__bench_operation *o = &b->operations[i];
        for (size_t q = 0; !o->is_refused && q < b->set->n; q++)
            rp__bench_panel_widen(panel, us_of(o->best[q]));
    }
    rp__bench_panel_round(panel);
}

static void put_axes(const rp__bench_panel *panel, rp__buf *out)
{
    char text[32];
    for (int tenth = 0; tenth <= 10; tenth++) {
        snprintf(text, sizeof text, "%d%%", tenth * 10);
        rp__bench_panel_mark(panel, tenth / 10.0, text, out);
    }
    rp__bench_panel_axes(panel, NULL, "microseconds", out);
}

static void name_line(const rp__bench_operation *o, char out[NAME_BYTES])
{
    const int n =
        snprintf(out, NAME_BYTES, "%.32s", o->options.algorithm ? o->options.algorithm : "auto");
    if (o->policy)
        snprintf(out + n, NAME_BYTES - (size_t)n, "@policy:%.16s", o->policy);
    else if (o->options.threads > 1)
        snprintf(out + n, NAME_BYTES - (size_t)n, "@%zu", o->options.threads);
}

/* `times` is room for the queries. */
static void put_line(const rp__bench_queries *b, const rp__bench_operation *o,
                     const rp__bench_panel *panel, size_t nth, uint64_t *times, rp__buf *out)
{
    char name[NAME_BYTES];
    size_t n = b->set->n;
    memcpy(times, o->best, n * sizeof *times);
    rp__times_sort(times, n);
    rp__bench_panel_line(nth, out);
    for (int i = 0; i <= SHARES; i++)
        rp__bench_panel_point(panel, (double)i / SHARES, us_of(times[(size_t)i * (n - 1) / SHARES]),
                              out);
    name_line(o, name);
    rp__bench_panel_name(panel, nth, name, out);
}

static void put_panel(const rp__bench_queries *b, size_t begin, size_t end, size_t at,
                      uint64_t *times, rp__buf *out)
{
    rp__bench_panel panel;
    size_t nth = 0;
    rp__bench_panel_init(&panel, at);
    scale(&panel, b, begin, end);
    rp__bench_panel_title(&panel, b->operations[begin].form, out);
    put_axes(&panel, out);
    for (size_t i = begin; i < end; i++)
        if (!b->operations[i].is_refused)
            put_line(b, &b->operations[i], &panel, nth++, times, out);
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
    rp__bench_panel_begin(panels, out);
    for (size_t i = 0, panel = 0; i < b->n; i = end_of_form(b, i))
        put_panel(b, i, end_of_form(b, i), panel++, times, out);
    rp__bench_panel_end(panels, caption, out);
    rp__free(times);
}
