/* cmd_batch.c: riposte batch: many queries from a file, a TREC run out. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/answer.h"
#include "cli/batch.h"
#include "cli/figures.h"
#include "cli/gpu_report.h"
#include "cli/interrupt.h"
#include "lab/times.h"

static const char *const run_formats[] = {"trec", "msmarco", NULL}; /* in rp_run_format's order */
static const char *const totals[] = {"at-least", "exact", NULL};    /* in rp_total's order */
static const char *const on_errors[] = {"stop", "skip", NULL}; /* as RP_BATCH_STOP, RP_BATCH_SKIP */

static const rp__option batch_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_TEXT,
     .argument = "RUN",
     .at = offsetof(rp__batch_args, output),
     .help = "write the run to this file, whole or not at all; otherwise to standard output"},
    {.name = "run-format",
     .kind = RP_OPTION_ENUM,
     .argument = "FORM",
     .initial = "trec",
     .choices = run_formats,
     .at = offsetof(rp__batch_args, run_format),
     .help = "of a line of the run: trec, or msmarco: qid, docno, rank"},
    {.name = "tag",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     .initial = "riposte",
     .at = offsetof(rp__batch_args, tag),
     .help = "last field of each line of the run"},
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_topics_format_name,
     .at = offsetof(rp__batch_args, format),
     .help = "how TOPICS are written; otherwise guessed from the first one"},
    {.name = "threads",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     .least = 1,
     .most = 256,
     .at = offsetof(rp__batch_args, batch.threads),
     .help = "answer so many topics at a time, or prepare them for a GPU; the run is the same; "
             "with --policy, the cores of the executor"},
    {.name = "batch-elements",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1048576",
     .least = 1,
     .at = offsetof(rp__batch_args, batch.elements),
     .help =
         "with --processor gpu: topics are answered in groups whose shortest lists have so many "
         "postings together"},
    {.name = "total",
     .kind = RP_OPTION_ENUM,
     .argument = "WHAT",
     .initial = "at-least",
     .choices = totals,
     .at = offsetof(rp__batch_args, query.search.total),
     .help = "how many documents match a topic, as --json says: a lower bound, or the number, "
             "which takes longer"},
    {.name = "on-error",
     .kind = RP_OPTION_ENUM,
     .argument = "WHAT",
     .initial = "stop",
     .choices = on_errors,
     .at = offsetof(rp__batch_args, on_error),
     .help = "at a topic that cannot be read or asked: stop, or skip it and say so"},
    {.name = "syntax",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(rp__batch_args, syntax),
     .help = "every topic is in the query language; an error in one is an error"},
    {0},
};

static const rp__option_group groups[] = {
    {"batch", batch_rows, 0},
    {"ranking", rp__query_args_ranking, offsetof(rp__batch_args, query)},
    {"policy", rp__policy_args_rows, offsetof(rp__batch_args, policy)},
    {"limits", rp__query_args_limits, offsetof(rp__batch_args, query)},
    {"general", rp__options_common, offsetof(rp__batch_args, common)},
    {0},
};

static double seconds_since(uint64_t begun)
{
    return (double)(rp__clock_now() - begun) / 1e9;
}

static double percentile(const rp__batch_state *b, double share)
{
    return rp__times_in(b->times, b->queries, share, RP_TIMES_S);
}

static void reply_gpu(rp__batch_state *b)
{
    rp_gpu_state gpu;
    rp_searcher_get_gpu_state(b->searcher, &gpu);
    if (!gpu.is_asked)
        return;
    rp__json_writer_begin(&b->w, "gpu", '{');
    rp__json_writer_uint(&b->w, "answered", gpu.answered);
    rp__json_writer_uint(&b->w, "faults", gpu.faults);
    rp__json_writer_uint(&b->w, "returns", gpu.returns);
    rp__json_writer_text(&b->w, "fault", gpu.fault);
    rp__gpu_report_write_batch(&b->w, &b->spent.report);
    rp__gpu_report_write_kernels(&b->w, &b->spent.kernels);
    rp__json_writer_end(&b->w, '}');
}

