/* batch_stages.c: topics go through three stages in chunks: they are read, answered, and their hits written.
 *
 * While one chunk is answered, a second thread writes the one before it and a third reads the one after it. Everything
 * else happens between two such steps, on one thread. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "cli/batch.h"
#include "cli/executor_batch.h"
#include "cli/interrupt.h"

/* A chunk has as many topics as take a moment, and so many hits at most. */
enum {
    CHUNK_LEAST = 1024,
    CHUNK_MOST = 1 << 15,
    CHUNK_HITS = 1 << 19,
    HITS_BYTES = 32 << 20,  /* of a chunk; a topic whose hits do not fit is answered alone, */
    ALONE_BYTES = 64 << 20, /* and may have more */
};

static void write_topic(rp__batch_state *b, const char *qid, const rp_hits *hits)
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
    to->start_seconds += from->start_seconds;
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

static double seconds_since(uint64_t begun)
{
    return (double)(rp__clock_now() - begun) / 1e9;
}

static bool goes_on(void *unused)
{
    (void)unused;
    return !rp__interrupt_seen();
}

/* What a card did for queries of an executor, and why it did not. */
static void add_answers(rp_batch_report *to, const rp_batch_query *answers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rp_batch_report one = {.gpu = answers[i].hits.gpu};
        one.fallbacks[answers[i].hits.fallback] = answers[i].hits.fallback != RP_FALLBACK_NONE;
        add_report(to, &one);
    }
}

static rp_status ask_executor(rp__batch_state *b, rp_batch_query *answers, size_t n, rp_error *err)
{
    rp_status status =
        rp__executor_batch_run(b->executor, answers, n, b->args->batch.threads,
                               rp__policy_args_deadline(&b->args->policy), goes_on, err);
    if (status == RP_OK)
        add_answers(&b->spent.report, answers, n);
    return status;
}

static rp_status ask_some(rp__batch_state *b, rp_batch_query *answers, size_t n, size_t hits_bytes,
                          rp_error *err)
{
    rp_batch_report report = {0};
    rp_batch_options options = b->args->batch;
    if (b->executor)
        return ask_executor(b, answers, n, err);
    options.max_memory = hits_bytes;
    options.goes_on = goes_on;
    rp_status status = rp_searcher_batch(b->searcher, answers, n, &options, &report, err);
    add_report(&b->spent.report, &report);
    if (status == RP_OK || status == RP_INTERRUPTED)
        rp__gpu_report_add_kernels(&b->spent.kernels, b->searcher);
    return status;
}

/* What a topic asks: plain words, in which nothing is syntax, unless the user says otherwise. One that
 * cannot be read asks for nothing. */
static void note_query(const rp__batch_state *b, const rp__batch_topic *a, rp_batch_query *out)
{
    bool has = a->status == RP_OK;
    out->query = has ? a->topic.query : "";
    out->query_bytes = has ? a->topic.query_bytes : 0;
    out->plain = !b->args->syntax;
}

/* Some topics; one that cannot be read is one too. */
static void read_topics(rp__batch_state *b, rp__batch_chunk *c, size_t n)
{
    uint64_t begun = rp__clock_now();
    c->n = c->written = 0;
    c->status = RP_OK;
    while (c->n < n && !b->is_last && c->status == RP_OK) {
        rp__batch_topic *a = &c->topics[c->n];
        bool has;
        *a = (rp__batch_topic){0};
        a->status = rp_topics_next(b->topics, &a->topic, &has, &a->err);
        b->is_last = a->status == RP_OK && !has;
        if (a->status != RP_OK && a->status != RP_INPUT && a->status != RP_LIMIT) {
            c->status = a->status;
            c->err = a->err;
        } else if (!b->is_last) {
            note_query(b, a, &c->answers[c->n++]);
        }
    }
    b->spent.reading += seconds_since(begun);
}

/* ---- Writing ----------------------------------------------------------------------------------- */

/* A query that is at fault itself is an error of the topics file, with its line; so is one that no processor may answer. */
static rp_status name_fault(const rp__batch_state *b, const rp__batch_chunk *c, size_t i,
                            rp_error *err)
{
    const rp__batch_topic *topic = &c->topics[i];
    const rp_batch_query *a = &c->answers[i];
    *err = topic->status == RP_OK ? a->err : topic->err;
    if (topic->status != RP_OK)
        return topic->status;
    bool is_named = a->status == RP_LIMIT || a->status == RP_UNAVAILABLE;
    if (!is_named && a->status != RP_USAGE && a->status != RP_INPUT)
        return a->status;
    return rp__error_set(err, is_named ? a->status : RP_INPUT, "%s:%" PRIu64 ": %s",
                         rp_topics_name(b->topics), topic->topic.line, a->err.text);
}

