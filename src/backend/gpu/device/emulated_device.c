/* emulated_device.c: the emulated device: memory, streams, events and kernels of a GPU, on the host.
 *
 * Commands wait in their stream. Whoever waits runs them: any stream whose first command is not held up by an
 * event may go on, and the seed picks. Device memory is pages of its own that are readable only while a call runs
 * commands, so host code that forgets a copy is found at once.
 * A kernel may wait for the host: then it stands first in its stream, and goes on each time somebody looks.
 * A kernel that faults poisons its device, as a real one would: every call after it has the same result. Of one
 * that never ends, calls that would wait for it do not return. What nobody gives back belongs to the next configure.
 * Invariant: all state is under one lock, which every call holds. */
#include "backend/gpu/device/emulated_device.h"

#include <pthread.h>
#include <string.h>

#include "backend/gpu/device/emulated_memory.h"
#include "backend/gpu/device/fiber.h"
#include "backend/gpu/device/kernel_table.h"
#include "base/alloc.h"
#include "base/clock.h"

enum {
    DEVICES_MAX = 8,
    ARGS_MAX = 2048,
    SHARED_DEFAULT = 48 << 10, /* bytes of a block's dynamic shared memory, unless it is raised */
    SHARED_MAX = 227 << 10,
};

typedef struct kept { /* what was handed out on the heap */
    struct kept *next;
} kept;

typedef enum kind { COPY, FILL, LAUNCH, RECORD, AFTER } kind;

typedef struct command {
    struct command *next;
    kind kind;
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
    unsigned value;
    size_t kernel; /* its number */
    struct CUevent_st *event;
    uint64_t number;     /* of the event's record */
    rp__fiber_grid work; /* of a kernel */
    _Alignas(16) unsigned char args[ARGS_MAX];
} command;

struct CUstream_st {
    struct CUstream_st *next;
    struct CUctx_st *device;
    command *first, **last;
};

struct CUevent_st {
    kept kept;
    struct CUctx_st *device;
    uint64_t recorded, done; /* the last record requested, and the last one done */
    double at;               /* when that was */
};

struct CUctx_st { /* a device, which has one context */
    rp__emulated_memory memory;
    rp__cu_stream streams; /* the default one is the last */
    struct CUstream_st own;
    rp__cu_result fault;
    bool is_stuck; /* its first commands never end */
    double clock;  /* commands run, as time */
};

struct CUfunc_st {
    const rp__kernel *kernel;
    size_t id;
    unsigned shared_max; /* bytes of dynamic shared memory a block of it may have */
};

