/* cmd_bench_queries.c: riposte bench queries: which queries, by which operations, and where the results
 * go. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/bench_machine.h"
#include "cli/bench_queries_plot.h"
#include "cli/bench_queries_report.h"
#include "cli/bench_svg.h"
#include "cli/name_list.h"
#include "cli/policy_args.h"
#include "cli/verbs.h"
#include "cli/whole_file.h"
#include "lab/bench.h"
#include "riposte/riposte.h"

enum { K_MOST = 10000, THREADS_MOST = 256, SPECS = 128, SPEC_BYTES = 160 };

typedef struct bench_queries_args {
    rp__common_args common;
    const char *modes, *k, *algorithms, *processors, *automatic, *query_threads, *words, *format,
        *per_query, *plot, *policies, *costs;
    double deadline_ms;
    bool has_deadline;
    uint32_t rounds, threads, pause_us;
    uint64_t gpu_memory;
    rp__bench_choice choice;
    bool plain, names, strict_processor, no_energy;
} bench_queries_args;

#define AT(field) .at = offsetof(bench_queries_args, field)

static const rp__option operation_rows[] = {
    {.name = "modes",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .initial = "and,or",
     AT(modes),
     .help = "how words are asked for: and, or, andor, phrase (side by side)"},
    {.name = "k",
     .kind = RP_OPTION_TEXT,
     .argument = "LIST",
     .initial = "10,1000,count",
     AT(k),
     .help = "hits of a query; count: how many match, and no hits"},
    {.name = "algorithms",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .initial = "auto",
     AT(algorithms),
     .help = "which ones, or all of the cpu's; what cannot answer every query is left out"},
    {.name = "processors",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     .initial = "cpu",
     AT(processors),
     .help = "cpu, gpu, auto; with one of the last two all times are wall times; of --algorithms, "
             "the gpu has auto, operators and para"},
    {.name = "auto",
     .kind = RP_OPTION_TEXT,
     .argument = "LIST",
     AT(automatic),
     .help = "other thresholds for the processor auto, as burst.and=512,lone.or=never; the default "
             "ones are shown with the results"},
    {.name = "policy",
     .kind = RP_OPTION_TEXT,
     .argument = "NAMES",
     AT(policies),
     .help = "beside them an executor with this policy (docs/policies.md), one query at a time; "
             "several with commas between, or all"},
    RP_POLICY_ARGS_DEADLINE(
        bench_queries_args,
        "milliseconds after which an executor gives a query up; otherwise never"),
    RP_POLICY_ARGS_COSTS(bench_queries_args),
    {.name = "pause-us",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "0",
     .most = 1000000,
     AT(pause_us),
     .help = "microseconds without queries before each one"},
    {.name = "strict-processor",
     .kind = RP_OPTION_FLAG,
     AT(strict_processor),
     .help = "exit code 6 where the CPU would answer instead of a GPU, or decode lists for it"},
    {.name = "gpu-memory",
     .kind = RP_OPTION_SIZE,
     .argument = "SIZE",
     .least = 1,
     AT(gpu_memory),
     .help = "most memory of the GPU to use, otherwise what is there"},
    {.name = "rounds",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "9",
     .least = 1,
     .most = RP_BENCH_SAMPLES,
     AT(rounds),
     .help = "how often each operation is measured, in turn with the others"},
    {.name = "threads",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1",
     .least = 1,
     .most = 256,
     AT(threads),
     .help = "over 1: throughput of so many threads as well, by wall clock"},
    {.name = "query-threads",
     .kind = RP_OPTION_TEXT,
     .argument = "LIST",
     .initial = "1",
     AT(query_threads),
     .help = "threads that share one query; with a number over 1 all times are wall times"},
    {.name = "names",
     .kind = RP_OPTION_FLAG,
     AT(names),
     .help = "to hits with ids, as a user has them; otherwise to docids and scores"},
    {.name = "no-energy",
     .kind = RP_OPTION_FLAG,
     AT(no_energy),
     .help = "leave out the second that each operation is repeated for the meters of energy"},
    {0},
};

static const rp__option choice_rows[] = {
    {.name = "words",
     .kind = RP_OPTION_TEXT,
     .argument = "N-M",
     AT(words),
     .help = "queries of so many words that differ, as 2-5"},
    {.name = "known",
     .kind = RP_OPTION_FLAG,
     AT(choice.known),
     .help = "whose words are all in the index"},
    {.name = "min-hits",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     AT(choice.min_hits),
     .help = "whose words are together in so many documents"},
    {.name = "sample",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     AT(choice.sample),
     .help = "of those, so many at random"},
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
     .help = "how QUERIES are written; otherwise guessed from the first one"},
    {.name = "plain",
     .kind = RP_OPTION_FLAG,
     AT(plain),
     .help = "queries are words and nothing else"},
    {0},
};

static const rp__option output_rows[] = {
    {.name = "per-query",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     AT(per_query),
     .help = "write of each query, tabs between: operation, qid, best nanoseconds, total, median "
             "nanoseconds, words that differ, postings of the two shortest lists"},
    {.name = "plot",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE.svg",
     AT(plot),
     .help = "write a plot of how times spread"},
    {0},
};

static const rp__option_group groups[] = {
    {"operations", operation_rows, 0},
    {"queries", choice_rows, 0},
    {"output", output_rows, 0},
    {"general", rp__options_common, offsetof(bench_queries_args, common)},
    {0},
};

typedef struct job {
    rp__console *console;
    const bench_queries_args *args;
    const char *dir, *queries;
    rp__bench_choice choice;
    rp_index *index;
    rp__bench_query_set set;
    rp__bench_queries bench;
    size_t cap;
    char specs[SPECS][SPEC_BYTES]; /* algorithms of a GPU, as the user gave them: n_specs */
    size_t n_specs;
    rp__whole_file per_query, plot;
} job;

