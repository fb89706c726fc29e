/* cmd_batch.c: riposte batch: many queries from a file, a TREC run out. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/answer.h"
#include "cli/executor_batch.h"
#include "cli/figures.h"
#include "cli/gpu_report.h"
#include "cli/interrupt.h"
#include "cli/policy_args.h"
#include "cli/query_args.h"
#include "cli/verbs.h"
#include "lab/times.h"
#include "riposte/topics.h"

typedef struct batch_args {
    rp__common_args common;
    rp__query_args query;
    rp__policy_args policy;
    const char *output, *tag, *format;
    rp_run_format run_format;
    rp_batch_options batch;
    rp_on_error on_error;
    bool syntax;
} batch_args;

static const char *const run_formats[] = {"trec", "msmarco", NULL}; /* in rp_run_format's order */
static const char *const totals[] = {"at-least", "exact", NULL};    /* in rp_total's order */
static const char *const on_errors[] = {"stop", "skip", NULL};      /* in rp_on_error's order */

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
     .choices = run_formats,
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
     .help = "how TOPICS are written; otherwise guessed from the first one"},
    {.name = "threads",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1",
     .least = 1,
     .most = 256,
     .at = offsetof(batch_args, batch.threads),
     .help = "answer so many topics at a time, or prepare them for a GPU; the run is the same; "
             "with --policy, the cores of the executor"},
    {.name = "batch-elements",
     .kind = RP_OPTION_COUNT64,
     .argument = "N",
     .initial = "1048576",
     .least = 1,
     .at = offsetof(batch_args, batch.elements),
     .help =
         "with --processor gpu: topics are answered in groups whose shortest lists have so many "
         "postings together"},
    {.name = "total",
     .kind = RP_OPTION_ENUM,
     .argument = "WHAT",
     .initial = "at-least",
     .choices = totals,
     .at = offsetof(batch_args, query.search.total),
     .help = "how many documents match a topic, as --json says: a lower bound, or the number, "
             "which takes longer"},
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
    {"policy", rp__policy_args_rows, offsetof(batch_args, policy)},
    {"limits", rp__query_args_limits, offsetof(batch_args, query)},
    {"general", rp__options_common, offsetof(batch_args, common)},
    {0},
};

/* Topics are answered in chunks, whose hits are then written: as many as take a moment, and have so many hits at
 * most. */
enum {
    CHUNK_LEAST = 1024,
    CHUNK_MOST = 1 << 16,
    CHUNK_HITS = 1 << 20,
    HITS_BYTES = 64 << 20, /* of a chunk; a topic whose hits do not fit is answered alone */
};

/* Seconds of the whole; report: of all threads together. */
typedef struct spent {
    double reading, answering, writing;
    rp_batch_report report;
} spent;

/* A topic, or why it cannot be read. */
typedef struct asked {
    rp_topic topic;
    rp_status status;
    rp_error err;
} asked;

/* Everything that lives while topics are answered. */
typedef struct batch {
    rp__console *console;
    const batch_args *args;
    rp_index *index;
    rp_searcher *searcher; /* NULL: the executor answers */
    rp_executor *executor;
    rp_topics *topics;
    asked *asked;            /* n of them; at most CHUNK_MOST */
    rp_batch_query *answers; /* theirs */
    size_t n, chunk;         /* chunk: so many are wanted */
    rp_run *run;
    bool is_shown; /* the run goes to a terminal */
    rp__buf json;
    rp__json_writer w;
    bool lists_hits; /* in the JSON object, since there is no file for them */
    bool is_last;    /* the topics are at their end */
    uint64_t queries, hits, skipped, shown;
    uint64_t partial, refused; /* topics whose time was over; that the policy did not take */
    uint64_t *times;           /* of each query; nanoseconds */
    size_t times_cap;
    spent spent;
} batch;

