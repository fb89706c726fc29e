/* gpu_worker.c: attaches a backend to the index and answers questions: single ones one at a time; batches on threads,
 * each of which begins the next before it finishes the last.
 *
 * Steps of a query are questions one by one; what is between them stays here until the run is closed.
 *
 * A fault of the device ends the process, since nothing else gives the device back; so does whatever else goes
 * wrong here: the searchers do not need this process, and its keeper begins another. The files of the index are
 * closed by now. Whether they were cut short is seen by the searcher, which looks after every query. */
#include "engine/gpu_worker.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/store.h"

enum {
    RANKINGS_MOST = 64, /* that searchers of one index ask for */
    THREADS = 8,
    IN_FLIGHT = 2, /* batches of a thread */
};

/* A backend knows norms by their address: they stay as they are. */
typedef struct ranked {
    rp__rank rank;
    float *norms;
} ranked;

/* What belongs to a slot of the mailbox. */
typedef struct desk {
    rp__slot *slot;
    rp__arena arena;
    void *batch;           /* the backend's; NULL: none yet */
    _Atomic bool is_taken; /* by a thread, until its answer is out */
    void *run;             /* the backend's, of steps; NULL: none is open */
    rp__partial partial;   /* its candidates, while they are put or taken */
} desk;

typedef struct worker {
    const rp__gpu_work *work;
    uint32_t number;
    pthread_mutex_t lock; /* of all that follows but the desks */
    void *state;          /* of the backend */
    ranked ranked[RANKINGS_MOST];
    size_t n_ranked;
    desk *stepping; /* whose run is open: the state answers no other single query meanwhile */
    desk desks[RP_MAILBOX_SLOTS];
} worker;

/* What a thread has to itself. */
typedef struct lane {
    worker *worker;
    desk *begun[IN_FLIGHT]; /* batches, the oldest first */
    size_t n_begun;
} lane;

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

static rp_status run_norms(void *arg)
{
    const job *j = arg;
    rp__slot *slot = j->desk->slot;
    for (uint32_t i = 0; i < slot->n; i++) {
        rp__batch_item *a = &rp__mailbox_asked(slot)[i];
        if (a->status == RP_OK)
            a->status = find_norms(j->worker, &a->query);
        a->answer.fallback = a->status == RP_NO_MEMORY     ? RP_FALLBACK_HOST_MEMORY
                             : a->status == RP_UNAVAILABLE ? RP_FALLBACK_CHILD
                                                           : RP_FALLBACK_NONE;
    }
    return RP_OK;
}

/* ---- Answers ----------------------------------------------------------------------------------- */

static void refuse_all(rp__slot *slot, rp_fallback why)
{
    for (uint32_t i = 0; i < slot->n; i++) {
        rp__mailbox_asked(slot)[i].status = RP_UNAVAILABLE;
        rp__mailbox_asked(slot)[i].answer.fallback = why;
    }
}

static bool is_all_well(rp__slot *slot)
{
    uint32_t i = 0;
    while (i < slot->n && rp__mailbox_asked(slot)[i].status == RP_OK)
        i++;
    return i == slot->n;
}

/* Ends the process if the device is lost. Until that is said, nobody gets an answer: whoever asks next knows. */
static void reply(worker *w, desk *d)
{
    const rp__gpu_work *work = w->work;
    rp__slot *slot = d->slot;
    rp_error why;
    pthread_mutex_lock(&w->lock);
    bool is_lost = !is_all_well(slot) && work->backend->health(w->state, &why) != RP_OK;
    pthread_mutex_unlock(&w->lock);
    if (is_lost)
        rp__mailbox_lose(work->box, w->number, RP_UNAVAILABLE, why.text);
    rp__mailbox_reply(work->box, slot, w->number);
    if (is_lost)
        _exit(2);
    d->is_taken = false;
}

static rp_status run_one(void *arg)
{
    const job *j = arg;
    const worker *w = j->worker;
    rp__slot *slot = j->desk->slot;
    rp__batch_item *a = rp__mailbox_asked(slot);
    a->status = w->work->backend->run(w->state, &a->query, &j->desk->arena, &a->answer, &slot->err);
    return RP_OK;
}

static rp_status run_start(void *arg)
{
    const job *j = arg;
    desk *d = j->desk;
    j->worker->work->backend->batch_start(d->batch, rp__mailbox_asked(d->slot), d->slot->n,
                                          &d->arena);
    return RP_OK;
}

static rp_status run_finish(void *arg)
{
    const job *j = arg;
    desk *d = j->desk;
    j->worker->work->backend->batch_finish(d->batch, rp__mailbox_asked(d->slot), d->slot->n,
                                           &d->arena);
    return RP_OK;
}

