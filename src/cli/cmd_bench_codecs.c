/* cmd_bench_codecs.c: riposte bench codecs: which rows, on which lists, and where the results go. */
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/bench_codecs_report.h"
#include "cli/bench_machine.h"
#include "cli/bench_svg.h"
#include "cli/name_list.h"
#include "cli/verbs.h"
#include "cli/whole_file.h"
#include "lab/bench.h"
#include "riposte/riposte.h"

static const char *const orders[] = {"input", "random", NULL};
static const char *const instruction_sets[] = {"best", "scalar", "avx2", "avx512", NULL};

typedef struct bench_codecs_args {
    rp__common_args common;
    const char *codec, *isa, *lists, *order, *plot;
    uint32_t min_length, repeats;
    uint64_t seed;
    double seconds;
} bench_codecs_args;

static const rp__option bench_rows[] = {
    {.name = "codec",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .at = offsetof(bench_codecs_args, codec),
     .help = "codecs to measure, with commas between; otherwise all"},
    {.name = "isa",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .initial = "best",
     .at = offsetof(bench_codecs_args, isa),
     .help = "rows of these instruction sets: scalar, avx2, avx512, or the best here"},
    {.name = "lists",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .at = offsetof(bench_codecs_args, lists),
     .help = "data: U10K, U5M and the like (uniform), C5M (clustered), Z (2,000 lists, 41M "
             "docids), real (those of DIR); otherwise real with DIR, U10K,U100K,U1M,C1M without"},
    {.name = "order",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .initial = "input",
     .at = offsetof(bench_codecs_args, order),
     .help = "numbering of documents: input as it is, random by a permutation of them"},
    {.name = "min-length",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1000",
     .least = 1,
     .at = offsetof(bench_codecs_args, min_length),
     .help = "of real lists, those with at least so many postings"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     .at = offsetof(bench_codecs_args, seed),
     .help = "of lists that are drawn, and of permutations"},
    {.name = "seconds",
     .kind = RP_OPTION_REAL,
     .argument = "S",
     .initial = "20",
     .most = 86400,
     .at = offsetof(bench_codecs_args, seconds),
     .help = "to measure on each data set, after encoding; 3 rounds at least, 64 at most"},
    {.name = "repeats",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .least = 1,
     .most = RP_BENCH_SAMPLES,
     .at = offsetof(bench_codecs_args, repeats),
     .help = "exactly so many rounds instead"},
    {.name = "plot",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE.svg",
     .at = offsetof(bench_codecs_args, plot),
     .help = "write a plot of bits against speed"},
    {0},
};

static const rp__option_group groups[] = {
    {"bench", bench_rows, 0},
    {"general", rp__options_common, offsetof(bench_codecs_args, common)},
    {0},
};

/* What all parts of a run share. */
typedef struct job {
    rp__console *console;
    const bench_codecs_args *args;
    const char *dir;   /* of the index; NULL: none */
    const char *lists; /* names, as given or by default */
    rp_index *index;
    size_t *rows; /* to measure */
    size_t n_rows, cap_rows;
    rp__buf json;
    rp__json_writer w;
    rp__bench_pareto plot;
    rp__whole_file plot_file;
} job;

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *order_at(size_t i)
{
    return orders[i];
}

