/* device.c: one card through the driver's table. The context and the modules are the card's; a module is loaded when a
 * kernel of it is first used.
 *
 * A wait looks whether the work is done: at first again and again, then with naps between. Only naps count as
 * waiting, since the emulated device works while it is looked at. */
#include "backend/gpu/device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"

enum {
    PATIENCE = 10,  /* seconds */
    SPIN = 2000000, /* nanoseconds of looking before the first nap */
    NAP = 50000,
    PAUSE = 1000, /* nanoseconds between two looks */
    CARDS = 64,
};

/* What the devices of one card have in common: a fault of one is all others'. A card is new when nobody has it open,
 * unless it is real and lost to the process for good. */
struct rp__card {
    uint32_t users;
    _Atomic bool is_lost, is_stuck; /* stuck: asking it anything might wait for ever */
    const rp__device *_Atomic user; /* that launched last */
    _Atomic uint64_t shared;        /* when that was last another than before; 0: never */
    bool is_final;
    rp_error fault;
    rp__device_job *_Atomic jobs; /* that wait, the last one first */
    _Atomic bool is_running_jobs; /* a thread has the queue */
    /* under `opening` */
    uint32_t n_contexts; /* devices that have the context */
    rp__cu_context context;
    rp__cu_module *modules; /* one a file, where the first kernel of that file stands */
    rp__cu_function _Atomic
        functions[RP_KERNELS_MAX]; /* NULL: not loaded yet; read without the lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all cards */
static pthread_mutex_t opening =
    PTHREAD_MUTEX_INITIALIZER; /* of their contexts and modules; taken before `lock` */
static struct rp__card cards[CARDS], emulated_cards[CARDS];

/* ---- Cards --------------------------------------------------------------------------------------- */

/* RP_UNAVAILABLE: it was lost before. */
static rp_status join_card(rp__device *d, int ordinal, rp_error *err)
{
    struct rp__card *card = d->driver->is_emulated ? &emulated_cards[ordinal] : &cards[ordinal];
    pthread_mutex_lock(&lock);
    if (card->users == 0 && (d->driver->is_emulated || !card->is_final))
        *card = (struct rp__card){0};
    rp_status status =
        card->is_lost ? rp__error_set(err, RP_UNAVAILABLE, "GPU %d was lost to this process: %s",
                                      ordinal, card->fault.text)
                      : RP_OK;
    if (status == RP_OK) {
        card->users++;
        d->card = card;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void leave_card(rp__device *d)
{
    pthread_mutex_lock(&lock);
    d->card->users--;
    pthread_mutex_unlock(&lock);
}

static void lose_card(const rp__device *d, bool is_stuck, bool is_final)
{
    struct rp__card *card = d->card;
    pthread_mutex_lock(&lock);
    if (!card->is_lost)
        card->fault = d->fault;
    card->is_final |= is_final;
    card->is_stuck = card->is_stuck || is_stuck;
    card->is_lost = true;
    pthread_mutex_unlock(&lock);
}

bool rp__device_is_lost(rp__device *d)
{
    if (!d->card || !d->card->is_lost)
        return d->is_lost;
    if (d->card->is_stuck)
        d->driver = &rp__driver_dead;
    if (!d->is_lost) {
        pthread_mutex_lock(&lock);
        d->fault = d->card->fault;
        pthread_mutex_unlock(&lock);
    }
    d->is_lost = true;
    return true;
}

rp_fallback rp__device_fallback(rp__device *d, rp_status status)
{
    if (status == RP_NO_MEMORY || status == RP_DAMAGED)
        return status == RP_DAMAGED ? RP_FALLBACK_DAMAGED : RP_FALLBACK_MEMORY;
    bool is_stuck = rp__device_is_lost(d) && d->card && d->card->is_stuck;
    return is_stuck ? RP_FALLBACK_DEADLINE : RP_FALLBACK_FAULT;
}

rp_gpu_counters rp__device_count_since(const rp__device *d, const rp_gpu_counters *before)
{
    const rp_gpu_counters *now = &d->counters;
    return (rp_gpu_counters){
        .launches = now->launches - before->launches,
        .uploaded_bytes = now->uploaded_bytes - before->uploaded_bytes,
        .transcoded_postings = now->transcoded_postings - before->transcoded_postings,
        .host_decoded_lists = now->host_decoded_lists - before->host_decoded_lists,
        .host_decoded_postings = now->host_decoded_postings - before->host_decoded_postings};
}

/* Devices that take turns do not have the card to themselves. */
static void use_card(rp__device *d, uint64_t now)
{
    if (d->card->user != d && atomic_exchange(&d->card->user, d))
        d->card->shared = now;
}

bool rp__device_is_alone(rp__device *d, uint64_t now, uint64_t ns)
{
    use_card(d, now);
    return d->card->shared + ns < now;
}

/* ---- Opening ------------------------------------------------------------------------------------- */

static rp_status refuse(rp__device *d, const char *what, rp__cu_result result, rp_error *err)
{
    return rp__error_set(err, RP_UNAVAILABLE, "%s: %s", what, rp__driver_text(d->driver, result));
}

static rp_status look(rp__device *d, int ordinal, rp_error *err)
{
    const rp__driver *driver = d->driver;
    int processors = 0, shared = 0, major = 0;
    rp__cu_result result = driver->device_get(&d->handle, ordinal);
    if (result == RP_CU_OK)
        result = driver->device_name(d->name, sizeof d->name, d->handle);
    if (result == RP_CU_OK)
        result = driver->device_memory(&d->memory, d->handle);
    if (result == RP_CU_OK)
        result = driver->device_attribute(&processors, RP_CU_MULTIPROCESSORS, d->handle);
    if (result == RP_CU_OK)
        result = driver->device_attribute(&shared, RP_CU_SHARED_OPTIN, d->handle);
    if (result == RP_CU_OK)
        result = driver->device_attribute(&major, RP_CU_MAJOR, d->handle);
    if (result != RP_CU_OK)
        return refuse(d, "the GPU cannot be asked what it is", result, err);
    d->processors = (uint32_t)processors;
    d->shared_max = (uint32_t)shared;
    if (major < 8)
        return rp__error_set(err, RP_UNAVAILABLE, "%s is too old: compute capability %d, not 8.0",
                             d->name, major);
    return RP_OK;
}

/* The context of the card, which its first device makes. */
static rp_status have_context(rp__device *d, rp_error *err)
{
    struct rp__card *card = d->card;
    rp_status status = RP_OK;
    rp__cu_result result = RP_CU_OK;
    pthread_mutex_lock(&opening);
    if (card->n_contexts == 0) {
        card->modules = rp__alloc_zero(RP_KERNELS_MAX, sizeof *card->modules);
        status = card->modules ? RP_OK : rp__error_no_memory(err);
        if (status == RP_OK)
            result = d->driver->context_retain(&card->context, d->handle);
        if (result != RP_CU_OK)
            status = refuse(d, "the GPU cannot be opened", result, err);
        if (status != RP_OK) {
            rp__free(card->modules);
            card->modules = NULL;
        }
    }
    if (status == RP_OK) {
        card->n_contexts++;
        d->context = card->context;
    }
    pthread_mutex_unlock(&opening);
    return status;
}

static void drop_context(rp__device *d)
{
    struct rp__card *card = d->card;
    pthread_mutex_lock(&opening);
    if (--card->n_contexts == 0) {
        for (size_t i = 0; i < RP_KERNELS_MAX; i++) {
            card->functions[i] = NULL;
            if (card->modules[i])
                d->driver->module_unload(card->modules[i]);
        }
        rp__free(card->modules);
        card->modules = NULL;
        d->driver->context_set(NULL);
        d->driver->context_release(d->handle);
    } else {
        d->driver->context_set(NULL);
    }
    pthread_mutex_unlock(&opening);
}

/* The device's own part, when that of the card is there. */
static rp_status open_stream(rp__device *d, rp_error *err)
{
    rp_status status = have_context(d, err);
    if (status != RP_OK)
        return status;
    status = rp__device_enter(d);
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->stream_create(&d->stream, RP_CU_STREAM_OWN));
    if (status != RP_OK)
        rp__error_set(err, status, "the GPU cannot be opened: %s",
                      d->fault.text[0] ? d->fault.text : rp_status_text(status));
    return status;
}

static rp_status open_joined(rp__device *d, int ordinal, rp_error *err)
{
    rp_status status = look(d, ordinal, err);
    if (status != RP_OK)
        return status;
    const rp__kernel *first = rp__kernel_table_at(0);
    if (!first->emulated)
        return rp__error_set(err, RP_UNAVAILABLE,
                             "this build has no GPU code: it was made with GPU=0");
    if (!d->driver->is_emulated && !rp__kernel_table_image(first->file))
        return rp__error_set(err, RP_UNAVAILABLE, "this build has no GPU code: nvcc was not there");
    return open_stream(d, err);
}

rp_status rp__device_open(rp__device *d, const rp__driver *driver, int ordinal, rp_error *err)
{
    int count = 0;
    *d = (rp__device){.driver = driver, .patience = PATIENCE * UINT64_C(1000000000)};
    rp__cu_result result = driver->device_count(&count);
    if (result != RP_CU_OK || count == 0)
        return result ? refuse(d, "the GPUs cannot be counted", result, err)
                      : rp__error_set(err, RP_UNAVAILABLE, "the CUDA driver knows no GPU");
    if (ordinal < 0 || ordinal >= count || ordinal >= CARDS)
        return rp__error_set(err, RP_UNAVAILABLE, "there is no GPU %d; the last is %d", ordinal,
                             (count < CARDS ? count : CARDS) - 1);
    rp_status status = join_card(d, ordinal, err);
    if (status != RP_OK)
        return status;
    status = open_joined(d, ordinal, err);
    if (status != RP_OK)
        rp__device_close(d);
    return status;
}

rp_status rp__device_twin(rp__device *twin, const rp__device *of, rp_error *err)
{
    *twin = (rp__device){.driver = of->driver,
                         .handle = of->handle,
                         .memory = of->memory,
                         .processors = of->processors,
                         .shared_max = of->shared_max,
                         .patience = of->patience};
    memcpy(twin->name, of->name, sizeof twin->name);
    rp_status status = join_card(twin, of->handle, err);
    if (status != RP_OK)
        return status;
    status = open_stream(twin, err);
    if (status != RP_OK)
        rp__device_close(twin);
    return status;
}

void rp__device_close(rp__device *d)
{
    if (!d->card)
        return;
    (void)rp__device_is_lost(d);
    if (d->context) {
        d->driver->context_set(d->context);
        if (d->stream)
            d->driver->stream_destroy(d->stream);
        drop_context(d);
    }
    leave_card(d);
    *d = (rp__device){0};
}

rp_status rp__device_enter(rp__device *d)
{
    (void)rp__device_is_lost(d); /* then what lies on it can be given back, unless it is stuck */
    return rp__device_check(d, d->driver->context_set(d->context));
}

rp_status rp__device_check(rp__device *d, rp__cu_result result)
{
    if (rp__device_is_lost(d))
        return RP_UNAVAILABLE;
    if (result == RP_CU_OK)
        return RP_OK;
    if (result == RP_CU_NO_MEMORY)
        return RP_NO_MEMORY;
    rp__error_set(&d->fault, RP_UNAVAILABLE, "%s: %s", d->name, rp__driver_text(d->driver, result));
    if (!rp__driver_is_passing(result))
        lose_card(d, false, rp__driver_is_fatal(result));
    (void)rp__device_is_lost(d);
    return RP_UNAVAILABLE;
}

rp_status rp__device_give_up(rp__device *d)
{
    if (rp__device_is_lost(d))
        return RP_UNAVAILABLE;
    rp__error_set(&d->fault, RP_UNAVAILABLE, "%s: does not come back", d->name);
    lose_card(d, true, true);
    (void)rp__device_is_lost(d);
    return RP_UNAVAILABLE;
}

/* ---- Memory -------------------------------------------------------------------------------------- */

rp_status rp__device_alloc(rp__device *d, size_t bytes, rp__cu_ptr *out)
{
    *out = 0;
    if (rp__device_is_lost(d))
        return RP_UNAVAILABLE;
    rp_status status = rp__device_check(d, d->driver->memory_alloc(out, bytes));
    if (status != RP_OK && *out) { /* another thread has lost the card meanwhile */
        d->driver->memory_free(*out);
        *out = 0;
    }
    return status;
}

rp_status rp__device_pin(rp__device *d, size_t bytes, unsigned flags, void **out)
{
    *out = NULL;
    rp_status status = rp__device_check(d, d->driver->host_alloc(out, bytes, flags));
    if (status != RP_OK && *out) { /* another thread has lost the card meanwhile */
        d->driver->host_free(*out);
        *out = NULL;
    }
    return status;
}

rp_status rp__device_pin_mapped(rp__device *d, size_t bytes, void **out, rp__cu_ptr *at)
{
    rp_status status = rp__device_pin(d, bytes, RP_CU_HOST_MAPPED, out);
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->host_device(at, *out, 0));
    if (status != RP_OK && *out) {
        d->driver->host_free(*out);
        *out = NULL;
    }
    return status;
}

void rp__device_free(rp__device *d, rp__cu_ptr at)
{
    (void)rp__device_is_lost(d);
    if (at)
        d->driver->memory_free(at);
}

rp_status rp__device_copy_in(rp__device *d, rp__cu_ptr to, const void *from, size_t bytes)
{
    if (rp__device_is_lost(d) || bytes == 0)
        return d->is_lost ? RP_UNAVAILABLE : RP_OK;
    d->counters.uploaded_bytes += bytes;
    return rp__device_check(d, d->driver->copy_in(to, from, bytes, d->stream));
}

rp_status rp__device_copy_out(rp__device *d, void *to, rp__cu_ptr from, size_t bytes)
{
    if (rp__device_is_lost(d) || bytes == 0)
        return d->is_lost ? RP_UNAVAILABLE : RP_OK;
    return rp__device_check(d, d->driver->copy_out(to, from, bytes, d->stream));
}

rp_status rp__device_fill(rp__device *d, rp__cu_ptr to, uint32_t value, size_t n)
{
    if (rp__device_is_lost(d) || n == 0)
        return d->is_lost ? RP_UNAVAILABLE : RP_OK;
    return rp__device_check(d, d->driver->fill32(to, value, n, d->stream));
}

/* ---- Waiting ------------------------------------------------------------------------------------- */

/* What is waited for: an event, or all of a stream; or, if not before, a word. */
typedef struct awaited {
    rp__cu_stream stream;
    rp__cu_event event;
    const volatile uint32_t *flag;
    uint32_t value;
} awaited;

static rp__cu_result ask(const rp__device *d, const awaited *what)
{
    return what->event ? d->driver->event_query(what->event)
                       : d->driver->stream_query(what->stream);
}

static bool is_reported(const awaited *what)
{
    return what->flag && __atomic_load_n(what->flag, __ATOMIC_ACQUIRE) == what->value;
}

/* Returns how long it was. */
static uint64_t nap(void)
{
    uint64_t begin = rp__clock_now();
    rp__clock_sleep(NAP);
    return rp__clock_now() - begin;
}

/* The driver lets one thread in at a time: who asks without a pause keeps others from launching. */
static void hold_off(const awaited *what)
{
    uint64_t until = rp__clock_now() + PAUSE;
    while (!is_reported(what) && rp__clock_now() < until)
        rp__clock_relax();
}

static rp_status wait_for(rp__device *d, const awaited *what)
{
    if (rp__device_is_lost(d))
        return RP_UNAVAILABLE;
    uint64_t begin = rp__clock_now(), look = begin, waited = 0;
    rp__cu_result result = RP_CU_OK;
    while (!is_reported(what) && (result = ask(d, what)) == RP_CU_NOT_READY) {
        if (waited > d->patience || rp__device_is_lost(d))
            return rp__device_give_up(d);
        uint64_t now = rp__clock_now();
        begin =
            now - look > NAP ? now : begin; /* it was at work, which the next look may go on with */
        if (now - begin > SPIN)
            waited += nap();
        else
            hold_off(what);
        look = rp__clock_now();
    }
    return result == RP_CU_NOT_READY ? RP_OK : rp__device_check(d, result);
}

rp_status rp__device_wait(rp__device *d)
{
    return wait_for(d, &(awaited){.stream = d->stream});
}

rp_status rp__device_wait_stream(rp__device *d, rp__cu_stream stream)
{
    return wait_for(d, &(awaited){.stream = stream});
}

void rp__device_settle(rp__device *d, rp__cu_stream stream)
{
    enum { TRIES = 4 };
    for (int i = 0; i < TRIES && !rp__device_is_lost(d); i++)
        if (rp__device_wait_stream(d, stream) == RP_OK)
            return;
    d->driver->memory_free(
        0); /* of a device that is lost, but not stuck, this ends what it still does */
}

rp_status rp__device_wait_event(rp__device *d, rp__cu_event event)
{
    return wait_for(d, &(awaited){.event = event});
}

/* Looks are cheap, and the driver is asked now and then, which tells of faults. Whoever asks it keeps others from
 * launching, so there are many looks for a question. An emulated device works only while it is asked. Whatever takes long
 * is left to the driver, which lets others have the processor meanwhile. */
rp_status rp__device_wait_for(rp__device *d, rp__cu_stream stream, const volatile uint32_t *flag,
                              uint32_t value)
{
    enum { TURNS = 16, LOOKS = 1 << 12 };
    const int looks = d->driver->is_emulated ? 1 : LOOKS;
    const awaited what = {.stream = stream, .flag = flag, .value = value};
    rp__cu_result result = RP_CU_NOT_READY;
    for (int turn = 0; !rp__device_is_lost(d) && result == RP_CU_NOT_READY && turn < TURNS;
         turn++) {
        for (int look = 0; look < looks; look++) {
            if (is_reported(&what))
                return RP_OK;
            rp__clock_relax();
        }
        result = ask(d, &what);
    }
    return result == RP_CU_NOT_READY ? wait_for(d, &what) : rp__device_check(d, result);
}

/* ---- Kernels ------------------------------------------------------------------------------------- */

/* The module of a kernel's file. */
static rp_status load_module(rp__device *d, rp__kernel_id id, rp__cu_module *out)
{
    const char *file = rp__kernel_table_at(id)->file;
    size_t first = 0;
    while (strcmp(rp__kernel_table_at(first)->file, file) != 0)
        first++;
    const void *image = d->driver->is_emulated ? file : rp__kernel_table_image(file);
    rp__cu_module *module = &d->card->modules[first];
    rp_status status = RP_OK;
    if (!*module)
        status = rp__device_check(d, d->driver->module_load(module, image));
    *out = *module;
    return status;
}

/* A function counts as found only once its limit of shared memory is raised. */
static rp_status find_function(rp__device *d, rp__kernel_id id)
{
    rp__cu_module module;
    rp__cu_function function;
    rp_status status = load_module(d, id, &module);
    if (status == RP_OK)
        status = rp__device_check(
            d, d->driver->module_function(&function, module, rp__kernel_table_at(id)->name));
    if (status == RP_OK)
        status = rp__device_check(
            d, d->driver->function_set(function, RP_CU_FUNC_SHARED, (int)d->shared_max));
    if (status == RP_OK)
        d->card->functions[id] = function;
    return status;
}

/* Loads a kernel before it is launched, for all devices of the card. */
static rp_status load(rp__device *d, rp__kernel_id id)
{
    if (rp__device_is_lost(d))
        return RP_UNAVAILABLE;
    if (d->card->functions[id])
        return RP_OK;
    pthread_mutex_lock(&opening);
    rp_status status = d->card->functions[id] ? RP_OK : find_function(d, id);
    pthread_mutex_unlock(&opening);
    return status;
}

rp_status rp__device_launch_on(rp__device *d, rp__cu_stream stream, rp__kernel_id id,
                               rp__launch how, const void *args)
{
    union {
        const void *in;
        void *out;
    } record = {.in = args};
    if (how.grid == 0)
        return RP_OK;
    rp_status status = load(d, id);
    if (status != RP_OK)
        return status;
    use_card(d, rp__clock_now());
    d->counters.launches++;
    d->launched[id]++;
    return rp__device_check(d, d->driver->launch(d->card->functions[id], how.grid, 1, 1, how.block,
                                                 1, 1, how.shared, stream, &record.out, NULL));
}

rp_status rp__device_launch(rp__device *d, rp__kernel_id id, rp__launch how, const void *args)
{
    return rp__device_launch_on(d, d->stream, id, how, args);
}

/* ---- The queue ------------------------------------------------------------------------------------ */

/* All that wait, in the order in which they came. */
static void run_waiting(struct rp__card *card)
{
    rp__device_job *first = NULL, *last = atomic_exchange(&card->jobs, NULL);
    while (last) {
        rp__device_job *before = last->next;
        last->next = first;
        first = last;
        last = before;
    }
    while (first) {
        rp__device_job *next = first->next; /* once it has run, it is its owner's */
        first->run(first);
        atomic_store(&first->is_queued, false);
        first = next;
    }
}

/* A job that comes while another thread has the queue is seen by that one: it looks again after its release. */
static void run_jobs(struct rp__card *card)
{
    while (atomic_load(&card->jobs) && !atomic_exchange(&card->is_running_jobs, true)) {
        run_waiting(card);
        atomic_store(&card->is_running_jobs, false);
    }
}

void rp__device_submit(rp__device *d, rp__device_job *job)
{
    struct rp__card *card = d->card; /* the device is the queue's once the job is there */
    job->is_queued = true;
    job->next = atomic_load(&card->jobs);
    while (!atomic_compare_exchange_weak(&card->jobs, &job->next, job))
        ;
    run_jobs(card);
}

void rp__device_await(rp__device *d, rp__device_job *job)
{
    enum { LOOKS = 1 << 12, QUEUE_NAP = 20000 };
    for (uint32_t i = 1; atomic_load(&job->is_queued); i++) {
        run_jobs(d->card);
        rp__clock_relax();
        if (i % LOOKS == 0)
            rp__clock_sleep(QUEUE_NAP);
    }
}
