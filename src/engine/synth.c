/* synth.c: a drawn collection and its log, by one thread or several.
 *
 * Each worker takes the terms that follow, draws and encodes their lists, and waits for its turn to write
 * them. A batch has its memory before it is taken, and batches get theirs in order, so that the one whose
 * turn it is always has what it needs.
 * Invariants: 1 a worker that holds a batch passes its turn on, even after a failure; 2 which terms are a
 * batch does not depend on memory or threads. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/record.h"
#include "base/thread.h"
#include "engine/builder.h"
#include "engine/codec_spec.h"
#include "engine/synth.h"
#include "store/store.h"

enum {
    QUERIES_DEFAULT = 10000,
    QUERIES_MOST = 1000000,
    DOCS_LEAST = 100,
    DOCS_MOST = 1 << 30,
    BATCH_TERMS = 1024,
    BATCH_POSTINGS = 1 << 18, /* unless one list alone is longer */
    PATH_BYTES = 4096,
};

typedef struct synth {
    rp_synth_options o;
    rp__synth_model model;
    rp__synth_log log;
    rp__list_builder *builder;
    rp__output *queries;
    double *densities; /* of each worker, a place a site */
    uint64_t budget;   /* bytes for batches */
    uint64_t planned;  /* postings, at most */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool is_taking;       /* somebody waits for the memory of the next batch */
    size_t next;          /* term */
    uint64_t taken, turn; /* batches; the one whose turn it is to be written */
    uint64_t held, drawn; /* bytes of batches; postings planned for those written */
    rp_status status;     /* of the first failure */
    rp_error err;
} synth;

/* Some terms on their way. */
typedef struct work {
    rp__list_batch *batch;
    size_t first, end; /* terms */
    uint64_t number, need;
    uint64_t postings; /* planned */
} work;

/* ---- Documents --------------------------------------------------------------------------------- */

typedef struct documents {
    const rp__synth_model *model;
    uint32_t site; /* of the last document that was asked for */
} documents;

static char *put_digits(char *p, uint32_t v, int n)
{
    for (int i = n; i-- > 0; v /= 10)
        p[i] = (char)('0' + v % 10);
    return p + n;
}

/* "GX-00017-00012345": its site, and its number there. */
static size_t name_document(void *arg, uint32_t docid, char *out)
{
    documents *d = arg;
    const uint32_t *begins = d->model->begins;
    if (docid < begins[d->site])
        d->site = 0;
    while (docid >= begins[d->site + 1])
        d->site++;
    size_t n = strlen(d->model->row->prefix);
    memcpy(out, d->model->row->prefix, n);
    char *p = out + n;
    *p++ = '-';
    p = put_digits(p, d->site, 5);
    *p++ = '-';
    return (size_t)(put_digits(p, docid - begins[d->site], 8) - out);
}

static uint32_t measure_document(void *arg, uint32_t docid)
{
    return rp__synth_lists_length(((const documents *)arg)->model, docid);
}

/* ---- Workers ----------------------------------------------------------------------------------- */

/* With the lock. */
static void fail(synth *s, rp_status status, const rp_error *err)
{
    if (s->status != RP_OK)
        return;
    s->status = status;
    s->err = *err;
}

/* The terms of the next batch; *plan is what they may need. */
static void plan_batch(synth *s, work *w, rp__list_plan *plan)
{
    *plan = (rp__list_plan){0};
    w->first = w->end = s->next;
    while (w->end < s->log.n_terms && plan->terms < BATCH_TERMS) {
        uint32_t most = rp__synth_lists_most(&s->model, s->log.terms[w->end].rank);
        if (plan->terms > 0 && plan->postings + most > BATCH_POSTINGS)
            break;
        rp__list_builder_plan(s->builder, plan, most);
        w->end++;
    }
    w->postings = plan->postings;
    w->need = rp__list_builder_need(s->builder, plan);
}

/* With the lock: waits until the batches before leave enough memory. */
static rp_status get_memory(synth *s, work *w, const rp__list_plan *plan, rp_error *err)
{
    if (w->need > s->budget)
        return rp__error_set(
            err, RP_NO_MEMORY, "a list of %u postings does not fit in memory; give --memory %lluM",
            plan->longest,
            (unsigned long long)((s->o.memory - s->budget + w->need) * 17 / 16 >> 20) + 1);
    while (s->held + w->need > s->budget && s->status == RP_OK)
        pthread_cond_wait(&s->moved, &s->lock);
    s->held += w->need;
    return RP_OK;
}

