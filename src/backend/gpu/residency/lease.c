/* lease.c: leases by epochs, and taking memory for a launch.
 *
 * An entry that is evicted is unlinked, then the epoch moves on: a lease whose epoch is later
 * cannot have found it. So the one who evicts waits for all leases with an epoch up to then. Order
 * matters in two places. A lease stores its epoch before it looks anything up, and whoever evicts
 * unlinks before it looks at epochs, both sequentially consistent: either the lease is seen, or it
 * does not find the entry. Likewise a lease stores its epoch before it looks whether the residency
 * is closed.
 *
 * Then the one who evicts waits for streams: what leases that are over have left there may still
 * count in scratch that was evicted. Epochs come first, so that all such work is on a stream by
 * then.
 *
 * Locks: `acquiring`, then `registry`, then `lock`. Nobody who has a lease and has not launched
 * waits for any lease. */
#include "backend/gpu/residency/lease.h"

#include "base/alloc.h"
#include "base/clock.h"

enum {
    SPIN = 200000, /* nanoseconds of looking before the first nap */
    NAP = 20000,
    /* bytes of an upload's half: at 50 GB/s 20 us, beside which the cost of a copy's start is
     * small */
    HALF_OF_LISTS = 1 << 20,
    HALF_OF_RECORDS = 1 << 16, /* pinning more would cost more than it saves */
    FREE_OF =
        8, /* one part of so many of all memory is left free by what is made to stay, where it is scarce; */
    SHARE_OF = 32, /* one part of so many is for what one launch alone has; */
    SHARE_OF_LISTS =
        128,   /* where lists come and go, which have the rest: 16 threads have an eighth */
    HOT = 8,   /* uses of a list, lately, at which it may evict others */
    WORTH = 8, /* a byte of such memory while it is idle: as of a stored list with one use */
};

/* ---- Opening ------------------------------------------------------------------------------------ */

rp_status rp__lease_open(rp__lease *l, rp__residency *r, rp__device *device, rp__cu_stream stream,
                         bool is_detached)
{
    *l =
        (rp__lease){.residency = r, .device = device, .stream = stream, .is_detached = is_detached};
    pthread_mutex_lock(&r->registry);
    l->next = r->leases;
    r->leases = l;
    pthread_mutex_unlock(&r->registry);
    return RP_OK;
}

void rp__lease_close(rp__lease *l)
{
    if (!l->residency)
        return;
    rp__lease_end(l);
    rp__device_settle(l->device, l->stream);
    rp__uploader_close(&l->uploader);
    if (l->behind)
        l->device->driver->event_destroy(l->behind);
    if (l->flags)
        l->device->driver->host_free(l->flags);
    pthread_mutex_lock(&l->residency->registry);
    rp__lease **at = &l->residency->leases;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    pthread_mutex_unlock(&l->residency->registry);
    rp__scratch_free(&l->transient, l->residency, l->device);
    rp__free(l->pieces);
    *l = (rp__lease){0};
}

void rp__lease_follow(rp__lease *l, rp__cu_stream stream)
{
    pthread_mutex_lock(&l->residency->registry);
    l->kernel_stream = stream;
    pthread_mutex_unlock(&l->residency->registry);
}

/* ---- Beginning and ending ----------------------------------------------------------------------- */

/* Its epoch is one that was the current one after others could see it. */
static void begin(rp__lease *l)
{
    const _Atomic uint64_t *current = &l->residency->epoch;
    uint64_t now = atomic_load_explicit(current, memory_order_seq_cst), before;
    l->is_begun = true;
    l->turn++;
    do {
        before = now;
        atomic_store_explicit(&l->epoch, before, memory_order_seq_cst);
        now = atomic_load_explicit(current, memory_order_seq_cst);
    } while (now != before);
}

bool rp__lease_enter(rp__lease *l)
{
    rp__lease_end(l);
    begin(l);
    if (!atomic_load_explicit(&l->residency->is_closed, memory_order_seq_cst))
        return true;
    rp__lease_end(l);
    return false;
}

void rp__lease_acquire(rp__lease *l)
{
    rp__residency *r = l->residency;
    rp__lease_end(l);
    pthread_mutex_lock(&r->acquiring);
    l->is_acquiring = true;
    /* its own: others had an earlier one, or will have a later one */
    atomic_fetch_add_explicit(&r->epoch, 1, memory_order_seq_cst);
    begin(l);
    atomic_fetch_add_explicit(&r->epoch, 1, memory_order_seq_cst);
}

