/* bench_queries_report.c: the results of queries as a table, as JSON and as lines. */
#include "cli/bench_queries_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/figures.h"

enum { LABEL_BYTES = 64 };

static bool is_count(const rp__bench_operation *o)
{
    return o->options.total == RP_TOTAL_ONLY;
}

static const char *algorithm_of(const rp__bench_operation *o)
{
    return o->options.algorithm ? o->options.algorithm : "auto";
}

/* The algorithm, and by how many threads, or by what else: "auto", "auto@2", "auto@gpu". */
static const char *label_of(const rp__bench_operation *o, char out[LABEL_BYTES])
{
    int n = snprintf(out, LABEL_BYTES, "%.32s", algorithm_of(o));
    if (o->options.threads > 1)
        snprintf(out + n, LABEL_BYTES - (size_t)n, "@%zu", o->options.threads);
    else if (strcmp(o->options.processor, "cpu") != 0)
        snprintf(out + n, LABEL_BYTES - (size_t)n, "@%s", o->options.processor);
    return out;
}

static void get_summary(const rp__bench_operation *o, rp__bench_figure figure,
                        rp__bench_summary *out)
{
    rp__bench_samples_sum_up(&o->samples[figure], rp__bench_queries_is_rate(figure), out);
}

/* ---- A table --------------------------------------------------------------------------------- */

static void print_heads(const rp__bench_queries *b)
{
    char queries[RP_FIGURE_BYTES], of[RP_FIGURE_BYTES];
    printf("\nqueries %s of %s, rounds %u; microseconds, %s, %s\n",
           rp__figures_count(queries, b->set->n), rp__figures_count(of, b->set->read), b->rounds,
           b->by_wall ? "wall time" : "CPU time",
           b->has_names ? "to hits with ids" : "to docids and scores");
    printf("%-12s %2s  %-14s %9s  %17s %9s %9s %9s %9s %11s %11s", "operation", "", "algorithm",
           "mean", "interval", "best", "p50", "p95", "p99", "queries/s", "postings");
    if (b->threads > 1)
        printf("  %6u threads  %6s", b->threads, "x one");
    putchar('\n');
}

static void print_row(const rp__bench_queries *b, size_t i)
{
    const rp__bench_operation *o = &b->operations[i];
    rp__bench_summary s[RP_BENCH_FIGURES];
    bool is_first = i == 0 || strcmp(o->form, b->operations[i - 1].form) != 0;
    char place[24] = "", interval[48], label[LABEL_BYTES];
    for (int f = 0; f < RP_BENCH_FIGURES; f++)
        get_summary(o, (rp__bench_figure)f, &s[f]);
    if (is_first || o->place != b->operations[i - 1].place)
        snprintf(place, sizeof place, "%zu", o->place);
    snprintf(interval, sizeof interval, "%.2f-%.2f", s[RP_BENCH_MEAN].low, s[RP_BENCH_MEAN].high);
    printf("%-12s %2s  %-14s %9.2f  %17s %9.2f %9.2f %9.2f %9.2f %11.0f %11.0f",
           is_first ? o->form : "", place, label_of(o, label), s[RP_BENCH_MEAN].median, interval,
           s[RP_BENCH_MEAN].best, s[RP_BENCH_P50].median, s[RP_BENCH_P95].median,
           s[RP_BENCH_P99].median, s[RP_BENCH_RATE].median, o->postings);
    if (b->threads > 1)
        printf("  %14.0f  %6.2f", s[RP_BENCH_POOL].median, s[RP_BENCH_SCALE].median);
    putchar('\n');
}

/* A line for each form. */
static void print_refused(const rp__bench_queries *b)
{
    const char *form = "";
    char label[LABEL_BYTES];
    for (size_t i = 0; i < b->n; i++) {
        const rp__bench_operation *o = &b->operations[i];
        if (!o->is_refused)
            continue;
        if (strcmp(o->form, form) != 0)
            printf("%s%s: not for all of these queries:", *form ? "\n" : "", o->form);
        form = o->form;
        printf(" %s", label_of(o, label));
    }
    if (*form)
        putchar('\n');
}

static void print_elsewhere(const rp__bench_queries *b)
{
    char label[LABEL_BYTES];
    for (size_t i = 0; i < b->n; i++)
        if (b->operations[i].elsewhere > 0)
            printf("%s %s: %zu of the queries were answered by another processor\n",
                   b->operations[i].form, label_of(&b->operations[i], label),
                   b->operations[i].elsewhere);
}

