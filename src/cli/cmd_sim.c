/* cmd_sim.c: riposte sim: queries on the simulated accelerator IIU, with everything that it counts. */
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/figures.h"
#include "cli/sim_configs.h"
#include "cli/sim_report.h"
#include "cli/sim_sweep.h"
#include "cli/sim_trace.h"
#include "cli/sim_watch.h"
#include "cli/verbs.h"
#include "cli/whole_file.h"
#include "lab/bench.h"
#include "riposte/topics.h"

typedef struct sim_args {
    rp__common_args common;
    const char *config, *set, *trace, *commands, *sweep, *output, *format;
    int mode; /* rp__lab_sim_mode */
    uint32_t threads;
    bool list_configs;
} sim_args;

static const char *const modes[] = {"terms", "and", "or", "single", NULL};

static const rp__option sim_rows[] = {
    {.name = "config",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     .initial = "ddr4",
     .at = offsetof(sim_args, config),
     .help = "a bundled configuration, or a file of KEY=VALUE lines"},
    {.name = "set",
     .kind = RP_OPTION_TEXT,
     .argument = "KEY=VALUE,...",
     .at = offsetof(sim_args, set),
     .help = "keys to change; without dl= the tables have all three of its modes"},
    {.name = "mode",
     .kind = RP_OPTION_ENUM,
     .argument = "MODE",
     .initial = "terms",
     .choices = modes,
     .at = offsetof(sim_args, mode),
     .help = "what a query is: by its terms (one is single, two are an AND), an AND, an OR; or "
             "each of its terms alone"},
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_topics_format_name,
     .at = offsetof(sim_args, format),
     .help = "of QUERIES; otherwise recognized"},
    {.name = "trace",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .at = offsetof(sim_args, trace),
     .help = "write when each query had which cores and what each unit did: events for "
             "chrome://tracing, or a page if FILE ends in .html; the first dl mode"},
    {.name = "commands",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .at = offsetof(sim_args, commands),
     .help = "write every command that the memory got, for tools/dram_check; the first dl mode"},
    {.name = "sweep",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .at = offsetof(sim_args, sweep),
     .help = "run many configurations: lines of a name and KEY=VALUE ..."},
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .at = offsetof(sim_args, output),
     .help = "with --sweep: a line of JSON for each; those that are there are not run again"},
    {.name = "threads",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .least = 1,
     .most = 1024,
     .at = offsetof(sim_args, threads),
     .help = "with --sweep: configurations at once; default: as many as there are cores"},
    {.name = "list-configs",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(sim_args, list_configs),
     .help = "print the bundled configurations and all keys"},
    {0},
};

static const rp__option_group groups[] = {
    {"sim", sim_rows, 0},
    {"general", rp__options_common, offsetof(sim_args, common)},
    {0},
};

/* ---- Queries --------------------------------------------------------------------------------- */

static rp_status add_topics(rp__lab_sim *sim, rp_topics *topics, rp__lab_sim_mode mode,
                            rp_error *err)
{
    rp_topic topic;
    bool has = true;
    rp_status status = RP_OK;
    while (status == RP_OK) {
        status = rp_topics_next(topics, &topic, &has, err);
        if (status != RP_OK || !has)
            break;
        status = rp__lab_sim_add(sim, topic.query, topic.query_bytes, mode, err);
        if (status == RP_NOT_FOUND || status == RP_LIMIT)
            status = RP_OK;
    }
    return status;
}

static rp_status read_queries(rp__console *console, const rp__call *call, rp__lab_sim *sim,
                              rp_error *err)
{
    const sim_args *args = call->args;
    char text[RP_SIM_REPORT_LEFT_OUT];
    rp_topics *topics;
    rp_status status = rp_topics_open(call->operands[1], args->format, &topics, err);
    if (status != RP_OK)
        return status;
    status = add_topics(sim, topics, (rp__lab_sim_mode)args->mode, err);
    rp_topics_close(topics);
    if (status != RP_OK)
        return status;
    if (args->sweep && rp__sim_report_left_out(sim, text)) /* otherwise the report has it */
        rp__console_note(console, "riposte: %s", text);
    if (rp__lab_sim_count(sim) > 0)
        return RP_OK;
    rp__sim_report_left_out(sim, text);
    return rp__error_set(err, RP_INPUT, "%s: no query that this mode can run; %s",
                         call->operands[1], text);
}

