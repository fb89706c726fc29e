/* cmd_calibrate.c: riposte calibrate: what queries cost each processor here, and how well that can be predicted. */
#include <string.h>

#include "base/error.h"
#include "cli/bench_machine.h"
#include "cli/bench_svg.h"
#include "cli/crossover.h"
#include "cli/query_args.h"
#include "cli/verbs.h"
#include "cli/whole_file.h"
#include "lab/calibrate.h"
#include "lab/term_queries.h"
#include "riposte/riposte.h"

typedef struct calibrate_args {
    rp__common_args common;
    rp__query_args query;
    const char *output, *record, *plot, *format;
    uint32_t rounds;
    rp__bench_choice choice;
    bool dings, no_card;
} calibrate_args;

#define AT(field) .at = offsetof(calibrate_args, field)

static const rp__option calibrate_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(output),
     .help = "write the rules to this file, whole or not at all, for --costs (docs/policies.md)"},
    {.name = "record",
     .kind = RP_OPTION_TEXT,
     .argument = "PREFIX",
     AT(record),
     .help = "write what each query cost to PREFIX.and.tsv and PREFIX.or.tsv, for riposte load "
             "--replay"},
    {.name = "plot",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE.svg",
     AT(plot),
     .help = "write a plot of costs on each processor by the ratio of the two shortest lists"},
    {.name = "rounds",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "5",
     .least = 1,
     .most = 15,
     AT(rounds),
     .help = "how often each query is timed; the median counts"},
    {.name = "sample",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "4000",
     AT(choice.sample),
     .least = 1,
     .help = "so many queries at random, of the file or of the index's own terms"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     AT(choice.seed),
     .help = "of the sample"},
    {.name = "ding",
     .kind = RP_OPTION_FLAG,
     AT(dings),
     .help = "predict from the four features of Ding et al. alone: the two shortest lists, all "
             "lists, and the number of terms"},
    {.name = "no-card", .kind = RP_OPTION_FLAG, AT(no_card), .help = "measure the cores alone"},
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_topics_format_name,
     AT(format),
     .help = "how QUERIES are written; otherwise guessed from the first one"},
    {0},
};

static const rp__option_group groups[] = {
    {"calibrate", calibrate_rows, 0},
    {"ranking", rp__query_args_ranking, offsetof(calibrate_args, query)},
    {"general", rp__options_common, offsetof(calibrate_args, common)},
    {0},
};

/* ---- Results --------------------------------------------------------------------------------- */

static void print_mode(const rp__calibrate_figures *f, size_t mode)
{
    for (size_t p = 0; rp__calibrate_processor(p); p++) {
        const rp__calibrate_error *e = &f->errors[mode][p];
        if (e->tested == 0)
            continue;
        printf("%-5s %-6s %7zu %7zu %6zu %7.1f%% %7.1f%% %7.1f%% %7.1f%%\n",
               rp__calibrate_mode(mode), rp__calibrate_processor(p), e->fitted, e->tested, e->rules,
               100 * e->mean, 100 * e->p50, 100 * e->p90, 100 * e->p99);
    }
}

static void print_choice(const rp__calibrate_figures *f, size_t mode)
{
    if (f->gpu[mode] > 0)
        printf("%s: microseconds of a query: a core %.1f, the card %.1f, the better of both %.1f, "
               "the one that the rules name %.1f (%.3f of the better)\n",
               rp__calibrate_mode(mode), f->cpu[mode] / 1e3, f->gpu[mode] / 1e3,
               f->perfect[mode] / 1e3, f->chosen[mode] / 1e3, f->chosen[mode] / f->perfect[mode]);
}

static void print_figures(const rp__calibrate_figures *f)
{
    printf("%-5s %-6s %7s %7s %6s %8s %8s %8s %8s\n", "mode", "where", "fitted", "tested", "rules",
           "error", "p50", "p90", "p99");
    for (size_t mode = 0; rp__calibrate_mode(mode); mode++)
        print_mode(f, mode);
    for (size_t mode = 0; rp__calibrate_mode(mode); mode++)
        print_choice(f, mode);
    puts("error: relative, the mean over queries that the rules were not fitted to");
    if (f->feed_ns > 0)
        printf("a core spends %.1f us for a query of the card\n", (double)f->feed_ns / 1e3);
    rp__crossover_print(f);
}