void rp__lease_begin(rp__lease *l)
{
    if (rp__lease_enter(l))
        return;
    rp__lease_acquire(l);
    rp__lease_release(l);
}

void rp__lease_release(rp__lease *l)
{
    if (!l->is_acquiring)
        return;
    l->is_acquiring = false;
    atomic_store_explicit(&l->residency->is_closed, false, memory_order_seq_cst);
    pthread_mutex_unlock(&l->residency->acquiring);
}

void rp__lease_launched(rp__lease *l)
{
    atomic_store_explicit(&l->launched, l->turn, memory_order_release);
}

/* Under the lock: what it has beyond so many bytes is free. */
static void trim(rp__device_heap *heap, rp__scratch *s, size_t bytes)
{
    rp__device_heap_trim(heap, s->piece, bytes);
    s->bytes = bytes;
}

/* Under the lock: what it took is free, what it held may be evicted, and it is over. */
static void give_back(rp__lease *l)
{
    rp__device_heap *heap = &l->residency->heap;
    while (l->n > 0)
        rp__device_heap_give(heap, l->pieces[--l->n]);
    while (l->scratch) {
        rp__scratch *s = l->scratch;
        l->scratch = s->next;
        if (!s->piece)
            continue;
        if (s->keeps && s->bytes > s->keeps)
            trim(heap, s, s->keeps);
        rp__device_heap_keep(heap, s->piece, s->worth * s->bytes, 0, (void *)&s->piece);
    }
    atomic_store_explicit(&l->launched, 0, memory_order_relaxed);
    atomic_store_explicit(&l->epoch, 0, memory_order_release);
}

/* Whether it has pieces, or scratch that others may evict once it is over. The host sees an
 * answer before the last thread blocks of its launch have left the device, and these still count
 * in scratch. */
static bool has_memory(const rp__lease *l)
{
    const rp__scratch *s = l->scratch;
    while (s && s != &l->transient && !l->residency->is_scarce)
        s = s->next;
    return l->n > 0 || s;
}

/* Whether it still has them: those of a detached lease that was launched may be given back by
 * another thread. */
static bool has_pieces(rp__lease *l)
{
    if (!l->is_detached)
        return has_memory(l);
    pthread_mutex_lock(&l->residency->lock);
    bool has = has_memory(l);
    pthread_mutex_unlock(&l->residency->lock);
    return has;
}

void rp__lease_end(rp__lease *l)
{
    if (!l->is_begun)
        return;
    if (l->uploader.is_copying) {
        rp__device_settle(l->device, l->uploader.stream);
        (void)rp__uploader_wait(&l->uploader);
    }
    if (has_pieces(l)) /* of what was taken, and not published, nobody may have seen the end */
        rp__device_settle(l->device, l->stream);
    pthread_mutex_lock(&l->residency->lock);
    give_back(l);
    pthread_mutex_unlock(&l->residency->lock);
    l->is_begun = false;
    rp__lease_release(l);
}

/* ---- Waiting for others ------------------------------------------------------------------------- */

/* Under the registry's lock. Whether a lease is over. One that is detached is, once its work has
 * left the device: unless its owner has ended it meanwhile, all is given back for it. */
static bool is_over(rp__lease *l, rp__lease *other, uint64_t epoch)
{
    rp__residency *r = l->residency;
    uint64_t its = atomic_load_explicit(&other->epoch, memory_order_seq_cst);
    if (its == 0 || its > epoch)
        return true;
    uint64_t turn = atomic_load_explicit(&other->launched, memory_order_acquire);
    if (!other->is_detached || turn == 0)
        return false;
    rp__cu_result result = l->device->driver->stream_query(other->stream);
    if (result == RP_CU_NOT_READY || rp__device_check(l->device, result) != RP_OK)
        return false;
    pthread_mutex_lock(&r->lock);
    bool is_same = atomic_load_explicit(&other->launched, memory_order_acquire) == turn;
    if (is_same)
        give_back(other);
    pthread_mutex_unlock(&r->lock);
    return is_same;
}

static bool are_over(rp__lease *l, uint64_t epoch)
{
    rp__residency *r = l->residency;
    bool is_all = true;
    pthread_mutex_lock(&r->registry);
    for (rp__lease *other = r->leases; other && is_all; other = other->next)
        is_all = other == l || is_over(l, other, epoch);
    pthread_mutex_unlock(&r->registry);
    return is_all;
}