/* ---- Configurations -------------------------------------------------------------------------- */

static bool sets_dl(const char *assignments)
{
    for (const char *p = assignments; p && (p = strstr(p, "dl=")); p++)
        if (p == assignments || strchr(", \t", p[-1]))
            return true;
    return false;
}

/* One run, or one for each mode of dl. */
static rp_status make_runs(const sim_args *args, rp__sim_report_run *runs, size_t *n, rp_error *err)
{
    rp_status status = rp__sim_configs_load(args->config, &runs[0].config, err);
    if (status == RP_OK && args->set)
        status = rp__sim_configs_set(args->set, &runs[0].config, err);
    if (status == RP_OK && !args->sweep) /* which checks what its lines make of it */
        status = rp__sim_config_check(&runs[0].config, err);
    *n = sets_dl(args->set) ? 1 : RP_SIM_REPORT_RUNS;
    for (size_t i = 1; i < *n; i++)
        runs[i].config = runs[0].config;
    for (size_t i = 0; *n > 1 && i < *n; i++)
        runs[i].config.dl = (uint32_t)i;
    return status;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* The timeline is that of the first run; NULL: none. */
static rp_status run_all(rp__console *console, const rp__lab_sim *sim, rp__sim_report_run *runs,
                         size_t n, rp__sim_timeline *timeline, rp_error *err)
{
    rp__sim_watch watch;
    const size_t queries = rp__lab_sim_count(sim);
    rp_status status = RP_OK;
    rp__sim_watch_init(&watch, console, n * queries);
    for (size_t i = 0; i < n && status == RP_OK; i++) {
        const rp__lab_sim_result *result = &runs[i].result;
        status = rp__lab_sim_run(sim, &runs[i].config, rp__sim_watch_tick, &watch,
                                 i == 0 ? timeline : NULL, &runs[i].result, err);
        rp__sim_watch_next(&watch, queries, result->report.cycles);
        if (result->states[0])
            rp__progress_note(&watch.progress, result->states);
    }
    rp__sim_watch_end(&watch);
    return status;
}

static rp_status reply(rp__console *console, const rp__lab_sim *sim, const rp__sim_report_run *runs,
                       size_t n, rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.sim/1");
    rp__json_writer_begin(&w, "runs", '[');
    for (size_t i = 0; i < n; i++) {
        rp__json_writer_begin(&w, NULL, '{');
        rp__sim_report_write(&w, sim, &runs[i], true);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static bool is_page(const char *path)
{
    const size_t n = strlen(path);
    return n >= 5 && strcmp(path + n - 5, ".html") == 0;
}

static rp_status write_trace(const char *path, const rp__lab_sim *sim,
                             const rp__sim_report_run *run, const rp__sim_timeline *timeline,
                             rp_error *err)
{
    rp__whole_file file;
    rp__buf out;
    rp__buf_init(&out);
    if (is_page(path))
        rp__sim_trace_page(&out, sim, run, timeline);
    else
        rp__sim_trace_events(&out, sim, run, timeline);
    if (out.failed) {
        rp__buf_free(&out);
        return rp__error_no_memory(err);
    }
    rp_status status = rp__whole_file_open(&file, path, err);
    if (status == RP_OK && file.out) {
        fwrite(out.at, 1, out.n, file.out);
        status = rp__whole_file_commit(&file, err);
    }
    rp__whole_file_close(&file);
    rp__buf_free(&out);
    return status;
}

static rp_status report(rp__console *console, const rp__lab_sim *sim,
                        const rp__sim_report_run *runs, size_t n, rp_error *err)
{
    if (console->wants_json)
        return reply(console, sim, runs, n, err);
    rp__sim_report_queries(sim, &runs[0]);
    printf("\n");
    rp__sim_report_print(sim, runs, n);
    return RP_OK;
}

static void log_command(void *log, const struct rp__dram_command *command)
{
    rp__bench_dram_command(log, command);
}

static rp_status run_all_logged(rp__console *console, const sim_args *args, const rp__lab_sim *sim,
                                rp__sim_report_run *runs, size_t n, rp__sim_timeline *timeline,
                                rp_error *err)
{
    rp__whole_file file;
    struct rp__bench_dram_log log = {0};
    if (!args->commands)
        return run_all(console, sim, runs, n, timeline, err);
    rp_status status = rp__whole_file_open(&file, args->commands, err);
    if (status == RP_OK && file.out) {
        log.file = file.out;
        runs[0].config.on_command = log_command;
        runs[0].config.context = &log;
        status = run_all(console, sim, runs, n, timeline, err);
        runs[0].config.on_command = NULL;
    }
    if (status == RP_OK && file.out)
        status = rp__whole_file_commit(&file, err);
    rp__whole_file_close(&file);
    return status;
}

static rp_status run_and_report(rp__console *console, const sim_args *args, const rp__lab_sim *sim,
                                rp__sim_report_run *runs, size_t n, rp_error *err)
{
    rp__sim_timeline timeline = {0};
    if (args->trace && rp__sim_timeline_init(&timeline) != RP_OK)
        return rp__error_no_memory(err);
    rp_status status =
        run_all_logged(console, args, sim, runs, n, args->trace ? &timeline : NULL, err);
    if (status == RP_OK && args->trace)
        status = write_trace(args->trace, sim, &runs[0], &timeline, err);
    rp__sim_timeline_free(&timeline);
    return status == RP_OK ? report(console, sim, runs, n, err) : status;
}

static rp_status run_sim(rp__console *console, const rp__call *call, rp__lab_sim *sim,
                         rp_error *err)
{
    const sim_args *args = call->args;
    rp__sim_report_run *runs = rp__alloc_zero(RP_SIM_REPORT_RUNS, sizeof *runs);
    size_t n = 0;
    if (!runs)
        return rp__error_no_memory(err);
    rp_status status = make_runs(args, runs, &n, err);
    if (status == RP_OK)
        status = read_queries(console, call, sim, err);
    if (status == RP_OK && args->sweep)
        status = rp__sim_sweep_run(console, sim, &runs[0].config, args->sweep, args->output,
                                   args->threads, err);
    else if (status == RP_OK)
        status = run_and_report(console, args, sim, runs, n, err);
    for (size_t i = 0; i < RP_SIM_REPORT_RUNS; i++)
        rp__lab_sim_result_free(&runs[i].result);
    rp__free(runs);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const sim_args *args = call->args;
    rp__lab_sim *sim;
    if (args->list_configs)
        return rp__sim_configs_print(console, err);
    if (call->n_operands < 2)
        return rp__console_usage(console, err, "riposte sim my.rip queries.tsv",
                                 "an index or image and a file of queries are wanted");
    if ((args->output || args->threads) && !args->sweep)
        return rp__console_usage(console, err, "riposte sim my.rip queries.tsv --sweep FILE -o OUT",
                                 "--output and --threads are for --sweep");
    if ((args->trace || args->commands) && args->sweep)
        return rp__console_usage(console, err, "riposte sim my.rip queries.tsv --trace FILE",
                                 "--trace and --commands are not for --sweep");
    rp_status status = rp__lab_sim_open(call->operands[0], &sim, err);
    if (status != RP_OK)
        return status;
    status = run_sim(console, call, sim, err);
    rp__lab_sim_close(sim);
    return status;
}

const rp__verb rp__cmd_sim_verb = {
    .name = "sim",
    .summary = "simulate the search accelerator IIU cycle by cycle",
    .operands = {"[PATH]", "[QUERIES]"},
    .details =
        "PATH is an index in codec iiu, or an image of one (riposte export iiu). QUERIES is a file "
        "of topics, as for batch. Prints for each query the cycles in the queue, until its first "
        "block, until its last block, and until its last result is in memory; then, for each way "
        "to charge documents' constants (dl=line, charge4, free), time, memory traffic and energy; "
        "of the first of them what each module did with its cycles, bytes by use, rows of the "
        "memory, and entries of the memory interface. Words go through the index's analyzer; of an "
        "image they must be its terms. The same input gives the same cycles on every machine. "
        "--sweep goes on where it was interrupted: names that are in -o FILE with the same "
        "configuration and as many queries are not run again.",
    .examples = "riposte sim my.rip queries.tsv\n"
                "riposte sim my.iiu queries.tsv --config hbm --mode or --set cores=1\n"
                "riposte sim --list-configs\n",
    .groups = groups,
    .args_bytes = sizeof(sim_args),
    .run = run,
};
