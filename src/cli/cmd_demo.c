/* cmd_demo.c: riposte demo: indexes the bundled collection, asks it, says how to go on. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/answer.h"
#include "cli/bundled.h"
#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "riposte/riposte.h"

enum { PATH_BYTES = RP_BUNDLED_BYTES, DEMO_HITS = 5, DEMO_MEMORY = 64 << 20 };

typedef struct demo_args {
    rp__common_args common;
    const char *data, *output;
} demo_args;

static const rp__option demo_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_TEXT,
     .argument = "DIR",
     .at = offsetof(demo_args, output),
     .help =
         "folder of the index; otherwise riposte-demo here, or in TMPDIR if this folder takes no "
         "files"},
    {.name = "data",
     .kind = RP_OPTION_TEXT,
     .argument = "FILE",
     .at = offsetof(demo_args, data),
     .help = "collection to index instead of the bundled one"},
    {0},
};

static const rp__option_group groups[] = {
    {"demo", demo_rows, 0},
    {"general", rp__options_common, offsetof(demo_args, common)},
    {0},
};

static rp_status find_data(const demo_args *args, char out[PATH_BYTES], rp_error *err)
{
    rp_error why;
    if (args->data) {
        snprintf(out, PATH_BYTES, "%s", args->data);
        return RP_OK;
    }
    if (rp__bundled_find("demo.jsonl.gz", "data/demo.jsonl.gz", out, &why) == RP_OK)
        return RP_OK;
    return rp__error_set(err, RP_IO, "%s; name a collection by --data FILE", why.text);
}

static void choose_output(const demo_args *args, char out[PATH_BYTES])
{
    const char *temp = getenv("TMPDIR");
    if (args->output)
        snprintf(out, PATH_BYTES, "%s", args->output);
    else if (access(".", W_OK) == 0)
        snprintf(out, PATH_BYTES, "riposte-demo");
    else
        snprintf(out, PATH_BYTES, "%s/riposte-demo-%u", temp && *temp ? temp : "/tmp",
                 (unsigned)getuid());
}

static rp_status build(rp__console *console, const char *data, const char *dir,
                       rp_build_stats *stats, rp_error *err)
{
    rp__progress progress;
    rp__progress_init(&progress, console);
    rp_build_options options = {.stem = "english",
                                .memory = 256 << 20,
                                .on_progress = rp__progress_tick,
                                .progress_arg = &progress};
    rp__interrupt_hold();
    rp_status status = rp_index_build(&data, 1, dir, &options, stats, err);
    rp__interrupt_release();
    rp__progress_end(&progress);
    return status;
}

static void print_steps(const char *program, const char *dir)
{
    static const char *const steps[][3] = {
        {"another query", "search", " 'chess OR \"board game\"'"},
        {"why a hit is there", "search", " 'image editor' --k 3 --explain"},
        {"what the index holds", "stats", ""},
        {"for a program", "search", " compiler --json"},
    };
    puts("\ngo on with:");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        printf("  # %s\n  %s %s ", steps[i][0], program, steps[i][1]);
        rp__console_put(stdout, dir, strlen(dir));
        puts(steps[i][2]);
    }
    printf("your own documents (JSONL, TSV, TREC or plain text, also .gz and .zst):\n"
           "  %s index docs.jsonl -o my.rip\n"
           "  %s search my.rip \"your words\"\n",
           program, program);
}

static rp_status write_demo(rp__console *console, const char *dir, const rp_build_stats *stats,
                            const rp__answer *answer, rp_error *err)
{
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.demo/1");
    rp__json_writer_text(&w, "index", dir);
    rp__json_writer_uint(&w, "docs", stats->docs);
    rp__json_writer_real(&w, "build_seconds", stats->seconds, 6);
    rp_status status = rp__answer_write(&w, answer, err);
    rp__json_writer_end(&w, '}');
    if (status == RP_OK)
        status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static rp_status print_demo(rp__console *console, const char *dir, const rp_build_stats *stats,
                            const rp__answer *answer, rp_error *err)
{
    char docs[RP_FIGURE_BYTES], time[RP_FIGURE_BYTES];
    printf("indexed %s into ", rp__figures_of(docs, stats->docs, "document"));
    rp__console_put(stdout, dir, strlen(dir));
    printf(" in %s\n\n$ %s search ", rp__figures_time(time, stats->seconds), console->program);
    rp__console_put(stdout, dir, strlen(dir));
    fputs(" '", stdout);
    rp__console_put(stdout, answer->query, strlen(answer->query));
    printf("' --k %d\n", DEMO_HITS);
    rp_status status = rp__answer_print(console, answer, err);
    rp__console_flush(console);
    if (status == RP_OK) {
        rp__answer_note(console, answer);
        print_steps(console->program, dir);
    }
    return status;
}

static rp_status ask(rp__console *console, const char *dir, const char *query,
                     const rp_build_stats *stats, rp_error *err)
{
    rp_index *index = NULL;
    rp_searcher *searcher = NULL;
    rp_hits hits = {0};
    rp_search_options options = {
        .k = DEMO_HITS, .total = RP_TOTAL_EXACT, .max_memory = DEMO_MEMORY};
    rp_status status = rp_index_open(dir, NULL, &index, err);
    if (status == RP_OK)
        status = rp_searcher_new(index, &options, &searcher, err);
    if (status == RP_OK)
        status = rp_searcher_search(searcher, query, strlen(query), &hits, err);
    rp__answer answer = {.index = index,
                         .searcher = searcher,
                         .query = query,
                         .hits = &hits,
                         .has_snippets = true,
                         .max_memory = DEMO_MEMORY};
    if (status == RP_OK)
        status = console->wants_json ? write_demo(console, dir, stats, &answer, err)
                                     : print_demo(console, dir, stats, &answer, err);
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    rp_index_close(index);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    char data[PATH_BYTES], dir[PATH_BYTES];
    rp_build_stats stats = {0};
    const char *query = call->n_operands > 0 ? call->operands[0] : "\"window manager\" keyboard";
    rp_status status = find_data(call->args, data, err);
    if (status != RP_OK)
        return status;
    choose_output(call->args, dir);
    status = build(console, data, dir, &stats, err);
    if (status == RP_OK)
        status = ask(console, dir, query, &stats, err);
    return status;
}

const rp__verb rp__cmd_demo_verb = {
    .name = "demo",
    .summary = "index the bundled collection and ask it something",
    .operands = {"[QUERY]"},
    .details =
        "The collection is a few thousand package descriptions of Debian. The index stays, so "
        "that you can go on with it; remove the folder when you are done.",
    .examples = "riposte demo\n"
                "riposte demo 'chess OR \"board game\"'\n",
    .groups = groups,
    .args_bytes = sizeof(demo_args),
    .run = run,
};
