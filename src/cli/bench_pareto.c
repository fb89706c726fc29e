/* bench_pareto.c: draws rp__bench_pareto: a linear x, a logarithmic y, a panel for each set of points.
 *
 * Points far to the right of the rest would press it together: past FAR times the smallest x they are
 * named under the panel's title instead. Names go where they cover least: each is tried at several
 * places around its point. */
#include "cli/bench_pareto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/bench_svg.h"

enum {
    WIDTH = 960,
    HEIGHT = 580, /* of a panel */
    LEFT = 70,
    RIGHT = 930,
    TOP = 70,
    BOTTOM = 520,
    FOOT = 40, /* below all panels */
};
static const double FAR = 1.75, LETTER = 6.4; /* pixels a letter of a name, about */

typedef struct box {
    double left, top, right, bottom;
} box;

/* Values to pixels of the open panel. */
typedef struct scale {
    double x_low, x_high, y_low, y_high; /* y as logarithms */
    double top;                          /* of the panel on the page */
} scale;

/* ---- Scales ---------------------------------------------------------------------------------- */

static double to_x(const scale *s, double x)
{
    return LEFT + (x - s->x_low) / (s->x_high - s->x_low) * (RIGHT - LEFT);
}

static double to_y(const scale *s, double y)
{
    return s->top + BOTTOM - (log10(y) - s->y_low) / (s->y_high - s->y_low) * (BOTTOM - TOP);
}

static double least_x(const rp__bench_pareto *p)
{
    double least = p->n ? p->points[0].x : 0;
    for (size_t i = 1; i < p->n; i++)
        least = p->points[i].x < least ? p->points[i].x : least;
    return least;
}

static bool is_far(const rp__bench_pareto *p, const rp__bench_point *point)
{
    return point->x > FAR * least_x(p);
}

static scale scale_of(const rp__bench_pareto *p)
{
    scale s = {.x_low = least_x(p), .y_low = 1e9, .y_high = -1e9};
    s.x_high = s.x_low;
    s.top = (double)p->n_panels * HEIGHT;
    for (size_t i = 0; i < p->n; i++) {
        const rp__bench_point *at = &p->points[i];
        double y = log10(at->y);
        if (is_far(p, at))
            continue;
        s.x_high = at->x > s.x_high ? at->x : s.x_high;
        s.y_low = y < s.y_low ? y : s.y_low;
        s.y_high = y > s.y_high ? y : s.y_high;
    }
    double x_room = s.x_high > s.x_low ? (s.x_high - s.x_low) * 0.06 : 0.5;
    double y_room = (s.y_high - s.y_low) * 0.06 + 0.03;
    s.x_low -= x_room;
    s.x_high += 1.5 * x_room;
    s.y_low -= y_room;
    s.y_high += y_room;
    return s;
}

/* The distance of ticks: 1, 2 or 5 times a power of ten, about eight of them. */
static double x_step(const scale *s)
{
    double rough = (s->x_high - s->x_low) / 8, unit = pow(10, floor(log10(rough)));
    double times = rough / unit;
    return unit * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static void put_axes(const rp__bench_pareto *p, const scale *s, rp__buf *out)
{
    char text[32];
    double step = x_step(s), bottom = s->top + BOTTOM;
    for (long i = (long)ceil(s->x_low / step); (double)i * step <= s->x_high; i++) {
        double x = (double)i * step;
        rp__bench_svg_line(out, to_x(s, x), s->top + TOP, to_x(s, x), bottom, "#e6e6e6");
        snprintf(text, sizeof text, "%.4g", x);
        rp__bench_svg_text(out, to_x(s, x), bottom + 18, "middle", text);
    }
    for (int power = (int)floor(s->y_low); power <= (int)s->y_high + 1; power++) {
        for (int digit = 1; digit < 10; digit++) {
            double y = digit * pow(10, power);
            if (log10(y) < s->y_low || log10(y) > s->y_high)
                continue;
            bool has_text = digit == 1 || digit == 2 || digit == 5;
            rp__bench_svg_line(out, LEFT, to_y(s, y), RIGHT, to_y(s, y),
                               has_text ? "#e6e6e6" : "#f4f4f4");
            snprintf(text, sizeof text, "%g", y);
            if (has_text)
                rp__bench_svg_text(out, LEFT - 8, to_y(s, y) + 4, "end", text);
        }
    }
    rp__bench_svg_frame(out, LEFT, s->top + TOP, RIGHT - LEFT, BOTTOM - TOP);
    rp__bench_svg_text(out, (LEFT + RIGHT) / 2.0, bottom + 40, "middle", p->x_title);
    rp__bench_svg_upward(out, 20, s->top + (TOP + BOTTOM) / 2.0, p->y_title);
}

/* ---- Points ---------------------------------------------------------------------------------- */

static int by_x(const void *a, const void *b)
{
    const rp__bench_point *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y < q->y) - (p->y > q->y);
}