struct CUmod_st {
    kept kept;
    const char *file;
    struct CUfunc_st functions[RP_KERNELS_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static rp__emulated_device_options options;
static struct CUctx_st devices[DEVICES_MAX];
static struct CUctx_st *opened; /* whose memory may be open, until the call ends */
static uint64_t calls, commands, random_state;
static kept *all_kept;
static rp__emulated_memory pinned = {.is_host = true}; /* the host's, which the devices share */
static const rp__emulated_device_watcher *watch;       /* NULL: none */
static __thread rp__cu_context current;

/* ---- Calls --------------------------------------------------------------------------------------- */

static uint64_t draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 33;
}

/* Begins a call: holds the lock, and says whether it is to fail. */
static rp__cu_result enter(void)
{
    pthread_mutex_lock(&lock);
    calls++;
    bool again = options.fail_every && calls > options.fail_at &&
                 (calls - options.fail_at) % options.fail_every == 0;
    if (options.fail_at && (calls == options.fail_at || again)) {
        if (current && rp__driver_is_fatal(options.fail_code))
            current->fault = options.fail_code;
        return options.fail_code;
    }
    return current ? current->fault : RP_CU_OK;
}

static void close_memory(void)
{
    if (opened)
        rp__emulated_memory_close(&opened->memory);
    opened = NULL;
}

static rp__cu_result leave(rp__cu_result result)
{
    close_memory();
    pthread_mutex_unlock(&lock);
    return result;
}

#define ENTER()                                                                                    \
    do {                                                                                           \
        rp__cu_result result_ = enter();                                                           \
        if (result_ != RP_CU_OK)                                                                   \
            return leave(result_);                                                                 \
    } while (0)

/* Ends a call that waits for a kernel that never ends. */
static void wait_if_stuck(const struct CUctx_st *d)
{
    if (!d || !d->is_stuck)
        return;
    (void)leave(RP_CU_OK);
    for (;;)
        rp__clock_sleep(UINT64_C(1000000000));
}

/* ---- What lies on the heap ----------------------------------------------------------------------- */

static void *keep(size_t bytes)
{
    kept *new = rp__alloc_zero(1, bytes);
    if (!new)
        return NULL;
    new->next = all_kept;
    all_kept = new;
    return new;
}

static void give_back(kept *gone)
{
    kept **at = &all_kept;
    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
    rp__free(gone);
}

/* ---- Running commands ---------------------------------------------------------------------------- */

/* What a command may touch: a kernel all. */
static void open_memory(struct CUctx_st *d, const command *c)
{
    if (opened != d)
        close_memory();
    opened = d;
    if (c->kind == LAUNCH) {
        rp__emulated_memory_open(&d->memory);
        return;
    }
    rp__emulated_memory_open_at(&d->memory, c->to, c->bytes);
    if (c->kind == COPY)
        rp__emulated_memory_open_at(&d->memory, c->from, c->bytes);
}

/* Blocks in an order of the seed's. Those of a kernel that waits for the host go on at every later look, until they end. */
static rp__cu_result run_kernel(command *c)
{
    if (c->work.begun == 0) {
        c->work.launch.seed = c->work.random = draw();
        c->work.first = (uint32_t)(draw() % c->work.launch.grid);
        if (watch && watch->launch)
            watch->launch(c->kernel, &c->work.launch);
    }
    rp__fiber_end end = rp__fiber_run(&c->work);
    return end == RP_FIBER_DONE || end == RP_FIBER_IDLE ? RP_CU_OK
           : end == RP_FIBER_ENDLESS                    ? RP_CU_LAUNCH_TIMEOUT
                                                        : RP_CU_LAUNCH_FAILED;
}

static rp__cu_result run_command(struct CUctx_st *d, command *c)
{
    rp__cu_result result = RP_CU_OK;
    d->clock += 0.001;
    if (++commands == options.stop_at) {
        d->is_stuck = options.stop_code == RP_CU_OK;
        return options.stop_code;
    }
    if (c->kind == RECORD) {
        if (c->number > c->event->done) { /* not an older one, of another stream */
            c->event->done = c->number;
            c->event->at = d->clock;
        }
        return RP_CU_OK;
    }
    open_memory(d, c);
    if (c->kind == COPY)
        memmove(c->to, c->from, c->bytes);
    else if (c->kind == FILL)
        for (size_t i = 0; i < c->bytes; i += 4)
            memcpy(c->to + i, &c->value, 4);
    else if (c->kind == LAUNCH)
        result = run_kernel(c);
    if (watch && watch->written && (c->kind == COPY || c->kind == FILL))
        watch->written(c->to, c->bytes);
    return result;
}

static void free_command(command *c)
{
    rp__fiber_drop(&c->work);
    if (watch && watch->end && c->work.begun)
        watch->end(c->work.launch.watched);
    rp__free(c);
}

/* Whether a record of an event has yet to come by; 0: any of its records. Those on several streams
 * come in any order. */
static bool is_pending(const struct CUevent_st *event, uint64_t number)
{
    for (rp__cu_stream s = event->device->streams; s; s = s->next)
        for (const command *c = s->first; c; c = c->next)
            if (c->kind == RECORD && c->event == event && (number == 0 || c->number == number))
                return true;
    return false;
}

static bool can_run(const struct CUstream_st *s)
{
    const command *c = s->first;
    return c && (c->kind != AFTER || !c->event || !is_pending(c->event, c->number));
}

/* Runs one command of some stream; false: none can go on. */
static bool step(struct CUctx_st *d)
{
    uint32_t ready = 0;
    for (rp__cu_stream s = d->streams; s; s = s->next)
        ready += can_run(s);
    if (ready == 0 || d->is_stuck)
        return false;
    uint32_t pick = (uint32_t)(draw() % ready);
    for (rp__cu_stream s = d->streams; s; s = s->next) {
        if (!can_run(s) || pick-- > 0)
            continue;
        command *c = s->first;
        if (d->fault == RP_CU_OK)
            d->fault = run_command(d, c);
        if (d->is_stuck)
            return false;
        if (c->work.idle && d->fault == RP_CU_OK)
            return true;
        s->first = c->next;
        if (!s->first)
            s->last = &s->first;
        free_command(c);
        return true;
    }
    return false;
}

static rp__cu_stream stream_of(rp__cu_stream s)
{
    return s ? s : &current->own;
}

static command *put(rp__cu_stream stream, kind what)
{
    rp__cu_stream s = stream_of(stream);
    command *c = rp__alloc_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->kind = what;
    *s->last = c;
    s->last = &c->next;
    if (watch && watch->queue_copy && (what == COPY || what == FILL))
        watch->queue_copy();
    return c;
}

static void drop_commands(rp__cu_stream s)
{
    for (command *c = s->first, *next; c; c = next) {
        next = c->next;
        free_command(c);
    }
}

/* ---- Devices ------------------------------------------------------------------------------------- */

static rp__cu_result emu_init(unsigned flags)
{
    (void)flags;
    ENTER();
    return leave(RP_CU_OK);
}

static rp__cu_result emu_version(int *version)
{
    ENTER();
    *version = 13000;
    return leave(RP_CU_OK);
}

static rp__cu_result emu_device_count(int *count)
{
    ENTER();
    *count = (int)options.devices;
    return leave(RP_CU_OK);
}

static rp__cu_result emu_device_get(rp__cu_device *device, int ordinal)
{
    ENTER();
    *device = ordinal;
    return leave(ordinal < (int)options.devices ? RP_CU_OK : RP_CU_NO_DEVICE);
}

static rp__cu_result emu_device_name(char *name, int bytes, rp__cu_device device)
{
    static const char text[] = "emulated";
    (void)device;
    ENTER();
    if (bytes >= (int)sizeof text)
        memcpy(name, text, sizeof text);
    return leave(bytes >= (int)sizeof text ? RP_CU_OK : RP_CU_INVALID);
}

static rp__cu_result emu_device_memory(size_t *bytes, rp__cu_device device)
{
    (void)device;
    ENTER();
    *bytes = options.memory;
    return leave(RP_CU_OK);
}

static rp__cu_result emu_device_attribute(int *value, int attribute, rp__cu_device device)
{
    (void)device;
    ENTER();
    *value = attribute == RP_CU_SHARED_OPTIN      ? SHARED_MAX
             : attribute == RP_CU_MULTIPROCESSORS ? (int)options.processors
             : attribute == RP_CU_MAJOR           ? 9
                                                  : 0;
    return leave(RP_CU_OK);
}

static rp__cu_result emu_context_retain(rp__cu_context *context, rp__cu_device device)
{
    ENTER();
    *context = &devices[device];
    return leave(devices[device].fault);
}

static rp__cu_result emu_context_release(rp__cu_device device)
{
    (void)device;
    ENTER();
    return leave(RP_CU_OK);
}

static rp__cu_result emu_context_set(rp__cu_context context)
{
    pthread_mutex_lock(&lock);
    calls++;
    current = context;
    return leave(RP_CU_OK);
}

/* ---- Modules ------------------------------------------------------------------------------------- */

static rp__cu_result emu_module_load(rp__cu_module *module, const void *image)
{
    ENTER();
    *module = keep(sizeof **module);
    if (*module)
        (*module)->file = image;
    return leave(*module ? RP_CU_OK : RP_CU_NO_MEMORY);
}

static rp__cu_result emu_module_unload(rp__cu_module module)
{
    pthread_mutex_lock(&lock);
    wait_if_stuck(current);
    give_back(&module->kept);
    return leave(RP_CU_OK);
}

static rp__cu_result emu_module_function(rp__cu_function *function, rp__cu_module module,
                                         const char *name)
{
    ENTER();
    const rp__kernel *kernel;
    for (size_t i = 0; (kernel = rp__kernel_table_at(i)); i++)
        if (!strcmp(kernel->name, name) && !strcmp(kernel->file, module->file)) {
            *function = &module->functions[i];
            if (!(*function)->kernel)
                **function = (struct CUfunc_st){kernel, i, SHARED_DEFAULT};
            return leave(RP_CU_OK);
        }
    return leave(RP_CU_NOT_FOUND);
}

static rp__cu_result emu_function_set(rp__cu_function function, int attribute, int value)
{
    ENTER();
    if (attribute != RP_CU_FUNC_SHARED || value < 0 || value > SHARED_MAX)
        return leave(RP_CU_INVALID);
    function->shared_max = (unsigned)value;
    return leave(RP_CU_OK);
}

/* ---- Memory -------------------------------------------------------------------------------------- */

static rp__cu_result emu_memory_info(size_t *unused, size_t *total)
{
    ENTER();
    *total = options.memory;
    *unused = options.memory - current->memory.used;
    return leave(RP_CU_OK);
}

static void *take_memory(rp__emulated_memory *m, size_t bytes)
{
    size_t pages = 0;
    void *at = rp__emulated_memory_take(m, bytes, &pages);
    if (at && watch && watch->memory)
        watch->memory(at, pages);
    return at;
}

static bool give_memory(rp__emulated_memory *m, void *at)
{
    bool is_there = rp__emulated_memory_give(m, at);
    if (is_there && watch && watch->memory)
        watch->memory(at, 0);
    return is_there;
}

static rp__cu_result emu_memory_alloc(rp__cu_ptr *at, size_t bytes)
{
    ENTER();
    if (bytes == 0)
        return leave(RP_CU_INVALID);
    size_t left = options.memory - current->memory.used;
    void *memory = bytes <= left ? take_memory(&current->memory, bytes) : NULL;
    *at = (rp__cu_ptr)(uintptr_t)memory;
    return leave(memory ? RP_CU_OK : RP_CU_NO_MEMORY);
}

/* Waits, as the real one does. */
static rp__cu_result emu_memory_free(rp__cu_ptr at)
{
    pthread_mutex_lock(&lock);
    calls++;
    wait_if_stuck(current);
    while (step(current))
        ;
    bool is_there = give_memory(&current->memory, (void *)(uintptr_t)at);
    return leave(is_there ? current->fault : RP_CU_INVALID);
}

static rp__cu_result emu_host_alloc(void **at, size_t bytes, unsigned flags)
{
    (void)flags;
    ENTER();
    if (bytes == 0)
        return leave(RP_CU_INVALID);
    *at = take_memory(&pinned, bytes);
    return leave(*at ? RP_CU_OK : RP_CU_NO_MEMORY);
}

static rp__cu_result emu_host_free(void *at)
{
    pthread_mutex_lock(&lock);
    calls++;
    wait_if_stuck(current);
    return leave(give_memory(&pinned, at) ? RP_CU_OK : RP_CU_INVALID);
}

static rp__cu_result emu_host_device(rp__cu_ptr *at, void *host, unsigned flags)
{
    (void)flags;
    ENTER();
    *at = (rp__cu_ptr)(uintptr_t)host;
    return leave(RP_CU_OK);
}

static rp__cu_result queue_copy(void *to, const void *from, size_t bytes, rp__cu_stream stream)
{
    ENTER();
    command *c = put(stream, COPY);
    if (c) {
        c->to = to;
        c->from = from;
        c->bytes = bytes;
    }
    return leave(c ? RP_CU_OK : RP_CU_NO_MEMORY);
}

static rp__cu_result emu_copy_in(rp__cu_ptr to, const void *from, size_t bytes,
                                 rp__cu_stream stream)
{
    return queue_copy((void *)(uintptr_t)to, from, bytes, stream);
}

static rp__cu_result emu_copy_out(void *to, rp__cu_ptr from, size_t bytes, rp__cu_stream stream)
{
    return queue_copy(to, (const void *)(uintptr_t)from, bytes, stream);
}

static rp__cu_result emu_copy(rp__cu_ptr to, rp__cu_ptr from, size_t bytes, rp__cu_stream stream)
{
    return queue_copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes, stream);
}

