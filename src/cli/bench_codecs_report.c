/* bench_codecs_report.c: the results of codecs as a table, as JSON and as points of a plot. */
#include "cli/bench_codecs_report.h"

#include <stdio.h>
#include <string.h>

#include "cli/figures.h"

static double bits_of(const rp__bench_codecs *b, uint64_t bytes)
{
    return 8.0 * (double)bytes / (double)b->set.n;
}

static uint64_t bytes_of(const rp__bench_row *row)
{
    return row->docids + row->directory + row->freqs;
}

/* ---- A table --------------------------------------------------------------------------------- */

/* What stands over the columns after the sizes and the decoding speed. */
static const struct {
    rp__bench_measure measure;
    const char *title;
    int width;
} columns[] = {
    {RP_BENCH_FREQS, "+freqs", 6},    {RP_BENCH_BLOCKS, "blocks", 6},
    {RP_BENCH_UNORDERED, "unord", 5}, {RP_BENCH_AT, "at ns", 6},
    {RP_BENCH_FIND, "find ns", 7},    {RP_BENCH_WALK16, "walk16", 6},
    {RP_BENCH_WALK256, "walk256", 7},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static void print_cell(const rp__bench_row *row, size_t c)
{
    rp__bench_summary sum;
    rp__bench_measure m = columns[c].measure;
    rp__bench_samples_sum_up(&row->samples[m], rp__bench_codecs_is_rate(m), &sum);
    if (row->samples[m].n == 0)
        printf("  %*s", columns[c].width, "-");
    else
        printf("  %*.*f", columns[c].width, rp__bench_codecs_is_rate(m) ? 2 : 1, sum.median);
}

static void print_row(const rp__bench_codecs *b, size_t i)
{
    const rp__bench_row *row = &b->rows[i];
    rp__bench_summary speed, over;
    char place[16] = "", interval[48];
    rp__bench_samples_sum_up(&row->samples[RP_BENCH_DECODE], true, &speed);
    rp__bench_samples_sum_up(&row->over_memcpy, true, &over);
    if (i == 0 || row->place != b->rows[i - 1].place)
        snprintf(place, sizeof place, "%zu", row->place);
    snprintf(interval, sizeof interval, "%.2f-%.2f", speed.low, speed.high);
    printf("%2s  %-13s %-6s  %6.2f%s %6.2f %6.2f  %6.2f  %11s  %6.2f  %6.2f", place,
           row->about.name, row->about.isa, bits_of(b, row->docids),
           row->about.has_own_freqs ? "*" : " ", bits_of(b, row->docids + row->directory),
           bits_of(b, bytes_of(row)), speed.median, interval, speed.best, over.median);
    for (size_t c = 0; c < N_COLUMNS; c++)
        print_cell(row, c);
    putchar('\n');
}

static bool has_own_freqs(const rp__bench_codecs *b)
{
    for (size_t i = 0; i < b->n_rows; i++)
        if (b->rows[i].about.has_own_freqs)
            return true;
    return false;
}

void rp__bench_codecs_report_print(const rp__bench_codecs *b)
{
    char lists[RP_FIGURE_BYTES], postings[RP_FIGURE_BYTES];
    rp__bench_summary copy, fill;
    rp__bench_samples_sum_up(&b->memcpy_rate, true, &copy);
    rp__bench_samples_sum_up(&b->memset_rate, true, &fill);
    printf("\n%s, %s order: lists %s, postings %s, rounds %u\n", b->data, b->order,
           rp__figures_count(lists, b->set.n_lists), rp__figures_count(postings, b->set.n),
           b->rounds);
    printf("limits: memcpy %.2f Gint/s (%.2f-%.2f), memset %.2f (%.2f-%.2f)\n", copy.median,
           copy.low, copy.high, fill.median, fill.low, fill.high);
    printf("%2s  %-13s %-6s  %6s  %6s %6s  %6s  %11s  %6s  %6s", "", "codec", "isa", "bits", "+dir",
           "all", "Gint/s", "interval", "best", "/memcpy");
    for (size_t c = 0; c < N_COLUMNS; c++)
        printf("  %*s", columns[c].width, columns[c].title);
    putchar('\n');
    for (size_t i = 0; i < b->n_rows; i++)
        print_row(b, i);
    if (has_own_freqs(b))
        puts("*   with the frequencies, which lie among the docids");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_row(rp__json_writer *w, const rp__bench_codecs *b, const rp__bench_row *row)
{
    enum { DECIMALS = 4 };
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "codec", row->about.name);
    rp__json_writer_uint(w, "id", row->about.id);
    rp__json_writer_text(w, "isa", row->about.isa);
    rp__json_writer_uint(w, "place", row->place);
    rp__json_writer_begin(w, "bits", '{');
    rp__json_writer_real(w, "docids", bits_of(b, row->docids), DECIMALS);
    rp__json_writer_real(w, "directory", bits_of(b, row->directory), DECIMALS);
    rp__json_writer_real(w, "freqs", bits_of(b, row->freqs), DECIMALS);
    rp__json_writer_bool(w, "docids_have_freqs", row->about.has_own_freqs);
    rp__json_writer_end(w, '}');
    rp__bench_samples_write(w, "decode_over_memcpy", "ratio", &row->over_memcpy, true);
    for (int i = 0; i < RP_BENCH_MEASURES; i++) {
        rp__bench_measure m = (rp__bench_measure)i;
        if (row->samples[m].n > 0)
            rp__bench_samples_write(w, rp__bench_codecs_key(m), rp__bench_codecs_unit(m),
                                    &row->samples[m], rp__bench_codecs_is_rate(m));
    }
    rp__json_writer_end(w, '}');
}

void rp__bench_codecs_report_write(rp__json_writer *w, const rp__bench_codecs *b)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "data", b->data);
    rp__json_writer_text(w, "order", b->order);
    rp__json_writer_uint(w, "lists", b->set.n_lists);
    rp__json_writer_uint(w, "postings", b->set.n);
    rp__json_writer_uint(w, "universe", b->set.universe);
    rp__json_writer_uint(w, "rounds", b->rounds);
    rp__bench_samples_write(w, "memcpy", "Gint/s", &b->memcpy_rate, true);
    rp__bench_samples_write(w, "memset", "Gint/s", &b->memset_rate, true);
    rp__json_writer_begin(w, "rows", '[');
    for (size_t i = 0; i < b->n_rows; i++)
        write_row(w, b, &b->rows[i]);
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
}

/* ---- A plot ---------------------------------------------------------------------------------- */

void rp__bench_codecs_report_plot(rp__bench_pareto *plot, const rp__bench_codecs *b)
{
    char title[128];
    snprintf(title, sizeof title, "%.64s, %.16s order", b->data, b->order);
    rp__bench_pareto_panel(plot, title);
    for (size_t i = 0; i < b->n_rows; i++) {
        const rp__bench_row *row = &b->rows[i];
        rp__bench_summary speed;
        char label[64];
        rp__bench_samples_sum_up(&row->samples[RP_BENCH_DECODE], true, &speed);
        snprintf(label, sizeof label, "%.40s%s", row->about.name,
                 row->about.has_own_freqs ? "*" : "");
        rp__bench_pareto_point(plot, label, row->about.isa, bits_of(b, row->docids), speed.median);
    }
}