/* Sorts the points and marks those that no smaller one reaches; draws the line through them. */
static void put_frontier(rp__bench_pareto *p, const scale *s, rp__buf *out)
{
    double best = 0;
    qsort(p->points, p->n, sizeof *p->points, by_x);
    rp__buf_put_string(out, "<polyline fill=\"none\" stroke=\"#999999\" stroke-width=\"1.5\" "
                            "stroke-dasharray=\"5 4\" points=\"");
    for (size_t i = 0; i < p->n; i++) {
        rp__bench_point *at = &p->points[i];
        at->is_best = at->y > best;
        best = at->is_best ? at->y : best;
        if (at->is_best && !is_far(p, at))
            rp__buf_printf(out, "%.1f,%.1f ", to_x(s, at->x), to_y(s, at->y));
    }
    rp__buf_put_string(out, "\"/>\n");
}

static double overlap(const box *a, const box *b)
{
    double w = fmin(a->right, b->right) - fmax(a->left, b->left);
    double h = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
    return w > 0 && h > 0 ? w * h : 0;
}

/* What a name in this box would cover: points, names that stand, what lies outside the panel. */
static double cost_of(const rp__bench_pareto *p, const scale *s, const box *name, const box *placed,
                      size_t n_placed)
{
    double area = (name->right - name->left) * (name->bottom - name->top);
    box panel = {LEFT, s->top + TOP, RIGHT, s->top + BOTTOM};
    double cost = 3 * (area - overlap(name, &panel));
    for (size_t i = 0; i < p->n; i++) {
        double x = to_x(s, p->points[i].x), y = to_y(s, p->points[i].y);
        box dot = {x - 5, y - 5, x + 5, y + 5};
        cost += is_far(p, &p->points[i]) ? 0 : overlap(name, &dot);
    }
    for (size_t i = 0; i < n_placed; i++)
        cost += 2 * overlap(name, &placed[i]);
    return cost;
}

/* The place of a name around (x, y), of those tried the one that covers least; near ones first. */
static box place(const rp__bench_pareto *p, const scale *s, const rp__bench_point *point,
                 const box *placed, size_t n_placed)
{
    static const double ways[][2] = {{1, 0},  {-1, 0},  {0, -1}, {0, 1},
                                     {1, -1}, {-1, -1}, {1, 1},  {-1, 1}};
    double x = to_x(s, point->x), y = to_y(s, point->y);
    double half_w = LETTER * (double)strlen(point->label) / 2, half_h = RP_BENCH_SVG_FONT / 2.0 + 1;
    double least = 1e30;
    box best = {0};
    for (int away = 9; away < 60 && least > 0; away += 13) {
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            double cx = x + ways[i][0] * (half_w + away), cy = y + ways[i][1] * (half_h + away);
            box name = {cx - half_w, cy - half_h, cx + half_w, cy + half_h};
            double cost = cost_of(p, s, &name, placed, n_placed);
            if (cost < least) {
                least = cost;
                best = name;
            }
        }
    }
    return best;
}

static void put_point(const scale *s, const rp__bench_point *at, const box *name, rp__buf *out)
{
    const char *colour = rp__bench_svg_colours[at->group];
    double x = to_x(s, at->x), y = to_y(s, at->y);
    double near_x = fmin(fmax(x, name->left), name->right);
    double near_y = fmin(fmax(y, name->top), name->bottom);
    if (hypot(near_x - x, near_y - y) > 14) /* too far to be read as its name */
        rp__bench_svg_line(out, x, y, near_x, near_y, "#bbbbbb");
    rp__buf_printf(out,
                   "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" stroke=\"%s\">"
                   "<title>",
                   x, y, at->is_best ? colour : "#ffffff", colour);
    rp__bench_svg_xml(out, at->label);
    rp__buf_printf(out, ": %.2f, %.2f</title></circle>\n", at->x, at->y);
    if (name->left >= x) /* the side at the point is kept, because widths of letters are a guess */
        rp__bench_svg_text(out, name->left, name->bottom - 3, "start", at->label);
    else if (name->right <= x)
        rp__bench_svg_text(out, name->right, name->bottom - 3, "end", at->label);
    else
        rp__bench_svg_text(out, (name->left + name->right) / 2, name->bottom - 3, "middle",
                           at->label);
}

