/* trec_run.c: runs: lines of hits, to a file that appears whole or not at all.
 *
 * Several threads may make the lines of many answers. Each takes the next slice of them and makes its lines. Slices are
 * written in their order: by the thread that has finished the next one, with those behind it that are finished too,
 * while the others go on. A ring holds the slices that are not written yet. */
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/pool.h"
#include "base/record.h"
#include "engine/docnos.h"
#include "engine/run_lines.h"
#include "riposte/topics.h"
#include "store/store.h"

enum {
    SLICE_HITS = 8192, /* after so many a slice takes no more answers */
    MAX_THREADS = 16,
    RING = 2 * MAX_THREADS,
};

/* Answers whose lines one thread makes. */
typedef struct slice {
    size_t first, end;
    bool is_made;
    bool is_altered; /* a docno is not its document's id */
    rp__buf lines;
} slice;

/* What the threads of a call share, under `lock`. */
typedef struct turn {
    pthread_mutex_t lock;
    pthread_cond_t moved; /* a slice is written, or the run has failed */
    const rp_run_answer *answers;
    size_t n, next;          /* answers; the first that is in no slice */
    size_t n_cut, n_written; /* slices; slice i is ring[i % n_ring] */
    size_t n_ring;
    bool is_writing; /* a thread writes slices */
    rp_status status;
    rp_error err;
} turn;

struct rp_run {
    const rp_index *index;
    rp__output *out; /* NULL: `write` takes the lines */
    rp_run_options o;
    rp__run_lines_form form;
    bool is_checked; /* no two documents have one docno */
    rp__pool *pool;  /* of n_threads; NULL: the caller makes all lines */
    uint32_t n_threads;
    turn turn;
    slice ring[RING];
    char tag[];
};

rp_status rp_run_new(const rp_index *index, const char *path, const rp_run_options *options,
                     rp_run **out, rp_error *err)
{
    rp_run_options own, *o = &own;
    if (out)
        *out = NULL;
    if (RP_MISSING(err, index, out))
        return RP_USAGE;
    rp_status status = RP_TAKE(o, options, err);
    if (status != RP_OK)
        return status;
    const char *tag = o->tag ? o->tag : "riposte";
    if (!path && !o->write)
        return rp__error_set(err, RP_USAGE, "a run needs a path, or a function that takes it");
    if (tag[0] == 0 || strpbrk(tag, " \t\n\v\f\r"))
        return rp__error_set(err, RP_USAGE, "the tag of a run must be one word");
    rp_run *run = rp__alloc_zero(1, sizeof *run + strlen(tag) + 1);
    if (!run)
        return rp__error_no_memory(err);
    run->index = index;
    run->o = *o;
    memcpy(run->tag, tag, strlen(tag) + 1);
    run->form = (rp__run_lines_form){o->format, run->tag, strlen(tag)};
    pthread_mutex_init(&run->turn.lock, NULL);
    pthread_cond_init(&run->turn.moved, NULL);
    for (size_t i = 0; i < RING; i++)
        rp__buf_init(&run->ring[i].lines);
    status = o->write ? RP_OK : rp__output_create(path, &run->out, err);
    if (status == RP_OK)
        *out = run;
    else
        rp_run_free(run);
    return status;
}

/* ---- Slices ------------------------------------------------------------------------------------ */

/* What is wrong with the lines of a slice, before they are written. */
static rp_status check_slice(rp_run *run, const slice *s, rp_error *err)
{
    if (s->lines.failed)
        return rp__error_no_memory(err);
    if (!s->is_altered || run->is_checked)
        return RP_OK;
    rp_status status = rp__docnos_check(run->index, err);
    run->is_checked = status == RP_OK;
    return status;
}

static rp_status write_slice(rp_run *run, const slice *s, rp_error *err)
{
    rp_status status = check_slice(run, s, err);
    if (status != RP_OK || s->lines.n == 0)
        return status;
    if (run->o.write)
        run->o.write(run->o.write_arg, (const char *)s->lines.at, s->lines.n);
    else
        rp__output_write(run->out, s->lines.at, s->lines.n);
    return run->out && rp__output_has_failed(run->out) ? rp_run_finish(run, err) : RP_OK;
}

/* Writes the slices that are made, from the first on that is not written. With the lock, which others may take while
 * one is written. */
static void write_made(rp_run *run)
{
    turn *t = &run->turn;
    rp_error err;
    if (t->is_writing)
        return;
    t->is_writing = true;
    while (t->status == RP_OK && t->n_written < t->n_cut &&
           run->ring[t->n_written % t->n_ring].is_made) {
        pthread_mutex_unlock(&t->lock);
        rp_status status = write_slice(run, &run->ring[t->n_written % t->n_ring], &err);
        pthread_mutex_lock(&t->lock);
        t->n_written++;
        t->status = status;
        if (status != RP_OK)
            t->err = err;
        pthread_cond_broadcast(&t->moved);
    }
    t->is_writing = false;
}