static rp__cu_result emu_fill32(rp__cu_ptr to, unsigned value, size_t n, rp__cu_stream stream)
{
    ENTER();
    command *c = put(stream, FILL);
    if (c) {
        c->to = (unsigned char *)(uintptr_t)to;
        c->value = value;
        c->bytes = 4 * n;
    }
    return leave(c ? RP_CU_OK : RP_CU_NO_MEMORY);
}

/* ---- Streams and events -------------------------------------------------------------------------- */

static rp__cu_result emu_stream_create(rp__cu_stream *stream, unsigned flags)
{
    (void)flags;
    ENTER();
    rp__cu_stream s = rp__alloc_zero(1, sizeof *s);
    if (!s)
        return leave(RP_CU_NO_MEMORY);
    *s = (struct CUstream_st){.next = current->streams, .device = current, .last = &s->first};
    current->streams = *stream = s;
    return leave(RP_CU_OK);
}

static rp__cu_result emu_stream_destroy(rp__cu_stream stream)
{
    pthread_mutex_lock(&lock);
    calls++;
    struct CUctx_st *d = stream->device;
    while (stream->first && step(d))
        ;
    for (rp__cu_stream *s = &d->streams; *s; s = &(*s)->next)
        if (*s == stream) {
            *s = stream->next;
            break;
        }
    drop_commands(stream);
    rp__free(stream);
    return leave(RP_CU_OK);
}