static void put_points(const rp__bench_pareto *p, const scale *s, rp__buf *out)
{
    box *placed = rp__alloc_array(p->n + 1, sizeof *placed);
    size_t n_placed = 0;
    if (!placed) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (is_far(p, &p->points[i]))
            continue;
        placed[n_placed] = place(p, s, &p->points[i], placed, n_placed);
        put_point(s, &p->points[i], &placed[n_placed], out);
        n_placed++;
    }
    rp__free(placed);
}

/* ---- The panel around them ------------------------------------------------------------------- */

static void put_legend(const rp__bench_pareto *p, const scale *s, rp__buf *out)
{
    double x = RIGHT;
    for (size_t i = p->n_groups; i-- > 0;) {
        x -= LETTER * (double)strlen(p->groups[i]);
        rp__bench_svg_text(out, x, s->top + TOP - 10, "start", p->groups[i]);
        x -= 10;
        rp__buf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x,
                       s->top + TOP - 14, rp__bench_svg_colours[i]);
        x -= 20;
    }
}

static void put_far(const rp__bench_pareto *p, const scale *s, rp__buf *out)
{
    rp__buf text;
    rp__buf_init(&text);
    for (size_t i = 0; i < p->n; i++)
        if (is_far(p, &p->points[i]))
            rp__buf_printf(&text, "%s%s (%.2f, %.2f)",
                           text.n ? ", " : "to the right: ", p->points[i].label, p->points[i].x,
                           p->points[i].y);
    rp__buf_put_byte(&text, 0);
    if (!text.failed && text.n > 1)
        rp__bench_svg_text(out, LEFT, s->top + TOP - 10, "start", (const char *)text.at);
    rp__buf_free(&text);
}

static void close_panel(rp__bench_pareto *p)
{
    if (p->title.n == 0)
        return;
    scale s = scale_of(p);
    rp__buf_put_byte(&p->title, 0);
    if (!p->title.failed)
        rp__bench_svg_title(&p->body, LEFT, s.top + TOP - 32, (const char *)p->title.at);
    put_axes(p, &s, &p->body);
    put_frontier(p, &s, &p->body);
    put_points(p, &s, &p->body);
    put_legend(p, &s, &p->body);
    put_far(p, &s, &p->body);
    p->n_panels++;
    p->n = 0;
    p->title.n = 0;
}

void rp__bench_pareto_init(rp__bench_pareto *plot, const char *x_title, const char *y_title)
{
    *plot = (rp__bench_pareto){.x_title = x_title, .y_title = y_title};
    rp__buf_init(&plot->body);
    rp__buf_init(&plot->title);
}

void rp__bench_pareto_panel(rp__bench_pareto *plot, const char *title)
{
    close_panel(plot);
    rp__buf_put_string(&plot->title, title);
}

static size_t group_of(rp__bench_pareto *plot, const char *name)
{
    size_t i = 0;
    while (i < plot->n_groups && strcmp(plot->groups[i], name) != 0)
        i++;
    if (i == RP_BENCH_GROUPS)
        return RP_BENCH_GROUPS - 1;
    if (i == plot->n_groups)
        snprintf(plot->groups[plot->n_groups++], sizeof plot->groups[0], "%s", name);
    return i;
}

void rp__bench_pareto_point(rp__bench_pareto *plot, const char *label, const char *group, double x,
                            double y)
{
    if (!rp__alloc_grow(&plot->points, &plot->cap, plot->n + 1, sizeof *plot->points)) {
        plot->body.failed = true;
        return;
    }
    rp__bench_point *at = &plot->points[plot->n++];
    *at = (rp__bench_point){.group = group_of(plot, group), .x = x, .y = y};
    snprintf(at->label, sizeof at->label, "%s", label);
}

void rp__bench_pareto_finish(rp__bench_pareto *plot, const char *caption, rp__buf *out)
{
    close_panel(plot);
    int height = (int)plot->n_panels * HEIGHT + FOOT;
    rp__bench_svg_begin(out, WIDTH, height);
    rp__buf_put(out, plot->body.at, plot->body.n);
    rp__bench_svg_text(out, LEFT, height - 14, "start", caption);
    rp__bench_svg_end(out);
    out->failed = out->failed || plot->body.failed || plot->title.failed;
}

void rp__bench_pareto_free(rp__bench_pareto *plot)
{
    rp__buf_free(&plot->body);
    rp__buf_free(&plot->title);
    rp__free(plot->points);
    *plot = (rp__bench_pareto){0};
}
