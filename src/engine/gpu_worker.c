/* gpu_worker.c: attaches a backend to the index and answers questions: single ones at once, batches in turn, the next
 * begun before the last is finished.
 *
 * A fault of the device ends the process, since nothing else gives the device back; so does whatever else goes
 * wrong here: the searchers do not need this process, and its keeper begins another. The files of the index are
 * closed by now. Whether they were cut short is seen by the searcher, which looks after every query. */
#include "engine/gpu_worker.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/store.h"

enum { RANKINGS_MOST = 64 }; /* that searchers of one index ask for */

/* A backend knows norms by their address: they stay as they are. */
typedef struct ranked {
    rp__rank rank;
    float *norms;
} ranked;

/* What belongs to a slot of the mailbox. */
typedef struct desk {
    rp__slot *slot;
    rp__arena arena;
    void *batch; /* the backend's; NULL: none yet */
    uint32_t of; /* it is one of so many */
    bool is_begun;
} desk;

typedef struct worker {
    const rp__gpu_work *work;
    uint32_t number;
    void *state; /* of the backend */
    ranked ranked[RANKINGS_MOST];
    size_t n_ranked;
    desk desks[RP_MAILBOX_SLOTS];
    desk *begun[RP_MAILBOX_SLOTS]; /* batches, the oldest first */
    size_t n_begun;
} worker;

/* One question, under the guard. */
typedef struct job {
    worker *worker;
    desk *desk;
} job;

/* ---- Norms ------------------------------------------------------------------------------------- */

static bool is_same(const rp__rank *a, const rp__rank *b)
{
    return a->ranking == b->ranking && a->k1 == b->k1 && a->b == b->b && a->mu == b->mu &&
           a->stats.docs == b->stats.docs && a->stats.tokens == b->stats.tokens;
}

static bool make_norms(ranked *r, const rp__query *query)
{
    r->rank = *query->rank;
    r->norms = rp__alloc_array(query->lengths.n_table, sizeof *r->norms);
    for (uint32_t j = 0; r->norms && j < query->lengths.n_table; j++)
        r->norms[j] = rp__rank_norm(&r->rank, query->lengths.table[j]);
    return r->norms != NULL;
}

static rp_status find_norms(worker *w, rp__query *query)
{
    size_t i = 0;
    while (i < w->n_ranked && !is_same(&w->ranked[i].rank, query->rank))
        i++;
    if (i == RANKINGS_MOST)
        return RP_UNAVAILABLE;
    ranked *r = &w->ranked[i];
    if (i == w->n_ranked && !make_norms(r, query))
        return RP_NO_MEMORY;
    w->n_ranked += i == w->n_ranked;
    query->rank = &r->rank;
    query->norms = r->norms;
    return RP_OK;
}

static void find_all_norms(worker *w, rp__slot *slot)
{
    for (uint32_t i = 0; i < slot->n; i++) {
        rp__asked *a = &rp__mailbox_asked(slot)[i];
        if (a->status == RP_OK)
            a->status = find_norms(w, &a->query);
    }
}

/* ---- Answers ----------------------------------------------------------------------------------- */

static void refuse_all(rp__slot *slot)
{
    for (uint32_t i = 0; i < slot->n; i++)
        rp__mailbox_asked(slot)[i].status = RP_UNAVAILABLE;
}

static bool is_all_well(rp__slot *slot)
{
    uint32_t i = 0;
    while (i < slot->n && rp__mailbox_asked(slot)[i].status == RP_OK)
        i++;
    return i == slot->n;
}

/* Ends the process if the device is lost. Until that is said, nobody gets an answer: whoever asks next knows. */
static void reply(worker *w, rp__slot *slot)
{
    const rp__gpu_work *work = w->work;
    rp_error why;
    bool is_lost = !is_all_well(slot) && work->backend->health(w->state, &why) != RP_OK;
    if (is_lost)
        rp__mailbox_lose(work->box, w->number, why.text);
    rp__mailbox_reply(work->box, slot, w->number);
    if (is_lost)
        _exit(2);
}

