/* gpu_worker.c: attaches a backend to the index and answers questions, one after the other.
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

typedef struct worker {
    const rp__gpu_work *work;
    void *state; /* of the backend */
    rp__arena arena;
    ranked ranked[RANKINGS_MOST];
    size_t n_ranked;
} worker;

/* One question. */
typedef struct job {
    worker *worker;
    rp__query query;
    rp__answer answer;
    rp_error err;
} job;

static bool is_same(const rp__rank *a, const rp__rank *b)
{
    return a->ranking == b->ranking && a->k1 == b->k1 && a->b == b->b && a->mu == b->mu &&
           a->stats.docs == b->stats.docs && a->stats.tokens == b->stats.tokens;
}

static rp_status find_norms(worker *w, rp__query *query)
{
    size_t i = 0;
    while (i < w->n_ranked && !is_same(&w->ranked[i].rank, query->rank))
        i++;
    if (i == RANKINGS_MOST)
        return RP_UNAVAILABLE;
    ranked *r = &w->ranked[i];
    if (i == w->n_ranked) {
        r->rank = *query->rank;
        r->norms = rp__alloc_array(query->lengths.n_table, sizeof *r->norms);
        if (!r->norms)
            return RP_NO_MEMORY;
        for (uint32_t j = 0; j < query->lengths.n_table; j++)
            r->norms[j] = rp__rank_norm(&r->rank, query->lengths.table[j]);
        w->n_ranked++;
    }
    query->rank = &r->rank;
    query->norms = r->norms;
    return RP_OK;
}

static rp_status run_job(void *arg)
{
    job *j = arg;
    worker *w = j->worker;
    rp_status status = find_norms(w, &j->query);
    if (status != RP_OK)
        return rp__error_set(&j->err, status, "%s", rp_status_text(status));
    return w->work->backend->run(w->state, &j->query, &w->arena, &j->answer, &j->err);
}

/* Ends the process if the device is lost. Until it is said so, nobody gets an answer: whoever asks next knows. */
static void answer(worker *w, rp__slot *slot, uint32_t number)
{
    const rp__gpu_work *work = w->work;
    job j = {.worker = w, .query = slot->query};
    rp_error why;
    rp__arena_clear(&w->arena);
    w->arena.cap = slot->max_memory;
    rp_status status = rp__mapping_guard(run_job, &j);
    if (status == RP_DAMAGED)
        status = rp__error_set(&j.err, RP_UNAVAILABLE, "the index cannot be read");
    bool is_lost = status != RP_OK && work->backend->health(w->state, &why) != RP_OK;
    if (is_lost)
        rp__mailbox_lose(work->box, number, why.text);
    rp__mailbox_reply(work->box, slot, number, status, &j.answer, &j.err);
    if (is_lost)
        _exit(2);
}

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

static void begin(worker *w, uint32_t number)
{
    rp__mailbox *box = w->work->box;
    attach_job j = {.worker = w};
    rp_status status = rp__mapping_guard(run_attach, &j);
    if (status != RP_OK) {
        rp__mailbox_lose(box, number, j.err.text[0] ? j.err.text : rp_status_text(status));
        _exit(1);
    }
    box->returns += box->faults > box->returns;
    rp__mailbox_enter(box, number, RP_PHASE_READY);
}

_Noreturn void rp__gpu_worker_run(const rp__gpu_work *work, uint32_t number)
{
    static worker w; /* it is large, and there is one in a process */
    rp__mailbox *box = work->box;
    w.work = work;
    rp__arena_init(&w.arena, 0);
    begin(&w, number);
    for (;;) {
        uint32_t bell = box->bell, at = 0;
        rp__slot *slot = rp__mailbox_next(box, number, &at);
        if (!slot)
            rp__mailbox_sleep(box, bell);
        for (; slot; slot = rp__mailbox_next(box, number, &at))
            answer(&w, slot, number);
    }
}