/* False: no more terms, or the work has failed. */
static bool take_batch(synth *s, work *w)
{
    rp_error err = {0};
    rp__list_plan plan;
    *w = (work){0};
    pthread_mutex_lock(&s->lock);
    while (s->is_taking)
        pthread_cond_wait(&s->moved, &s->lock);
    bool has = s->status == RP_OK && s->next < s->log.n_terms;
    if (has) {
        s->is_taking = true;
        plan_batch(s, w, &plan);
        rp_status status = get_memory(s, w, &plan, &err);
        if (status == RP_OK && rp__list_builder_batch_new(s->builder, &plan, &w->batch) != RP_OK)
            status = rp__error_no_memory(&err);
        if (status != RP_OK)
            fail(s, status, &err);
        has = s->status == RP_OK;
        s->is_taking = false;
        if (has) {
            s->next = w->end;
            w->number = s->taken++;
        }
        pthread_cond_broadcast(&s->moved);
    }
    pthread_mutex_unlock(&s->lock);
    if (!has)
        rp__list_builder_batch_free(w->batch);
    return has;
}

static rp_status draw_batch(synth *s, const work *w, double *densities, rp_error *err)
{
    for (size_t i = w->first; i < w->end; i++) {
        rp__synth_term *term = &s->log.terms[i];
        uint32_t *docids, *tfs;
        rp__list_builder_room(w->batch, &docids, &tfs);
        term->df = rp__synth_lists_draw(&s->model, term->rank, densities, docids, tfs);
        rp_status status = rp__list_builder_add(w->batch, term->word, strlen(term->word), term->df);
        if (status == RP_NO_MEMORY)
            return rp__error_no_memory(err);
        if (status != RP_OK)
            return rp__error_set(err, status,
                                 "a list of %u postings is more than the codec can hold", term->df);
    }
    return RP_OK;
}

static bool report(const synth *s)
{
    rp_progress p = {.phase = "drawing",
                     .bytes = s->drawn,
                     .bytes_total = s->planned,
                     .memory = rp__alloc_in_use()};
    return !s->o.on_progress || s->o.on_progress(s->o.progress_arg, &p);
}

