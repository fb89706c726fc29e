/* recode.c: the lists of an index recoded by one thread or several: the same index in another codec.
 *
 * Each worker takes the next batch of lists, recodes it on its own, and waits for its turn to write it,
 * so that the bytes do not depend on how many there are.
 * Invariant: a worker that holds a batch passes its turn on, even after a failure. */
#include "engine/recode.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/record.h"
#include "base/thread.h"
#include "engine/builder.h"
#include "engine/codec_spec.h"

typedef struct recode {
    rp__recode_watch *watch;
    rp__recoder *recoder;
    rp__recode_batch **batches; /* one a worker */
    uint32_t workers;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t taken, turn; /* batches; the one whose turn it is to be written */
    bool is_at_end;
    rp_status status; /* of the first failure */
    rp_error err;
} recode;

bool rp__recode_report(void *arg, uint64_t done, uint64_t of)
{
    const rp__recode_watch *w = arg;
    rp_progress p = {
        .phase = w->phase, .bytes = done, .bytes_total = of, .memory = rp__alloc_in_use()};
    return !w->on_progress || w->on_progress(w->arg, &p);
}

/* With the lock. */
static void fail(recode *r, rp_status status, const rp_error *err)
{
    if (r->status != RP_OK)
        return;
    r->status = status;
    r->err = *err;
}

/* False: no more batches, or the work has failed. */
static bool take_batch(recode *r, rp__recode_batch *batch, uint64_t *number)
{
    rp_error err = {0};
    bool has = false;
    pthread_mutex_lock(&r->lock);
    if (r->status == RP_OK && !r->is_at_end) {
        rp_status status = rp__recoder_take(r->recoder, batch, &has, &err);
        if (status != RP_OK)
            fail(r, status, &err);
        has = has && status == RP_OK;
        r->is_at_end = !has;
        if (has)
            *number = r->taken++;
    }
    pthread_mutex_unlock(&r->lock);
    return has;
}

/* In its turn; the caller's thread also tells how far the work is. */
static void write_batch(recode *r, const rp__recode_batch *batch, uint64_t number,
                        rp_status encoded, rp_error *err, bool is_caller)
{
    uint64_t done, of;
    pthread_mutex_lock(&r->lock);
    while (r->turn != number)
        pthread_cond_wait(&r->moved, &r->lock);
    rp_status status = encoded;
    if (r->status == RP_OK && status == RP_OK)
        status = rp__recoder_write(r->recoder, batch, err);
    rp__recoder_get_progress(r->recoder, &done, &of);
    if (status == RP_OK && is_caller && r->status == RP_OK &&
        !rp__recode_report(r->watch, done, of))
        status = rp__error_set(err, RP_INTERRUPTED, "interrupted; nothing was changed");
    if (status != RP_OK)
        fail(r, status, err);
    r->turn++;
    pthread_cond_broadcast(&r->moved);
    pthread_mutex_unlock(&r->lock);
}

static void run_worker(void *arg, uint32_t worker)
{
    recode *r = arg;
    rp__recode_batch *batch = r->batches[worker];
    for (uint64_t number = 0; take_batch(r, batch, &number);) {
        rp_error err = {0};
        rp_status status = rp__recoder_encode(r->recoder, batch, &err);
        write_batch(r, batch, number, status, &err, worker + 1 == r->workers);
    }
}

static rp_status run_workers(recode *r, rp_error *err)
{
    r->workers = rp__recoder_workers(r->recoder);
    r->batches = rp__alloc_zero(r->workers, sizeof *r->batches);
    rp_status status = r->batches ? RP_OK : rp__error_no_memory(err);
    for (uint32_t i = 0; i < r->workers && status == RP_OK; i++)
        status = rp__recoder_batch_new(r->recoder, &r->batches[i], err);
    if (status == RP_OK && rp__thread_run(r->workers, run_worker, r) != RP_OK)
        status = rp__error_no_memory(err);
    if (status == RP_OK && r->status != RP_OK) {
        status = r->status;
        if (err)
            *err = r->err;
    }
    for (uint32_t i = 0; r->batches && i < r->workers; i++)
        rp__recoder_batch_free(r->batches[i]);
    rp__free(r->batches);
    return status;
}

rp_status rp__recode_finish(rp__recoder *recoder, rp__recode_watch *watch, rp_build_stats *stats,
                            rp_error *err)
{
    recode r = {.watch = watch,
                .recoder = recoder,
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .moved = PTHREAD_COND_INITIALIZER};
    rp_status status = rp__recoder_copy(recoder, err);
    if (status == RP_OK)
        status = run_workers(&r, err);
    return status == RP_OK ? rp__recoder_finish(recoder, stats, err) : status;
}

rp_status rp_index_recode(const char *dir, const char *to, const rp_recode_options *options,
                          rp_build_stats *stats, rp_error *err)
{
    if (RP_MISSING(err, dir, to))
        return RP_USAGE;
    rp_recode_options o;
    rp_status status = RP_TAKE(&o, options, err);
    rp__recode_watch watch = {"recoding", o.on_progress, o.progress_arg};
    rp__recode_options inner = {.on_progress = rp__recode_report, .progress_arg = &watch};
    rp__recoder *recoder = NULL;
    if (stats)
        *stats = (rp_build_stats){0};
    rp__alloc_reset_peak();
    if (status == RP_OK)
        status = rp__builder_check_limits(&o.memory, &o.threads, err);
    uint64_t limit = rp__alloc_set_limit(o.memory);
    inner.aux = o.aux;
    inner.memory = o.memory;
    inner.workers = o.threads;
    if (status == RP_OK)
        status = rp__codec_spec_parse(o.codec, o.freqs, &inner.coding, err);
    if (status == RP_OK)
        status = rp__recoder_new(dir, to, &inner, &recoder, err);
    if (status == RP_OK)
        status = rp__recode_finish(recoder, &watch, stats, err);
    rp__alloc_set_limit(limit);
    rp__recoder_free(recoder);
    return status;
}
