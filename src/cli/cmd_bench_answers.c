/* cmd_bench_answers.c: riposte bench answers: how long a program waits for single calls. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/bench_machine.h"
#include "cli/figures.h"
#include "cli/verbs.h"
#include "lab/bench.h"
#include "riposte/index.h"

typedef struct bench_answers_args {
    rp__common_args common;
    uint64_t samples, seed;
} bench_answers_args;

static const rp__option bench_rows[] = {
    {.name = "samples",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "200",
     .least = 1,
     .most = RP_BENCH_ANSWER_SAMPLES,
     .at = offsetof(bench_answers_args, samples),
     .help = "calls of each sort"},
    {.name = "seed",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     .at = offsetof(bench_answers_args, seed),
     .help = "which documents and words are drawn"},
    {0},
};

static const rp__option_group groups[] = {
    {"bench", bench_rows, 0},
    {"general", rp__options_common, offsetof(bench_answers_args, common)},
    {0},
};

static void print(const rp__bench_answers *b, const rp_index_info *info)
{
    rp__bench_machine machine;
    char docs[RP_FIGURE_BYTES], terms[RP_FIGURE_BYTES];
    rp__bench_machine_get(&machine);
    rp__bench_machine_print(&machine);
    printf("%s documents, %s terms; microseconds of a call\n", rp__figures_count(docs, info->docs),
           rp__figures_count(terms, info->terms));
    printf("%-9s %8s %10s %10s %10s %10s %10s %8s\n", "call", "samples", "median", "p90", "p99",
           "most", "cpu", "refused");
    for (size_t i = 0; i < RP_BENCH_ANSWERS; i++) {
        const rp__bench_answer *r = &b->rows[i];
        printf("%-9s %8zu %10.1f %10.1f %10.1f %10.1f %10.1f %8zu\n", r->name, r->n, r->median,
               r->p90, r->p99, r->most, r->cpu, r->refused);
    }
}

static rp_status reply(rp__console *console, const rp__bench_answers *b, const rp_index_info *info,
                       rp_error *err)
{
    rp__bench_machine machine;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__bench_machine_get(&machine);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", "riposte.bench.answers/1");
    rp__bench_machine_write(&w, &machine);
    rp__json_writer_uint(&w, "docs", info->docs);
    rp__json_writer_uint(&w, "terms", info->terms);
    rp__json_writer_uint(&w, "seed", b->seed);
    rp__json_writer_begin(&w, "calls", '[');
    for (size_t i = 0; i < RP_BENCH_ANSWERS; i++) {
        const rp__bench_answer *r = &b->rows[i];
        rp__json_writer_begin(&w, NULL, '{');
        rp__json_writer_text(&w, "call", r->name);
        rp__json_writer_uint(&w, "samples", r->n);
        rp__json_writer_uint(&w, "refused", r->refused);
        rp__json_writer_text(&w, "unit", "us");
        rp__json_writer_real(&w, "median", r->median, 3);
        rp__json_writer_real(&w, "p90", r->p90, 3);
        rp__json_writer_real(&w, "p99", r->p99, 3);
        rp__json_writer_real(&w, "most", r->most, 3);
        rp__json_writer_real(&w, "cpu", r->cpu, 3);
        rp__json_writer_end(&w, '}');
    }
    rp__json_writer_end(&w, ']');
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    const bench_answers_args *args = call->args;
    rp__bench_answers bench = {.seed = args->seed, .samples = args->samples};
    rp_index *index;
    rp_index_info info;
    rp_status status = rp_index_open(call->operands[0], NULL, &index, err);
    if (status != RP_OK)
        return status;
    rp_index_get_info(index, &info);
    status = rp__bench_answers_run(index, &bench, err);
    if (status == RP_OK && console->wants_json)
        status = reply(console, &bench, &info, err);
    else if (status == RP_OK)
        print(&bench, &info);
    rp_index_close(index);
    return status;
}

const rp__verb rp__cmd_bench_answers_verb = {
    .name = "bench answers",
    .summary = "measure what a program waits for beside plain queries",
    .operands = {"DIR"},
    .details =
        "The time of single calls of the library, in one thread and without the start of a "
        "process: the docid of an id (find), a whole document, ten suggestions for one to four "
        "letters, and the ten best documents for a word with a wrong letter, as word~1 and "
        "word~2. Documents and words are drawn by chance; all are asked for twice, and the second "
        "time counts. The column cpu is the mean of the thread's own time. Words that stand for "
        "more than 1,024 terms are refused and not counted.",
    .examples = "riposte bench answers my.rip\n"
                "riposte bench answers my.rip --samples 1000 --json\n",
    .groups = groups,
    .args_bytes = sizeof(bench_answers_args),
    .run = run,
};