/* ---- Operations ------------------------------------------------------------------------------ */

static const struct mode {
    const char *name;
    rp_mode mode;
    bool is_phrase;
} modes[] = {
    {"and", RP_MODE_AND, false},
    {"or", RP_MODE_OR, false},
    {"andor", RP_MODE_ANDOR, false},
    {"phrase", RP_MODE_OR, true},
};
enum { N_MODES = sizeof modes / sizeof modes[0] };

static const char *mode_at(size_t i)
{
    return i < N_MODES ? modes[i].name : NULL;
}

/* "all", then the library's, those of the CPU first. */
static const char *algorithm_at(size_t i)
{
    size_t n = 0;
    while (n + 1 < i && rp_algorithm_name(n))
        n++;
    if (i == 0)
        return "all";
    return rp_algorithm_name(n) ? rp_algorithm_name(n) : rp_gpu_algorithm_name(i - 1 - n);
}

/* The next algorithm of the list, with its options: "operators:levels=2,intersect=pmf,auto" has two. */
static bool next_algorithm(const char **names, char out[SPEC_BYTES])
{
    const char *at = *names;
    size_t n = strcspn(at, ","), end;
    while (at[n] == ',' && (end = strcspn(at + n + 1, ",")) > 0 && memchr(at + n + 1, '=', end) &&
           !memchr(at + n + 1, ':', end))
        n += 1 + end;
    snprintf(out, SPEC_BYTES, "%.*s", (int)n, at);
    *names = at + n + (at[n] == ',');
    return n > 0;
}

/* NULL: it is none of a GPU. */
static const char *find_spec(job *j, const char *algorithm)
{
    const char *name;
    size_t i = 0;
    while ((name = rp_gpu_algorithm_name(i)) &&
           (strlen(name) != strcspn(algorithm, ":") || strncmp(name, algorithm, strlen(name)) != 0))
        i++;
    for (i = 0; i < j->n_specs && strcmp(j->specs[i], algorithm) != 0;)
        i++;
    if (!name || i == SPECS)
        return NULL;
    if (i == j->n_specs)
        memcpy(j->specs[j->n_specs++], algorithm, strlen(algorithm) + 1);
    return j->specs[i];
}

/* Options of algorithms are checked when a searcher is made. */
static rp_status check_algorithms(job *j, rp_error *err)
{
    const char *names = j->args->algorithms;
    char name[SPEC_BYTES];
    size_t n = 0;
    rp_status status = RP_OK;
    if (*names == 0)
        return rp__name_list_check(j->console, "algorithms", names, algorithm_at, err);
    while (status == RP_OK && next_algorithm(&names, name)) {
        name[strcspn(name, ":")] = 0;
        status = rp__name_list_check(j->console, "algorithms", name, algorithm_at, err);
        n++;
    }
    if (status == RP_OK && n > SPECS)
        status = rp__console_usage(j->console, err, "fewer of them, in two runs",
                                   "--algorithms has more than %d", (int)SPECS);
    return status;
}