/* Until all leases of others that began up to `epoch` are over. RP_UNAVAILABLE: the device is lost;
 * one of them does not end. */
static rp_status wait_for(rp__lease *l, uint64_t epoch)
{
    uint64_t begin = rp__clock_now(), waited = 0;
    while (!are_over(l, epoch)) {
        if (rp__device_is_lost(l->device) || waited > l->device->patience)
            return RP_UNAVAILABLE;
        uint64_t now = rp__clock_now();
        if (now - begin > SPIN) {
            rp__clock_sleep(NAP);
            waited += rp__clock_now() - now;
        }
    }
    return RP_OK;
}

/* The lease has the event by which its stream waits for others. */
static rp_status open_event(rp__lease *l)
{
    if (l->behind)
        return RP_OK;
    return rp__device_check(l->device,
                            l->device->driver->event_create(&l->behind, RP_CU_EVENT_UNTIMED));
}

/* The lease's stream goes on when all that is on another one by now is done. */
static rp_status go_behind(rp__lease *l, rp__cu_stream stream)
{
    rp__device *d = l->device;
    rp_status status = rp__device_check(d, d->driver->event_record(l->behind, stream));
    if (status == RP_OK)
        status = rp__device_check(d, d->driver->stream_after(l->stream, l->behind, 0));
    return status;
}

/* The same for the streams of a lease: that of its kernel, and where memory is plenty its own.
 * Leases of one exec are neighbours, and have the same one. */
static rp_status go_behind_lease(rp__lease *l, const rp__lease *other)
{
    const bool is_same = other->next && other->next->stream == other->stream;
    rp_status status = RP_OK;
    if (other->kernel_stream)
        status = go_behind(l, other->kernel_stream);
    if (status == RP_OK && !l->residency->is_scarce && !is_same && other->stream != l->stream)
        status = go_behind(l, other->stream);
    return status;
}

/* Until the device is done with what leases that are over have left on their streams. What comes
 * later is not waited for, so this ends however much there is to do. */
static rp_status wait_for_streams(rp__lease *l)
{
    rp__residency *r = l->residency;
    bool is_any = !r->is_scarce;
    rp_status status = open_event(l);
    pthread_mutex_lock(&r->registry);
    for (const rp__lease *other = r->leases; other && status == RP_OK; other = other->next) {
        is_any = is_any || other->kernel_stream;
        status = go_behind_lease(l, other);
    }
    pthread_mutex_unlock(&r->registry);
    return status == RP_OK && is_any ? rp__device_wait_stream(l->device, l->stream) : status;
}

/* ---- Taking ------------------------------------------------------------------------------------- */

/* Never back to an earlier epoch: another lease may have marked it. */
static void mark(rp__piece *p, uint64_t epoch)
{
    uint64_t its = atomic_load_explicit(&p->mark, memory_order_relaxed);
    while (its < epoch && !atomic_compare_exchange_weak_explicit(
                              &p->mark, &its, epoch, memory_order_seq_cst, memory_order_relaxed))
        continue;
}

/* Whoever evicts unlinks an entry and then looks at its mark; here it is marked and then looked for
 * again: either the mark is seen there, or here that the entry is gone. A mark may be raised by a
 * later lease: what the one that acquires has found is written down beside it. */
const rp__resident *rp__lease_find(rp__lease *l, uint64_t key, uint32_t norms)
{
    const rp__residency *r = l->residency;
    const rp__resident *e = rp__residency_find(r, key, norms);
    if (!e || !e->piece || !(r->is_scarce || l->is_acquiring))
        return e;
    const uint64_t epoch = atomic_load_explicit(&l->epoch, memory_order_relaxed);
    mark(e->piece, epoch);
    if (l->is_acquiring)
        e->piece->found = epoch;
    return l->is_acquiring || rp__residency_find(r, key, norms) == e ? e : NULL;
}

/* The epoch of the oldest lease; finished ones are given back. */
static uint64_t oldest_epoch(rp__lease *l)
{
    rp__residency *r = l->residency;
    uint64_t oldest = atomic_load_explicit(&l->epoch, memory_order_relaxed);
    pthread_mutex_lock(&r->registry);
    for (rp__lease *other = r->leases; other; other = other->next) {
        uint64_t its = atomic_load_explicit(&other->epoch, memory_order_seq_cst);
        if (other != l && its < oldest && !is_over(l, other, UINT64_MAX))
            oldest = its;
    }
    pthread_mutex_unlock(&r->registry);
    return oldest;
}