static rp__cu_result emu_stream_query(rp__cu_stream stream)
{
    ENTER();
    (void)step(current);
    if (current->fault)
        return leave(current->fault);
    return leave(stream_of(stream)->first ? RP_CU_NOT_READY : RP_CU_OK);
}

static rp__cu_result emu_stream_after(rp__cu_stream stream, rp__cu_event event, unsigned flags)
{
    (void)flags;
    ENTER();
    command *c = put(stream, AFTER);
    if (c) {
        c->event = event->recorded ? event : NULL;
        c->number = event->recorded;
    }
    return leave(c ? RP_CU_OK : RP_CU_NO_MEMORY);
}

static rp__cu_result emu_event_create(rp__cu_event *event, unsigned flags)
{
    (void)flags;
    ENTER();
    *event = keep(sizeof **event);
    if (*event)
        (*event)->device = current;
    return leave(*event ? RP_CU_OK : RP_CU_NO_MEMORY);
}

/* Who waits for it may go on: it has come by. */
static void forget_event(rp__cu_event event)
{
    for (rp__cu_stream s = event->device->streams; s; s = s->next)
        for (command *c = s->first; c; c = c->next)
            if (c->event == event)
                c->event = NULL;
}

static rp__cu_result emu_event_destroy(rp__cu_event event)
{
    pthread_mutex_lock(&lock);
    calls++;
    while (is_pending(event, 0) && step(event->device))
        ;
    forget_event(event);
    give_back(&event->kept);
    return leave(RP_CU_OK);
}

