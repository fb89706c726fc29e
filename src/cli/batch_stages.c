/* batch_stages.c: topics go through three stages in chunks: they are read, answered, and their hits written.
 *
 * Each stage has a thread, and chunks are a ring: the reader fills those that are written, up to the ring's end; the
 * answering thread opens the processor while the first are read, and is at most one chunk ahead of the writer, which
 * bounds the memory of hits. A stage waits only for its neighbours. Where there is one chunk, or there are no threads,
 * one thread does everything. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/thread.h"
#include "cli/batch.h"
#include "cli/batch_json.h"
#include "cli/executor_batch.h"
#include "cli/interrupt.h"

/* A chunk has as many topics as take a moment, and so many hits at most. */
enum {
    CHUNK_LEAST = 1024,
    CHUNK_MOST = 1 << 15,
    CHUNK_HITS = 1 << 19,
    HITS_BYTES = 32 << 20,  /* of a chunk; a topic whose hits do not fit is answered alone, */
    ALONE_BYTES = 64 << 20, /* and may have more */
    UNWRITTEN = 1,          /* answered chunks while another is answered */
};

enum { READING, WRITING, ANSWERING, STAGES };

/* What the stages share, under `lock`. Chunk i is chunks[i % RP_BATCH_CHUNKS]. */
typedef struct pipeline {
    rp__batch_state *b;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t n_read, n_answered, n_written; /* chunks */
    size_t chunk_topics;                  /* of the next one */
    bool is_read, is_answered;            /* there will be no more of them */
    rp_status status[STAGES];
    rp_error err[STAGES];
    pthread_mutex_t searcher; /* who asks has it */
} pipeline;

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

/* Why a topic cannot be read. */
static rp_status keep_error(rp__batch_chunk *c, rp__batch_topic *a, const rp_error *why,
                            rp_error *err)
{
    if (!rp__alloc_grow(&c->errors, &c->errors_cap, c->n_errors + 1, sizeof *c->errors))
        return rp__error_no_memory(err);
    a->error = (uint32_t)c->n_errors;
    c->errors[c->n_errors++] = *why;
    return RP_OK;
}

/* Some topics; one that cannot be read is one too. Those before a failure are good. */
static rp_status read_topics(rp__batch_state *b, rp__batch_chunk *c, size_t n, rp_error *err)
{
    uint64_t begun = rp__clock_now();
    rp_status status = RP_OK;
    c->n = c->written = c->n_errors = 0;
    while (c->n < n && !b->is_last && status == RP_OK) {
        rp__batch_topic *a = &c->topics[c->n];
        rp_error why;
        bool has;
        *a = (rp__batch_topic){0};
        a->status = rp_topics_next(b->topics, &a->topic, &has, &why);
        b->is_last = a->status == RP_OK && !has;
        if (a->status == RP_INPUT || a->status == RP_LIMIT) {
            status = keep_error(c, a, &why, err);
        } else if (a->status != RP_OK) {
            status = a->status;
            *err = why;
        }
        if (!b->is_last && status == RP_OK)
            note_query(b, a, &c->answers[c->n++]);
    }
    b->spent.reading += seconds_since(begun);
    return status;
}

/* ---- Writing ----------------------------------------------------------------------------------- */