/* A piece that is free, or was evicted. */
static rp__piece *find_piece(rp__lease *l, uint64_t bytes, uint64_t value,
                             rp__device_heap_spared spared, bool *is_evicted)
{
    rp__residency *r = l->residency;
    pthread_mutex_lock(&r->lock);
    rp__piece *p = rp__device_heap_take(&r->heap, bytes);
    *is_evicted = false;
    if (!p && value > 0) {
        p = rp__device_heap_evict(&r->heap, bytes, value, spared);
        *is_evicted = p != NULL;
    }
    pthread_mutex_unlock(&r->lock);
    return p;
}

/* Nobody may read or write what was evicted any more. Where that is not certain, the piece waits
 * for it. */
static rp_status settle(rp__lease *l, rp__piece *p, uint64_t bytes, uint64_t oldest)
{
    rp__residency *r = l->residency;
    uint64_t epoch = atomic_fetch_add_explicit(&r->epoch, 1, memory_order_seq_cst);
    bool is_read = !r->is_scarce || atomic_load_explicit(&p->mark, memory_order_relaxed) >= oldest;
    rp_status status = is_read ? wait_for(l, epoch) : RP_OK;
    if (status == RP_OK)
        status = wait_for_streams(l);
    pthread_mutex_lock(&r->lock);
    if (status == RP_OK) {
        atomic_store_explicit(&p->mark, 0, memory_order_relaxed);
        rp__device_heap_trim(&r->heap, p, bytes);
        rp__residency_settle(r, is_read ? epoch + 1 : oldest);
    } else {
        p->next = r->unsettled;
        r->unsettled = p;
        r->unsettled_epoch = epoch;
    }
    pthread_mutex_unlock(&r->lock);
    return status;
}

/* What others waited for in vain is free, if the leases have ended meanwhile. */
static void settle_late(rp__lease *l)
{
    rp__residency *r = l->residency;
    uint64_t epoch = r->unsettled_epoch;
    if (!r->unsettled || !are_over(l, epoch) || wait_for_streams(l) != RP_OK)
        return;
    pthread_mutex_lock(&r->lock);
    rp__residency_settle(r, epoch + 1);
    pthread_mutex_unlock(&r->lock);
}

/* What this lease has found stays, and what others may have, if there are any. */
static rp_status take_up_to(rp__lease *l, uint64_t bytes, uint64_t value, bool is_alone,
                            rp__piece **out)
{
    bool is_evicted;
    if (l->is_acquiring)
        settle_late(l);
    uint64_t oldest = atomic_load_explicit(&l->epoch, memory_order_relaxed);
    rp__device_heap_spared spared = {.from = UINT64_MAX, .found = oldest};
    rp__piece *p = find_piece(l, bytes, 0, spared, &is_evicted);
    if (!p && value > 0 && !l->is_acquiring)
        return RP_NOT_FOUND;
    if (!p && value > 0) {
        oldest = l->residency->is_scarce && !is_alone ? oldest_epoch(l) : oldest;
        spared.from = is_alone ? UINT64_MAX : oldest;
        p = find_piece(l, bytes, value, spared, &is_evicted);
    }
    rp_status status = !p ? RP_NO_MEMORY : is_evicted ? settle(l, p, bytes, oldest) : RP_OK;
    if (status == RP_OK) {
        l->residency->n_taken++;
        l->pieces[l->n++] = p;
        *out = p;
    }
    return status;
}

/* Nobody else has a lease then, nor begins one. */
static rp_status wait_for_all(rp__lease *l)
{
    atomic_store_explicit(&l->residency->is_closed, true, memory_order_seq_cst);
    return wait_for(l, UINT64_MAX);
}

/* What ran in its own scratch before has left the device. Where memory is scarce the end of the
 * last lease has waited for its stream. */
static void leave_scratch(rp__lease *l)
{
    if (!l->residency->is_scarce)
        rp__device_settle(l->device, l->stream);
    if (l->kernel_stream)
        rp__device_settle(l->device, l->kernel_stream);
}