static void write_spent(rp__batch_state *b)
{
    const rp_batch_report *r = &b->spent.report;
    rp__json_writer_begin(&b->w, "spent_seconds", '{');
    rp__json_writer_real(&b->w, "loading", b->spent.loading, 6);
    rp__json_writer_real(&b->w, "opening", b->spent.opening, 6);
    rp__json_writer_real(&b->w, "reading", b->spent.reading, 6);
    rp__json_writer_real(&b->w, "waiting_reader", b->spent.waiting_reader, 6);
    rp__json_writer_real(&b->w, "answering", b->spent.answering, 6);
    rp__json_writer_real(&b->w, "waiting_writer", b->spent.waiting_writer, 6);
    rp__json_writer_real(&b->w, "writing", b->spent.writing, 6);
    rp__json_writer_real(&b->w, "finishing", b->spent.finishing, 6);
    rp__json_writer_real(&b->w, "whole", seconds_since(b->begun_at), 6);
    rp__json_writer_end(&b->w, '}');
    rp__json_writer_begin(&b->w, "threads_seconds", '{');
    rp__json_writer_real(&b->w, "parse", r->parse_seconds, 6);
    rp__json_writer_real(&b->w, "prepare", r->prepare_seconds, 6);
    rp__json_writer_real(&b->w, "start", r->start_seconds, 6);
    rp__json_writer_real(&b->w, "wait", r->wait_seconds, 6);
    rp__json_writer_real(&b->w, "name", r->name_seconds, 6);
    rp__json_writer_real(&b->w, "cpu", r->cpu_seconds, 6);
    rp__json_writer_end(&b->w, '}');
    rp__json_writer_uint(&b->w, "gpu_groups", r->groups);
    rp__json_writer_uint(&b->w, "gpu_queries", r->n_grouped);
}

/* What the executor did. */
static void reply_policy(rp__batch_state *b)
{
    rp_executor_report r;
    if (!b->executor)
        return;
    rp_executor_get_report(b->executor, &r);
    rp__json_writer_text(&b->w, "policy",
                         rp__policy_args_name(&b->args->policy, &b->args->query.search));
    rp__json_writer_uint(&b->w, "partial", b->partial);
    rp__json_writer_uint(&b->w, "refused", b->refused);
    rp__json_writer_uint(&b->w, "on_cores", r.on_cores);
    rp__json_writer_uint(&b->w, "on_card", r.on_card);
    rp__json_writer_uint(&b->w, "launches", r.launches);
    rp__json_writer_begin(&b->w, "gpu", '{');
    rp__gpu_report_write_batch(&b->w, &b->spent.report);
    rp__json_writer_end(&b->w, '}');
}

static rp_status reply(rp__batch_state *b, double seconds, rp_error *err)
{
    if (b->lists_hits)
        rp__json_writer_end(&b->w, ']');
    rp__json_writer_text(&b->w, "run", b->args->output);
    rp__json_writer_uint(&b->w, "queries", b->queries);
    rp__json_writer_uint(&b->w, "hits", b->hits);
    rp__json_writer_uint(&b->w, "skipped", b->skipped);
    rp__json_writer_real(&b->w, "seconds", seconds, 6);
    rp__json_writer_begin(&b->w, "latency_seconds", '{');
    rp__json_writer_real(&b->w, "p50", percentile(b, 0.5), 9);
    rp__json_writer_real(&b->w, "p95", percentile(b, 0.95), 9);
    rp__json_writer_real(&b->w, "p99", percentile(b, 0.99), 9);
    rp__json_writer_end(&b->w, '}');
    write_spent(b);
    reply_gpu(b);
    reply_policy(b);
    rp__json_writer_end(&b->w, '}');
    return rp__console_reply(b->console, &b->json, err);
}

/* "9,990 of them on the gpu in 86 groups; answering took 8 ms, 1,234,567 a second; threads: parse 30 ms, ..." */
static void note_groups(const rp__batch_state *b)
{
    const rp_batch_report *r = &b->spent.report;
    char on_gpu[RP_FIGURE_BYTES], launched[RP_FIGURE_BYTES], rate[RP_FIGURE_BYTES];
    char time[6][RP_FIGURE_BYTES];
    rp__console_note(
        b->console,
        "%s of them on the %s, in %s group%s; answered in %s, %s a second; time of threads: "
        "parsing %s, preparing %s, waiting %s, naming %s, cpu %s",
        rp__figures_count(on_gpu, r->n_grouped), r->iiu.operations ? "iiu" : "gpu",
        rp__figures_count(launched, r->groups), r->groups == 1 ? "" : "s",
        rp__figures_time(time[0], b->spent.answering),
        rp__figures_count(rate, (uint64_t)((double)b->queries / (b->spent.answering + 1e-9))),
        rp__figures_time(time[1], r->parse_seconds), rp__figures_time(time[2], r->prepare_seconds),
        rp__figures_time(time[3], r->wait_seconds), rp__figures_time(time[4], r->name_seconds),
        rp__figures_time(time[5], r->cpu_seconds));
    rp__answer_note_machine(b->console, &r->iiu);
}