static const struct mode *find_mode(const char *name)
{
    const struct mode *m = modes;
    while (strcmp(m->name, name) != 0)
        m++;
    return m;
}

static bool read_number(const char *text, size_t most, size_t *out)
{
    char *end;
    *out = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    return *out > 0 && *out <= most && *end == 0;
}

/* 0: "count"; otherwise the number. */
static bool read_k(const char *text, size_t *k)
{
    *k = 0;
    return strcmp(text, "count") == 0 || read_number(text, K_MOST, k);
}

enum { CPU, GPU, AUTO };
static const char *const processors[] = {[CPU] = "cpu", [GPU] = "gpu", [AUTO] = "auto", NULL};

static const char *processor_at(size_t i)
{
    return processors[i];
}

/* One of the table's. */
static const char *find_processor(const char *name)
{
    size_t i = 0;
    while (i < AUTO && strcmp(processors[i], name) != 0)
        i++;
    return processors[i];
}

static const char executor[] = "executor";

/* `algorithm` NULL: auto. */
static rp_status add_operation(job *j, const struct mode *mode, size_t k, const char *algorithm,
                               size_t threads, const char *processor, rp_error *err)
{
    rp__bench_queries *b = &j->bench;
    if (!rp__alloc_grow(&b->operations, &j->cap, b->n + 1, sizeof *b->operations))
        return rp__error_no_memory(err);
    rp__bench_operation *o = &b->operations[b->n++];
    *o = (rp__bench_operation){.is_phrase = mode->is_phrase};
    o->options = (rp_search_options){.k = k,
                                     .mode = mode->mode,
                                     .plain = j->args->plain && !mode->is_phrase,
                                     .total = k ? RP_TOTAL_AT_LEAST : RP_TOTAL_ONLY,
                                     .threads = threads,
                                     .algorithm = algorithm,
                                     .processor = processor,
                                     .eager_gpu = true,
                                     .strict_processor = j->args->strict_processor,
                                     .gpu_memory = j->args->gpu_memory,
                                     .max_work = UINT64_MAX};
    snprintf(o->form, sizeof o->form, k ? "%s:%zu" : "%s:count", mode->name, k);
    snprintf(o->name, sizeof o->name, "%s%s%.120s", o->form, algorithm ? ":" : "",
             algorithm ? algorithm : "");
    size_t n = strlen(o->name);
    if (threads > 1)
        snprintf(o->name + n, sizeof o->name - n, "@%zu", threads);
    else if (processor != processors[CPU])
        snprintf(o->name + n, sizeof o->name - n, "@%s", processor);
    b->by_wall |= threads > 1 || processor != processors[CPU];
    return RP_OK;
}

static rp_status add_threads(job *j, const struct mode *mode, size_t k, const char *algorithm,
                             rp_error *err)
{
    const char *list = j->args->query_threads;
    char text[RP_NAME_BYTES];
    rp_status status = RP_OK;
    while (status == RP_OK && rp__name_list_next(&list, text)) {
        size_t threads;
        if (!read_number(text, THREADS_MOST, &threads))
            return rp__console_usage(j->console, err, "--query-threads 1,2",
                                     "--query-threads \"%s\" is no number from 1 to %d", text,
                                     THREADS_MOST);
        status = add_operation(j, mode, k, algorithm, threads, processors[CPU], err);
    }
    return status;
}

static rp_status add_algorithms(job *j, const struct mode *mode, size_t k, rp_error *err)
{
    const char *names = j->args->algorithms, *known;
    char name[SPEC_BYTES];
    rp_status status = RP_OK;
    while (status == RP_OK && next_algorithm(&names, name))
        for (size_t i = 0; status == RP_OK && (known = rp_algorithm_name(i)); i++)
            if (strcmp(name, "all") == 0 || strcmp(name, known) == 0)
                status = add_threads(j, mode, k, i ? known : NULL, err);
    return status;
}

/* A card has no threads to choose from, and its own algorithms. */
static rp_status add_gpu(job *j, const struct mode *mode, size_t k, rp_error *err)
{
    const char *names = j->args->algorithms;
    char name[SPEC_BYTES];
    rp_status status = RP_OK;
    while (status == RP_OK && next_algorithm(&names, name)) {
        const char *spec = find_spec(j, name);
        if (spec || strcmp(name, "auto") == 0 || strcmp(name, "all") == 0)
            status = add_operation(j, mode, k, spec, 1, processors[GPU], err);
    }
    return status;
}

