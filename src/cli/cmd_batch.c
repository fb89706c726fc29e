/* cmd_batch.c: riposte batch: many queries from a file, a TREC run out. */
#include <ctype.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/thread.h"
#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/query_args.h"
#include "cli/run_file.h"
#include "cli/verbs.h"
#include "riposte/topics.h"

typedef struct batch_args {
    rp__common_args common;
    rp__query_args query;
    const char *output, *tag, *format;
    rp__run_format run_format;
    uint32_t threads;
    rp_on_error on_error;
    bool syntax;
} batch_args;

static const char *const on_errors[] = {"stop", "skip", NULL}; /* in rp_on_error's order */

static const rp__option batch_rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = RP_OPTION_TEXT,
     .argument = "RUN",
     .at = offsetof(batch_args, output),
     .help = "write the run to this file, whole or not at all; otherwise to standard output"},
    {.name = "run-format",
     .kind = RP_OPTION_ENUM,
     .argument = "FORM",
     .initial = "trec",
     .choices = rp__run_file_formats,
     .at = offsetof(batch_args, run_format),
     .help = "of a line of the run: trec, or msmarco: qid, docno, rank"},
    {.name = "tag",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     .initial = "riposte",
     .at = offsetof(batch_args, tag),
     .help = "last field of each line of the run"},
    {.name = "format",
     .kind = RP_OPTION_NAME,
     .argument = "NAME",
     .choice_at = rp_topics_format_name,
     .at = offsetof(batch_args, format),
     .help = "how TOPICS are written; otherwise told by the first one"},
    {.name = "threads",
     .kind = RP_OPTION_COUNT32,
     .argument = "N",
     .initial = "1",
     .least = 1,
     .most = 256,
     .at = offsetof(batch_args, threads),
     .help = "answer so many topics at a time; the run is the same"},
    {.name = "on-error",
     .kind = RP_OPTION_ENUM,
     .argument = "WHAT",
     .initial = "stop",
     .choices = on_errors,
     .at = offsetof(batch_args, on_error),
     .help = "at a topic that cannot be read or asked: stop, or skip it and say so"},
    {.name = "syntax",
     .kind = RP_OPTION_FLAG,
     .at = offsetof(batch_args, syntax),
     .help = "every topic is in the query language; an error in one is an error"},
    {0},
};

static const rp__option_group groups[] = {
    {"batch", batch_rows, 0},
    {"ranking", rp__query_args_ranking, offsetof(batch_args, query)},
    {"limits", rp__query_args_limits, offsetof(batch_args, query)},
    {"general", rp__options_common, offsetof(batch_args, common)},
    {0},
};

enum { CHUNK = 1024 }; /* topics that are answered before their hits are written */

/* Of one thread: for the query language; for plain words. */
typedef struct asker {
    rp_searcher *searcher, *words;
} asker;

typedef struct answer {
    rp_topic topic;
    rp_hits hits;
    double seconds;
    rp_status status;
    rp_error err;
} answer;

/* Everything that lives while topics are answered. */
typedef struct batch {
    rp__console *console;
    const batch_args *args;
    rp_index *index;
    rp_topics *topics;
    asker *askers;   /* args->threads */
    answer *answers; /* CHUNK */
    size_t n_answers;
    atomic_size_t next; /* answer to be worked on */
    rp__run_file run;
    rp__buf json;
    rp__json_writer w;
    bool lists_hits; /* in the JSON object, since there is no file for them */
    bool is_last;    /* the topics are at their end */
    uint64_t queries, hits, skipped, shown;
    double *seconds; /* of each query */
    size_t seconds_cap;
} batch;

static void write_topic(batch *b, const char *qid, const rp_hits *hits)
{
    rp__json_writer_begin(&b->w, NULL, '{');
    rp__json_writer_text(&b->w, "qid", qid);
    rp__json_writer_uint(&b->w, "total", hits->total);
    rp__json_writer_bool(&b->w, "total_is_exact", hits->total_is_exact);
    rp__json_writer_begin(&b->w, "hits", '[');
    for (size_t i = 0; i < hits->n; i++) {
        rp__json_writer_begin(&b->w, NULL, '{');
        rp__json_writer_uint(&b->w, "rank", i + 1);
        rp__json_writer_text(&b->w, "id", hits->at[i].name);
        rp__json_writer_uint(&b->w, "docid", hits->at[i].docid);
        rp__json_writer_real(&b->w, "score", hits->at[i].score, 7);
        rp__json_writer_end(&b->w, '}');
    }
    rp__json_writer_end(&b->w, ']');
    rp__json_writer_end(&b->w, '}');
}