/* In its turn; the caller's thread also tells how far the work is. */
static void write_batch(synth *s, work *w, rp_status drawn, rp_error *err, bool is_caller)
{
    pthread_mutex_lock(&s->lock);
    while (s->turn != w->number)
        pthread_cond_wait(&s->moved, &s->lock);
    rp_status status = drawn;
    if (s->status == RP_OK && status == RP_OK)
        status = rp__list_builder_write(s->builder, w->batch, err);
    s->drawn += w->postings;
    if (status == RP_OK && is_caller && s->status == RP_OK && !report(s))
        status = rp__error_set(err, RP_INTERRUPTED, "interrupted; nothing was changed");
    if (status != RP_OK)
        fail(s, status, err);
    rp__list_builder_batch_free(w->batch);
    s->held -= w->need;
    s->turn++;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

static void run_worker(void *arg, uint32_t worker)
{
    synth *s = arg;
    double *densities = s->densities + (size_t)worker * s->model.n_sites;
    for (work w; take_batch(s, &w);) {
        rp_error err = {0};
        rp_status status = draw_batch(s, &w, densities, &err);
        write_batch(s, &w, status, &err, worker + 1 == s->o.threads);
    }
}

/* ---- The log ----------------------------------------------------------------------------------- */

static rp_status open_queries(synth *s, const char *dir, rp_error *err)
{
    char path[PATH_BYTES];
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    int length = snprintf(path, sizeof path, "%.*s.queries.tsv", (int)n, dir);
    if (s->o.queries_out)
        return rp__output_create(s->o.queries_out, &s->queries, err);
    if (n > INT32_MAX || length >= PATH_BYTES)
        return rp__error_set(err, RP_USAGE, "the folder's name is too long; give --queries-out");
    return rp__output_create(path, &s->queries, err);
}

static void write_word(rp__buf *line, const rp__synth_log *log, char mark, uint32_t i)
{
    rp__buf_printf(line, "%c%s", mark, log->terms[log->asked[i]].word);
    if (log->weights)
        rp__buf_printf(line, "^%u.%02u", log->weights[i] / 100U, log->weights[i] % 100U);
}

static rp_status write_queries(synth *s, rp_error *err)
{
    rp__buf line;
    bool has_failed = false;
    rp__buf_init(&line);
    for (uint32_t q = 0, i = 0; q < s->log.n_queries && !has_failed; q++) {
        line.n = 0;
        rp__buf_printf(&line, "%u", q + 1);
        for (char mark = '\t'; i < s->log.ends[q]; i++, mark = ' ')
            write_word(&line, &s->log, mark, i);
        rp__buf_put_byte(&line, '\n');
        has_failed = line.failed;
        if (!has_failed)
            rp__output_write(s->queries, line.at, line.n);
    }
    rp__buf_free(&line);
    return has_failed ? rp__error_no_memory(err) : RP_OK;
}

static rp_status finish_queries(synth *s, rp_error *err)
{
    rp_status status = rp__output_finish(s->queries, err);
    s->queries = NULL;
    return status;
}

/* ---- All of it --------------------------------------------------------------------------------- */

static rp_status find_row(const char *name, const rp__synth_row **out, rp_error *err)
{
    char names[128] = "";
    for (size_t i = 0; (*out = rp__synth_rows_at(i)); i++) {
        if (strcmp((*out)->name, name) == 0)
            return RP_OK;
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", (*out)->name);
    }
    return rp__error_set(err, RP_USAGE, "unknown collection \"%s\"; there are %s", name, names);
}

static rp_status fill_defaults(synth *s, const rp__synth_row *row, rp_error *err)
{
    rp_synth_options *o = &s->o;
    o->docs = o->docs ? o->docs : row->docs;
    o->queries = o->queries ? o->queries : QUERIES_DEFAULT;
    o->codec = o->codec ? o->codec : rp_codec_name(0);
    if (o->docs < DOCS_LEAST || o->docs > DOCS_MOST)
        return rp__error_set(err, RP_USAGE, "--docs is %d to %d", DOCS_LEAST, DOCS_MOST);
    if (o->queries > QUERIES_MOST)
        return rp__error_set(err, RP_USAGE, "--queries is at most %d", QUERIES_MOST);
    if ((unsigned)o->order > RP_SYNTH_RANK)
        return rp__error_set(err, RP_USAGE, "--order is crawl, random or rank");
    return rp__builder_check_limits(&o->memory, &o->threads, err);
}

static rp_status begin(synth *s, const rp__synth_row *row, const char *dir, rp_error *err)
{
    documents docs = {.model = &s->model};
    rp__list_builder_options o = {
        .aux = s->o.aux,
        .docs = {s->o.docs, name_document, measure_document, &docs},
    };
    rp_status status = rp__codec_spec_parse(s->o.codec, s->o.freqs, &o.coding, err);
    if (status == RP_OK &&
        (rp__synth_lists_init(&s->model, row, s->o.docs, s->o.seed, s->o.order) != RP_OK ||
         rp__synth_log_draw(&s->log, &s->model, s->o.queries) != RP_OK))
        status = rp__error_no_memory(err);
    if (status == RP_OK)
        status = rp__list_builder_new(dir, &o, &s->builder, err);
    if (status == RP_OK)
        status = open_queries(s, dir, err);
    return status == RP_OK ? write_queries(s, err) : status;
}

static rp_status draw_lists(synth *s, rp_error *err)
{
    s->densities = rp__alloc_array((size_t)s->o.threads * s->model.n_sites, sizeof *s->densities);
    if (!s->densities)
        return rp__error_no_memory(err);
    for (size_t i = 0; i < s->log.n_terms; i++)
        s->planned += rp__synth_lists_most(&s->model, s->log.terms[i].rank);
    uint64_t taken = rp__alloc_in_use() + rp__alloc_slack(s->o.memory);
    s->budget = s->o.memory > taken ? s->o.memory - taken : 0;
    if (rp__thread_run(s->o.threads, run_worker, s) != RP_OK)
        return rp__error_no_memory(err);
    if (s->status != RP_OK && err)
        *err = s->err;
    return s->status;
}

static void fill_stats(const synth *s, rp_synth_stats *stats)
{
    stats->queries = s->log.n_queries;
    stats->query_terms = s->log.ends[s->log.n_queries - 1];
    for (size_t i = 0; i < stats->query_terms; i++)
        stats->query_postings += s->log.terms[s->log.asked[i]].df;
}

static rp_status run(synth *s, const char *name, const char *dir, rp_synth_stats *stats,
                     rp_error *err)
{
    const rp__synth_row *row;
    rp_status status = find_row(name, &row, err);
    if (status == RP_OK)
        status = fill_defaults(s, row, err);
    rp__alloc_set_limit(s->o.memory);
    if (status == RP_OK)
        status = begin(s, row, dir, err);
    if (status == RP_OK)
        status = draw_lists(s, err);
    if (status == RP_OK)
        status = rp__list_builder_finish(s->builder, stats ? &stats->build : NULL, err);
    if (status == RP_OK && stats)
        fill_stats(s, stats);
    return status == RP_OK ? finish_queries(s, err) : status;
}

rp_status rp_synth(const char *name, const char *dir, const rp_synth_options *options,
                   rp_synth_stats *stats, rp_error *err)
{
    if (RP_MISSING(err, name, dir))
        return RP_USAGE;
    synth s = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    if (stats)
        *stats = (rp_synth_stats){0};
    rp__alloc_reset_peak();
    uint64_t limit = rp__alloc_get_limit();
    rp_status status = RP_TAKE(&s.o, options, err);
    if (status == RP_OK)
        status = run(&s, name, dir, stats, err);
    rp__alloc_set_limit(limit);
    rp__output_abandon(s.queries);
    rp__list_builder_free(s.builder);
    rp__synth_log_reset(&s.log);
    rp__synth_lists_reset(&s.model);
    rp__free(s.densities);
    return status;
}