static rp__cu_result emu_event_record(rp__cu_event event, rp__cu_stream stream)
{
    ENTER();
    command *c = put(stream, RECORD);
    if (c) {
        c->event = event;
        c->number = ++event->recorded;
    }
    return leave(c ? RP_CU_OK : RP_CU_NO_MEMORY);
}

static rp__cu_result emu_event_query(rp__cu_event event)
{
    ENTER();
    (void)step(current);
    if (current->fault)
        return leave(current->fault);
    return leave(event->done < event->recorded ? RP_CU_NOT_READY : RP_CU_OK);
}

static rp__cu_result emu_event_elapsed(float *ms, rp__cu_event from, rp__cu_event to)
{
    ENTER();
    *ms = (float)(to->at - from->at);
    return leave(RP_CU_OK);
}

static rp__cu_result emu_launch(rp__cu_function function, unsigned grid_x, unsigned grid_y,
                                unsigned grid_z, unsigned block_x, unsigned block_y,
                                unsigned block_z, unsigned shared_bytes, rp__cu_stream stream,
                                void **args, void **extra)
{
    (void)extra;
    ENTER();
    const rp__kernel *kernel = function->kernel;
    if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0 || block_x > RP_FIBER_MAX ||
        block_y != 1 || block_z != 1 || shared_bytes > function->shared_max ||
        kernel->args_bytes > ARGS_MAX)
        return leave(RP_CU_INVALID);
    command *c = put(stream, LAUNCH);
    if (!c)
        return leave(RP_CU_NO_MEMORY);
    c->kernel = function->id;
    c->work.launch = (rp__fiber_launch){.kernel = kernel->emulated,
                                        .args = c->args,
                                        .grid = grid_x,
                                        .block = block_x,
                                        .in_flight = 1,
                                        .shared_bytes = shared_bytes,
                                        .turns = options.turns};
    memcpy(c->args, args[0], kernel->args_bytes);
    if (watch && watch->queue_launch)
        watch->queue_launch(function->id, &c->work.launch);
    return leave(RP_CU_OK);
}

