/* bench_queries_report.c: the results of queries as a table, as JSON and as lines. */
#include "cli/bench_queries_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/figures.h"

enum { LABEL_BYTES = 192 };

static bool is_count(const rp__bench_operation *o)
{
    return o->options.total == RP_TOTAL_ONLY;
}

static const char *algorithm_of(const rp__bench_operation *o)
{
    return o->options.algorithm ? o->options.algorithm : "auto";
}

/* The algorithm, and by how many threads, or by what else: "auto", "auto@2", "auto@gpu", "auto@policy:better". */
static const char *label_of(const rp__bench_operation *o, char out[LABEL_BYTES])
{
    int n = snprintf(out, LABEL_BYTES, "%.150s", algorithm_of(o));
    if (o->policy)
        snprintf(out + n, LABEL_BYTES - (size_t)n, "@policy:%s", o->policy);
    else if (o->options.threads > 1)
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

static void print_policies(const rp__bench_queries *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const rp__bench_operation *o = &b->operations[i];
        if (o->policy)
            printf(
                "%s policy %s: the gpu answered %zu of the queries; late or refused: %zu of %zu\n",
                o->form, o->policy, o->on_gpu, o->late, b->rounds * b->set->n);
    }
}

static bool has_auto(const rp__bench_queries *b)
{
    bool has = false;
    for (size_t i = 0; i < b->n; i++)
        has |= strcmp(b->operations[i].options.processor, "auto") == 0;
    return has;
}

static void print_threshold(const char *what, const rp__bench_threshold *t)
{
    if (t->min_postings == UINT64_MAX)
        printf("; %.2f, gpu never, whatever %s", t->mean, what);
    else
        printf("; %.2f, gpu from %" PRIu64 " of %s", t->mean, t->min_postings, what);
}

/* What operators of a query take on average, where they were timed. */
static void print_steps(const rp__bench_queries *b)
{
    char label[LABEL_BYTES];
    for (size_t i = 0; i < b->n; i++) {
        const rp__bench_operation *o = &b->operations[i];
        const double n = (double)o->steps.n_queries;
        if (o->steps.n_queries == 0)
            continue;
        printf("%s %s, steps:", o->form, label_of(o, label));
        for (size_t k = 0; k < RP_BENCH_STAGES && o->steps.at[k].stage; k++)
            printf("%s %s %.2f", k ? "," : "", o->steps.at[k].stage, o->steps.at[k].us / n);
        putchar('\n');
    }
}

/* A line for each form of which both processors were measured. */
static void print_placements(const rp__bench_queries *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const char *form = b->operations[i].form;
        rp__bench_placement p;
        bool is_new = i == 0 || strcmp(form, b->operations[i - 1].form) != 0;
        if (!is_new || rp__bench_threshold_find(b, form, &p, NULL) != RP_OK)
            continue;
        const double better = p.cpu < p.gpu ? p.cpu : p.gpu;
        printf("%s by query, best times: cpu %.2f, gpu %.2f; %.2f by a perfect choice", form, p.cpu,
               p.gpu, p.perfect);
        print_threshold("blocks that an AND may read", &p.by_blocks);
        print_threshold("all lists but most of the longest", &p.by_rest);
        print_threshold("all lists", &p.by_all);
        if (p.automatic > 0)
            printf("; %.2f by auto, %.3f of the better", p.automatic, p.automatic / better);
        putchar('\n');
    }
}

/* How many queries auto gave to the gpu, and by which thresholds. */
static void print_auto(const rp__bench_queries *b)
{
    rp__buf text;
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->operations[i].options.processor, "auto") == 0)
            printf("%s auto: the gpu answered %zu of the queries\n", b->operations[i].form,
                   b->operations[i].on_gpu);
    if (!has_auto(b))
        return;
    rp__buf_init(&text);
    rp__auto_tuning_put(b->tuning, &text);
    printf("auto: %.*s\n", text.failed ? 0 : (int)text.n, (const char *)text.at);
    rp__buf_free(&text);
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
    print_policies(b);
    print_steps(b);
    print_placements(b);
    print_auto(b);
    print_gains(b);
    print_energy(b);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Means of a query. */
