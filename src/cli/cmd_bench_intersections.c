/* cmd_bench_intersections.c: riposte bench intersections: which lists at which ratios, and where the results go. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/bench_machine.h"
#include "cli/bench_source.h"
#include "cli/name_list.h"
#include "cli/verbs.h"
#include "lab/bench.h"

enum { RATIO_MOST = 1 << 20, FORMS_MOST = 32, DRAWN_MOST = 12000000 };

typedef struct bench_intersections_args {
    rp__common_args common;
    const char *codec, *ratios;
    uint32_t size, repeats;
    uint64_t seed;
    bool ranks;
    rp__bench_source_args of;
} bench_intersections_args;

static const rp__option bench_rows[] = {
    {.name = "codec",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .initial = "auto,bp128,bp128t,ef128,bitmap",
     .at = offsetof(bench_intersections_args, codec),
     .help = "codecs of the long lists, beside plain arrays, with commas between"},
    {.name = "size",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1000000",
     .least = 128,
     .most = 1 << 30,
     .at = offsetof(bench_intersections_args, size),
     .help =
         "docids of a synthetic long list, of 25.2M documents; of DIR, postings of all lists that "
         "are read, about"},
    {.name = "ratios",
     .kind = RP_OPTION_TEXT,
     .argument = "NUMBERS",
     .initial = "1,4,16,64,256,1024",
     .at = offsetof(bench_intersections_args, ratios),
     .help = "how many times as long the long lists are, with commas between"},
    {.name = "ranks",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(bench_intersections_args, ranks),
     .help = "find where docids are in the long list, too"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     .at = offsetof(bench_intersections_args, seed),
     .help = "of synthetic lists"},
    {.name = "repeats",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "9",
     .least = 1,
     .most = RP_BENCH_SAMPLES,
     .at = offsetof(bench_intersections_args, repeats),
     .help = "rounds; each takes every method once"},
    {0},
};

static const rp__option_group groups[] = {
    {"bench", bench_rows, 0},
    {"lists of an index", rp__bench_source_rows, offsetof(bench_intersections_args, of)},
    {"general", rp__options_common, offsetof(bench_intersections_args, common)},
    {0},
};

typedef struct job {
    rp__console *console;
    const rp__call *call;
    const bench_intersections_args *args;
    rp__bench_source of;
    char names[FORMS_MOST][RP_NAME_BYTES];
    const char *codecs[FORMS_MOST + 1];
    rp__bench_intersections bench;
    rp__buf json;
    rp__json_writer w;
} job;

/* ---- Reading options ------------------------------------------------------------------------- */

/* 0: it is no ratio. */
static uint32_t read_ratio(const char *text)
{
    char *end;
    unsigned long v = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    return v > 0 && v <= RATIO_MOST && *end == 0 ? (uint32_t)v : 0;
}

/* Lists are drawn, or they are those of DIR. */
static rp_status check_lists(job *j, rp_error *err)
{
    const char *example = "riposte bench intersections my.rip queries.tsv --ratios 4";
    if (j->call->n_operands == 0 && j->args->size > DRAWN_MOST)
        return rp__console_usage(j->console, err, example,
                                 "--size %u: at most %d docids are drawn for a list", j->args->size,
                                 DRAWN_MOST);
    for (size_t i = 0; j->call->n_operands > 0 && i < j->call->n_given; i++)
        if (strcmp(j->call->given[i], "seed") == 0)
            return rp__console_usage(j->console, err, example, "--seed is for synthetic lists");
    return rp__bench_source_check(&j->of, j->console, &j->args->of, j->call, err);
}

static rp_status check_args(job *j, rp_error *err)
{
    const char *names = j->args->codec, *ratios = j->args->ratios;
    char ratio[RP_NAME_BYTES];
    size_t n = 0;
    rp_status status = rp__name_list_check(j->console, "codec", names, rp_codec_name, err);
    if (status != RP_OK)
        return status;
    while (n < FORMS_MOST && rp__name_list_next(&names, j->names[n])) {
        j->codecs[n] = j->names[n];
        n++;
    }
    while (rp__name_list_next(&ratios, ratio))
        if (read_ratio(ratio) == 0)
            return rp__console_usage(j->console, err, "--ratios 1,16,1024",
                                     "--ratios \"%s\": a number from 1 to %d is meant", ratio,
                                     RATIO_MOST);
    return check_lists(j, err);
}