static const char *policy_at(size_t i)
{
    return i == 0 ? "all" : rp_policy_name(i - 1);
}

/* Operations of an executor, which are measured by the wall clock. */
static rp_status add_policies(job *j, const struct mode *mode, size_t k, rp_error *err)
{
    const char *names = j->args->policies, *known;
    char name[RP_NAME_BYTES];
    rp_status status = RP_OK;
    while (names && status == RP_OK && rp__name_list_next(&names, name))
        for (size_t i = 0; status == RP_OK && (known = rp_policy_name(i)); i++) {
            if (strcmp(name, "all") != 0 && strcmp(name, known) != 0)
                continue;
            status = add_operation(j, mode, k, NULL, 1, executor, err);
            if (status != RP_OK)
                continue;
            rp__bench_operation *o = &j->bench.operations[j->bench.n - 1];
            o->policy = known;
            snprintf(o->name, sizeof o->name, "%s@policy:%s", o->form, known);
        }
    return status;
}

static rp_status add_processors(job *j, const struct mode *mode, size_t k, rp_error *err)
{
    const char *names = j->args->processors;
    char name[RP_NAME_BYTES];
    rp_status status = RP_OK;
    while (status == RP_OK && rp__name_list_next(&names, name))
        status = strcmp(name, processors[CPU]) == 0 ? add_algorithms(j, mode, k, err)
                 : strcmp(name, processors[GPU]) == 0
                     ? add_gpu(j, mode, k, err)
                     : add_operation(j, mode, k, NULL, 1, find_processor(name), err);
    return status == RP_OK ? add_policies(j, mode, k, err) : status;
}

static rp_status add_mode(job *j, const struct mode *mode, rp_error *err)
{
    const char *list = j->args->k;
    char text[RP_NAME_BYTES];
    rp_status status = RP_OK;
    while (status == RP_OK && rp__name_list_next(&list, text)) {
        size_t k;
        if (!read_k(text, &k))
            return rp__console_usage(j->console, err, "--k 10,1000,count",
                                     "--k \"%s\" is neither count nor a number from 1 to %d", text,
                                     K_MOST);
        status = add_processors(j, mode, k, err);
    }
    return status;
}

static rp_status check_policies(job *j, rp_error *err)
{
    const bench_queries_args *a = j->args;
    rp_status status =
        rp__policy_args_check_deadline(j->console, a->has_deadline, a->deadline_ms, err);
    if (status != RP_OK)
        return status;
    if ((a->has_deadline || a->costs) && !a->policies)
        return rp__console_usage(j->console, err, "--policy auto",
                                 "--deadline and --costs are for --policy");
    return a->policies ? rp__name_list_check(j->console, "policy", a->policies, policy_at, err)
                       : RP_OK;
}

/* Algorithms of a GPU are measured there alone. */
static rp_status check_gpu(job *j, rp_error *err)
{
    const char *names = j->args->processors, *algorithms = j->args->algorithms;
    char name[RP_NAME_BYTES], algorithm[SPEC_BYTES];
    while (rp__name_list_next(&names, name))
        if (strcmp(name, processors[GPU]) == 0)
            return RP_OK;
    while (next_algorithm(&algorithms, algorithm))
        if (find_spec(j, algorithm))
            return rp__console_usage(j->console, err, "--processors gpu",
                                     "--processors \"%s\" does not run %s, which is the gpu's",
                                     j->args->processors, algorithm);
    return RP_OK;
}

static rp_status add_modes(job *j, rp_error *err)
{
    const char *list = j->args->modes;
    char name[RP_NAME_BYTES];
    rp_status status = rp__name_list_check(j->console, "modes", list, mode_at, err);
    if (status == RP_OK)
        status = check_algorithms(j, err);
    if (status == RP_OK)
        status =
            rp__name_list_check(j->console, "processors", j->args->processors, processor_at, err);
    if (status == RP_OK)
        status = check_gpu(j, err);
    if (status == RP_OK)
        status = check_policies(j, err);
    while (status == RP_OK && rp__name_list_next(&list, name))
        status = add_mode(j, find_mode(name), err);
    if (status != RP_OK || j->bench.n > 0)
        return status;
    if (*j->args->k && *j->args->query_threads)
        return rp__console_usage(j->console, err, "--processors gpu",
                                 "--processors \"%s\" has none of the algorithms",
                                 j->args->processors);
    return rp__console_usage(j->console, err, "--k 10 --query-threads 1",
                             "--k or --query-threads is empty");
}