static void print_gains(const rp__bench_queries *b)
{
    for (size_t i = 0; i < b->n; i++) {
        char label[LABEL_BYTES];
        size_t n;
        double gain = rp__bench_queries_gain(b, &b->operations[i], &n);
        if (gain > 0)
            printf("%s %s: %.2f times as fast as one thread on %zu queries of over 1 ms\n",
                   b->operations[i].form, label_of(&b->operations[i], label), gain, n);
    }
}

/* What only some machines let us read. */
static void print_energy(const rp__bench_queries *b)
{
    static const struct {
        rp__bench_figure figure;
        const char *of;
    } meters[] = {{RP_BENCH_JOULES, "the processor"}, {RP_BENCH_GPU_JOULES, "the card"}};
    for (size_t i = 0; i < b->n; i++)
        for (size_t m = 0; m < sizeof meters / sizeof meters[0]; m++) {
            const rp__bench_operation *o = &b->operations[i];
            char label[LABEL_BYTES];
            rp__bench_summary s;
            if (o->samples[meters[m].figure].n == 0)
                continue;
            get_summary(o, meters[m].figure, &s);
            printf("%s %s: 1,000 queries took %.3g J of %s\n", o->form, label_of(o, label),
                   s.median, meters[m].of);
        }
}

void rp__bench_queries_report_print(const rp__bench_queries *b)
{
    print_heads(b);
    for (size_t i = 0; i < b->n; i++)
        if (!b->operations[i].is_refused)
            print_row(b, i);
    print_refused(b);
    print_elsewhere(b);
    print_gains(b);
    print_energy(b);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_operation(rp__json_writer *w, const rp__bench_queries *b,
                            const rp__bench_operation *o)
{
    size_t slow;
    double gain = rp__bench_queries_gain(b, o, &slow);
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "operation", o->form);
    rp__json_writer_text(w, "algorithm", algorithm_of(o));
    rp__json_writer_uint(w, "query_threads", o->options.threads);
    rp__json_writer_text(w, "processor", o->options.processor);
    rp__json_writer_uint(w, "elsewhere", o->elsewhere);
    rp__json_writer_bool(w, "answers_all", !o->is_refused);
    if (!o->is_refused) {
        rp__json_writer_uint(w, "place", o->place);
        rp__json_writer_real(w, "postings", o->postings, 1);
    }
    if (gain > 0) {
        rp__json_writer_uint(w, "slow_queries", slow);
        rp__json_writer_real(w, "gain_on_slow", gain, 4);
    }
    for (int i = 0; i < RP_BENCH_FIGURES; i++) {
        rp__bench_figure f = (rp__bench_figure)i;
        if (o->samples[f].n > 0)
            rp__bench_samples_write(w, rp__bench_queries_key(f), rp__bench_queries_unit(f),
                                    &o->samples[f], rp__bench_queries_is_rate(f));
    }
    rp__json_writer_end(w, '}');
}

void rp__bench_queries_report_write(rp__json_writer *w, const rp__bench_queries *b)
{
    rp__json_writer_uint(w, "queries_read", b->set->read);
    rp__json_writer_uint(w, "queries", b->set->n);
    rp__json_writer_uint(w, "rounds", b->rounds);
    rp__json_writer_uint(w, "threads", b->threads);
    rp__json_writer_text(w, "clock", b->by_wall ? "wall" : "cpu");
    rp__json_writer_bool(w, "names", b->has_names);
    rp__json_writer_begin(w, "operations", '[');
    for (size_t i = 0; i < b->n; i++)
        write_operation(w, b, &b->operations[i]);
    rp__json_writer_end(w, ']');
}

/* ---- Lines ----------------------------------------------------------------------------------- */

void rp__bench_queries_report_lines(FILE *out, const rp__bench_queries *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const rp__bench_operation *o = &b->operations[i];
        for (size_t q = 0; !o->is_refused && q < b->set->n; q++)
            fprintf(out, "%s\t%s\t%" PRIu64 "\t%" PRId64 "\n", o->name, b->set->at[q].topic.qid,
                    o->best[q], is_count(o) ? (int64_t)o->totals[q] : -1);
    }
}