static void write_steps(rp__json_writer *w, const rp__bench_steps *steps)
{
    const double n = (double)steps->n_queries;
    if (steps->n_queries == 0)
        return;
    rp__json_writer_begin(w, "steps", '[');
    for (size_t i = 0; i < RP_BENCH_STAGES && steps->at[i].stage; i++) {
        const rp__bench_step *step = &steps->at[i];
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "stage", step->stage);
        rp__json_writer_text(w, "processor", "gpu");
        rp__json_writer_real(w, "us", step->us / n, 3);
        rp__json_writer_real(w, "elements", (double)step->elements / n, 1);
        rp__json_writer_real(w, "bytes", (double)step->bytes / n, 1);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

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
    if (o->policy) {
        rp__json_writer_text(w, "policy", o->policy);
        rp__json_writer_uint(w, "late", o->late);
    }
    rp__json_writer_uint(w, "elsewhere", o->elsewhere);
    rp__json_writer_uint(w, "on_gpu", o->on_gpu);
    rp__json_writer_bool(w, "answers_all", !o->is_refused);
    if (!o->is_refused) {
        rp__json_writer_uint(w, "place", o->place);
        rp__json_writer_real(w, "postings", o->postings, 1);
    }
    if (gain > 0) {
        rp__json_writer_uint(w, "slow_queries", slow);
        rp__json_writer_real(w, "gain_on_slow", gain, 4);
    }
    write_steps(w, &o->steps);
    for (int i = 0; i < RP_BENCH_FIGURES; i++) {
        rp__bench_figure f = (rp__bench_figure)i;
        if (o->samples[f].n > 0)
            rp__bench_samples_write(w, rp__bench_queries_key(f), rp__bench_queries_unit(f),
                                    &o->samples[f], rp__bench_queries_is_rate(f));
    }
    rp__json_writer_end(w, '}');
}

static void write_threshold(rp__json_writer *w, const char *key, const rp__bench_threshold *t)
{
    rp__json_writer_begin(w, key, '{');
    if (t->min_postings != UINT64_MAX)
        rp__json_writer_uint(w, "min_postings", t->min_postings);
    rp__json_writer_real(w, "mean", t->mean, 3);
    rp__json_writer_end(w, '}');
}

static void write_placements(rp__json_writer *w, const rp__bench_queries *b)
{
    rp__json_writer_begin(w, "placements", '[');
    for (size_t i = 0; i < b->n; i++) {
        const char *form = b->operations[i].form;
        rp__bench_placement p;
        bool is_new = i == 0 || strcmp(form, b->operations[i - 1].form) != 0;
        if (!is_new || rp__bench_threshold_find(b, form, &p, NULL) != RP_OK)
            continue;
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "operation", form);
        rp__json_writer_real(w, "cpu", p.cpu, 3);
        rp__json_writer_real(w, "gpu", p.gpu, 3);
        rp__json_writer_real(w, "perfect", p.perfect, 3);
        if (p.automatic > 0)
            rp__json_writer_real(w, "auto", p.automatic, 3);
        write_threshold(w, "by_blocks", &p.by_blocks);
        write_threshold(w, "by_rest", &p.by_rest);
        write_threshold(w, "by_all", &p.by_all);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}

static void write_auto(rp__json_writer *w, const rp__bench_queries *b)
{
    rp__buf text;
    if (!has_auto(b))
        return;
    rp__buf_init(&text);
    rp__auto_tuning_put(b->tuning, &text);
    rp__buf_put_byte(&text, 0);
    if (!text.failed)
        rp__json_writer_text(w, "auto", (const char *)text.at);
    rp__buf_free(&text);
}

void rp__bench_queries_report_write(rp__json_writer *w, const rp__bench_queries *b)
{
    rp__json_writer_uint(w, "queries_read", b->set->read);
    rp__json_writer_uint(w, "queries", b->set->n);
    rp__json_writer_uint(w, "rounds", b->rounds);
    rp__json_writer_uint(w, "threads", b->threads);
    rp__json_writer_uint(w, "pause_us", b->pause_us);
    rp__json_writer_text(w, "clock", b->by_wall ? "wall" : "cpu");
    rp__json_writer_bool(w, "names", b->has_names);
    rp__json_writer_begin(w, "operations", '[');
    for (size_t i = 0; i < b->n; i++)
        write_operation(w, b, &b->operations[i]);
    rp__json_writer_end(w, ']');
    write_placements(w, b);
    write_auto(w, b);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

void rp__bench_queries_report_lines(FILE *out, const rp__bench_queries *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const rp__bench_operation *o = &b->operations[i];
        for (size_t q = 0; !o->is_refused && q < b->set->n; q++)
            fprintf(out,
                    "%s\t%s\t%" PRIu64 "\t%" PRId64 "\t%" PRIu64 "\t%zu\t%" PRIu64 "\t%" PRIu64
                    "\n",
                    o->name, b->set->at[q].topic.qid, o->best[q],
                    is_count(o) ? (int64_t)o->totals[q] : -1, rp__bench_queries_median(b, o, q),
                    b->asked[q].words, b->asked[q].shortest, b->asked[q].second);
    }
}
