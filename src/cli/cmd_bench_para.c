/* cmd_bench_para.c: riposte bench para: batches of ANDs by PARA's searches: host, transfer and kernel time of each, beside
 * one core. */
#include <string.h>

#include "base/error.h"
#include "cli/bench_machine.h"
#include "cli/name_list.h"
#include "cli/size_range.h"
#include "cli/verbs.h"
#include "lab/bench.h"

enum { SIZES_MAX = 32 };

typedef struct bench_para_args {
    rp__common_args common;
    const char *c, *methods, *gpu, *format;
    uint32_t sms, batches, rounds;
    rp__bench_choice choice;
} bench_para_args;

#define AT(field) .at = offsetof(bench_para_args, field)

static const rp__option bench_rows[] = {
    {.name = "c",
     .kind = RP_OPTION_TEXT,
     .argument = "RANGE",
     .initial = "1K..2M",
     AT(c),
     .help =
         "docids of the shortest lists of a batch, at least: 1K..2M doubles from the one to the "
         "other; or numbers with commas between"},
    {.name = "methods",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .initial = "all",
     AT(methods),
     .help = "searches, with commas between; all: those that the index has the lists for"},
    {.name = "sms",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .least = 1,
     AT(sms),
     .help =
         "use so many multiprocessors of the GPU, otherwise all; needs a driver that partitions "
         "cards"},
    {.name = "gpu",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     AT(gpu),
     .help =
         "which GPU: a number, or emulated, whose times mean nothing; otherwise RIPOSTE_GPU, or 0"},
    {.name = "batches",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "8",
     .least = 1,
     .most = 4096,
     AT(batches),
     .help = "batches of each size"},
    {.name = "rounds",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "5",
     .least = 1,
     .most = 64,
     AT(rounds),
     .help = "how often they are timed"},
    {.name = "sample",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     AT(choice.sample),
     .help = "so many queries of the log, at random; otherwise all"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     AT(choice.seed),
     .help = "of the sample"},
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_topics_format_name,
     AT(format),
     .help = "how LOG is written; otherwise guessed from the first query"},
    {0},
};

static const rp__option_group groups[] = {
    {"bench", bench_rows, 0},
    {"general", rp__options_common, offsetof(bench_para_args, common)},
    {0},
};

typedef struct job {
    rp__console *console;
    const bench_para_args *args;
    const char *dir, *log;
    uint64_t sizes[SIZES_MAX];
    size_t n_sizes;
    rp_index *index;
    rp__bench_query_set set;
    rp__bench_para *bench;
    rp__buf json;
    rp__json_writer w;
} job;

/* ---- Reading options ------------------------------------------------------------------------- */

/* "1K..2M", or one number. */
static bool read_range(job *j, const char *text)
{
    uint64_t from, to;
    if (!rp__size_range_read(text, &from, &to))
        return false;
    for (uint64_t size = from; size <= to; size *= 2) {
        if (j->n_sizes == SIZES_MAX)
            return false;
        j->sizes[j->n_sizes++] = size;
    }
    return true;
}

static rp_status read_sizes(job *j, rp_error *err)
{
    const char *ranges = j->args->c;
    char one[RP_NAME_BYTES];
    bool is_good = *ranges != 0;
    while (is_good && rp__name_list_next(&ranges, one))
        is_good = read_range(j, one);
    return is_good ? RP_OK
                   : rp__console_usage(j->console, err, "--c 1K..2M",
                                       "--c \"%s\": numbers from 1 to 1024M are meant", j->args->c);
}

static const char *method_at(size_t i)
{
    return i == 0 ? "all" : rp__bench_para_method(i - 1);
}

static bool is_all(const job *j)
{
    return strcmp(j->args->methods, "all") == 0;
}