/* Its own scratch may be larger than it needs this time. */
static void trim_scratch(rp__lease *l)
{
    leave_scratch(l);
    pthread_mutex_lock(&l->residency->lock);
    for (rp__scratch *s = l->scratch; s; s = s->next)
        if (s->need < s->bytes)
            trim(&l->residency->heap, s, s->need);
    pthread_mutex_unlock(&l->residency->lock);
}

rp_status rp__lease_take(rp__lease *l, uint64_t bytes, rp__lease_need need, uint64_t key,
                         uint32_t cost, rp__piece **out)
{
    rp__residency *r = l->residency;
    *out = NULL;
    if (bytes > r->heap.bytes || !rp__alloc_grow(&l->pieces, &l->cap, l->n + 1, sizeof *l->pieces))
        return RP_NO_MEMORY;
    uint64_t value = need == RP_NEED_FREE ? 0 : UINT64_MAX;
    if (need == RP_NEED_WORTH) {
        pthread_mutex_lock(&r->lock);
        value = rp__device_heap_value(&r->heap, key, cost, bytes);
        pthread_mutex_unlock(&r->lock);
    }
    rp_status status = take_up_to(l, bytes, value, false, out);
    if (status != RP_NO_MEMORY || need != RP_NEED_ALL)
        return status;
    status = wait_for_all(l);
    if (status == RP_OK)
        status = take_up_to(l, bytes, value, true, out);
    if (status != RP_NO_MEMORY)
        return status;
    trim_scratch(l);
    return take_up_to(l, bytes, value, true, out);
}

/* ---- What is made, and what does not stay --------------------------------------------------------- */

bool rp__lease_is_plenty(rp__residency *r, uint64_t bytes)
{
    pthread_mutex_lock(&r->lock);
    bool is_so = bytes + r->heap.bytes / FREE_OF <= r->heap.bytes - r->heap.in_use;
    pthread_mutex_unlock(&r->lock);
    return is_so;
}

rp_status rp__lease_take_made(rp__lease *l, uint64_t bytes, uint64_t key, uint32_t cost,
                              bool is_eager, rp__piece **out)
{
    rp__residency *r = l->residency;
    if (is_eager || !r->is_scarce || rp__admission_get(&r->heap.touches, key) == HOT)
        return rp__lease_take(l, bytes, RP_NEED_WORTH, key, cost, out);
    *out = NULL;
    return rp__lease_is_plenty(r, bytes) ? rp__lease_take(l, bytes, RP_NEED_FREE, key, cost, out)
                                         : RP_NO_MEMORY;
}

uint64_t rp__lease_share(const rp__residency *r)
{
    return !r->is_scarce ? UINT64_MAX : r->left / (r->is_whole ? SHARE_OF : SHARE_OF_LISTS);
}

rp_status rp__lease_take_transient(rp__lease *l, uint64_t bytes, rp__cu_ptr *out)
{
    rp__residency *r = l->residency;
    l->transient.worth = r->is_scarce ? WORTH : 0;
    l->transient.keeps = r->is_scarce ? rp__lease_share(r) : 0;
    rp_status status = bytes > 0 ? rp__scratch_hold(&l->transient, l, l->device, bytes) : RP_OK;
    *out = l->transient.at;
    return status;
}

rp_status rp__lease_uploader(rp__lease *l, rp__uploader **out)
{
    rp_status status = open_event(l);
    if (status == RP_OK && !l->uploader.device)
        status = rp__uploader_open(&l->uploader, l->device,
                                   l->residency->is_whole ? HALF_OF_RECORDS : HALF_OF_LISTS);
    *out = &l->uploader;
    return status;
}

rp_status rp__lease_upload(rp__lease *l)
{
    rp_status status = rp__uploader_send(&l->uploader);
    return status == RP_OK ? go_behind(l, l->uploader.stream) : status;
}

/* The piece is no longer among those that the lease gives back. False: another thread has given
 * it back. */
static bool withdraw(rp__lease *l, const rp__piece *piece)
{
    size_t i = 0;
    pthread_mutex_lock(&l->residency->lock);
    while (i < l->n && l->pieces[i] != piece)
        i++;
    const bool is_there = i < l->n;
    if (is_there)
        l->pieces[i] = l->pieces[--l->n];
    pthread_mutex_unlock(&l->residency->lock);
    return is_there;
}

static void put_back(rp__lease *l, rp__piece *piece)
{
    pthread_mutex_lock(&l->residency->lock);
    l->pieces[l->n++] = piece; /* where it has been before */
    pthread_mutex_unlock(&l->residency->lock);
}