static void note_policy(const rp__batch_state *b)
{
    rp_executor_report r;
    char on_cores[RP_FIGURE_BYTES], on_card[RP_FIGURE_BYTES];
    rp_executor_get_report(b->executor, &r);
    rp__console_note(b->console, "policy %s: %s on cores, %s on the card",
                     rp__policy_args_name(&b->args->policy, &b->args->query.search),
                     rp__figures_count(on_cores, r.on_cores),
                     rp__figures_count(on_card, r.on_card));
}

/* Exit code 8 or 9 for a run that is whole but for some topics. */
static rp_status get_verdict(const rp__batch_state *b, rp_error *err)
{
    if (b->refused > 0)
        return rp__error_set(err, RP_BUSY,
                             "%" PRIu64 " of %" PRIu64 " topics were refused, and have no hits",
                             b->refused, b->queries);
    if (b->partial > 0)
        return rp__error_set(err, RP_DEADLINE,
                             "the time of %" PRIu64 " of %" PRIu64
                             " topics was over: there may be better hits",
                             b->partial, b->queries);
    return RP_OK;
}

static rp_status finish(rp__batch_state *b, double seconds, rp_error *err)
{
    char queries[RP_FIGURE_BYTES], time[RP_FIGURE_BYTES], rate[RP_FIGURE_BYTES];
    char p50[RP_FIGURE_BYTES], p95[RP_FIGURE_BYTES], p99[RP_FIGURE_BYTES];
    const uint64_t begun = rp__clock_now();
    rp_status status = rp_run_finish(b->run, err);
    b->spent.finishing = seconds_since(begun);
    rp__interrupt_release();
    if (status != RP_OK)
        return status;
    rp__query_args_note_gpu(b->console, b->searcher);
    rp__gpu_report_note_batch(b->console, &b->spent.report);
    if (b->queries)
        rp__times_sort(b->times, b->queries);
    else
        rp__console_note(b->console, "riposte: warning: %s has no topics",
                         rp_topics_name(b->topics));
    if (b->console->wants_json) {
        status = reply(b, seconds, err);
        return status == RP_OK ? get_verdict(b, err) : status;
    }
    rp__console_flush(b->console);
    rp__console_note(
        b->console, "%s %s in %s, %s a second; p50 %s, p95 %s, p99 %s%s",
        rp__figures_count(queries, b->queries), b->queries == 1 ? "query" : "queries",
        rp__figures_time(time, seconds),
        rp__figures_count(rate, (uint64_t)((double)b->queries / (seconds + 1e-9))),
        rp__figures_time(p50, percentile(b, 0.5)), rp__figures_time(p95, percentile(b, 0.95)),
        rp__figures_time(p99, percentile(b, 0.99)), b->skipped ? "; some were left out" : "");
    if (b->spent.report.groups > 0)
        note_groups(b);
    if (b->executor)
        note_policy(b);
    return get_verdict(b, err);
}

/* To standard output, whose failures the console finds; a terminal gets nothing that could steer it. */
static void print_lines(void *arg, const char *lines, size_t bytes)
{
    const rp__batch_state *b = arg;
    if (!b->is_shown) {
        fwrite(lines, 1, bytes, stdout);
        return;
    }
    for (const char *at = lines, *end; at < lines + bytes; at = end + 1) {
        end = memchr(at, '\n', (size_t)(lines + bytes - at));
        rp__console_put(stdout, at, (size_t)(end - at));
        putchar('\n');
    }
}