static rp_status run_one(void *arg)
{
    job *j = arg;
    worker *w = j->worker;
    rp__slot *slot = j->desk->slot;
    rp__asked *a = rp__mailbox_asked(slot);
    find_all_norms(w, slot);
    if (a->status == RP_OK)
        a->status =
            w->work->backend->run(w->state, &a->query, &j->desk->arena, &a->answer, &slot->err);
    return RP_OK;
}

static rp_status run_start(void *arg)
{
    job *j = arg;
    desk *d = j->desk;
    find_all_norms(j->worker, d->slot);
    j->worker->work->backend->batch_start(d->batch, rp__mailbox_asked(d->slot), d->slot->n,
                                          &d->arena);
    return RP_OK;
}

static rp_status run_finish(void *arg)
{
    job *j = arg;
    desk *d = j->desk;
    j->worker->work->backend->batch_finish(d->batch, rp__mailbox_asked(d->slot), d->slot->n,
                                           &d->arena);
    return RP_OK;
}

/* The desk's own batch, of the size that is asked for. */
static bool have_batch(worker *w, desk *d)
{
    const rp__backend *backend = w->work->backend;
    rp_error err;
    if (!backend->batch_new)
        return false;
    if (d->batch && d->of != d->slot->of) {
        backend->batch_free(d->batch);
        d->batch = NULL;
    }
    d->of = d->slot->of;
    return d->batch || backend->batch_new(w->state, d->of, &d->batch, &err) == RP_OK;
}

static void begin_batch(worker *w, desk *d)
{
    job j = {w, d};
    if (have_batch(w, d) && rp__mapping_guard(run_start, &j) == RP_OK) {
        d->is_begun = true;
        w->begun[w->n_begun++] = d;
        return;
    }
    refuse_all(d->slot);
    reply(w, d->slot);
}

static void finish_oldest(worker *w)
{
    desk *d = w->begun[0];
    job j = {w, d};
    memmove(w->begun, w->begun + 1, --w->n_begun * sizeof w->begun[0]);
    d->is_begun = false;
    if (rp__mapping_guard(run_finish, &j) != RP_OK)
        refuse_all(d->slot);
    reply(w, d->slot);
}

static void begin_answer(worker *w, rp__slot *slot)
{
    desk *d = &w->desks[slot - w->work->box->slots];
    job j = {w, d};
    if (d->is_begun)
        return;
    d->slot = slot;
    rp__arena_clear(&d->arena);
    d->arena.cap = slot->max_memory;
    if (slot->of > 0) {
        begin_batch(w, d);
        return;
    }
    if (rp__mapping_guard(run_one, &j) != RP_OK)
        refuse_all(slot);
    reply(w, slot);
}

/* ---- The worker -------------------------------------------------------------------------------- */

typedef struct attach_job {
    worker *worker;
    rp_error err;
} attach_job;

static rp_status run_attach(void *arg)
{
    attach_job *j = arg;
    worker *w = j->worker;
    const rp__gpu_work *work = w->work;
    rp_status status = work->backend->attach(work->segment, &work->place, &w->state, &j->err);
    return status == RP_OK ? work->backend->health(w->state, &j->err) : status;
}

static void begin(worker *w)
{
    rp__mailbox *box = w->work->box;
    attach_job j = {.worker = w};
    rp_status status = rp__mapping_guard(run_attach, &j);
    if (status != RP_OK) {
        rp__mailbox_lose(box, w->number, j.err.text[0] ? j.err.text : rp_status_text(status));
        _exit(1);
    }
    box->returns += box->faults > box->returns;
    rp__mailbox_enter(box, w->number, RP_PHASE_READY);
}

_Noreturn void rp__gpu_worker_run(const rp__gpu_work *work, uint32_t number)
{
    static worker w; /* it is large, and there is one in a process */
    rp__mailbox *box = work->box;
    w.work = work;
    w.number = number;
    begin(&w);
    for (;;) {
        uint32_t bell = box->bell, at = 0;
        for (rp__slot *slot; (slot = rp__mailbox_next(box, number, &at)) != NULL;)
            begin_answer(&w, slot);
        if (w.n_begun > 0)
            finish_oldest(&w);
        else
            rp__mailbox_sleep(box, bell);
    }
}