/* The next slice, once the ring has a place for it; NULL: there is none. With the lock. */
static slice *cut_slice(rp_run *run)
{
    turn *t = &run->turn;
    while (t->status == RP_OK && t->next < t->n && t->n_cut - t->n_written == t->n_ring)
        pthread_cond_wait(&t->moved, &t->lock);
    if (t->status != RP_OK || t->next == t->n)
        return NULL;
    slice *s = &run->ring[t->n_cut++ % t->n_ring];
    s->first = t->next;
    for (size_t hits = 0; t->next < t->n && hits < SLICE_HITS; t->next++)
        hits += t->answers[t->next].hits->n;
    s->end = t->next;
    s->is_made = s->is_altered = false;
    return s;
}

/* Makes and writes slices until none is left. */
static void make_slices(void *arg, uint32_t worker)
{
    rp_run *run = arg;
    turn *t = &run->turn;
    (void)worker;
    pthread_mutex_lock(&t->lock);
    for (slice *s; (s = cut_slice(run)) != NULL;) {
        pthread_mutex_unlock(&t->lock);
        s->lines.n = 0;
        for (size_t i = s->first; i < s->end; i++)
            rp__run_lines_put(&s->lines, &run->form, &t->answers[i], &s->is_altered);
        pthread_mutex_lock(&t->lock);
        s->is_made = true;
        write_made(run);
    }
    pthread_mutex_unlock(&t->lock);
}

/* Without a pool the caller makes all lines, which takes longer and gives the same. */
static void set_threads(rp_run *run, size_t threads)
{
    uint32_t n = threads < MAX_THREADS ? (uint32_t)threads : MAX_THREADS;
    n = n > 0 ? n : 1;
    if (n == run->n_threads)
        return;
    rp__pool_free(run->pool);
    run->pool = NULL;
    run->n_threads = n;
    if (n > 1 && rp__pool_new(n, &run->pool) != RP_OK)
        run->pool = NULL;
}

/* Where one slice takes them all, one thread does. */
static bool is_worth_threads(const rp_run_answer *answers, size_t n)
{
    size_t hits = 0;
    for (size_t i = 0; i < n && hits < SLICE_HITS; i++)
        hits += answers[i].hits->n;
    return hits >= SLICE_HITS;
}

rp_status rp_run_add_many(rp_run *run, const rp_run_answer *answers, size_t n, size_t threads,
                          rp_error *err)
{
    if (RP_MISSING(err, run, answers))
        return RP_USAGE;
    if (!run->out && !run->o.write)
        return rp__error_set(err, RP_USAGE, "the run is finished");
    for (size_t i = 0; i < n; i++)
        if (!answers[i].qid || !answers[i].hits)
            return rp__error_set(err, RP_USAGE, "answer %zu lacks its qid or its hits", i);
    set_threads(run, threads);
    turn *t = &run->turn;
    t->answers = answers;
    t->n = n;
    t->next = t->n_cut = t->n_written = 0;
    t->status = RP_OK;
    const bool has_threads = run->pool && is_worth_threads(answers, n);
    t->n_ring = has_threads ? 2 * run->n_threads : 1;
    if (has_threads)
        rp__pool_run(run->pool, make_slices, run);
    else
        make_slices(run, 0);
    if (t->status != RP_OK)
        *err = t->err;
    return t->status;
}

rp_status rp_run_add(rp_run *run, const char *qid, const rp_hits *hits, rp_error *err)
{
    if (RP_MISSING(err, run, qid, hits))
        return RP_USAGE;
    return rp_run_add_many(run, &(rp_run_answer){.qid = qid, .hits = hits}, 1, run->n_threads, err);
}

rp_status rp_run_finish(rp_run *run, rp_error *err)
{
    if (RP_MISSING(err, run))
        return RP_USAGE;
    rp__output *out = run->out;
    run->out = NULL;
    return out ? rp__output_finish(out, err) : RP_OK;
}

void rp_run_free(rp_run *run)
{
    if (!run)
        return;
    rp__output_abandon(run->out);
    rp__pool_free(run->pool);
    for (size_t i = 0; i < RING; i++)
        rp__buf_free(&run->ring[i].lines);
    pthread_cond_destroy(&run->turn.moved);
    pthread_mutex_destroy(&run->turn.lock);
    rp__free(run);
}