/* ---- Opening --------------------------------------------------------------------------------- */

enum { MAX_WORDS = 9999 };

/* "2-5" or "3". */
static rp_status read_words(job *j, rp_error *err)
{
    const char *text = j->args->words;
    rp__bench_choice *c = &j->choice;
    char *end;
    if (!text)
        return RP_OK;
    unsigned long least = strtoul(text, &end, 10), most = least;
    if (*end == '-')
        most = strtoul(end + 1, &end, 10);
    if (*end != 0 || least < 1 || most < least || most > MAX_WORDS)
        return rp__console_usage(j->console, err, "--words 2-5",
                                 "--words \"%s\" is no range of numbers", text);
    c->words_least = (unsigned)least;
    c->words_most = (unsigned)most;
    return RP_OK;
}

static rp_status open_job(job *j, rp_error *err)
{
    rp_status status = rp__bench_svg_check(j->args->plot, err);
    if (status == RP_OK)
        status = read_words(j, err);
    if (status == RP_OK)
        status = rp__auto_tuning_new(j->args->automatic, &j->bench.tuning, err);
    if (status == RP_OK)
        status = add_modes(j, err);
    if (status == RP_OK)
        status = rp_index_open(j->dir, NULL, &j->index, err);
    if (status == RP_OK)
        status = rp__bench_query_set_read(&j->set, j->queries, j->args->format, j->index,
                                          j->args->plain, &j->choice, err);
    if (status == RP_OK)
        status = rp__whole_file_open(&j->per_query, j->args->per_query, err);
    if (status == RP_OK)
        status = rp__whole_file_open(&j->plot, j->args->plot, err);
    j->bench.index = j->index;
    j->bench.set = &j->set;
    j->bench.rounds = j->args->rounds;
    j->bench.has_names = j->args->names;
    j->bench.no_energy = j->args->no_energy;
    j->bench.pause_us = j->args->pause_us;
    j->bench.deadline_ns = (uint64_t)ceil(j->args->deadline_ms * 1e6);
    j->bench.costs = j->args->costs;
    return status;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* What to type to have it again, with every choice that was made. */
static void put_command(const job *j, rp__buf *out)
{
    const bench_queries_args *a = j->args;
    rp__buf_printf(out, "riposte bench queries %s %s --modes %s --k %s --algorithms %s --rounds %u",
                   j->dir, j->queries, a->modes, a->k, a->algorithms, a->rounds);
    if (strcmp(a->processors, processors[CPU]) != 0)
        rp__buf_printf(out, " --processors %s", a->processors);
    if (a->policies)
        rp__buf_printf(out, " --policy %s", a->policies);
    if (a->has_deadline)
        rp__buf_printf(out, " --deadline %g", a->deadline_ms);
    if (a->costs)
        rp__buf_printf(out, " --costs %s", a->costs);
    if (a->automatic)
        rp__buf_printf(out, " --auto %s", a->automatic);
    if (a->gpu_memory)
        rp__buf_printf(out, " --gpu-memory %" PRIu64, a->gpu_memory);
    if (a->pause_us)
        rp__buf_printf(out, " --pause-us %u", a->pause_us);
    if (a->threads > 1)
        rp__buf_printf(out, " --threads %u", a->threads);
    if (strcmp(a->query_threads, "1") != 0)
        rp__buf_printf(out, " --query-threads %s", a->query_threads);
    if (a->words)
        rp__buf_printf(out, " --words %s", a->words);
    if (a->choice.min_hits)
        rp__buf_printf(out, " --min-hits %" PRIu64, a->choice.min_hits);
    if (a->choice.sample)
        rp__buf_printf(out, " --sample %" PRIu64 " --seed %" PRIu64, a->choice.sample,
                       a->choice.seed);
    if (a->format)
        rp__buf_printf(out, " --format %s", a->format);
    rp__buf_printf(out, "%s%s%s", a->choice.known ? " --known" : "", a->plain ? " --plain" : "",
                   a->names ? " --names" : "");
    rp__buf_put_byte(out, 0);
}

static rp_status write_files(job *j, const rp__bench_machine *machine, rp_error *err)
{
    rp_status status = RP_OK;
    if (j->per_query.out) {
        rp__bench_queries_report_lines(j->per_query.out, &j->bench);
        status = rp__whole_file_commit(&j->per_query, err);
    }
    if (status == RP_OK && j->plot.out) {
        char caption[256];
        rp__buf svg;
        rp__buf_init(&svg);
        snprintf(caption, sizeof caption, "riposte %s, %s; best of %u rounds, %zu queries",
                 rp_version(), machine->cpu, j->bench.rounds, j->set.n);
        rp__bench_queries_plot(&j->bench, caption, &svg);
        if (svg.failed)
            status = rp__error_no_memory(err);
        else
            status = rp__whole_file_write(&j->plot, svg.at, svg.n, err);
        rp__buf_free(&svg);
    }
    return status;
}

static rp_status reply(job *j, const rp__bench_machine *machine, const char *command, rp_error *err)
{
    rp__buf json;
    rp__json_writer w;
    if (!j->console->wants_json) {
        rp__bench_machine_print(machine);
        rp__console_put(stdout, command, strlen(command));
        putchar('\n');
        rp__bench_queries_report_print(&j->bench);
        return RP_OK;
    }
    rp__buf_init(&json);
    rp__json_writer_init(&w, &json);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.bench.queries/1");
    rp__bench_machine_write(&w, machine);
    rp__json_writer_text(&w, "command", command);
    rp__bench_queries_report_write(&w, &j->bench);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(j->console, &json, err);
    rp__buf_free(&json);
    return status;
}

static rp_status run_job(job *j, rp_error *err)
{
    rp__bench_machine machine;
    rp__buf command;
    rp__buf_init(&command);
    put_command(j, &command);
    rp__bench_machine_get(&machine);
    rp__console_note(j->console, "%zu queries, %zu operations", j->set.n, j->bench.n);
    rp_status status =
        command.failed ? rp__error_no_memory(err) : rp__bench_queries_run(&j->bench, err);
    if (status == RP_OK)
        status = reply(j, &machine, (const char *)command.at, err);
    if (status == RP_OK)
        status = write_files(j, &machine, err);
    rp__buf_free(&command);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    job j = {.console = console, .args = call->args};
    j.dir = call->operands[0];
    j.queries = call->operands[1];
    j.choice = j.args->choice;
    j.bench.threads = j.args->threads;
    rp_status status = open_job(&j, err);
    if (status == RP_OK)
        status = run_job(&j, err);
    rp__whole_file_close(&j.per_query);
    rp__whole_file_close(&j.plot);
    rp__bench_queries_free(&j.bench);
    rp__bench_query_set_free(&j.set);
    rp_index_close(j.index);
    return status;
}

const rp__verb rp__cmd_bench_queries_verb = {
    .name = "bench queries",
    .summary = "measure how fast queries are answered",
    .operands = {"DIR", "QUERIES"},
    .details =
        "For each mode, k and algorithm: mean, p50, p95 and p99 of the times of all queries, and "
        "queries a second. Every query is answered once before any clock runs, and algorithms "
        "that answer one differently end the run. A round runs every operation once, beginning "
        "at another operation and another query; figures are medians of the rounds, the interval "
        "is that of the mean, and algorithms whose intervals meet share a place. QUERIES are as "
        "for riposte batch, in the query language unless --plain is given. With the processors cpu "
        "and gpu, each form has a line with the mean of a perfect choice for each query, and with "
        "the threshold that would have been best.",
    .examples = "riposte bench queries my.rip queries.tsv\n"
                "riposte bench queries my.rip log.tsv.gz --words 2-5 --known --min-hits 10\n"
                "riposte bench queries my.rip queries.tsv --algorithms all --plot spread.svg\n"
                "riposte bench queries my.rip queries.tsv --threads 2 --json\n"
                "riposte bench queries my.rip queries.tsv --k 10 --processors cpu,gpu "
                "--query-threads 1,16\n"
                "riposte bench queries my.rip queries.tsv --k 10 --processors cpu,gpu,auto "
                "--pause-us 10000\n",
    .groups = groups,
    .args_bytes = sizeof(bench_queries_args),
    .run = run,
};
