/* test_residency.c: leases of many threads over a heap that is too small: nobody reads a piece that is somebody else's, all
 * get what they need in their turn, and the budget holds; what is left behind is given back; every call may fail.
 * RIPOSTE_RESIDENCY_TURNS sets how often each thread takes a lease. */
#include "unit/tiny_index.h"

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/residency/lease.h"
#include "backend/gpu/residency/stored_lists.h"
#include "base/alloc.h"
#include "base/thread.h"

enum { THREADS = 16, TURNS = 300, LISTS = 40, GRAIN = RP_DEVICE_HEAP_GRAIN, HEAP = 96 * GRAIN };

/* A host's copy of who has each grain of the range: the number of the list, or of the scratch. Threads write it when they
 * fill a piece, and look at it while they have a lease. */
static _Atomic uint32_t grains[HEAP / GRAIN];

static tiny_index tiny;

typedef struct world {
    rp__device device;
    rp__residency *residency;
    _Atomic uint32_t n_wrong, n_found, n_brought;
} world;

static uint32_t turns(void)
{
    const char *text = getenv("RIPOSTE_RESIDENCY_TURNS");
    return text ? (uint32_t)strtoul(text, NULL, 10) : TURNS;
}

/* A residency of the tiny index whose heap is nothing but HEAP bytes. */
static void open_world(world *w)
{
    rp_error err = {.text = ""};
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(rp__device_open(&w->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__residency_get(&w->device, tiny.index.segment, HEAP, &w->residency), RP_OK);
    assert_true(w->residency->bytes == HEAP);
}

static void close_world(world *w)
{
    (void)rp__device_enter(&w->device);
    rp__residency_drop(w->residency, &w->device);
    rp__device_close(&w->device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* ---- Epochs ------------------------------------------------------------------------------------- */

static uint64_t key_of(uint32_t list)
{
    return UINT64_C(1) << 63 | list;
}

static uint32_t grains_of(uint32_t list)
{
    return 1 + list % 9;
}

static _Atomic uint32_t *grain_at(const world *w, rp__cu_ptr at)
{
    return &grains[(at - w->residency->range) / GRAIN];
}

static void fill(const world *w, const rp__piece *piece, uint32_t n, uint32_t value)
{
    for (uint32_t i = 0; i < n; i++)
        atomic_store(grain_at(w, piece->at + i * GRAIN), value);
}

static bool is_filled(const world *w, rp__cu_ptr at, uint32_t n, uint32_t value)
{
    bool is_so = true;
    for (uint32_t i = 0; i < n; i++)
        is_so = is_so && atomic_load(grain_at(w, at + i * GRAIN)) == value;
    return is_so;
}

/* A thread: its lease, its scratch, and chance of its own. */
typedef struct user {
    world *w;
    rp__device device;
    rp__lease lease;
    rp__scratch scratch;
    uint64_t random;
    uint32_t number;
} user;

static uint32_t draw(user *u, uint32_t n)
{
    u->random = u->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(u->random >> 40) % n;
}

/* All lists that are there, and scratch; false: something is not. */
static bool find_all(user *u, const uint32_t *lists, uint32_t n, rp__cu_ptr *at, size_t scratch)
{
    bool is_there = true;
    for (uint32_t i = 0; i < n; i++) {
        const rp__resident *e = rp__lease_find(&u->lease, key_of(lists[i]), 0);
        at[i] = e ? e->at : 0;
        is_there = is_there && e;
    }
    return is_there && rp__scratch_hold(&u->scratch, &u->lease, &u->device, scratch) == RP_OK;
}

/* What is missing. Three lists, and scratch, always fit in the heap when nobody else is there. */
static bool bring_all(user *u, const uint32_t *lists, uint32_t n, rp__cu_ptr *at, size_t scratch)
{
    rp__piece *pieces[8] = {NULL};
    rp_status status;
    rp__lease_acquire(&u->lease);
    (void)find_all(u, lists, n, at, scratch);
    status = rp__scratch_hold(&u->scratch, &u->lease, &u->device, scratch);
    for (uint32_t i = 0; i < n && status == RP_OK; i++)
        if (!at[i])
            status = rp__lease_take(&u->lease, grains_of(lists[i]) * GRAIN, RP_NEED_ALL,
                                    key_of(lists[i]), 1, &pieces[i]);
    rp__lease_release(&u->lease);
    for (uint32_t i = 0; i < n && status == RP_OK; i++) {
        if (!pieces[i])
            continue;
        rp__resident made = {.key = key_of(lists[i]),
                             .at = pieces[i]->at,
                             .piece = pieces[i],
                             .repr = RP_REPR_STORED};
        fill(u->w, pieces[i], grains_of(lists[i]), lists[i]);
        at[i] = made.at;
        if (draw(u, 4)) /* others are for this lease alone */
            (void)rp__lease_publish(&u->lease, &(const rp__resident *){&made}, 1);
        u->w->n_brought++;
    }
    return status == RP_OK;
}

static void take_turn(user *u)
{
    uint32_t lists[3], n = 1 + draw(u, 3);
    rp__cu_ptr at[3];
    const size_t scratch = (1 + draw(u, 12)) * GRAIN;
    for (uint32_t i = 0; i < n; i++) /* each once */
        lists[i] = 1 + draw(u, LISTS / 3) * 3 + i;
    bool is_there = rp__lease_enter(&u->lease) && find_all(u, lists, n, at, scratch);
    u->w->n_found += is_there;
    if (!is_there)
        is_there = bring_all(u, lists, n, at, scratch);
    if (!is_there) {
        u->w->n_wrong++;
        return;
    }
    if (draw(u, 8) == 0)
        return; /* as if the guard had left: the next turn gives all back */
    rp__piece mine = {.at = u->scratch.at};
    fill(u->w, &mine, (uint32_t)(scratch / GRAIN), 1000 + u->number);
    rp__lease_launched(&u->lease);
    for (uint32_t i = 0; i < n; i++)
        u->w->n_wrong += !is_filled(u->w, at[i], grains_of(lists[i]), lists[i]);
    u->w->n_wrong += !is_filled(u->w, u->scratch.at, (uint32_t)(scratch / GRAIN), 1000 + u->number);
    rp__lease_end(&u->lease);
}

static void run_user(void *arg, uint32_t worker)
{
    user u = {.w = arg, .random = worker + 1, .number = worker};
    rp_error err;
    if (rp__device_twin(&u.device, &u.w->device, &err) != RP_OK ||
        rp__lease_open(&u.lease, u.w->residency, &u.device, u.device.stream, false) != RP_OK) {
        u.w->n_wrong++;
        return;
    }
    for (uint32_t i = turns(); i > 0; i--) {
        take_turn(&u);
        if (u.lease.is_begun) /* nobody waits for it for long */
            rp__lease_end(&u.lease);
    }
    rp__lease_close(&u.lease);
    rp__scratch_free(&u.scratch, u.w->residency, &u.device);
    rp__device_close(&u.device);
}

static void run_users(bool is_scarce)
{
    world w = {.n_wrong = 0};
    open_world(&w);
    w.residency->is_scarce = is_scarce;
    w.residency->is_whole = !is_scarce;
    assert_int_equal(rp__thread_run(THREADS, run_user, &w), RP_OK);
    assert_int_equal(w.n_wrong, 0);
    assert_true(w.n_found > 0 && w.n_brought > 0);
    assert_true(w.residency->heap.stats.evicted > 0);
    assert_true(w.residency->heap.stats.peak <= HEAP);
    close_world(&w);
}

static void many_threads_share_little(void **state)
{
    (void)state;
    run_users(true);
}

/* The same where evictions count as rare, so that they wait for streams, and scratch is taken
 * without acquiring if it is free. */
static void many_threads_wait_for_streams(void **state)
{
    (void)state;
    run_users(false);
}

/* ---- One thread --------------------------------------------------------------------------------- */

static void open_user(user *u, world *w, bool is_detached)
{
    rp_error err;
    *u = (user){.w = w, .random = 1};
    assert_int_equal(rp__device_twin(&u->device, &w->device, &err), RP_OK);
    assert_int_equal(
        rp__lease_open(&u->lease, w->residency, &u->device, u->device.stream, is_detached), RP_OK);
}

static void close_user(user *u)
{
    (void)rp__device_enter(&u->device);
    rp__lease_close(&u->lease);
    rp__scratch_free(&u->scratch, u->w->residency, &u->device);
    rp__device_close(&u->device);
}

/* Two users of a world. Bytes of its heap that they may have. */
static uint64_t open_users(world *w, user *a, user *b, bool is_detached)
{
    open_world(w);
    open_user(a, w, is_detached);
    open_user(b, w, is_detached);
    return HEAP - w->residency->heap.in_use;
}

static void close_users(world *w, user *a, user *b)
{
    close_user(a);
    close_user(b);
    close_world(w);
}

/* A lease of the user has published a list of so many bytes. */
static void publish(user *u, uint64_t bytes, uint64_t key)
{
    rp__piece *piece;
    rp__lease_acquire(&u->lease);
    assert_int_equal(rp__lease_take(&u->lease, bytes, RP_NEED_ALL, key, 1, &piece), RP_OK);
    const rp__resident made = {.key = key, .at = piece->at, .piece = piece, .repr = RP_REPR_DOCIDS};
    assert_true(rp__lease_publish(&u->lease, &(const rp__resident *){&made}, 1));
}

/* Scratch and pieces of a lease whose work has left the device are another's when it needs them. */
static void detached_leases_do_not_block(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user a, b;
    rp__piece *piece;
    const uint64_t unused = open_users(&w, &a, &b, true);
    rp__lease_acquire(&a.lease);
    assert_int_equal(rp__scratch_hold(&a.scratch, &a.lease, &a.device, unused / 2), RP_OK);
    rp__lease_launched(&a.lease);
    rp__lease_release(&a.lease);
    rp__lease_acquire(&b.lease);
    assert_int_equal(rp__lease_take(&b.lease, unused, RP_NEED_WORTH, 1, 1, &piece), RP_NO_MEMORY);
    assert_int_equal(rp__lease_take(&b.lease, unused, RP_NEED_ALL, 1, 1, &piece), RP_OK);
    assert_int_equal(rp__lease_take(&b.lease, GRAIN, RP_NEED_ALL, 1, 1, &piece), RP_NO_MEMORY);
    rp__lease_end(&b.lease);
    assert_null(a.scratch.piece);
    assert_true(rp__lease_enter(&a.lease));
    assert_int_equal(rp__scratch_hold(&a.scratch, &a.lease, &a.device, GRAIN), RP_NOT_FOUND);
    close_users(&w, &a, &b);
}

/* What another thread has given back for a lease whose work had left the device is nobody's to publish: it may be
 * another's memory by then. */
static void what_was_given_back_is_not_published(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user a, b;
    rp__piece *piece, *other;
    const uint64_t unused = open_users(&w, &a, &b, true);
    rp__lease_acquire(&a.lease);
    assert_int_equal(rp__lease_take(&a.lease, unused / 2, RP_NEED_ALL, 5, 1, &piece), RP_OK);
    const rp__resident made = {.key = 5, .at = piece->at, .piece = piece, .repr = RP_REPR_DOCIDS};
    rp__lease_launched(&a.lease);
    rp__lease_release(&a.lease);
    rp__lease_acquire(&b.lease);
    assert_int_equal(rp__lease_take(&b.lease, unused, RP_NEED_ALL, 6, 1, &other), RP_OK);
    assert_false(rp__lease_publish(&a.lease, &(const rp__resident *){&made}, 1));
    assert_null(rp__residency_find(w.residency, 5, 0));
    close_users(&w, &a, &b);
}

static const rp__driver *real;
static uint32_t n_asked;

static rp__cu_result count_query(rp__cu_stream stream)
{
    n_asked++;
    return real->stream_query(stream);
}

/* Thread blocks that the host need not wait for still count in scratch, which others may evict where memory is scarce. */
static void scratch_is_given_back_behind_the_stream(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user u;
    open_world(&w);
    open_user(&u, &w, false);
    real = u.device.driver;
    rp__driver counting = *real;
    counting.stream_query = count_query;
    for (int is_scarce = 0; is_scarce < 2; is_scarce++) {
        w.residency->is_scarce = is_scarce;
        rp__lease_acquire(&u.lease);
        assert_int_equal(rp__scratch_hold(&u.scratch, &u.lease, &u.device, GRAIN), RP_OK);
        rp__lease_release(&u.lease);
        n_asked = 0;
        u.device.driver = &counting;
        rp__lease_end(&u.lease);
        u.device.driver = real;
        assert_true(is_scarce ? n_asked > 0 : n_asked == 0);
    }
    close_user(&u);
    close_world(&w);
}

/* ---- What is still on a stream ------------------------------------------------------------------ */

enum { FILLS = 16 }; /* more than a look at the emulated device runs */

/* Two users where evictions count as rare. */
static uint64_t open_plenty(world *w, user *a, user *b)
{
    const uint64_t unused = open_users(w, a, b, false);
    w->residency->is_scarce = false;
    return unused;
}

/* The user's device, and its residency, ask streams by this until the end of the watch. */
static void watch_queries(world *w, user *u, rp__cu_result (*query)(rp__cu_stream))
{
    static rp__driver watched;
    real = u->device.driver;
    watched = *real;
    watched.stream_query = query;
    w->residency->driver = u->device.driver = &watched;
}

static void end_watch(world *w, user *u)
{
    w->residency->driver = u->device.driver = real;
}

/* As thread blocks that the host did not wait for, whose launch has scratch of so many bytes. */
static void leave_work(user *u, rp__cu_stream stream)
{
    for (uint32_t i = 0; i < FILLS; i++)
        assert_int_equal(u->device.driver->fill32(u->scratch.at, i, GRAIN / 4, stream), RP_CU_OK);
}

/* A turn that has ended, with work that has not. */
static void run_turn(user *u, size_t bytes, rp__cu_stream stream)
{
    rp__lease_acquire(&u->lease);
    assert_int_equal(rp__scratch_hold(&u->scratch, &u->lease, &u->device, bytes), RP_OK);
    leave_work(u, stream);
    rp__lease_end(&u->lease);
}

/* One look runs a command at most, and there were more. */
static void assert_idle(const user *u, rp__cu_stream stream)
{
    assert_int_equal(u->device.driver->stream_query(stream), RP_CU_OK);
}

/* Where memory is plenty, the end of a lease waits for nothing. Whoever evicts its scratch then
 * waits for its stream. */
static void evicted_scratch_has_left_its_stream(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user a, b;
    rp__piece *piece;
    const uint64_t unused = open_plenty(&w, &a, &b);
    run_turn(&a, GRAIN, a.device.stream);
    rp__lease_acquire(&b.lease);
    assert_int_equal(rp__lease_take(&b.lease, unused, RP_NEED_ALL, 1, 1, &piece), RP_OK);
    assert_null(a.scratch.piece);
    assert_idle(&a, a.device.stream);
    close_users(&w, &a, &b);
}

static user *late; /* begins when a stream is next asked for */

static rp__cu_result begin_late(rp__cu_stream stream)
{
    if (!late)
        return real->stream_query(stream);
    assert_true(rp__lease_enter(&late->lease));
    late = NULL;
    return RP_CU_NOT_READY;
}

/* The same where its owner begins again while the other one waits: that lease has not found what
 * was evicted, but what is left of the one before may still be at work. */
static void evicted_scratch_has_left_though_its_owner_goes_on(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user a, b, asked;
    rp__piece *piece;
    const uint64_t unused = open_plenty(&w, &a, &b);
    open_user(&asked, &w, true); /* last, so that it is asked first */
    watch_queries(&w, &b, begin_late);
    run_turn(&a, GRAIN, a.device.stream);
    assert_true(rp__lease_enter(&asked.lease));
    rp__lease_launched(&asked.lease);
    rp__lease_acquire(&b.lease);
    late = &a;
    assert_int_equal(rp__lease_take(&b.lease, unused, RP_NEED_ALL, 1, 1, &piece), RP_OK);
    assert_true(a.lease.is_begun);
    assert_idle(&a, a.device.stream);
    end_watch(&w, &b);
    close_user(&asked);
    close_users(&w, &a, &b);
}

/* Its own scratch, of the time before: uploads go by another stream, which waits for nothing. */
static void own_scratch_has_left_its_stream(void **state)
{
    (void)state;
    enum { EVICTED, TRIMMED, GROWN, WAYS };
    for (int way = 0; way < WAYS; way++) {
        world w = {.n_wrong = 0};
        user a, b;
        rp__piece *piece;
        const uint64_t unused = open_plenty(&w, &a, &b);
        run_turn(&a, way == TRIMMED ? unused : GRAIN, a.device.stream);
        rp__lease_acquire(&a.lease);
        if (way != EVICTED)
            assert_int_equal(
                rp__scratch_hold(&a.scratch, &a.lease, &a.device, way == GROWN ? 2 * GRAIN : GRAIN),
                RP_OK);
        if (way != GROWN)
            assert_int_equal(rp__lease_take(&a.lease, way == TRIMMED ? unused - GRAIN : unused,
                                            RP_NEED_ALL, 1, 1, &piece),
                             RP_OK);
        assert_idle(&a, a.device.stream);
        close_users(&w, &a, &b);
    }
}

/* A persistent kernel writes there from a stream of its own, however much memory there is. */
static void evicted_scratch_has_left_the_stream_of_a_kernel(void **state)
{
    (void)state;
    for (int is_scarce = 0; is_scarce < 2; is_scarce++) {
        world w = {.n_wrong = 0};
        user a, b;
        rp__cu_stream stream;
        rp__piece *piece;
        const uint64_t unused = open_plenty(&w, &a, &b);
        w.residency->is_scarce = is_scarce;
        assert_int_equal(a.device.driver->stream_create(&stream, RP_CU_STREAM_OWN), RP_CU_OK);
        rp__lease_follow(&a.lease, stream);
        run_turn(&a, GRAIN, stream);
        rp__lease_acquire(&b.lease);
        assert_int_equal(rp__lease_take(&b.lease, unused, RP_NEED_ALL, 1, 1, &piece), RP_OK);
        assert_idle(&a, stream);
        rp__lease_follow(&a.lease, NULL);
        a.device.driver->stream_destroy(stream);
        close_users(&w, &a, &b);
    }
}

static struct {
    rp__cu_ptr at;
    rp__cu_stream stream;
} busy;

static rp__cu_result add_work(rp__cu_stream stream)
{
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(real->fill32(busy.at, i, 1, busy.stream), RP_CU_OK);
    return real->stream_query(stream);
}

/* A stream that others of its thread use all the time is waited for as far as its work was given
 * by then. */
static void a_stream_need_not_be_idle(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user a, b;
    rp__piece *piece;
    const uint64_t unused = open_plenty(&w, &a, &b);
    b.device.patience = UINT64_C(1000000000);
    busy.stream = a.device.stream;
    assert_int_equal(rp__device_alloc(&a.device, GRAIN, &busy.at), RP_OK);
    watch_queries(&w, &b, add_work);
    run_turn(&a, GRAIN, a.device.stream);
    rp__lease_acquire(&b.lease);
    assert_int_equal(rp__lease_take(&b.lease, unused, RP_NEED_ALL, 1, 1, &piece), RP_OK);
    end_watch(&w, &b);
    rp__device_settle(&a.device, a.device.stream);
    rp__device_free(&a.device, busy.at);
    close_users(&w, &a, &b);
}

static rp__cu_result fail_query(rp__cu_stream stream)
{
    (void)stream;
    return RP_CU_ILLEGAL_ADDRESS;
}

/* A fault of work that is waited for is not work that takes long. */
static void a_fault_ends_waiting(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user a, b;
    rp__piece *piece;
    const uint64_t unused = open_plenty(&w, &a, &b);
    b.lease.is_detached = a.lease.is_detached = true;
    b.device.patience = 1000000;
    run_turn(&a, GRAIN, a.device.stream);
    assert_true(rp__lease_enter(&a.lease));
    rp__lease_launched(&a.lease);
    watch_queries(&w, &b, fail_query);
    rp__lease_acquire(&b.lease);
    assert_int_equal(rp__lease_take(&b.lease, unused, RP_NEED_ALL, 1, 1, &piece), RP_UNAVAILABLE);
    assert_true(rp__device_is_lost(&b.device));
    end_watch(&w, &b);
    close_users(&w, &a, &b);
}

/* What was evicted while a lease did not end in time is used once it has ended. */
static void what_was_waited_for_in_vain_comes_back(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user slow, u;
    rp__piece *piece;
    const uint64_t unused = open_users(&w, &slow, &u, false);
    u.device.patience = 1000000;
    publish(&u, unused, 5);
    rp__lease_end(&u.lease);
    assert_true(rp__lease_enter(&slow.lease));
    assert_non_null(rp__lease_find(&slow.lease, 5, 0));
    for (int i = 0; i < 2; i++) {
        rp__lease_acquire(&u.lease);
        assert_int_equal(rp__lease_take(&u.lease, GRAIN, RP_NEED_ALL, 6, 1, &piece),
                         RP_UNAVAILABLE);
        rp__lease_end(&u.lease);
    }
    rp__lease_end(&slow.lease);
    rp__lease_acquire(&u.lease);
    assert_int_equal(rp__lease_take(&u.lease, unused, RP_NEED_ALL, 6, 1, &piece), RP_OK);
    close_users(&w, &slow, &u);
}

/* What a lease found while it acquires stays, though another lease has found it later, and all others have ended. */
static void what_was_found_is_not_evicted(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user other, u;
    rp__piece *piece;
    const uint64_t unused = open_users(&w, &other, &u, false);
    publish(&u, GRAIN, 5);
    rp__lease_acquire(&u.lease);
    assert_non_null(rp__lease_find(&u.lease, 5, 0));
    assert_true(rp__lease_enter(&other.lease));
    assert_non_null(rp__lease_find(&other.lease, 5, 0));
    rp__lease_end(&other.lease);
    assert_int_equal(rp__lease_take(&u.lease, unused, RP_NEED_ALL, 6, 1, &piece), RP_NO_MEMORY);
    assert_non_null(rp__lease_find(&u.lease, 5, 0));
    rp__lease_acquire(&u.lease); /* another lease, which has not found it */
    assert_int_equal(rp__lease_take(&u.lease, unused, RP_NEED_ALL, 6, 1, &piece), RP_OK);
    close_users(&w, &other, &u);
}

/* A stored list lies where its entry says: the record of its piece may be another's, once it was
 * evicted. */
static void a_stored_list_is_found_by_its_entry(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user u;
    rp__piece *piece;
    open_world(&w);
    open_user(&u, &w, false);
    const rp__gpu_index index = {.residency = w.residency};
    const rp__term term = {.list_offset = 0, .list_bytes = 2 * GRAIN};
    const rp__list list = {.docs = w.residency->lists + GRAIN, .codec = rp__codec_at(0)};
    const uint64_t bytes = rp__stored_lists_bytes(&term);
    rp__lease_acquire(&u.lease);
    assert_int_equal(rp__lease_take(&u.lease, bytes, RP_NEED_ALL, 5, 1, &piece), RP_OK);
    const rp__cu_ptr at = piece->at;
    const rp__resident made = {.key = rp__residency_key(&term, RP_USE_STORED),
                               .at = at + bytes - sizeof(karg_term),
                               .piece = piece,
                               .repr = RP_REPR_STORED};
    assert_true(rp__lease_publish(&u.lease, &(const rp__resident *){&made}, 1));
    piece->at += GRAIN;
    rp__stored_list stored = {.list = &list, .term = &term};
    assert_int_equal(rp__stored_lists_find(&index, &u.lease, &stored, 1), RP_OK);
    assert_true(stored.at.docs == at + GRAIN && stored.made.at == made.at);
    piece->at = at;
    close_user(&u);
    close_world(&w);
}

/* Half of the threads launch, and end a little later; the others need all memory, and so end those leases for them. */
static void run_detached(void *arg, uint32_t worker)
{
    world *w = arg;
    user u;
    rp__piece *piece;
    rp_error err;
    const bool is_taker = worker % 2;
    u = (user){.w = w, .random = worker + 1};
    w->n_wrong += rp__device_twin(&u.device, &w->device, &err) != RP_OK;
    rp__lease_open(&u.lease, w->residency, &u.device, u.device.stream, true);
    for (uint32_t i = turns(); i > 0; i--) {
        rp__lease_acquire(&u.lease);
        if (!is_taker)
            w->n_wrong += rp__scratch_hold(&u.scratch, &u.lease, &u.device, GRAIN) != RP_OK;
        const uint64_t bytes = is_taker ? HEAP / 4 * 3 : GRAIN;
        w->n_wrong += rp__lease_take(&u.lease, bytes, RP_NEED_ALL, 1, 1, &piece) != RP_OK;
        rp__lease_launched(&u.lease);
        rp__lease_release(&u.lease);
        for (uint32_t looks = draw(&u, 40000); looks > 0; looks--)
            (void)atomic_load(&grains[0]);
        rp__lease_end(&u.lease);
    }
    rp__lease_close(&u.lease);
    rp__scratch_free(&u.scratch, w->residency, &u.device);
    rp__device_close(&u.device);
}

static void detached_leases_end_while_others_take(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    open_world(&w);
    const uint64_t before = w.residency->heap.in_use;
    assert_int_equal(rp__thread_run(THREADS / 2, run_detached, &w), RP_OK);
    assert_int_equal(w.n_wrong, 0);
    assert_int_equal(w.residency->heap.in_use, before);
    close_world(&w);
}

/* Two norms with the same values are one table; others are another, and lists by tiles are told apart by them. */
static void entries_are_told_apart_by_norms(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    user u;
    rp__piece *piece;
    open_world(&w);
    open_user(&u, &w, false);
    rp__lease_acquire(&u.lease);
    for (uint32_t norms = 1; norms <= 2; norms++) {
        assert_int_equal(rp__lease_take(&u.lease, GRAIN, RP_NEED_ALL, 5, 2, &piece), RP_OK);
        const rp__resident made = {
            .key = 5, .at = piece->at, .piece = piece, .norms = norms, .repr = RP_REPR_TILED};
        assert_true(rp__lease_publish(&u.lease, &(const rp__resident *){&made}, 1));
        assert_false(rp__lease_publish(&u.lease, &(const rp__resident *){&made}, 1));
    }
    const rp__resident *one = rp__residency_find(w.residency, 5, 1);
    const rp__resident *two = rp__residency_find(w.residency, 5, 2);
    assert_true(one && two && one->at != two->at);
    assert_null(rp__residency_find(w.residency, 5, 3));
    for (uint32_t serial = 1; serial <= 2;
         serial++) { /* lists, of which many come and go, use none up */
        assert_int_equal(rp__lease_take(&u.lease, GRAIN, RP_NEED_ALL, 6, 2, &piece), RP_OK);
        const rp__resident made = {
            .key = 5 + serial, .at = piece->at, .piece = piece, .repr = RP_REPR_NORMS};
        assert_true(rp__lease_publish(&u.lease, &(const rp__resident *){&made}, 1));
        assert_int_equal(rp__residency_find(w.residency, 5 + serial, 0)->serial, serial);
    }
    close_user(&u);
    close_world(&w);
}

/* ---- Failures ----------------------------------------------------------------------------------- */

static void every_call_may_fail(void **state)
{
    (void)state;
    world w = {.n_wrong = 0};
    rp_error err = {.text = ""};
    static const int codes[] = {RP_CU_NO_MEMORY, RP_CU_ILLEGAL_ADDRESS, RP_CU_INVALID};
    bool has_failed = true;
    for (uint64_t at = 1; has_failed; at++) {
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.fail_at = at, .fail_code = codes[at % 3]});
        has_failed = rp__device_open(&w.device, rp__emulated_device_driver(), 0, &err) != RP_OK;
        if (has_failed)
            continue;
        has_failed = rp__residency_get(&w.device, tiny.index.segment, 0, &w.residency) != RP_OK;
        (void)rp__device_enter(&w.device);
        if (!has_failed) {
            has_failed = rp__emulated_device_calls() >= at;
            rp__residency_drop(w.residency, &w.device);
        }
        rp__device_close(&w.device);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

static int open_index(void **state)
{
    static const char *const texts[] = {"one two three", "two three four", "three four five six"};
    (void)state;
    tiny_open(&tiny, texts, sizeof texts / sizeof texts[0], (tiny_options){0});
    return 0;
}

static int close_index(void **state)
{
    (void)state;
    tiny_close(&tiny);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_share_little),
        cmocka_unit_test(many_threads_wait_for_streams),
        cmocka_unit_test(detached_leases_do_not_block),
        cmocka_unit_test(detached_leases_end_while_others_take),
        cmocka_unit_test(what_was_given_back_is_not_published),
        cmocka_unit_test(scratch_is_given_back_behind_the_stream),
        cmocka_unit_test(evicted_scratch_has_left_its_stream),
        cmocka_unit_test(evicted_scratch_has_left_though_its_owner_goes_on),
        cmocka_unit_test(own_scratch_has_left_its_stream),
        cmocka_unit_test(evicted_scratch_has_left_the_stream_of_a_kernel),
        cmocka_unit_test(a_stream_need_not_be_idle),
        cmocka_unit_test(a_fault_ends_waiting),
        cmocka_unit_test(what_was_waited_for_in_vain_comes_back),
        cmocka_unit_test(what_was_found_is_not_evicted),
        cmocka_unit_test(a_stored_list_is_found_by_its_entry),
        cmocka_unit_test(entries_are_told_apart_by_norms),
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, open_index, close_index);
}