/* An object of any size would have to be in memory. */
static rp_status list_hits(rp__batch_state *b, const char *qid, const rp_hits *hits, rp_error *err)
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
static void settle(rp__batch_state *b, rp_batch_query *a)
{
    b->partial += a->status == RP_DEADLINE;
    b->refused += a->status == RP_BUSY;
    a->hits.is_partial = a->status == RP_DEADLINE || a->status == RP_BUSY;
    if (a->hits.is_partial)
        a->status = RP_OK;
}

/* Says whether a topic has hits to be written; otherwise it is left out, or ends the run. */
static rp_status admit(rp__batch_state *b, const rp__batch_chunk *c, size_t i, bool *has,
                       rp_error *err)
{
    settle(b, &c->answers[i]);
    *has = c->topics[i].status == RP_OK && c->answers[i].status == RP_OK;
    rp_status status = *has ? RP_OK : name_fault(b, c, i, err);
    bool is_fault = status == RP_INPUT || status == RP_LIMIT;
    if (!is_fault || b->args->on_error != RP_BATCH_SKIP)
        return status;
    b->skipped++;
    rp__console_note(b->console, "riposte: left out: %s", err->text);
    return RP_OK;
}

static rp_status count_answer(rp__batch_state *b, const rp_hits *hits, rp_error *err)
{
    if (!rp__alloc_grow(&b->times, &b->times_cap, b->queries + 1, sizeof *b->times))
        return rp__error_no_memory(err);
    b->times[b->queries++] = (uint64_t)llround(hits->seconds * 1e9);
    b->hits += hits->n;
    return RP_OK;
}

/* Writes answers from the first that is not written up to `end`, and frees their hits. */
static rp_status write_answers(rp__batch_state *b, rp__batch_chunk *c, size_t end, rp_error *err)
{
    rp_status status = RP_OK, failed = RP_OK;
    size_t n = 0, i = c->written;
    for (bool has; i < end && status == RP_OK; i++) {
        const rp_hits *hits = &c->answers[i].hits;
        status = admit(b, c, i, &has, err);
        if (status != RP_OK || !has)
            continue;
        status = count_answer(b, hits, err);
        if (status == RP_OK && b->lists_hits)
            status = list_hits(b, c->topics[i].topic.qid, hits, err);
        else if (status == RP_OK)
            b->lines[n++] = (rp_run_answer){.qid = c->topics[i].topic.qid, .hits = hits};
    }
    if (n > 0) { /* what comes before a fault, too */
        rp_error own;
        failed = rp_run_add_many(b->run, b->lines, n, (b->args->batch.threads + 1) / 2, &own);
        if (failed != RP_OK)
            *err = own;
    }
    for (; c->written < i; c->written++)
        rp_hits_free(&c->answers[c->written].hits);
    return failed != RP_OK ? failed : status;
}

/* A topic whose hits did not fit waits until those of all others are freed. */
static bool waits_alone(const rp__batch_chunk *c, size_t i)
{
    return c->answers[i].status == RP_NO_MEMORY;
}

/* Writes what is left up to the first topic that must be answered alone. */
static rp_status write_some(rp__batch_state *b, rp__batch_chunk *c, rp_error *err)
{
    uint64_t begun = rp__clock_now();
    size_t end = c->written;
    while (end < c->n && !waits_alone(c, end))
        end++;
    rp_status status = write_answers(b, c, end, err);
    b->spent.writing += seconds_since(begun);
    return status;
}

/* Writes what is left. Nobody else may use the searcher meanwhile. */
static rp_status write_rest(rp__batch_state *b, rp__batch_chunk *c, rp_error *err)
{
    rp_status status = write_some(b, c, err);
    while (status == RP_OK && c->written < c->n) {
        rp_batch_query *a = &c->answers[c->written];
        status = ask_some(b, a, 1, ALONE_BYTES, err);
        if (status == RP_OK)
            status = write_answers(b, c, c->written + 1, err);
        if (status == RP_OK)
            status = write_some(b, c, err);
    }
    return status;
}

/* On a terminal that shows nothing else, how many are answered, twice a second. */
static void show(rp__batch_state *b)
{
    uint64_t now = rp__clock_now();
    if (!b->console->err_is_terminal || b->console->is_quiet || b->is_shown ||
        now - b->shown < 500000000)
        return;
    b->shown = now;
    fprintf(stderr, "\r%" PRIu64 " queries\033[K\r", b->queries);
}