static void write_mode(rp__json_writer *w, const rp__calibrate_figures *f, size_t mode)
{
    for (size_t p = 0; rp__calibrate_processor(p); p++) {
        const rp__calibrate_error *e = &f->errors[mode][p];
        if (e->tested == 0)
            continue;
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "mode", rp__calibrate_mode(mode));
        rp__json_writer_text(w, "processor", rp__calibrate_processor(p));
        rp__json_writer_uint(w, "fitted", e->fitted);
        rp__json_writer_uint(w, "tested", e->tested);
        rp__json_writer_uint(w, "rules", e->rules);
        rp__json_writer_real(w, "mean", e->mean, 4);
        rp__json_writer_real(w, "p50", e->p50, 4);
        rp__json_writer_real(w, "p90", e->p90, 4);
        rp__json_writer_real(w, "p99", e->p99, 4);
        rp__json_writer_end(w, '}');
    }
}

static void write_choice(rp__json_writer *w, const rp__calibrate_figures *f, size_t mode)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "mode", rp__calibrate_mode(mode));
    rp__json_writer_real(w, "cpu", f->cpu[mode] / 1e9, 9);
    rp__json_writer_real(w, "gpu", f->gpu[mode] / 1e9, 9);
    rp__json_writer_real(w, "perfect", f->perfect[mode] / 1e9, 9);
    rp__json_writer_real(w, "chosen", f->chosen[mode] / 1e9, 9);
    rp__json_writer_end(w, '}');
}