static void write_topic(batch *b, const char *qid, const rp_hits *hits)
{
    rp__json_writer_begin(&b->w, NULL, '{');
    rp__json_writer_text(&b->w, "qid", qid);
    rp__json_writer_uint(&b->w, "total", hits->total);
    rp__json_writer_bool(&b->w, "total_is_exact", hits->total_is_exact);
    if (hits->is_partial)
        rp__json_writer_bool(&b->w, "is_partial", true);
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

/* ---- Asking ------------------------------------------------------------------------------------ */

static void add_report(rp_batch_report *to, const rp_batch_report *from)
{
    to->groups += from->groups;
    to->n_grouped += from->n_grouped;
    to->parse_seconds += from->parse_seconds;
    to->prepare_seconds += from->prepare_seconds;
    to->wait_seconds += from->wait_seconds;
    to->name_seconds += from->name_seconds;
    to->cpu_seconds += from->cpu_seconds;
    to->gpu.launches += from->gpu.launches;
    to->gpu.uploaded_bytes += from->gpu.uploaded_bytes;
    to->gpu.transcoded_postings += from->gpu.transcoded_postings;
    to->gpu.host_decoded_lists += from->gpu.host_decoded_lists;
    to->gpu.host_decoded_postings += from->gpu.host_decoded_postings;
    to->iiu.operations += from->iiu.operations;
    to->iiu.cycles += from->iiu.cycles;
    to->iiu.memory_bytes += from->iiu.memory_bytes;
    to->iiu.hits_are_cpus = to->iiu.hits_are_cpus || from->iiu.hits_are_cpus;
    for (size_t i = 0; i < RP_FALLBACKS; i++)
        to->fallbacks[i] += from->fallbacks[i];
}

static bool goes_on(void *unused)
{
    (void)unused;
    return !rp__interrupt_seen();
}

static rp_status ask_some(batch *b, rp_batch_query *answers, size_t n, rp_error *err)
{
    rp_batch_report report = {0};
    rp_batch_options options = b->args->batch;
    if (b->executor)
        return rp__executor_batch_run(b->executor, answers, n,
                                      rp__policy_args_deadline(&b->args->policy), goes_on, err);
    options.max_memory = HITS_BYTES;
    options.goes_on = goes_on;
    rp_status status = rp_searcher_batch(b->searcher, answers, n, &options, &report, err);
    add_report(&b->spent.report, &report);
    return status;
}

/* What a topic asks: plain words, in which nothing is syntax, unless the user says otherwise. One that
 * cannot be read asks for nothing. */
static void note_query(const batch *b, const asked *a, rp_batch_query *out)
{
    bool has = a->status == RP_OK;
    out->query = has ? a->topic.query : "";
    out->query_bytes = has ? a->topic.query_bytes : 0;
    out->plain = !b->args->syntax;
}

/* Some topics; one that cannot be read is one too. */
static rp_status read_topics(batch *b, rp_error *err)
{
    for (b->n = 0; b->n < b->chunk && !b->is_last;) {
        asked *a = &b->asked[b->n];
        bool has;
        *a = (asked){0};
        a->status = rp_topics_next(b->topics, &a->topic, &has, &a->err);
        if (a->status != RP_OK && a->status != RP_INPUT && a->status != RP_LIMIT) {
            *err = a->err;
            return a->status;
        }
        b->is_last = a->status == RP_OK && !has;
        if (!b->is_last)
            note_query(b, a, &b->answers[b->n++]);
    }
    return RP_OK;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

/* A query that is at fault itself is an error of the topics file, with its line; so is one that no processor may answer. */
static rp_status name_fault(const batch *b, size_t i, rp_error *err)
{
    const asked *topic = &b->asked[i];
    const rp_batch_query *a = &b->answers[i];
    *err = topic->status == RP_OK ? a->err : topic->err;
    if (topic->status != RP_OK)
        return topic->status;
    bool is_named = a->status == RP_LIMIT || a->status == RP_UNAVAILABLE;
    if (!is_named && a->status != RP_USAGE && a->status != RP_INPUT)
        return a->status;
    return rp__error_set(err, is_named ? a->status : RP_INPUT, "%s:%" PRIu64 ": %s",
                         rp_topics_name(b->topics), topic->topic.line, a->err.text);
}

/* Hits of the topics before this one were freed meanwhile. */
static rp_status ask_alone(batch *b, size_t i, rp_error *err)
{
    rp_batch_query *a = &b->answers[i];
    return a->status == RP_NO_MEMORY && b->n > 1 ? ask_some(b, a, 1, err) : RP_OK;
}

/* An object of any size would have to be in memory. */
static rp_status list_hits(batch *b, const char *qid, const rp_hits *hits, rp_error *err)
{
    size_t most = b->args->query.search.max_memory;
    write_topic(b, qid, hits);
    if (b->json.n <= most)
        return RP_OK;
    return rp__error_set(err, RP_NO_MEMORY,
                         "the hits take more than %zu bytes of JSON; write them to a file with -o, "
                         "or raise --max-memory",
                         most);
}

/* A topic whose time was over has the hits that were found, one that was refused has none. */
static void settle(batch *b, size_t i)
{
    rp_batch_query *a = &b->answers[i];
    b->partial += a->status == RP_DEADLINE;
    b->refused += a->status == RP_BUSY;
    a->hits.is_partial = a->status == RP_DEADLINE || a->status == RP_BUSY;
    if (a->hits.is_partial)
        a->status = RP_OK;
}

static rp_status write_answer(batch *b, size_t i, rp_error *err)
{
    const char *qid = b->asked[i].topic.qid;
    const rp_batch_query *a = &b->answers[i];
    rp_status status = ask_alone(b, i, err);
    if (status != RP_OK)
        return status;
    settle(b, i);
    bool is_fine = b->asked[i].status == RP_OK && a->status == RP_OK;
    status = is_fine ? RP_OK : name_fault(b, i, err);
    bool is_fault = status == RP_INPUT || status == RP_LIMIT;
    if (is_fault && b->args->on_error == RP_ON_ERROR_SKIP) {
        b->skipped++;
        rp__console_note(b->console, "riposte: left out: %s", err->text);
        return RP_OK;
    }
    if (status != RP_OK)
        return status;
    if (!rp__alloc_grow(&b->times, &b->times_cap, b->queries + 1, sizeof *b->times))
        return rp__error_no_memory(err);
    b->times[b->queries++] = (uint64_t)llround(a->hits.seconds * 1e9);
    b->hits += a->hits.n;
    if (!b->lists_hits)
        return rp_run_add(b->run, qid, &a->hits, err);
    return list_hits(b, qid, &a->hits, err);
}

/* On a terminal that shows nothing else, how many are answered, twice a second. */
static void show(batch *b)
{
    uint64_t now = rp__clock_now();
    if (!b->console->err_is_terminal || b->console->is_quiet || b->is_shown ||
        now - b->shown < 500000000)
        return;
    b->shown = now;
    fprintf(stderr, "\r%" PRIu64 " queries\033[K\r", b->queries);
}

static double seconds_since(uint64_t begun)
{
    return (double)(rp__clock_now() - begun) / 1e9;
}

/* Larger chunks while one takes a moment, smaller ones where it takes long. */
static void set_chunk(batch *b, double seconds)
{
    size_t k = b->args->query.search.k, most = CHUNK_HITS / (k ? k : 1);
    if (seconds < 0.05 && b->chunk < CHUNK_MOST)
        b->chunk *= 2;
    else if (seconds > 0.5 && b->chunk > CHUNK_LEAST)
        b->chunk /= 2;
    most = most > 0 ? most : 1;
    b->chunk = b->chunk < most ? b->chunk : most;
}

static rp_status answer_chunk(batch *b, rp_error *err)
{
    uint64_t begun = rp__clock_now();
    rp_status status = read_topics(b, err);
    b->spent.reading += seconds_since(begun);
    begun = rp__clock_now();
    if (status == RP_OK)
        status = ask_some(b, b->answers, b->n, err);
    double answering = seconds_since(begun);
    b->spent.answering += answering;
    set_chunk(b, answering);
    begun = rp__clock_now();
    for (size_t i = 0; i < b->n; i++) {
        if (status == RP_OK)
            status = write_answer(b, i, err);
        rp_hits_free(&b->answers[i].hits);
    }
    b->spent.writing += seconds_since(begun);
    return status;
}

static rp_status answer_all(batch *b, rp_error *err)
{
    rp_status status = RP_OK;
    while (status == RP_OK && !b->is_last && !rp__console_is_closed()) {
        status = answer_chunk(b, err);
        show(b);
    }
    return status;
}

static double percentile(const batch *b, double share)
{
    return (double)rp__times_at(b->times, b->queries, share) / 1e9;
}

static void reply_gpu(batch *b)
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
    rp__json_writer_end(&b->w, '}');
}

static void write_spent(batch *b)
{
    const rp_batch_report *r = &b->spent.report;
    rp__json_writer_begin(&b->w, "spent_seconds", '{');
    rp__json_writer_real(&b->w, "reading", b->spent.reading, 6);
    rp__json_writer_real(&b->w, "answering", b->spent.answering, 6);
    rp__json_writer_real(&b->w, "writing", b->spent.writing, 6);
    rp__json_writer_end(&b->w, '}');
    rp__json_writer_begin(&b->w, "threads_seconds", '{');
    rp__json_writer_real(&b->w, "parse", r->parse_seconds, 6);
    rp__json_writer_real(&b->w, "prepare", r->prepare_seconds, 6);
    rp__json_writer_real(&b->w, "wait", r->wait_seconds, 6);
    rp__json_writer_real(&b->w, "name", r->name_seconds, 6);
    rp__json_writer_real(&b->w, "cpu", r->cpu_seconds, 6);
    rp__json_writer_end(&b->w, '}');
    rp__json_writer_uint(&b->w, "gpu_groups", r->groups);
    rp__json_writer_uint(&b->w, "gpu_queries", r->n_grouped);
}

/* What the executor did. */
static void reply_policy(batch *b)
{
    rp_executor_report r;
    if (!b->executor)
        return;
    rp_executor_get_report(b->executor, &r);
    rp__json_writer_text(&b->w, "policy",
                         rp__policy_args_name(&b->args->policy, b->args->query.search.processor));
    rp__json_writer_uint(&b->w, "partial", b->partial);
    rp__json_writer_uint(&b->w, "refused", b->refused);
    rp__json_writer_uint(&b->w, "on_cores", r.on_cores);
    rp__json_writer_uint(&b->w, "on_card", r.on_card);
    rp__json_writer_uint(&b->w, "launches", r.launches);
}

static rp_status reply(batch *b, double seconds, rp_error *err)
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
static void note_groups(const batch *b)
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

static void note_policy(const batch *b)
{
    rp_executor_report r;
    char on_cores[RP_FIGURE_BYTES], on_card[RP_FIGURE_BYTES];
    rp_executor_get_report(b->executor, &r);
    rp__console_note(b->console, "policy %s: %s on cores, %s on the card",
                     rp__policy_args_name(&b->args->policy, b->args->query.search.processor),
                     rp__figures_count(on_cores, r.on_cores),
                     rp__figures_count(on_card, r.on_card));
}

/* Exit code 8 or 9 for a run that is whole but for some topics. */
static rp_status get_verdict(const batch *b, rp_error *err)
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

static rp_status finish(batch *b, double seconds, rp_error *err)
{
    char queries[RP_FIGURE_BYTES], time[RP_FIGURE_BYTES], rate[RP_FIGURE_BYTES];
    char p50[RP_FIGURE_BYTES], p95[RP_FIGURE_BYTES], p99[RP_FIGURE_BYTES];
    rp_status status = rp_run_finish(b->run, err);
    rp__interrupt_release();
    if (status != RP_OK)
        return status;
    rp__query_args_note_gpu(b->console, b->searcher);
    rp__gpu_report_note_batch(b->console, &b->spent.report);
    if (b->queries)
        rp__times_sort(b->times, b->queries);
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

static rp_status make_searcher(batch *b, rp_error *err)
{
    b->chunk = CHUNK_LEAST;
    set_chunk(b, 0.1);
    b->asked = rp__alloc_zero(CHUNK_MOST, sizeof *b->asked);
    b->answers = rp__alloc_zero(CHUNK_MOST, sizeof *b->answers);
    if (!b->asked || !b->answers)
        return rp__error_no_memory(err);
    const rp_executor_options options = {.threads = b->args->batch.threads,
                                         .elements = b->args->batch.elements};
    if (rp__policy_args_has(&b->args->policy))
        return rp__policy_args_open(b->console, &b->args->policy, &b->args->query.search, b->index,
                                    &options, &b->executor, err);
    return rp_searcher_new(b->index, &b->args->query.search, &b->searcher, err);
}

/* To standard output, whose failures the console finds; a terminal gets nothing that could steer it. */
static void print_lines(void *arg, const char *lines, size_t bytes)
{
    const batch *b = arg;
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

static rp_status open_run(batch *b, rp_error *err)
{
    const batch_args *args = b->args;
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
static rp_status begin(batch *b, const rp__call *call, rp_error *err)
{
    const batch_args *args = b->args;
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
    if (status == RP_OK)
        status = make_searcher(b, err);
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

static rp_status run(rp__console *console, const rp__call *call, rp_error *err)
{
    batch b = {.console = console, .args = call->args};
    rp__buf_init(&b.json);
    rp_status status = begin(&b, call, err);
    uint64_t start = rp__clock_now();
    if (status == RP_OK)
        status = answer_all(&b, err);
    if (status == RP_OK)
        status = finish(&b, (double)(rp__clock_now() - start) / 1e9, err);
    rp_run_free(b.run);
    rp__buf_free(&b.json);
    rp_executor_free(b.executor);
    rp_searcher_free(b.searcher);
    rp__free(b.asked);
    rp__free(b.answers);
    rp__free(b.times);
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
    .args_bytes = sizeof(batch_args),
    .run = run,
};