/* Under the guard; false: that left it, and all is refused. */
static bool run(worker *w, desk *d, rp_status (*fn)(void *arg))
{
    job j = {w, d};
    if (rp__mapping_guard(fn, &j) == RP_OK)
        return true;
    if (d->batch && w->work->backend->batch_abandon)
        w->work->backend->batch_abandon(d->batch);
    refuse_all(d->slot, RP_FALLBACK_DAMAGED);
    return false;
}

/* ---- Batches ----------------------------------------------------------------------------------- */

/* The desk's own batch, of the size that is asked for; why there is none. */
static rp_fallback have_batch(worker *w, desk *d)
{
    const rp__backend *backend = w->work->backend;
    rp_status status = RP_OK;
    rp_error err;
    if (!backend->batch_new)
        return RP_FALLBACK_CHILD;
    pthread_mutex_lock(&w->lock);
    if (!d->batch)
        status = backend->batch_new(w->state, &d->batch, &err);
    if (status != RP_OK)
        d->batch = NULL;
    pthread_mutex_unlock(&w->lock);
    return status == RP_OK          ? RP_FALLBACK_NONE
           : status == RP_NO_MEMORY ? RP_FALLBACK_MEMORY
                                    : RP_FALLBACK_INDEX;
}

static void begin_batch(lane *l, desk *d)
{
    worker *w = l->worker;
    rp_fallback why = have_batch(w, d);
    if (why)
        refuse_all(d->slot, why);
    else if (run(w, d, run_start)) {
        l->begun[l->n_begun++] = d;
        return;
    }
    reply(w, d);
}

static void finish_oldest(lane *l)
{
    desk *d = l->begun[0];
    memmove(l->begun, l->begun + 1, --l->n_begun * sizeof l->begun[0]);
    (void)run(l->worker, d, run_finish);
    reply(l->worker, d);
}

/* ---- Steps ------------------------------------------------------------------------------------- */

/* All candidates are here with the last piece. */
static rp_status put_piece(desk *d, const rp__steps *on)
{
    const rp__step_mail *m = &d->slot->step;
    rp__partial *p = &d->partial;
    if (m->first == 0)
        *p =
            (rp__partial){.docids = rp__arena_array(&d->arena, m->n + (size_t)1, sizeof *p->docids),
                          .scores = rp__arena_array(&d->arena, m->n + (size_t)1, sizeof *p->scores),
                          .n = m->n,
                          .postings = m->postings,
                          .gpu = m->gpu};
    if (!p->docids || !p->scores)
        return RP_NO_MEMORY;
    rp__mailbox_get_piece(d->slot, p, m->first, m->last);
    return m->last == m->n ? on->put(d->run, p) : RP_OK;
}

static rp_status take_piece(desk *d, const rp__steps *on)
{
    rp__step_mail *m = &d->slot->step;
    rp_status status = m->first == 0 ? on->take(d->run, &d->partial) : RP_OK;
    if (status != RP_OK)
        return status;
    m->n = d->partial.n;
    m->last = m->last < m->n ? m->last : m->n;
    rp__mailbox_put_piece(d->slot, &d->partial, m->first, m->last);
    return RP_OK;
}

static rp_status take_step(const worker *w, desk *d)
{
    const rp__steps *on = w->work->backend->steps;
    const rp__step_mail *m = &d->slot->step;
    rp__batch_item *asked = rp__mailbox_asked(d->slot);
    if (!on || (m->kind == RP_MAIL_OPEN) != !d->run)
        return RP_UNAVAILABLE;
    switch (m->kind) {
    case RP_MAIL_OPEN:
        return on->open(w->state, &asked->query, &d->arena, &d->run, &d->slot->err);
    case RP_MAIL_START:
        return on->start(d->run, m->first);
    case RP_MAIL_MEET:
        return on->meet(d->run, m->first);
    case RP_MAIL_SCORE:
        return on->score(d->run, m->first);
    case RP_MAIL_NARROW:
        return on->narrow(d->run, m->first, m->last);
    case RP_MAIL_SELECT:
        return on->select(d->run, &asked->answer);
    case RP_MAIL_PUT:
        return put_piece(d, on);
    case RP_MAIL_TAKE:
        return take_piece(d, on);
    case RP_MAIL_CLOSE:
        on->close(d->run);
        d->run = NULL;
    }
    return RP_OK;
}