/* Larger chunks while one takes a moment, smaller ones where it takes long. */
static void set_chunk(rp__batch_state *b, double seconds)
{
    size_t k = b->args->query.search.k, most = CHUNK_HITS / (k ? k : 1);
    if (seconds < 0.05 && b->chunk_topics < CHUNK_MOST)
        b->chunk_topics *= 2;
    else if (seconds > 0.5 && b->chunk_topics > CHUNK_LEAST)
        b->chunk_topics /= 2;
    most = most > 0 ? most : 1;
    b->chunk_topics = b->chunk_topics < most ? b->chunk_topics : most;
}

enum { WRITING, READING, ANSWERING, STAGES };

/* What happens to three chunks at once. */
typedef struct step {
    rp__batch_state *b;
    rp__batch_chunk *before, *now, *after;
    size_t n_after; /* topics to be read */
    rp_status written, answered;
    rp_error write_err, answer_err;
    bool has_run[STAGES];
} step;

static void answer(step *s)
{
    uint64_t begun = rp__clock_now();
    s->answered = ask_some(s->b, s->now->answers, s->now->n, HITS_BYTES, &s->answer_err);
    double seconds = seconds_since(begun);
    s->b->spent.answering += seconds;
    set_chunk(s->b, seconds);
}

static void run_stage(void *arg, uint32_t worker)
{
    step *s = arg;
    s->has_run[worker] = true;
    if (worker == WRITING)
        s->written = write_some(s->b, s->before, &s->write_err);
    else if (worker == READING)
        read_topics(s->b, s->after, s->n_after);
    else
        answer(s);
}

/* Answers a chunk while the one before it is written and the one after it is read. */
static rp_status run_step(step *s, rp_error *err)
{
    bool has_more = s->before->written < s->before->n || !s->b->is_last;
    if (has_more && rp__thread_run(STAGES, run_stage, s) != RP_OK)
        has_more = false; /* there are no threads */
    for (uint32_t i = 0; i < STAGES && !has_more; i++)
        if (!s->has_run[i])
            run_stage(s, i);
    if (s->written == RP_OK)
        s->written = write_rest(s->b, s->before, &s->write_err);
    if (s->written == RP_OK && s->answered == RP_OK)
        return RP_OK;
    *err = s->written != RP_OK ? s->write_err : s->answer_err;
    return s->written != RP_OK ? s->written : s->answered;
}

rp_status rp__batch_stages_run(rp__batch_state *b, rp_error *err)
{
    rp_status status = RP_OK;
    rp__batch_chunk *before = &b->chunks[2], *now = &b->chunks[0], *after = &b->chunks[1];
    read_topics(b, now, b->chunk_topics);
    while (status == RP_OK && now->n > 0 && !rp__console_is_closed()) {
        step s = {.b = b, .before = before, .now = now, .after = after, .n_after = b->chunk_topics};
        status = run_step(&s, err);
        rp__batch_chunk *free_one = before;
        before = now;
        now = after;
        after = free_one;
        show(b);
    }
    if (status == RP_OK)
        status = write_rest(b, before, err);
    if (status == RP_OK && now->status != RP_OK) {
        *err = now->err;
        return now->status;
    }
    return status;
}

/* ---- Memory ------------------------------------------------------------------------------------ */

bool rp__batch_stages_open(rp__batch_state *b)
{
    b->chunk_topics = CHUNK_LEAST;
    set_chunk(b, 0.1);
    b->lines = rp__alloc_array(CHUNK_MOST, sizeof *b->lines);
    for (size_t i = 0; i < RP_BATCH_CHUNKS; i++) {
        rp__batch_chunk *c = &b->chunks[i];
        c->topics = rp__alloc_zero(CHUNK_MOST, sizeof *c->topics);
        c->answers = rp__alloc_zero(CHUNK_MOST, sizeof *c->answers);
        if (!c->topics || !c->answers)
            return false;
    }
    return b->lines != NULL;
}

void rp__batch_stages_close(rp__batch_state *b)
{
    for (size_t i = 0; i < RP_BATCH_CHUNKS; i++) {
        rp__batch_chunk *c = &b->chunks[i];
        for (size_t j = c->written; j < c->n; j++)
            rp_hits_free(&c->answers[j].hits);
        rp__free(c->topics);
        rp__free(c->answers);
    }
    rp__free(b->lines);
}