static const char *isa_at(size_t i)
{
    return instruction_sets[i];
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static rp_status add_row(job *j, size_t row, rp_error *err)
{
    for (size_t i = 0; i < j->n_rows; i++)
        if (j->rows[i] == row)
            return RP_OK;
    if (!rp__alloc_grow(&j->rows, &j->cap_rows, j->n_rows + 1, sizeof *j->rows))
        return rp__error_no_memory(err);
    j->rows[j->n_rows++] = row;
    return RP_OK;
}

/* The rows of a codec: one for each instruction set that was asked for and that it has. */
static rp_status add_codec(job *j, const char *codec, rp_error *err)
{
    const char *sets = j->args->isa;
    char isa[RP_NAME_BYTES];
    rp_status status = RP_OK;
    while (status == RP_OK && rp__name_list_next(&sets, isa)) {
        size_t row;
        status = rp__lab_row_find(codec, isa, &row, err);
        if (status == RP_OK)
            status = add_row(j, row, err);
        else if (status == RP_NOT_FOUND)
            status = RP_OK;
    }
    return status;
}

static rp_status choose_rows(job *j, rp_error *err)
{
    const char *names = j->args->codec;
    char name[RP_NAME_BYTES];
    rp_status status = rp__name_list_check(j->console, "isa", j->args->isa, isa_at, err);
    if (status == RP_OK && names)
        status = rp__name_list_check(j->console, "codec", names, rp_codec_name, err);
    while (status == RP_OK && names && rp__name_list_next(&names, name))
        status = add_codec(j, name, err);
    for (size_t i = 0; status == RP_OK && !j->args->codec && rp_codec_name(i); i++)
        status = add_codec(j, rp_codec_name(i), err);
    if (status == RP_OK && j->n_rows == 0)
        status = rp__console_usage(j->console, err, "--isa best",
                                   "none of these codecs has a row for %s", j->args->isa);
    return status;
}

/* ---- Data ------------------------------------------------------------------------------------ */

static rp_status make_set(const job *j, const char *name, rp__lab_set *set, rp_error *err)
{
    return strcmp(name, "real") == 0 ? rp__lab_set_load(j->index, j->args->min_length, set, err)
                                     : rp__lab_set_make(name, j->args->seed, set, err);
}

/* Refused before anything is measured, and not minutes later. */
static rp_status check_lists(job *j, rp_error *err)
{
    const char *names = j->lists;
    char name[RP_NAME_BYTES];
    while (rp__name_list_next(&names, name)) {
        if (strcmp(name, "real") == 0 && !j->index)
            return rp__console_usage(j->console, err, "riposte bench codecs my.rip",
                                     "--lists real needs an index");
        if (strcmp(name, "real") != 0 && !rp__lab_set_is_name(name))
            return rp__console_usage(j->console, err, "--lists U100K,C5M,Z",
                                     "--lists \"%s\" is not known", name);
    }
    return RP_OK;
}

/* ---- Running --------------------------------------------------------------------------------- */

static rp_status measure(job *j, rp__bench_codecs *bench, rp_error *err)
{
    rp__bench_effort effort = {j->args->repeats, j->args->seconds};
    bench->rows = rp__alloc_zero(j->n_rows, sizeof *bench->rows);
    if (!bench->rows)
        return rp__error_no_memory(err);
    bench->n_rows = j->n_rows;
    for (size_t i = 0; i < j->n_rows; i++) {
        bench->rows[i].row = j->rows[i];
        rp__lab_row_get(j->rows[i], &bench->rows[i].about);
    }
    rp_status status = rp__bench_codecs_run(bench, &effort, err);
    if (status != RP_OK)
        return status;
    if (j->console->wants_json)
        rp__bench_codecs_report_write(&j->w, bench);
    else
        rp__bench_codecs_report_print(bench);
    rp__bench_codecs_report_plot(&j->plot, bench);
    rp__console_flush(j->console);
    return RP_OK;
}

static rp_status run_set(job *j, const char *data, const char *order, rp_error *err)
{
    rp__bench_codecs bench = {.data = data, .order = order};
    rp__console_note(j->console, "%s, %s order: %zu rows", data, order, j->n_rows);
    rp_status status = make_set(j, data, &bench.set, err);
    if (status == RP_OK && strcmp(order, "random") == 0)
        status = rp__lab_set_permute(&bench.set, j->args->seed, err);
    if (status == RP_OK)
        status = measure(j, &bench, err);
    rp__bench_codecs_free(&bench);
    return status;
}

static rp_status run_sets(job *j, rp_error *err)
{
    const char *lists = j->lists;
    char data[RP_NAME_BYTES], order[RP_NAME_BYTES];
    rp_status status = RP_OK;
    while (status == RP_OK && rp__name_list_next(&lists, data)) {
        const char *names = j->args->order;
        while (status == RP_OK && rp__name_list_next(&names, order))
            status = run_set(j, data, order, err);
    }
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* What to type to have it again, with every choice that was made. */
static void put_command(const job *j, rp__buf *out)
{
    const bench_codecs_args *a = j->args;
    rp__buf_put_string(out, "riposte bench codecs");
    if (j->dir)
        rp__buf_printf(out, " %s", j->dir);
    if (a->codec)
        rp__buf_printf(out, " --codec %s", a->codec);
    rp__buf_printf(out, " --isa %s --lists %s --order %s --min-length %u --seed %llu", a->isa,
                   j->lists, a->order, a->min_length, (unsigned long long)a->seed);
    if (a->repeats)
        rp__buf_printf(out, " --repeats %u", a->repeats);
    else
        rp__buf_printf(out, " --seconds %g", a->seconds);
}

static void begin_results(job *j, const rp__bench_machine *machine, const char *command)
{
    if (!j->console->wants_json) {
        rp__bench_machine_print(machine);
        rp__console_put(stdout, command, strlen(command));
        putchar('\n');
        return;
    }
    rp__json_writer_begin(&j->w, NULL, '{');
    rp__json_writer_text(&j->w, "schema", "riposte.bench.codecs/1");
    rp__bench_machine_write(&j->w, machine);
    rp__json_writer_text(&j->w, "command", command);
    rp__json_writer_uint(&j->w, "seed", j->args->seed);
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

static rp_status write_plot(job *j, const rp__bench_machine *machine, rp_error *err)
{
    char caption[256];
    rp__buf svg;
    if (!j->plot_file.out)
        return RP_OK;
    rp__buf_init(&svg);
    snprintf(caption, sizeof caption,
             "riposte %s, %s; prefix sum included; * bits include the frequencies", rp_version(),
             machine->cpu);
    rp__bench_pareto_finish(&j->plot, caption, &svg);
    rp_status status = svg.failed ? rp__error_no_memory(err) : RP_OK;
    if (status == RP_OK)
        status = rp__whole_file_write(&j->plot_file, svg.at, svg.n, err);
    rp__buf_free(&svg);
    return status;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static rp_status open_job(job *j, rp_error *err)
{
    rp_status status = rp__bench_svg_check(j->args->plot, err);
    if (status == RP_OK)
        status = choose_rows(j, err);
    if (status == RP_OK)
        status = rp__name_list_check(j->console, "order", j->args->order, order_at, err);
    if (status == RP_OK && j->dir)
        status = rp_index_open(j->dir, NULL, &j->index, err);
    if (status == RP_OK)
        status = check_lists(j, err);
    if (status == RP_OK)
        status = rp__whole_file_open(&j->plot_file, j->args->plot, err);
    return status;
}

static rp_status run_job(job *j, rp_error *err)
{
    rp__bench_machine machine;
    rp__buf command;
    rp__buf_init(&command);
    put_command(j, &command);
    rp__buf_put_byte(&command, 0);
    rp__bench_machine_get(&machine);
    rp_status status = command.failed ? rp__error_no_memory(err) : RP_OK;
    if (status == RP_OK) {
        begin_results(j, &machine, (const char *)command.at);
        status = run_sets(j, err);
    }
    if (status == RP_OK)
        status = write_plot(j, &machine, err);
    if (status == RP_OK)
        status = end_results(j, err);
    rp__buf_free(&command);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    job j = {.console = console, .args = call->args};
    j.dir = call->n_operands > 0 ? call->operands[0] : NULL;
    j.lists = j.args->lists ? j.args->lists : j.dir ? "real" : "U10K,U100K,U1M,C1M";
    rp__buf_init(&j.json);
    rp__json_writer_init(&j.w, &j.json);
    rp__bench_pareto_init(&j.plot, "bits a docid", "Gint/s decoded, logarithmic");
    rp_status status = open_job(&j, err);
    if (status == RP_OK)
        status = run_job(&j, err);
    rp__whole_file_close(&j.plot_file);
    rp__bench_pareto_free(&j.plot);
    rp__buf_free(&j.json);
    rp_index_close(j.index);
    rp__free(j.rows);
    return status;
}

const rp__verb rp__cmd_bench_codecs_verb = {
    .name = "bench codecs",
    .summary = "measure how small and how fast the codecs are",
    .operands = {"[DIR]"},
    .details =
        "For each codec: bits a docid, alone, with the directory and with frequencies; speed of "
        "decoding docids (prefix sum included; also as a ratio to memcpy of the same output), with "
        "frequencies, block by block, and without order; nanoseconds of one docid by rank (at), of "
        "one next_geq at random (find), and of next_geq in walks of about 16 and 256 postings. "
        "Everything that is decoded is compared with what was encoded. Rows of one place showed no "
        "difference in decoding.",
    .examples = "riposte bench codecs --lists U100K\n"
                "riposte bench codecs --codec bp128,ef128 --isa scalar,avx2,best --lists U1M,C5M\n"
                "riposte bench codecs my.rip --order input,random --plot codecs.svg\n",
    .groups = groups,
    .args_bytes = sizeof(bench_codecs_args),
    .run = run,
};