/* What the run has come to, beside the status of the step. */
static rp_status run_step(void *arg)
{
    const job *j = arg;
    desk *d = j->desk;
    const rp__steps *on = j->worker->work->backend->steps;
    rp__step_mail *m = &d->slot->step;
    rp__answer now = {.fallback = RP_FALLBACK_CHILD};
    m->status = take_step(j->worker, d);
    if (d->run) {
        on->report(d->run, &now);
        m->postings = now.postings;
        m->gpu = now.gpu;
        m->n = m->kind == RP_MAIL_TAKE ? m->n : on->count(d->run);
    }
    m->fallback = now.fallback;
    return RP_OK;
}

static void answer_step(worker *w, desk *d)
{
    rp__step_mail *m = &d->slot->step;
    rp__batch_item *asked = rp__mailbox_asked(d->slot);
    pthread_mutex_lock(&w->lock);
    if (m->kind == RP_MAIL_OPEN && asked->status != RP_OK) {
        m->status = asked->status;
        m->fallback = asked->answer.fallback;
    } else if (!run(w, d, run_step)) {
        m->status = RP_DAMAGED;
        m->fallback = RP_FALLBACK_DAMAGED;
    }
    asked->status = m->status;
    if (m->kind != RP_MAIL_SELECT)
        asked->answer = (rp__answer){.fallback = m->fallback};
    const bool is_closed = !d->run;
    if (is_closed)
        w->stepping = NULL;
    pthread_mutex_unlock(&w->lock);
    reply(w, d);
    if (is_closed)
        rp__mailbox_ring(w->work->box);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

static void answer_one(worker *w, desk *d)
{
    pthread_mutex_lock(&w->lock); /* the backend's state is one thread's at a time */
    if (rp__mailbox_asked(d->slot)->status == RP_OK && !run(w, d, run_one) &&
        w->work->backend->abandon)
        w->work->backend->abandon(w->state);
    pthread_mutex_unlock(&w->lock);
    reply(w, d);
}

/* Whether the question has to wait until the run of another desk is closed; then all look again. If not, and it opens
 * a run, that is this desk's. */
static bool has_to_wait(worker *w, desk *d, const rp__slot *slot)
{
    pthread_mutex_lock(&w->lock);
    const bool waits = slot->kind != RP_ASK_MANY && w->stepping && w->stepping != d;
    if (!waits && slot->kind == RP_ASK_STEP)
        w->stepping = d;
    pthread_mutex_unlock(&w->lock);
    return waits;
}

static bool opens(const rp__slot *slot)
{
    return slot->kind != RP_ASK_STEP || slot->step.kind == RP_MAIL_OPEN;
}

static void begin_answer(lane *l, rp__slot *slot)
{
    worker *w = l->worker;
    desk *d = &w->desks[slot - w->work->box->slots];
    if (atomic_exchange(&d->is_taken, true))
        return;
    /* somebody may have been faster */
    if (!rp__mailbox_is_asked(slot, w->number) || has_to_wait(w, d, slot)) {
        d->is_taken = false;
        return;
    }
    d->slot = slot;
    if (opens(slot)) {
        rp__arena_clear(&d->arena);
        d->arena.cap = slot->max_memory;
        pthread_mutex_lock(&w->lock);
        (void)run(w, d, run_norms);
        pthread_mutex_unlock(&w->lock);
    }
    if (slot->kind == RP_ASK_MANY)
        begin_batch(l, d);
    else if (slot->kind == RP_ASK_STEP)
        answer_step(w, d);
    else
        answer_one(w, d);
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
        rp__mailbox_lose(box, w->number, status,
                         j.err.text[0] ? j.err.text : rp_status_text(status));
        _exit(1);
    }
    box->returns += box->faults > box->returns;
    rp__mailbox_enter(box, w->number, RP_PHASE_READY);
}

static _Noreturn void serve(worker *w)
{
    rp__mailbox *box = w->work->box;
    lane l = {.worker = w};
    for (;;) {
        uint32_t bell = box->bell, at = 0;
        rp__slot *slot;
        while (l.n_begun < IN_FLIGHT && (slot = rp__mailbox_next(box, w->number, &at)) != NULL)
            begin_answer(&l, slot);
        if (l.n_begun > 0)
            finish_oldest(&l);
        else
            rp__mailbox_sleep(box, bell);
    }
}

static void *run_thread(void *arg)
{
    serve(arg);
}

_Noreturn void rp__gpu_worker_run(const rp__gpu_work *work, uint32_t number)
{
    static worker w;  /* it is large, and there is one in a process */
    pthread_t thread; /* is never asked about again */
    w.work = work;
    w.number = number;
    pthread_mutex_init(&w.lock, NULL);
    begin(&w);
    for (int i = 1; i < THREADS; i++)
        (void)pthread_create(&thread, NULL, run_thread, &w);
    serve(&w);
}