static rp_status open_run(rp__batch_state *b, rp_error *err)
{
    const rp__batch_args *args = b->args;
    rp_run_options options = {.format = args->run_format, .tag = args->tag};
    bool is_printed = !args->output || strcmp(args->output, "-") == 0;
    b->lists_hits = b->console->wants_json && is_printed;
    b->is_shown = is_printed && b->console->out_is_terminal;
    if (is_printed) {
        options.write = print_lines;
        options.write_arg = b;
    }
    rp__interrupt_hold_for(args->output);
    return rp_run_new(b->index, args->output, &options, &b->run, err);
}

/* Opens topics before the index, since a wrong name is found at once there. */
static rp_status begin(rp__batch_state *b, const rp__call *call, rp_error *err)
{
    const rp__batch_args *args = b->args;
    if (args->tag[0] == 0 || strpbrk(args->tag, " \t\n\v\f\r"))
        return rp__console_usage(b->console, err, "--tag riposte", "--tag must be one word");
    if (rp__policy_args_has(&args->policy) &&
        rp__policy_args_check(b->console, &args->policy, args->query.search.processor, err) !=
            RP_OK)
        return RP_USAGE;
    rp_index_options options = {.verify = args->query.verify};
    rp_status status = rp_topics_open(call->operands[1], args->format, &b->topics, err);
    if (status == RP_OK)
        status = rp_index_open(call->operands[0], &options, &b->index, err);
    if (status == RP_OK && !rp__batch_stages_open(b))
        status = rp__error_no_memory(err);
    if (status == RP_OK)
        status = open_run(b, err);
    if (b->console->wants_json) {
        rp__json_writer_init(&b->w, &b->json);
        rp__json_writer_begin(&b->w, NULL, '{');
        rp__json_writer_text(&b->w, "schema", "riposte.batch/1");
    }
    if (b->lists_hits)
        rp__json_writer_begin(&b->w, "topics", '[');
    return status;
}

static void close_all(rp__batch_state *b)
{
    rp__buf_free(&b->json);
    rp_executor_free(b->executor);
    rp_searcher_free(b->searcher);
    rp__batch_stages_close(b);
    rp__free(b->times);
    rp_index_close(b->index);
    rp_topics_close(b->topics);
}

/* Memory, of a card too, is the system's at the program's end. Only what has threads or a process of its own is ended
 * before: giving back everything one by one takes longer than a small batch. */
static bool may_leave(const rp__batch_state *b)
{
    return b->searcher && !b->args->query.search.gpu_child && rp__console_may_leave();
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    rp__batch_state b = {.console = console, .args = call->args, .begun_at = rp__clock_now()};
    rp__buf_init(&b.json);
    rp_status status = begin(&b, call, err);
    b.spent.loading = seconds_since(b.begun_at);
    if (status == RP_OK)
        status = rp__batch_stages_run(&b, err);
    if (status == RP_OK)
        status = finish(&b, seconds_since(b.opened_at), err);
    rp_run_free(b.run);
    console->leaves = may_leave(&b);
    if (!console->leaves)
        close_all(&b);
    return status;
}

const rp__verb rp__cmd_batch_verb = {
    .name = "batch",
    .summary = "answer a file of queries with a TREC run",
    .operands = {"DIR", "TOPICS"},
    .details =
        "TOPICS are lines qid<TAB>query or qid:query, TREC topics (<top> or <topic>; the title "
        "is the query) or JSON objects, a line each, with each qid once; plain or compressed; - is "
        "standard input. "
        "A hit is a line \"qid Q0 docno rank score tag\" with 7 decimals of the score; blanks in a "
        "docno become _, and where two documents have one docno by that, no run is written. A "
        "topic is plain words, in which no character means anything else; with --syntax it is in "
        "the query language. "
        "With --json and no -o the hits are in the object. Memory: at most --max-memory for each "
        "thread, 160 MiB for terms and hits, and the topics, which may have 256 MiB and take 8 "
        "bytes more each; what needs more ends with exit code 7.",
    .examples = "riposte batch my.rip topics.tsv --k 1000 -o my.run\n"
                "riposte batch my.rip queries.tsv --syntax --mode and -o my.run\n"
                "riposte batch my.rip topics.trec.gz | riposte eval qrels.txt -\n",
    .groups = groups,
    .args_bytes = sizeof(rp__batch_args),
    .run = run,
};