#define emu_error_name rp__driver_name

/* ---- The whole ----------------------------------------------------------------------------------- */

static const rp__driver driver = {
#define FIELD(name, symbol, args) .name = emu_##name,
    RP_DRIVER_CALLS(FIELD)
#undef FIELD
        .is_emulated = true,
};

static void forget_memory(rp__emulated_memory *m)
{
    void *at;
    while ((at = rp__emulated_memory_any(m)))
        (void)give_memory(m, at);
}

static void forget(struct CUctx_st *d)
{
    forget_memory(&d->memory);
    while (d->streams) {
        rp__cu_stream gone = d->streams;
        d->streams = gone->next;
        drop_commands(gone);
        if (gone != &d->own)
            rp__free(gone);
    }
    *d = (struct CUctx_st){.streams = &d->own};
    d->own.device = d;
    d->own.last = &d->own.first;
}

static void configure(const rp__emulated_device_options *requested)
{
    options = *requested;
    options.devices = options.devices ? options.devices : 1;
    options.processors = options.processors ? options.processors : 2;
    options.memory = options.memory ? options.memory : (size_t)1 << 30;
    options.turns = options.turns ? options.turns : 100000000;
    for (size_t i = 0; i < DEVICES_MAX; i++)
        forget(&devices[i]);
    forget_memory(&pinned);
    while (all_kept)
        give_back(all_kept);
    calls = commands = 0;
    random_state = options.seed;
}

void rp__emulated_device_configure(const rp__emulated_device_options *requested)
{
    pthread_mutex_lock(&lock);
    configure(requested);
    pthread_mutex_unlock(&lock);
}

const rp__driver *rp__emulated_device_driver(void)
{
    pthread_mutex_lock(&lock);
    if (options.devices == 0)
        configure(&(rp__emulated_device_options){0});
    pthread_mutex_unlock(&lock);
    return &driver;
}

void rp__emulated_device_have(uint32_t n)
{
    pthread_mutex_lock(&lock);
    if (options.devices < n && n <= DEVICES_MAX)
        options.devices = n;
    pthread_mutex_unlock(&lock);
}

void rp__emulated_device_stop(int code)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < DEVICES_MAX; i++) {
        devices[i].fault = code;
        devices[i].is_stuck = code == RP_CU_OK;
    }
    pthread_mutex_unlock(&lock);
}

void rp__emulated_device_watch(const rp__emulated_device_watcher *watcher)
{
    pthread_mutex_lock(&lock);
    watch = watcher;
    pthread_mutex_unlock(&lock);
}

uint64_t rp__emulated_device_calls(void)
{
    pthread_mutex_lock(&lock);
    uint64_t n = calls;
    pthread_mutex_unlock(&lock);
    return n;
}

size_t rp__emulated_device_in_use(void)
{
    pthread_mutex_lock(&lock);
    size_t bytes = pinned.used;
    for (size_t i = 0; i < DEVICES_MAX; i++)
        bytes += devices[i].memory.used;
    pthread_mutex_unlock(&lock);
    return bytes;
}
