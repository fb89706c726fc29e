/* cmd_batch.c: riposte batch: many queries from a file, a TREC run out. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/figures.h"
#include "cli/interrupt.h"
#include "cli/query_args.h"
#include "cli/run_file.h"
#include "cli/topics.h"
#include "cli/verbs.h"

typedef struct batch_args {
    rp__common_args common;
    rp__query_args query;
    const char *output, *tag;
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
    {.name = "tag",
     .kind = RP_OPTION_TEXT,
     .argument = "NAME",
     .initial = "riposte",
     .at = offsetof(batch_args, tag),
     .help = "last field of each line of the run"},
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

/* Everything that lives while topics are answered. */
typedef struct batch {
    rp__console *console;
    const batch_args *args;
    rp_index *index;
    rp_searcher *searcher, *words; /* for the query language; for plain words */
    rp__topics topics;
    rp__run_file run;
    rp__buf json;
    rp__json_writer w;
    bool lists_hits; /* in the JSON object, since there is no file for them */
    uint64_t queries, hits, skipped;
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
static bool is_query(const rp__topic *topic)
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

static rp_status ask(batch *b, const rp__topic *topic, rp_hits *hits, rp_error *err)
{
    bool must = b->args->syntax, may = must || (!b->args->query.search.plain && is_query(topic));
    rp_status status = RP_USAGE;
    if (may)
        status = rp_searcher_search(b->searcher, topic->query, topic->query_bytes, hits, err);
    if (status == RP_USAGE && !must)
        status = rp_searcher_search(b->words, topic->query, topic->query_bytes, hits, err);
    return status;
}

/* A query that is at fault itself is an error of the topics file, with its line. */
static rp_status answer_topic(batch *b, const rp__topic *topic, rp_error *err)
{
    rp_hits hits = {0};
    rp_status status = ask(b, topic, &hits, err);
    if (status == RP_USAGE || status == RP_INPUT || status == RP_LIMIT)
        return rp__error_set(err, status == RP_LIMIT ? RP_LIMIT : RP_INPUT, "%s:%" PRIu64 ": %s",
                             b->topics.path, b->topics.line, err->text);
    if (status == RP_OK) {
        b->queries++;
        b->hits += hits.n;
        if (b->lists_hits)
            write_topic(b, topic->qid, &hits);
        else
            status = rp__run_file_put(&b->run, topic->qid, &hits, b->args->tag, err);
    }
    rp_hits_free(&hits);
    return status;
}

static rp_status answer_all(batch *b, rp_error *err)
{
    rp__topic topic;
    bool has = true;
    while (!rp__interrupt_seen() && !rp__console_is_closed()) {
        rp_status status = rp__topics_next(&b->topics, &topic, &has, err);
        if (status == RP_OK && !has)
            return RP_OK;
        if (status == RP_OK)
            status = answer_topic(b, &topic, err);
        bool is_fault = status == RP_INPUT || status == RP_LIMIT;
        if (is_fault && b->args->on_error == RP_ON_ERROR_SKIP) {
            b->skipped++;
            rp__console_note(b->console, "riposte: left out: %s", err->text);
        } else if (status != RP_OK) {
            return status;
        }
    }
    if (rp__interrupt_seen())
        return rp__error_set(err, RP_INTERRUPTED, "interrupted; no run is written");
    return RP_OK;
}

static rp_status finish(batch *b, double seconds, rp_error *err)
{
    char queries[RP_FIGURE_BYTES], time[RP_FIGURE_BYTES], rate[RP_FIGURE_BYTES];
    rp_status status = rp__run_file_commit(&b->run, err);
    if (status != RP_OK)
        return status;
    if (b->console->wants_json) {
        if (b->lists_hits)
            rp__json_writer_end(&b->w, ']');
        rp__json_writer_text(&b->w, "run", b->args->output);
        rp__json_writer_uint(&b->w, "queries", b->queries);
        rp__json_writer_uint(&b->w, "hits", b->hits);
        rp__json_writer_uint(&b->w, "skipped", b->skipped);
        rp__json_writer_real(&b->w, "seconds", seconds, 6);
        rp__json_writer_end(&b->w, '}');
        return rp__console_reply(b->console, &b->json, err);
    }
    rp__console_flush(b->console);
    rp__console_note(b->console, "%s queries in %s, %s a second%s",
                     rp__figures_count(queries, b->queries), rp__figures_time(time, seconds),
                     rp__figures_count(rate, (uint64_t)((double)b->queries / (seconds + 1e-9))),
                     b->skipped ? "; some were left out" : "");
    return RP_OK;
}

/* Opens topics before the index, since a wrong name is found at once there. */
static rp_status begin(batch *b, const rp__call *call, rp_error *err)
{
    const batch_args *args = b->args;
    if (args->tag[0] == 0 || strpbrk(args->tag, " \t\n\v\f\r"))
        return rp__console_usage(b->console, err, "--tag riposte", "--tag must be one word");
    rp_status status = rp__topics_open(&b->topics, call->operands[1], err);
    if (status == RP_OK)
        status = rp__query_args_open(&args->query, call->operands[0], &b->index, &b->searcher, err);
    if (status == RP_OK) {
        rp_search_options plain = args->query.search;
        plain.plain = true;
        status = rp_searcher_new(b->index, &plain, &b->words, err);
    }
    if (status == RP_OK)
        status = rp__run_file_open(&b->run, args->output, err);
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
    rp_searcher_free(b.words);
    rp_searcher_free(b.searcher);
    rp_index_close(b.index);
    rp__topics_close(&b.topics);
    return status;
}

const rp__verb rp__cmd_batch_verb = {
    .name = "batch",
    .summary = "answer a file of queries with a TREC run",
    .operands = {"DIR", "TOPICS"},
    .details =
        "TOPICS has a line qid<TAB>query for each query; - is standard input. A hit is a line "
        "\"qid Q0 docno rank score tag\" with 7 decimals of the score; blanks in a docno become "
        "_. A topic is plain words unless it begins with \" or (, marks a word with + or -, or "
        "holds AND, OR or NOT in capitals: then it is in the query language. --plain and --syntax "
        "take all topics one way. "
        "With --json and no -o the hits are in the object.",
    .examples = "riposte batch my.rip topics.tsv --k 1000 -o my.run\n"
                "riposte batch my.rip queries.tsv --syntax --mode and -o my.run\n"
                "zcat topics.tsv.gz | riposte batch my.rip - > my.run\n",
    .groups = groups,
    .args_bytes = sizeof(batch_args),
    .run = run,
};