/* Whether a topic is meant as a query: it begins with a quote or a parenthesis, marks a word with +
 * or -, or has an operator in capitals. A question in prose may hold other marks anywhere, and what it
 * says must not change by them. */
static bool is_query(const rp_topic *topic)
{
    static const char *const operators[] = {" AND ", " OR ", " NOT "};
    const char *text = topic->query + strspn(topic->query, " \t");
    if (*text && strchr("\"(", *text))
        return true;
    for (const char *p = text; (p = strpbrk(p, "+-")) != NULL; p++)
        if ((p == text || p[-1] == ' ') && (isalpha((unsigned char)p[1]) || p[1] == '"'))
            return true;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strstr(text, operators[i]))
            return true;
    return false;
}

static void ask(const batch *b, const asker *by, answer *a)
{
    const rp_topic *topic = &a->topic;
    bool must = b->args->syntax, may = must || (!b->args->query.search.plain && is_query(topic));
    uint64_t begin = rp__clock_now();
    a->status = RP_USAGE;
    if (may)
        a->status =
            rp_searcher_search(by->searcher, topic->query, topic->query_bytes, &a->hits, &a->err);
    if (a->status == RP_USAGE && !must)
        a->status =
            rp_searcher_search(by->words, topic->query, topic->query_bytes, &a->hits, &a->err);
    a->seconds = (double)(rp__clock_now() - begin) / 1e9;
}

static void answer_some(void *arg, uint32_t worker)
{
    batch *b = arg;
    for (size_t i; (i = atomic_fetch_add(&b->next, 1)) < b->n_answers && !rp__interrupt_seen();)
        if (b->answers[i].status == RP_OK)
            ask(b, &b->askers[worker], &b->answers[i]);
}

/* Up to CHUNK topics; one that cannot be read is an answer too. */
static rp_status read_topics(batch *b, rp_error *err)
{
    for (b->n_answers = 0; b->n_answers < CHUNK && !b->is_last;) {
        answer *a = &b->answers[b->n_answers];
        bool has;
        *a = (answer){0};
        a->status = rp_topics_next(b->topics, &a->topic, &has, &a->err);
        if (a->status != RP_OK && a->status != RP_INPUT && a->status != RP_LIMIT) {
            *err = a->err;
            return a->status;
        }
        b->is_last = a->status == RP_OK && !has;
        b->n_answers += !b->is_last;
    }
    return RP_OK;
}

/* A query that is at fault itself is an error of the topics file, with its line. */
static rp_status name_fault(const batch *b, const answer *a, rp_error *err)
{
    bool is_of_query =
        a->topic.qid && (a->status == RP_USAGE || a->status == RP_INPUT || a->status == RP_LIMIT);
    *err = a->err;
    if (!is_of_query)
        return a->status;
    return rp__error_set(err, a->status == RP_LIMIT ? RP_LIMIT : RP_INPUT, "%s:%" PRIu64 ": %s",
                         rp_topics_name(b->topics), a->topic.line, a->err.text);
}

static rp_status write_answer(batch *b, answer *a, rp_error *err)
{
    rp_status status = a->status == RP_OK ? RP_OK : name_fault(b, a, err);
    bool is_fault = status == RP_INPUT || status == RP_LIMIT;
    if (is_fault && b->args->on_error == RP_ON_ERROR_SKIP) {
        b->skipped++;
        rp__console_note(b->console, "riposte: left out: %s", err->text);
        return RP_OK;
    }
    if (status != RP_OK)
        return status;
    if (!rp__alloc_grow(&b->seconds, &b->seconds_cap, b->queries + 1, sizeof *b->seconds))
        return rp__error_no_memory(err);
    b->seconds[b->queries++] = a->seconds;
    b->hits += a->hits.n;
    if (!b->lists_hits)
        return rp__run_file_put(&b->run, a->topic.qid, &a->hits, b->args->tag, err);
    write_topic(b, a->topic.qid, &a->hits);
    return RP_OK;
}