/* Those that are named must have what they read; of all, those that do are measured. */
static rp_status check_methods(job *j, rp_error *err)
{
    const char *names = j->args->methods;
    char one[RP_NAME_BYTES];
    rp_status status = RP_OK;
    while (!is_all(j) && status == RP_OK && rp__name_list_next(&names, one))
        status = rp__bench_para_check(j->index, one, err);
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

static void begin_results(job *j)
{
    uint32_t processors = 0;
    const char *gpu = rp__bench_para_gpu(j->bench, &processors);
    if (!j->console->wants_json) {
        printf("%s, %u multiprocessors; microseconds of a batch\n", gpu, processors);
        printf("%9s %-9s %8s %10s %10s %10s %10s %10s %10s %9s %11s %8s\n", "c", "method",
               "queries", "elements", "found", "host", "transfer", "kernels", "search", "M/s",
               "core", "speed-up");
        return;
    }
    rp__json_writer_begin(&j->w, NULL, '{');
    rp__json_writer_text(&j->w, "schema", "riposte.bench.para/1");
    rp__json_writer_text(&j->w, "gpu", gpu);
    rp__json_writer_uint(&j->w, "processors", processors);
    rp__json_writer_begin(&j->w, "rows", '[');
}

static double total_of(const rp__bench_para_figures *f)
{
    return f->host + f->transfer + f->kernels;
}

static double speed_up(const rp__bench_para_figures *f)
{
    return total_of(f) > 0 ? f->cpu / total_of(f) : 0;
}

static void write_row(job *j, uint64_t c, const char *method, const rp__bench_para_figures *f)
{
    rp__json_writer *w = &j->w;
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_uint(w, "c", c);
    rp__json_writer_text(w, "method", method);
    rp__json_writer_text(w, "paper", rp__bench_para_from(method).paper);
    rp__json_writer_text(w, "mark", rp__bench_para_from(method).is_literal ? "literal" : "ours");
    rp__json_writer_uint(w, "batches", f->batches);
    rp__json_writer_real(w, "queries", f->queries, 2);
    rp__json_writer_real(w, "elements", f->elements, 1);
    rp__json_writer_real(w, "found", f->found, 1);
    rp__json_writer_real(w, "host", f->host, 9);
    rp__json_writer_real(w, "transfer", f->transfer, 9);
    rp__json_writer_real(w, "kernels", f->kernels, 9);
    rp__json_writer_real(w, "search", f->search, 9);
    rp__json_writer_real(w, "core", f->cpu, 9);
    rp__json_writer_real(w, "speed_up", speed_up(f), 3);
    rp__json_writer_end(w, '}');
}

static void print_row(job *j, uint64_t c, const char *method, const rp__bench_para_figures *f)
{
    const double all = total_of(f);
    if (j->console->wants_json) {
        write_row(j, c, method, f);
        return;
    }
    printf("%9llu %-9s %8.1f %10.0f %10.0f %10.2f %10.2f %10.2f %10.2f %9.1f %11.1f %8.2f\n",
           (unsigned long long)c, method, f->queries, f->elements, f->found, f->host * 1e6,
           f->transfer * 1e6, f->kernels * 1e6, f->search * 1e6,
           all > 0 ? f->elements / all / 1e6 : 0, f->cpu * 1e6, speed_up(f));
    rp__console_flush(j->console);
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

static rp_status run_method(job *j, uint64_t c, const char *method, rp_error *err)
{
    rp__bench_para_figures f;
    rp_error why = {.text = ""};
    if (is_all(j) && rp__bench_para_check(j->index, method, &why) != RP_OK)
        return RP_OK;
    rp_status status = rp__bench_para_run(j->bench, method, c, &f, err);
    if (status == RP_OK)
        print_row(j, c, method, &f);
    return status;
}

static rp_status run_size(job *j, uint64_t c, rp_error *err)
{
    const char *names = j->args->methods, *known;
    char one[RP_NAME_BYTES];
    rp_status status = RP_OK;
    for (size_t i = 0; is_all(j) && status == RP_OK && (known = rp__bench_para_method(i)); i++)
        status = run_method(j, c, known, err);
    while (!is_all(j) && status == RP_OK && rp__name_list_next(&names, one))
        status = run_method(j, c, one, err);
    return status;
}

static rp_status open_job(job *j, rp_error *err)
{
    const bench_para_args *a = j->args;
    const rp__bench_para_options options = {
        .gpu = a->gpu, .processors = a->sms, .batches = a->batches, .rounds = a->rounds};
    rp__bench_choice choice = a->choice;
    choice.known = true;
    rp_status status = read_sizes(j, err);
    if (status == RP_OK)
        status = rp__name_list_check(j->console, "methods", a->methods, method_at, err);
    if (status == RP_OK)
        status = rp_index_open(j->dir, NULL, &j->index, err);
    if (status == RP_OK)
        status =
            rp__bench_query_set_read(&j->set, j->log, a->format, j->index, false, &choice, err);
    if (status == RP_OK)
        status = rp__bench_para_open(j->index, &j->set, &options, &j->bench, err);
    return status == RP_OK ? check_methods(j, err) : status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    job j = {
        .console = console, .args = call->args, .dir = call->operands[0], .log = call->operands[1]};
    rp__buf_init(&j.json);
    rp__json_writer_init(&j.w, &j.json);
    rp_status status = open_job(&j, err);
    if (status == RP_OK)
        begin_results(&j);
    for (size_t i = 0; i < j.n_sizes && status == RP_OK; i++)
        status = run_size(&j, j.sizes[i], err);
    if (status == RP_OK)
        status = end_results(&j, err);
    rp__bench_para_free(j.bench);
    rp__bench_query_set_free(&j.set);
    rp_index_close(j.index);
    rp__buf_free(&j.json);
    return status;
}

const rp__verb rp__cmd_bench_para_verb = {
    .name = "bench para",
    .summary = "measure batches of ANDs by PARA",
    .operands = {"DIR", "LOG"},
    .details =
        "Queries of the log become batches, of at least so many docids of their shortest lists, "
        "each of which is looked up in the other lists of its query. Batches run once before any "
        "clock runs, so that their lists are on the card, and find the docids that one core finds. "
        "host: from bound queries to the launch, and from its end to answers; transfer: copies to "
        "the card and back, docids included; kernels: search, scan and compaction; search: the "
        "first of them; core: one core, by skip pointers; speed-up: its time over host, transfer "
        "and kernels together.",
    .examples = "riposte bench para my.rip queries.tsv\n"
                "riposte bench para my.rip queries.tsv --c 64K,1M --methods bs,hs64 --json\n",
    .groups = groups,
    .args_bytes = sizeof(bench_para_args),
    .run = run,
};