/* ---- Results --------------------------------------------------------------------------------- */

static double best_of(const rp__bench_cell *cell)
{
    rp__bench_summary s;
    rp__bench_samples_sum_up(&cell->samples, false, &s);
    return s.best;
}

static void print_ratio(const rp__bench_intersections *b)
{
    printf(
        "\n1:%u: %u docids in %u; sought %llu, found %llu, rounds %u; nanoseconds for each docid "
        "sought\n",
        b->ratio, b->n_short, b->longs[0].n, (unsigned long long)b->sought,
        (unsigned long long)b->found, b->rounds);
    printf("%-10s %6s  %-10s %-7s %9s %9s %9s\n", "long list", "bits", "method", "isa", "best",
           "median", "/merge");
    for (size_t c = 0; c < b->n_cells; c++) {
        const rp__bench_cell *cell = &b->cells[c];
        const rp__bench_form *form = &b->forms[cell->form];
        bool is_first = c == 0 || cell->form != b->cells[c - 1].form;
        char bits[16] = "";
        rp__bench_summary s;
        rp__bench_samples_sum_up(&cell->samples, false, &s);
        if (is_first)
            snprintf(bits, sizeof bits, "%.2f", form->bits);
        printf("%-10s %6s  %-10s %-7s %9.3f %9.3f %9.4f%s\n", is_first ? form->name : "", bits,
               cell->about.name, cell->about.isa, s.best, s.median, s.best / best_of(&b->cells[0]),
               cell->is_chosen ? "  chosen" : "");
    }
}

static void write_ratio(rp__json_writer *w, const rp__bench_intersections *b)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_uint(w, "ratio", b->ratio);
    rp__json_writer_uint(w, "short", b->n_short);
    rp__json_writer_uint(w, "long", b->longs[0].n);
    rp__json_writer_uint(w, "sought", b->sought);
    rp__json_writer_uint(w, "found", b->found);
    rp__json_writer_uint(w, "rounds", b->rounds);
    rp__json_writer_begin(w, "rows", '[');
    for (size_t c = 0; c < b->n_cells; c++) {
        const rp__bench_cell *cell = &b->cells[c];
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "form", b->forms[cell->form].name);
        rp__json_writer_real(w, "bits", b->forms[cell->form].bits, 3);
        rp__json_writer_text(w, "method", cell->about.name);
        rp__json_writer_text(w, "isa", cell->about.isa);
        rp__json_writer_bool(w, "chosen", cell->is_chosen);
        rp__json_writer_real(w, "over_merge", best_of(cell) / best_of(&b->cells[0]), 5);
        rp__bench_samples_write(w, "time", "ns", &cell->samples, false);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
}

/* What to type to have it again, with every choice that was made. */
static void put_command(const job *j, char *out, size_t room)
{
    const bench_intersections_args *a = j->args;
    const rp__call *call = j->call;
    char lists[64], choice[96] = "";
    const char *dir = call->n_operands > 0 ? call->operands[0] : "";
    const char *queries = call->n_operands > 1 ? call->operands[1] : "";
    snprintf(lists, sizeof lists, " --seed %llu", (unsigned long long)a->seed);
    if (*dir)
        snprintf(choice, sizeof choice, "%s%s%s%s", a->of.lengths ? " --lengths " : "",
                 a->of.lengths ? a->of.lengths : "", a->of.format ? " --format " : "",
                 a->of.format ? a->of.format : "");
    snprintf(
        out, room,
        "riposte bench intersections%s%s%s%s --codec %s --size %u --ratios %s%s --repeats %u%s",
        *dir ? " " : "", dir, *queries ? " " : "", queries, a->codec, a->size, a->ratios,
        *dir ? choice : lists, a->repeats, a->ranks ? " --ranks" : "");
}