/* A query that is at fault itself is an error of the topics file, with its line; so is one that no processor may answer. */
static rp_status name_fault(const rp__batch_state *b, const rp__batch_chunk *c, size_t i,
                            rp_error *err)
{
    const rp__batch_topic *topic = &c->topics[i];
    const rp_batch_query *a = &c->answers[i];
    *err = topic->status == RP_OK ? a->err : c->errors[topic->error];
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
    rp__batch_json_put(&b->w, qid, hits);
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

/* Answers the next topic alone, with nobody else at the searcher. */
static rp_status ask_alone(pipeline *p, rp__batch_chunk *c, rp_error *err)
{
    pthread_mutex_lock(&p->searcher);
    rp_status status = ask_some(p->b, &c->answers[c->written], 1, ALONE_BYTES, err);
    pthread_mutex_unlock(&p->searcher);
    return status;
}

static rp_status write_chunk(pipeline *p, rp__batch_chunk *c, rp_error *err)
{
    rp_status status = write_some(p->b, c, err);
    while (status == RP_OK && c->written < c->n) {
        status = ask_alone(p, c, err);
        if (status == RP_OK)
            status = write_answers(p->b, c, c->written + 1, err);
        if (status == RP_OK)
            status = write_some(p->b, c, err);
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

/* ---- Stages ------------------------------------------------------------------------------------ */

/* Larger chunks while one takes a moment, smaller ones where it takes long. */
static size_t next_size(const rp__batch_state *b, size_t topics, double seconds)
{
    size_t k = b->args->query.search.k, most = CHUNK_HITS / (k ? k : 1);
    if (seconds < 0.05 && topics < CHUNK_MOST)
        topics *= 2;
    else if (seconds > 0.5 && topics > CHUNK_LEAST)
        topics /= 2;
    most = most > CHUNK_MOST ? CHUNK_MOST : most > 0 ? most : 1;
    return topics < most ? topics : most;
}

static rp_status open_processor(rp__batch_state *b, rp_error *err)
{
    uint64_t begun = rp__clock_now();
    const rp_executor_options options = {.threads = b->args->batch.threads,
                                         .elements = b->args->batch.elements};
    rp_status status =
        rp__policy_args_has(&b->args->policy)
            ? rp__policy_args_open(b->console, &b->args->policy, &b->args->query.search, b->index,
                                   &options, &b->executor, err)
            : rp_searcher_new(b->index, &b->args->query.search, &b->searcher, err);
    b->opened_at = rp__clock_now();
    b->spent.opening = (double)(b->opened_at - begun) / 1e9;
    return status;
}

/* With the lock, which others have meanwhile; adds to *seconds what it took. */
static void wait_for_others(pipeline *p, double *seconds)
{
    uint64_t begun = rp__clock_now();
    pthread_cond_wait(&p->moved, &p->lock);
    *seconds += seconds_since(begun);
}

static rp__batch_chunk *chunk_of(pipeline *p, size_t i)
{
    return &p->b->chunks[i % RP_BATCH_CHUNKS];
}

/* A place for the next chunk; false: nobody wants one. With the lock. */
static bool await_place(pipeline *p)
{
    while (!p->is_answered && p->n_read - p->n_written == RP_BATCH_CHUNKS)
        pthread_cond_wait(&p->moved, &p->lock);
    return !p->is_answered;
}

static void read_all(pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    while (!p->is_read && await_place(p)) {
        rp__batch_chunk *c = chunk_of(p, p->n_read);
        const size_t topics = p->chunk_topics;
        pthread_mutex_unlock(&p->lock);
        rp_status status = read_topics(p->b, c, topics, &p->err[READING]);
        pthread_mutex_lock(&p->lock);
        p->status[READING] = status;
        p->n_read += c->n > 0;
        p->is_read = p->b->is_last || status != RP_OK;
        pthread_cond_broadcast(&p->moved);
    }
    pthread_mutex_unlock(&p->lock);
}

/* The next chunk to be answered; false: there is none, or its hits cannot be written. With the lock. */
static bool await_read(pipeline *p)
{
    rp__batch_spent *spent = &p->b->spent;
    while (p->n_answered == p->n_read && !p->is_read)
        wait_for_others(p, &spent->waiting_reader);
    while (p->n_answered - p->n_written > UNWRITTEN && p->status[WRITING] == RP_OK)
        wait_for_others(p, &spent->waiting_writer);
    return p->n_answered < p->n_read && p->status[WRITING] == RP_OK && !rp__console_is_closed();
}

/* Returns how long it took. */
static double answer_chunk(pipeline *p, rp__batch_chunk *c)
{
    pthread_mutex_lock(&p->searcher);
    uint64_t begun = rp__clock_now();
    p->status[ANSWERING] = ask_some(p->b, c->answers, c->n, HITS_BYTES, &p->err[ANSWERING]);
    double seconds = seconds_since(begun);
    pthread_mutex_unlock(&p->searcher);
    p->b->spent.answering += seconds;
    return seconds;
}

static void answer_all(pipeline *p)
{
    p->status[ANSWERING] = open_processor(p->b, &p->err[ANSWERING]);
    pthread_mutex_lock(&p->lock);
    while (p->status[ANSWERING] == RP_OK && await_read(p)) {
        rp__batch_chunk *c = chunk_of(p, p->n_answered);
        pthread_mutex_unlock(&p->lock);
        double seconds = answer_chunk(p, c);
        pthread_mutex_lock(&p->lock);
        p->n_answered += p->status[ANSWERING] == RP_OK;
        p->chunk_topics = next_size(p->b, p->chunk_topics, seconds);
        pthread_cond_broadcast(&p->moved);
    }
    p->is_answered = true;
    pthread_cond_broadcast(&p->moved);
    pthread_mutex_unlock(&p->lock);
}

/* Whether there is a chunk to be written. With the lock. */
static bool await_answered(pipeline *p)
{
    while (p->n_written == p->n_answered && !p->is_answered)
        pthread_cond_wait(&p->moved, &p->lock);
    return p->n_written < p->n_answered;
}

static void write_all(pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->status[WRITING] == RP_OK && await_answered(p)) {
        rp__batch_chunk *c = chunk_of(p, p->n_written);
        pthread_mutex_unlock(&p->lock);
        rp_status status = write_chunk(p, c, &p->err[WRITING]);
        show(p->b);
        pthread_mutex_lock(&p->lock);
        p->status[WRITING] = status;
        p->n_written += status == RP_OK;
        pthread_cond_broadcast(&p->moved);
    }
    pthread_mutex_unlock(&p->lock);
}

static void run_stage(void *arg, uint32_t stage)
{
    if (stage == READING)
        read_all(arg);
    else if (stage == WRITING)
        write_all(arg);
    else
        answer_all(arg);
}

/* All on one thread, the first chunk being read. */
static void run_in_turn(pipeline *p)
{
    rp__batch_chunk *c = chunk_of(p, 0);
    p->status[ANSWERING] = open_processor(p->b, &p->err[ANSWERING]);
    while (c->n > 0 && p->status[ANSWERING] == RP_OK && !rp__console_is_closed()) {
        double seconds = answer_chunk(p, c);
        if (p->status[ANSWERING] == RP_OK)
            p->status[WRITING] = write_chunk(p, c, &p->err[WRITING]);
        if (p->status[ANSWERING] != RP_OK || p->status[WRITING] != RP_OK || p->is_read)
            return;
        show(p->b);
        p->chunk_topics = next_size(p->b, p->chunk_topics, seconds);
        p->status[READING] = read_topics(p->b, c, p->chunk_topics, &p->err[READING]);
        p->is_read = p->b->is_last || p->status[READING] != RP_OK;
    }
}

static void run_stages(pipeline *p)
{
    rp__pool *threads = NULL;
    p->status[READING] =
        read_topics(p->b, chunk_of(p, 0), next_size(p->b, CHUNK_LEAST, 0.1), &p->err[READING]);
    p->n_read = p->b->chunks[0].n > 0;
    p->is_read = p->b->is_last || p->status[READING] != RP_OK;
    if (!p->is_read && rp__pool_new(STAGES, &threads) == RP_OK)
        rp__pool_run(threads, run_stage, p);
    else
        run_in_turn(p);
    rp__pool_free(threads);
}

rp_status rp__batch_stages_run(rp__batch_state *b, rp_error *err)
{
    pipeline p = {.b = b};
    const size_t threads = b->args->batch.threads;
    pthread_mutex_init(&p.lock, NULL);
    pthread_mutex_init(&p.searcher, NULL);
    pthread_cond_init(&p.moved, NULL);
    p.chunk_topics =
        next_size(b, threads < CHUNK_MOST / CHUNK_LEAST ? threads * CHUNK_LEAST : CHUNK_MOST, 0.1);
    run_stages(&p);
    pthread_cond_destroy(&p.moved);
    pthread_mutex_destroy(&p.searcher);
    pthread_mutex_destroy(&p.lock);
    static const int order[STAGES] = {WRITING, ANSWERING, READING}; /* as topics have it */
    for (size_t i = 0; i < STAGES; i++)
        if (p.status[order[i]] != RP_OK) {
            *err = p.err[order[i]];
            return p.status[order[i]];
        }
    return RP_OK;
}

/* ---- Memory ------------------------------------------------------------------------------------ */

bool rp__batch_stages_open(rp__batch_state *b)
{
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
        rp__free(c->errors);
    }
    rp__free(b->lines);
}
