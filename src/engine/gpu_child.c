/* gpu_child.c: asks the worker, and knows when not to wait for it any longer. */
#include "engine/gpu_child.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/futex.h"
#include "engine/gpu_child_steps.h"
#include "engine/keeper.h"

#define SECOND UINT64_C(1000000000)

enum {
    STEADY = 60,          /* seconds after which a worker counts as one that works */
    PATIENCE = 10000,     /* milliseconds, as the device's own */
    GRACE = 500,          /* more than that, since the worker can say better what is wrong */
    CROWD = 4,            /* times its patience that a question waits while others are answered */
    SLICE = 20000000,     /* nanoseconds between looks whether there is anybody to wait for */
    STOP_SLICE = 5000000, /* or whether the query is to stop */
};

/* A keeper, its worker and their searchers. */
typedef struct family {
    struct family *next;
    uint32_t users;
    rp__gpu_work work;
    char *gpu; /* the place's */
    rp__keeper keeper;
    uint64_t revived; /* when a keeper that somebody had killed was last replaced */
    pid_t owner;
    uint64_t patience; /* nanoseconds */
    bool is_used[RP_MAILBOX_SLOTS];
} family;

struct rp__gpu_child {
    family *family;
    rp__slot *slot; /* NULL: there are more searchers than slots */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of families and the slots in use */
/* Of texts of faults, among the threads of this process; the others' may come at any time, and are whole soon. */
static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t keepers =
    PTHREAD_MUTEX_INITIALIZER; /* of those of families that others know */
static family *families;

/* ---- Families -------------------------------------------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static family *find_family(const rp__gpu_work *wanted)
{
    family *f = families;
    while (f && !(f->work.segment == wanted->segment && f->work.backend == wanted->backend &&
                  f->work.place.gpu_memory == wanted->place.gpu_memory &&
                  f->work.place.gpu_timeout == wanted->place.gpu_timeout &&
                  is_same_text(f->gpu, wanted->place.gpu)))
        f = f->next;
    return f;
}

static void free_family(family *f)
{
    rp__keeper_stop(&f->keeper);
    rp__mailbox_free(f->work.box);
    rp__free(f->gpu);
    rp__free(f);
}

/* Until the first worker has the device, or says why not. */
static rp_status await_worker(family *f, rp_error *err)
{
    for (;;) {
        uint32_t phase = f->work.box->phase;
        if (rp__mailbox_phase(phase) == RP_PHASE_READY)
            return RP_OK;
        if (rp__mailbox_number(phase) > 1 || phase == (1U << 2 | RP_PHASE_DOWN))
            return rp__error_set(err, f->work.box->fault.code, "%s", f->work.box->fault.text);
        if (!rp__keeper_is_there(&f->keeper))
            return rp__error_set(err, RP_UNAVAILABLE, "the keeper of the GPU's process is gone");
        rp__futex_wait(&f->work.box->phase, phase, SLICE);
    }
}

static rp_status start(family *f, const rp__gpu_work *work, rp_error *err)
{
    const rp__place *place = &work->place;
    uint64_t ms = (place->gpu_timeout ? place->gpu_timeout : PATIENCE) + (uint64_t)GRACE;
    f->work = *work;
    f->owner = getpid();
    f->patience = ms * 1000000;
    f->work.box = rp__mailbox_new();
    if (place->gpu) {
        size_t bytes = strlen(place->gpu) + 1;
        f->gpu = rp__alloc(bytes);
        if (f->gpu)
            memcpy(f->gpu, place->gpu, bytes);
        f->work.place.gpu = f->gpu;
    }
    if (!f->work.box || (place->gpu && !f->gpu))
        return rp__error_no_memory(err);
    rp_status status = rp__keeper_start(&f->keeper, &f->work, STEADY * SECOND, err);
    return status == RP_OK ? await_worker(f, err) : status;
}

static rp_status make_family(const rp__gpu_work *work, family **out, rp_error *err)
{
    family *f = rp__alloc_zero(1, sizeof *f);
    *out = NULL;
    if (!f)
        return rp__error_no_memory(err);
    rp_status status = start(f, work, err);
    if (status != RP_OK) {
        free_family(f);
        return status;
    }
    f->next = families;
    families = f;
    *out = f;
    return RP_OK;
}

static rp__slot *take_slot(family *f)
{
    uint32_t i = 0;
    while (i < RP_MAILBOX_SLOTS && f->is_used[i])
        i++;
    if (i == RP_MAILBOX_SLOTS)
        return NULL;
    f->is_used[i] = true;
    if (f->work.box->n_slots <= i)
        f->work.box->n_slots = i + 1;
    return &f->work.box->slots[i];
}

static void give_slot(const rp__gpu_child *child)
{
    family *f = child->family;
    if (child->slot)
        f->is_used[child->slot - f->work.box->slots] = false;
}

rp_status rp__gpu_child_open(const rp__segment *segment, const rp__backend *backend,
                             const rp__place *place, rp__gpu_child **out, rp_error *err)
{
    rp__gpu_work work = {.segment = segment, .backend = backend, .place = *place};
    rp__gpu_child *child = rp__alloc_zero(1, sizeof *child);
    rp_status status = RP_OK;
    *out = NULL;
    if (!child)
        return rp__error_no_memory(err);
    pthread_mutex_lock(&lock);
    child->family = find_family(&work);
    if (!child->family)
        status = make_family(&work, &child->family, err);
    if (status == RP_OK) {
        child->family->users++;
        child->slot = take_slot(child->family);
        *out = child;
    }
    pthread_mutex_unlock(&lock);
    if (status != RP_OK)
        rp__free(child);
    return status;
}

static void leave_family(family *f)
{
    family **at = &families;
    if (--f->users > 0)
        return;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    free_family(f);
}

static void detach(void *state)
{
    rp__gpu_child *child = state;
    family *f = child->family;
    pthread_mutex_lock(&lock);
    give_slot(child);
    leave_family(f);
    pthread_mutex_unlock(&lock);
    rp__free(child);
}

void rp__gpu_child_revive(rp__gpu_child *child)
{
    rp_error err;
    family *f = child->family;
    uint64_t now = rp__clock_now();
    if (rp__mailbox_phase(f->work.box->phase) == RP_PHASE_READY || getpid() != f->owner)
        return;
    pthread_mutex_lock(&keepers);
    if (!rp__keeper_is_there(&f->keeper) && now - f->revived > SECOND) {
        f->revived = now;
        rp__keeper_stop(&f->keeper);
        (void)rp__keeper_start(&f->keeper, &f->work, STEADY * SECOND, &err);
    }
    pthread_mutex_unlock(&keepers);
}

/* ---- Asking ---------------------------------------------------------------------------------------- */

static void get_fault(const rp__mailbox *box, rp_error *out)
{
    pthread_mutex_lock(&telling);
    *out = box->fault;
    pthread_mutex_unlock(&telling);
    out->text[sizeof out->text - 1] = 0;
}

static void lose(rp__mailbox *box, uint32_t number, const char *why)
{
    pthread_mutex_lock(&telling);
    rp__mailbox_lose(box, number, RP_UNAVAILABLE, why);
    pthread_mutex_unlock(&telling);
}

static bool is_down(uint32_t phase)
{
    return rp__mailbox_phase(phase) != RP_PHASE_READY;
}

static rp_status refuse(const rp__gpu_child *child, uint32_t phase, rp_error *err)
{
    rp_error fault;
    get_fault(child->family->work.box, &fault);
    if (is_down(phase))
        return rp__error_set(err, RP_UNAVAILABLE, "the gpu is not there now: %s", fault.text);
    return rp__error_set(err, RP_UNAVAILABLE, "the query does not go to the process of the gpu");
}

static bool is_kept(const family *f)
{
    pthread_mutex_lock(&keepers);
    bool is_there = rp__keeper_is_there(&f->keeper);
    pthread_mutex_unlock(&keepers);
    return is_there;
}

/* Why there is nobody to wait for; RP_FALLBACK_NONE: there is. `since`: when the worker was last known to do something.
 * It does several things at a time: what was asked at `begin` may be stuck although others get their answers. */
static rp_fallback check_worker(const family *f, uint32_t phase, uint64_t begin, uint64_t since)
{
    rp__mailbox *box = f->work.box;
    uint32_t number = rp__mailbox_number(phase);
    if (box->phase != phase)
        return RP_FALLBACK_FAULT;
    if (!is_kept(f)) {
        lose(box, number, "the keeper of the GPU's process is gone");
        return RP_FALLBACK_FAULT;
    }
    uint64_t now = rp__clock_now();
    if (now - since < f->patience && now - begin < CROWD * f->patience)
        return RP_FALLBACK_NONE;
    lose(box, number, "the process that uses the GPU does not answer");
    pthread_mutex_lock(&keepers);
    rp__keeper_call(&f->keeper);
    pthread_mutex_unlock(&keepers);
    return RP_FALLBACK_DEADLINE;
}

/* Why none came. A worker that answers others is at work, and only slow. */
static rp_fallback await_answer(const rp__gpu_child *child, uint32_t phase,
                                const _Atomic uint32_t *stop)
{
    const family *f = child->family;
    uint64_t begin = rp__clock_now(), since = begin;
    uint32_t number = rp__mailbox_number(phase), answered = f->work.box->answered;
    while (!rp__mailbox_wait(child->slot, number, stop ? STOP_SLICE : SLICE)) {
        if (stop)
            atomic_store(&child->slot->stop, atomic_load(stop));
        rp_fallback why = check_worker(f, phase, begin, since);
        if (why)
            return rp__mailbox_wait(child->slot, number, 0) ? RP_FALLBACK_NONE : why;
        if (f->work.box->answered != answered) {
            answered = f->work.box->answered;
            since = rp__clock_now();
        }
    }
    return RP_FALLBACK_NONE;
}

/* Why it was not asked; otherwise `phase` is what the worker was in. */
static rp_fallback ask(const rp__gpu_child *child, rp__batch_item *asked, size_t n, rp__ask kind,
                       size_t max_memory, uint32_t *phase)
{
    const family *f = child->family;
    *phase = f->work.box->phase;
    if (is_down(*phase))
        return RP_FALLBACK_FAULT;
    bool is_asked = child->slot && getpid() == f->owner &&
                    rp__mailbox_ask(f->work.box, child->slot, rp__mailbox_number(*phase), asked, n,
                                    kind, max_memory);
    return is_asked ? RP_FALLBACK_NONE : RP_FALLBACK_CHILD;
}

static rp_status run(void *state, const rp__query *query, rp__arena *arena, rp__answer *answer,
                     rp_error *err)
{
    rp__gpu_child *child = state;
    rp__batch_item asked = {.query = *query};
    uint32_t phase;
    const uint64_t begin = rp__trace_begin(query->trace);
    *answer = (rp__answer){.fallback = ask(child, &asked, 1, RP_ASK_ONE, arena->cap, &phase)};
    if (answer->fallback)
        return refuse(child, phase, err);
    answer->fallback = await_answer(child, phase, query->stop);
    if (answer->fallback)
        return refuse(child, child->family->work.box->phase, err);
    rp__mailbox_take(child->slot, &asked, 1, arena);
    *answer = asked.answer;
    rp__trace_end(query->trace, &(rp__trace_event){.stage = "search",
                                                   .processor = "gpu",
                                                   .begin = begin,
                                                   .elements = answer->postings,
                                                   .bytes = answer->gpu.uploaded_bytes});
    return asked.status == RP_OK ? RP_OK
                                 : rp__error_set(err, asked.status, "%s", child->slot->err.text);
}

/* ---- Steps ----------------------------------------------------------------------------------------- */

rp_fallback rp__gpu_child_open_run(const rp__gpu_child *child, const rp__query *query,
                                   size_t max_memory, uint32_t *phase)
{
    rp__batch_item asked = {.query = *query};
    const rp_fallback why = ask(child, &asked, 1, RP_ASK_STEP, max_memory, phase);
    return why ? why : await_answer(child, *phase, query->stop);
}

rp_fallback rp__gpu_child_step(const rp__gpu_child *child, uint32_t phase,
                               const rp__step_mail *step, const _Atomic uint32_t *stop)
{
    rp__mailbox *box = child->family->work.box;
    if (box->phase != phase)
        return RP_FALLBACK_FAULT;
    if (stop)
        atomic_store(&child->slot->stop, atomic_load(stop));
    rp__mailbox_ask_step(box, child->slot, rp__mailbox_number(phase), step);
    return await_answer(child, phase, stop);
}

rp__slot *rp__gpu_child_slot(const rp__gpu_child *child)
{
    return child->slot;
}

rp_status rp__gpu_child_refuse(const rp__gpu_child *child, rp_error *err)
{
    return refuse(child, child->family->work.box->phase, err);
}

/* ---- Many queries ---------------------------------------------------------------------------------- */

/* Has a slot of its own. */
typedef struct batch {
    rp__gpu_child child;
    uint32_t phase;
    rp_fallback fallback; /* why it was not asked */
} batch;

static rp_status batch_new(void *state, void **out, rp_error *err)
{
    const rp__gpu_child *child = state;
    batch *b = rp__alloc_zero(1, sizeof *b);
    *out = b;
    if (!b)
        return rp__error_no_memory(err);
    b->child.family = child->family;
    pthread_mutex_lock(&lock);
    b->child.slot = take_slot(child->family);
    pthread_mutex_unlock(&lock);
    return RP_OK;
}

static void batch_free(void *state)
{
    batch *b = state;
    pthread_mutex_lock(&lock);
    give_slot(&b->child);
    pthread_mutex_unlock(&lock);
    rp__free(b);
}

static void refuse_all(rp__batch_item *asked, size_t n, rp_fallback why)
{
    for (size_t i = 0; i < n; i++)
        if (asked[i].status == RP_OK) {
            asked[i].status = RP_UNAVAILABLE;
            asked[i].answer = (rp__answer){.fallback = why};
        }
}

static void batch_start(void *state, rp__batch_item *asked, size_t n, rp__arena *arena)
{
    batch *b = state;
    b->fallback = ask(&b->child, asked, n, RP_ASK_MANY, arena->cap, &b->phase);
}

static void batch_finish(void *state, rp__batch_item *asked, size_t n, rp__arena *arena)
{
    batch *b = state;
    rp_fallback why = b->fallback ? b->fallback : await_answer(&b->child, b->phase, NULL);
    if (!why)
        rp__mailbox_take(b->child.slot, asked, n, arena);
    else
        refuse_all(asked, n, why);
    b->fallback = RP_FALLBACK_CHILD; /* until it is asked again */
}

void rp__gpu_child_get_state(const rp__gpu_child *child, rp_gpu_state *out)
{
    const rp__mailbox *box = child->family->work.box;
    out->is_lost = rp__mailbox_phase(box->phase) != RP_PHASE_READY;
    out->faults = box->faults;
    out->returns = box->returns;
    rp_error fault;
    get_fault(box, &fault);
    memcpy(out->fault, fault.text, sizeof out->fault);
}

int32_t rp__gpu_child_worker(const rp__gpu_child *child)
{
    return child->family->work.box->worker;
}

/* ---- The processor --------------------------------------------------------------------------------- */

static rp_status attach(const rp__segment *segment, const rp__place *place, void **state,
                        rp_error *err)
{
    rp__gpu_child *child;
    rp_status status = rp__gpu_child_open(segment, rp__backend_find("gpu"), place, &child, err);
    *state = child;
    return status;
}

const rp__backend rp__gpu_child_row = {.name = "gpu",
                                       .attach = attach,
                                       .detach = detach,
                                       .run = run,
                                       .batch_new = batch_new,
                                       .batch_free = batch_free,
                                       .batch_start = batch_start,
                                       .batch_finish = batch_finish,
                                       .batch_hits = RP_MAILBOX_ROOM / 2 / sizeof(rp__scored),
                                       .steps = &rp__gpu_child_steps_row};