bool rp__lease_publish(rp__lease *l, const rp__resident *const *made, size_t n)
{
    rp__piece *piece = made[0]->piece;
    if (piece && !withdraw(l, piece))
        return false;
    if (piece)
        mark(piece, atomic_load_explicit(&l->epoch, memory_order_relaxed));
    const bool is_published = rp__residency_publish(l->residency, made, n) > 0;
    if (piece && !is_published)
        put_back(l, piece);
    return is_published;
}

/* ---- Scratch ------------------------------------------------------------------------------------ */

static rp_status hold_plain(rp__scratch *s, rp__device *device, size_t bytes)
{
    s->is_fresh = bytes > s->bytes;
    if (!s->is_fresh)
        return RP_OK;
    rp__scratch_free(s, NULL, device);
    s->is_fresh = true;
    rp_status status = rp__device_alloc(device, bytes, &s->at);
    s->bytes = status == RP_OK ? bytes : 0;
    return status;
}

/* Under the lock: what is there is enough, and is the lease's until it ends. */
static bool hold_kept(rp__scratch *s, rp__lease *l, size_t bytes)
{
    if (!s->piece || s->bytes < bytes)
        return false;
    s->need = bytes;
    if (s->piece->state == RP_PIECE_KEPT) { /* else it is held already */
        s->piece->state = RP_PIECE_TAKEN;
        l->residency->heap.n_kept--;
        s->next = l->scratch;
        l->scratch = s;
    }
    return true;
}

static void unlink_scratch(rp__lease *l, rp__scratch *s)
{
    rp__scratch **at = &l->scratch;
    while (*at && *at != s)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
}

/* What it has now is given back, when all that ran in it has left the device. */
static void give_scratch(rp__scratch *s, rp__lease *l)
{
    rp__residency *r = l->residency;
    pthread_mutex_lock(&r->lock);
    const bool has_piece = s->piece != NULL;
    pthread_mutex_unlock(&r->lock);
    if (has_piece)
        leave_scratch(l);
    pthread_mutex_lock(&r->lock);
    unlink_scratch(l, s);
    if (s->piece)
        rp__device_heap_give(&r->heap, s->piece);
    s->piece = NULL;
    s->bytes = 0;
    pthread_mutex_unlock(&r->lock);
}

/* The piece goes from what was taken to the scratch. Twice as much as before, if that is free, so
 * that growing ends soon, though not beyond what it may keep. */
static rp_status take_scratch(rp__scratch *s, rp__lease *l, size_t bytes)
{
    rp__piece *p;
    rp__residency *r = l->residency;
    size_t want = s->keeps && 2 * s->bytes > s->keeps ? s->keeps : 2 * s->bytes;
    want = want < bytes ? bytes : want;
    give_scratch(s, l);
    rp_status status = rp__lease_take(l, want, RP_NEED_FREE, 0, 0, &p);
    if (status == RP_NO_MEMORY) {
        want = bytes;
        status = rp__lease_take(l, bytes, RP_NEED_ALL, 0, 0, &p);
    }
    if (status != RP_OK)
        return status;
    pthread_mutex_lock(&r->lock);
    l->n--;
    s->piece = p;
    s->at = p->at;
    s->bytes = want;
    s->need = bytes;
    s->is_fresh = true;
    s->next = l->scratch;
    l->scratch = s;
    pthread_mutex_unlock(&r->lock);
    return RP_OK;
}

rp_status rp__scratch_hold(rp__scratch *s, rp__lease *l, rp__device *device, size_t bytes)
{
    if (!l)
        return hold_plain(s, device, bytes);
    pthread_mutex_lock(&l->residency->lock);
    bool is_there = hold_kept(s, l, bytes);
    pthread_mutex_unlock(&l->residency->lock);
    s->is_fresh = false;
    if (is_there)
        return RP_OK;
    return l->is_acquiring || l->residency->is_whole ? take_scratch(s, l, bytes) : RP_NOT_FOUND;
}

void rp__scratch_free(rp__scratch *s, rp__residency *r, rp__device *device)
{
    if (!r) {
        rp__device_free(device, s->at);
    } else {
        pthread_mutex_lock(&r->lock);
        if (s->piece)
            rp__device_heap_give(&r->heap, s->piece);
        pthread_mutex_unlock(&r->lock);
    }
    *s = (rp__scratch){.worth = s->worth, .keeps = s->keeps};
}