static rp_status write_figures(rp__console *console, const rp__calibrate_figures *f, rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.calibrate/1");
    rp__json_writer_begin(&w, "errors", '[');
    for (size_t mode = 0; rp__calibrate_mode(mode); mode++)
        write_mode(&w, f, mode);
    rp__json_writer_end(&w, ']');
    rp__json_writer_begin(&w, "choices", '[');
    for (size_t mode = 0; rp__calibrate_mode(mode); mode++)
        if (f->gpu[mode] > 0)
            write_choice(&w, f, mode);
    rp__json_writer_end(&w, ']');
    if (f->feed_ns > 0)
        rp__json_writer_uint(&w, "feed_ns", f->feed_ns);
    rp__crossover_write(&w, f);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

/* PREFIX.and.tsv: whole or not at all. */
static rp_status write_record(const rp__calibrate *c, const char *prefix, size_t mode,
                              rp_error *err)
{
    char path[4096], machine[512];
    rp__whole_file file = {0};
    rp__bench_machine where;
    rp__bench_machine_get(&where);
    snprintf(machine, sizeof machine, "%s, %u cores, %s.", where.cpu, where.cores,
             where.instructions);
    if (snprintf(path, sizeof path, "%s.%s.tsv", prefix, rp__calibrate_mode(mode)) >=
        (int)sizeof path)
        return rp__error_set(err, RP_USAGE, "--record: the name is too long");
    rp_status status = rp__whole_file_open(&file, path, err);
    if (status != RP_OK)
        return status;
    rp__calibrate_record(c, mode, machine, file.out);
    status = rp__whole_file_commit(&file, err);
    rp__whole_file_close(&file);
    return status;
}

/* Whole or not at all. */
static rp_status write_text(const char *path, const rp__buf *text, rp_error *err)
{
    rp__whole_file file = {0};
    if (text->failed)
        return rp__error_no_memory(err);
    rp_status status = rp__whole_file_open(&file, path, err);
    if (status == RP_OK)
        status = rp__whole_file_write(&file, text->at, text->n, err);
    rp__whole_file_close(&file);
    return status;
}

static rp_status write_costs(const rp__calibrate *c, const char *path, const rp_index *index,
                             rp_error *err)
{
    rp__buf text;
    rp__buf_init(&text);
    rp_status status = rp__calibrate_write_costs(c, index, &text, err);
    if (status == RP_OK)
        status = write_text(path, &text, err);
    rp__buf_free(&text);
    return status;
}

static rp_status write_plot(const rp__calibrate_figures *f, const char *path, size_t queries,
                            rp_error *err)
{
    rp__buf svg;
    char caption[256];
    rp__bench_machine where;
    rp__bench_machine_get(&where);
    rp__buf_init(&svg);
    snprintf(caption, sizeof caption, "riposte %s, %s, %s; means of %zu queries", rp_version(),
             where.cpu, where.instructions, queries);
    rp__crossover_plot(f, caption, &svg);
    rp_status status = write_text(path, &svg, err);
    rp__buf_free(&svg);
    return status;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static bool has_card(const calibrate_args *a)
{
    rp_gpu gpu;
    rp_error err;
    return !a->no_card && rp_gpu_get(a->query.search.gpu, 0, &gpu, &err) == RP_OK;
}

static rp_status calibrate(rp__console *console, const rp__call *call, const rp_index *index,
                           const rp__bench_query_set *set, rp_error *err)
{
    const calibrate_args *a = call->args;
    rp__calibrate_options options = {
        .search = a->query.search, .rounds = a->rounds, .has_card = has_card(a), .dings = a->dings};
    options.search.max_work = UINT64_MAX; /* the longest queries are to be measured, too */
    rp__calibrate *c = NULL;
    rp__calibrate_figures figures;
    rp_status status = rp__calibrate_run(index, set, &options, &c, err);
    if (status != RP_OK)
        return status;
    rp__calibrate_get_figures(c, &figures);
    for (size_t mode = 0; a->record && rp__calibrate_mode(mode) && status == RP_OK; mode++)
        status = write_record(c, a->record, mode, err);
    if (status == RP_OK && a->output)
        status = write_costs(c, a->output, index, err);
    if (status == RP_OK && a->plot)
        status = write_plot(&figures, a->plot, set->n, err);
    if (status == RP_OK && console->wants_json)
        status = write_figures(console, &figures, err);
    else if (status == RP_OK)
        print_figures(&figures);
    rp__calibrate_free(c);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const calibrate_args *a = call->args;
    const rp_index_options options = {.verify = a->query.verify};
    rp_index *index = NULL;
    rp__bench_query_set set = {0};
    rp_status status = rp__bench_svg_check(a->plot, err);
    if (status == RP_OK)
        status = rp_index_open(call->operands[0], &options, &index, err);
    if (status == RP_OK)
        status = call->n_operands > 1
                     ? rp__bench_query_set_read(&set, call->operands[1], a->format, index,
                                                a->query.search.plain, &a->choice, err)
                     : rp__term_queries_make(&set, index, a->choice.sample, a->choice.seed, err);
    if (status == RP_OK)
        status = calibrate(console, call, index, &set, err);
    rp__bench_query_set_free(&set);
    rp_index_close(index);
    return status;
}

const rp__verb rp__cmd_calibrate_verb = {
    .name = "calibrate",
    .summary = "measure what queries cost each processor, and how well that is predicted",
    .operands = {"DIR", "[QUERIES]"},
    .details = "Each query is timed as AND and as OR on a core, by its own clock, and on the card "
               "where there is one, alone and in batches. Rules are fitted to three of four "
               "queries; errors are of the fourth. Without QUERIES, queries are two to four terms "
               "of the index, the second list up to 8,192 times as long as the shortest. A table "
               "shows costs by that ratio, and from which one on a core costs less than the card.",
    .examples = "riposte calibrate my.rip -o costs.json\n"
                "riposte calibrate my.rip queries.tsv -o costs.json\n"
                "riposte calibrate my.rip --plot crossover.svg\n"
                "riposte calibrate my.rip queries.tsv --record h200\n",
    .groups = groups,
    .args_bytes = sizeof(calibrate_args),
    .run = run,
};