/* On a terminal that shows nothing else, how many are answered, twice a second. */
static void show(batch *b)
{
    uint64_t now = rp__clock_now();
    if (!b->console->err_is_terminal || b->console->is_quiet || b->run.is_terminal ||
        now - b->shown < 500000000)
        return;
    b->shown = now;
    fprintf(stderr, "\r%" PRIu64 " queries\033[K\r", b->queries);
}

static rp_status answer_all(batch *b, rp_error *err)
{
    rp_status status = RP_OK;
    while (status == RP_OK && !b->is_last && !rp__interrupt_seen() && !rp__console_is_closed()) {
        status = read_topics(b, err);
        atomic_store(&b->next, 0);
        if (status == RP_OK && rp__thread_run(b->args->threads, answer_some, b) != RP_OK)
            status = rp__error_no_memory(err);
        for (size_t i = 0; i < b->n_answers; i++) {
            if (status == RP_OK && !rp__interrupt_seen())
                status = write_answer(b, &b->answers[i], err);
            rp_hits_free(&b->answers[i].hits);
        }
        show(b);
    }
    if (status == RP_OK && rp__interrupt_seen())
        return rp__error_set(err, RP_INTERRUPTED, "interrupted; no run is written");
    return status;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which this share of the sorted ones lies, by rank. */
static double percentile(const batch *b, double share)
{
    size_t n = b->queries, i = (size_t)(share * (double)n);
    return n ? b->seconds[i < n ? i : n - 1] : 0;
}

static rp_gpu_state gpu_of(const batch *b)
{
    rp_gpu_state all = {.faults = 0};
    for (uint32_t i = 0; i < b->args->threads; i++) {
        rp__query_args_add_gpu(b->askers[i].searcher, &all);
        rp__query_args_add_gpu(b->askers[i].words, &all);
    }
    return all;
}

static void reply_gpu(batch *b)
{
    rp_gpu_state all = gpu_of(b);
    rp__json_writer_begin(&b->w, "gpu", '{');
    rp__json_writer_uint(&b->w, "answered", all.answered);
    rp__json_writer_uint(&b->w, "faults", all.faults);
    rp__json_writer_uint(&b->w, "returns", all.returns);
    rp__json_writer_text(&b->w, "fault", all.fault);
    rp__json_writer_end(&b->w, '}');
}

static rp_status reply(batch *b, double seconds, rp_error *err)
{
    const char *processor = b->args->query.search.processor;
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
    if (processor && !strcmp(processor, "gpu"))
        reply_gpu(b);
    rp__json_writer_end(&b->w, '}');
    return rp__console_reply(b->console, &b->json, err);
}

static rp_status finish(batch *b, double seconds, rp_error *err)
{
    char queries[RP_FIGURE_BYTES], time[RP_FIGURE_BYTES], rate[RP_FIGURE_BYTES];
    char p50[RP_FIGURE_BYTES], p95[RP_FIGURE_BYTES], p99[RP_FIGURE_BYTES];
    rp_status status = rp__run_file_commit(&b->run, err);
    if (status != RP_OK)
        return status;
    rp_gpu_state gpu = gpu_of(b);
    rp__query_args_note_gpu(b->console, &gpu);
    if (b->queries)
        qsort(b->seconds, b->queries, sizeof *b->seconds, rising);
    if (b->console->wants_json)
        return reply(b, seconds, err);
    rp__console_flush(b->console);
    rp__console_note(
        b->console, "%s queries in %s, %s a second; p50 %s, p95 %s, p99 %s%s",
        rp__figures_count(queries, b->queries), rp__figures_time(time, seconds),
        rp__figures_count(rate, (uint64_t)((double)b->queries / (seconds + 1e-9))),
        rp__figures_time(p50, percentile(b, 0.5)), rp__figures_time(p95, percentile(b, 0.95)),
        rp__figures_time(p99, percentile(b, 0.99)), b->skipped ? "; some were left out" : "");
    return RP_OK;
}

static rp_status make_askers(batch *b, rp_error *err)
{
    rp_search_options language = b->args->query.search, plain;
    rp_status status = RP_OK;
    if (b->console->wants_json)
        language.total = RP_TOTAL_EXACT;
    plain = language;
    plain.plain = true;
    b->askers = rp__alloc_zero(b->args->threads, sizeof *b->askers);
    b->answers = rp__alloc_zero(CHUNK, sizeof *b->answers);
    if (!b->askers || !b->answers)
        return rp__error_no_memory(err);
    for (uint32_t i = 0; i < b->args->threads && status == RP_OK; i++) {
        status = rp_searcher_new(b->index, &language, &b->askers[i].searcher, err);
        if (status == RP_OK)
            status = rp_searcher_new(b->index, &plain, &b->askers[i].words, err);
    }
    return status;
}

/* Opens topics before the index, since a wrong name is found at once there. */
static rp_status begin(batch *b, const rp__call *call, rp_error *err)
{
    const batch_args *args = b->args;
    if (args->tag[0] == 0 || strpbrk(args->tag, " \t\n\v\f\r"))
        return rp__console_usage(b->console, err, "--tag riposte", "--tag must be one word");
    rp_index_options options = {.verify = args->query.verify};
    rp_status status = rp_topics_open(call->operands[1], args->format, &b->topics, err);
    if (status == RP_OK)
        status = rp_index_open(call->operands[0], &options, &b->index, err);
    if (status == RP_OK)
        status = make_askers(b, err);
    if (status == RP_OK)
        status = rp__run_file_open(&b->run, args->output, args->run_format, err);
    b->lists_hits = b->console->wants_json && b->run.out == stdout;
    if (b->console->wants_json) {
        rp__json_writer_init(&b->w, &b->json);
        rp__json_writer_begin(&b->w, NULL, '{');
        rp__json_writer_text(&b->w, "schema", "riposte.batch/1");
    }
    if (b->lists_hits)
        rp__json_writer_begin(&b->w, "topics", '[');
    return status;
}

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    batch b = {.console = console, .args = call->args};
    rp__buf_init(&b.json);
    rp__interrupt_watch();
    rp_status status = begin(&b, call, err);
    uint64_t start = rp__clock_now();
    if (status == RP_OK)
        status = answer_all(&b, err);
    if (status == RP_OK)
        status = finish(&b, (double)(rp__clock_now() - start) / 1e9, err);
    rp__run_file_close(&b.run);
    rp__buf_free(&b.json);
    for (uint32_t i = 0; b.askers && i < b.args->threads; i++) {
        rp_searcher_free(b.askers[i].searcher);
        rp_searcher_free(b.askers[i].words);
    }
    rp__free(b.askers);
    rp__free(b.answers);
    rp__free(b.seconds);
    rp_index_close(b.index);
    rp_topics_close(b.topics);
    return status;
}

const rp__verb rp__cmd_batch_verb = {
    .name = "batch",
    .summary = "answer a file of queries with a TREC run",
    .operands = {"DIR", "TOPICS"},
    .details =
        "TOPICS are lines qid<TAB>query or qid:query, TREC topics (<top> or <topic>; the title "
        "is the query) or JSON objects, a line each; plain or compressed; - is standard input. "
        "A hit is a line \"qid Q0 docno rank score tag\" with 7 decimals of the score; blanks in a "
        "docno become "
        "_. A topic is plain words unless it begins with \" or (, marks a word with + or -, or "
        "holds AND, OR or NOT in capitals: then it is in the query language. --plain and --syntax "
        "take all topics one way. "
        "With --json and no -o the hits are in the object.",
    .examples = "riposte batch my.rip topics.tsv --k 1000 -o my.run\n"
                "riposte batch my.rip queries.tsv --syntax --mode and -o my.run\n"
                "riposte batch my.rip topics.trec.gz | riposte eval qrels.txt -\n",
    .groups = groups,
    .args_bytes = sizeof(batch_args),
    .run = run,
};