static void begin_results(job *j)
{
    const bench_intersections_args *a = j->args;
    rp__bench_machine machine;
    char command[1024];
    rp__bench_machine_get(&machine);
    put_command(j, command, sizeof command);
    if (!j->console->wants_json) {
        rp__bench_machine_print(&machine);
        rp__console_put(stdout, command, strlen(command));
        putchar('\n');
        return;
    }
    rp__json_writer_begin(&j->w, NULL, '{');
    rp__json_writer_text(&j->w, "schema", "riposte.bench.intersections/1");
    rp__bench_machine_write(&j->w, &machine);
    rp__json_writer_text(&j->w, "command", command);
    if (j->call->n_operands == 0)
        rp__json_writer_uint(&j->w, "seed", a->seed);
    rp__json_writer_uint(&j->w, "size", a->size);
    rp__json_writer_begin(&j->w, "results", '[');
}

static rp_status end_results(job *j, rp_error *err)
{
    if (!j->console->wants_json)
        return RP_OK;
    rp__json_writer_end(&j->w, ']');
    rp__json_writer_end(&j->w, '}');
    return rp__console_reply(j->console, &j->json, err);
}

/* ---- The verb -------------------------------------------------------------------------------- */

static rp_status run_ratios(job *j, rp_error *err)
{
    const char *ratios = j->args->ratios;
    char ratio[RP_NAME_BYTES];
    rp_status status = RP_OK;
    while (status == RP_OK && rp__name_list_next(&ratios, ratio)) {
        j->bench.ratio = read_ratio(ratio);
        if (j->bench.ratio == 0) /* check_args has refused it */
            break;
        rp__console_note(j->console, "1:%u", j->bench.ratio);
        status = rp__bench_intersections_run(&j->bench, err);
        if (status != RP_OK)
            break;
        if (j->console->wants_json)
            write_ratio(&j->w, &j->bench);
        else
            print_ratio(&j->bench);
        rp__console_flush(j->console);
    }
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    job j = {.console = console, .call = call, .args = call->args};
    j.bench = (rp__bench_intersections){.size = j.args->size,
                                        .seed = j.args->seed,
                                        .has_ranks = j.args->ranks,
                                        .rounds = j.args->repeats};
    rp__buf_init(&j.json);
    rp__json_writer_init(&j.w, &j.json);
    rp_status status = check_args(&j, err);
    if (status == RP_OK)
        status = rp__bench_source_open(&j.of, &j.args->of, j.args->size, call, err);
    j.bench.source = j.of.lists;
    if (status == RP_OK)
        status = rp__bench_intersections_open(&j.bench, j.codecs, err);
    if (status == RP_OK) {
        begin_results(&j);
        status = run_ratios(&j, err);
    }
    if (status == RP_OK)
        status = end_results(&j, err);
    rp__bench_intersections_free(&j.bench);
    rp__bench_source_free(&j.of);
    rp__buf_free(&j.json);
    return status;
}

const rp__verb rp__cmd_bench_intersections_verb = {
    .name = "bench intersections",
    .summary = "measure how fast docids are found in lists",
    .details =
        "Long lists are synthetic, uniform, as plain arrays with an index of buckets, and by each "
        "codec. Of "
        "each short list a third is in its long one. Every method that can search a form is "
        "measured, by nanoseconds for each docid sought and as a ratio to the plain merge of "
        "arrays in the same run; all of them must find the same. The one that queries take is "
        "marked. With DIR, the two lists are of the index, one pair for each ratio, the same that "
        "riposte bench gpu takes with the same --size and --lengths: with QUERIES two of a query; "
        "otherwise the longest with one of about the ratio.",
    .operands = {"[DIR]", "[QUERIES]"},
    .examples = "riposte bench intersections\n"
                "riposte bench intersections --size 5000000 --ratios 16,1024 --ranks\n"
                "riposte bench intersections my.rip queries.tsv --ratios 4 --lengths 1K..1M\n",
    .groups = groups,
    .args_bytes = sizeof(bench_intersections_args),
    .run = run,
};
