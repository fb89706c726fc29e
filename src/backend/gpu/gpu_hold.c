/* gpu_hold.c: lists on a device while a query needs them.
 *
 * Invariants: 1 the share's lock is never held while mapped memory is read: the guard would leave with it; 2 a piece is
 * among the held ones before it is filled, so that wherever the guard leaves, done lets go of it; 3 it can be found by
 * others only once all its copies are on their way, with the event that comes by after them. Two that want the same
 * list at the same time may both copy it: nobody waits for somebody whom the guard may have called away. */
#include "backend/gpu/gpu_hold.h"

#include "backend/gpu/gpu_list.h"
#include "backend/gpu/sparse_list.h"
#include "base/alloc.h"
#include "base/bits.h"

enum { ALIGN = 16 }; /* of what lies in a section, at most */

void rp__gpu_hold_open(rp__gpu_hold *h, rp__device *device, const rp__gpu_index *index)
{
    *h = (rp__gpu_hold){.device = device, .index = index};
}

/* ---- Letting go -------------------------------------------------------------------------------- */

/* All after the first n. Where copies cannot be waited for, nobody else may get their memory: they stay held. */
static void let_go(rp__gpu_hold *h, size_t n, bool is_last_time)
{
    pthread_mutex_t *lock = &h->index->share->lock;
    if (rp__list_fetch_wait(&h->fetch) != RP_OK && !is_last_time)
        return;
    pthread_mutex_lock(lock);
    while (h->n > n) {
        struct rp__gpu_held *held = &h->held[--h->n];
        if (held->is_filled)
            held->piece->filled = NULL;
        rp__list_cache_let_go(held->cache, held->piece);
    }
    pthread_mutex_unlock(lock);
}

void rp__gpu_hold_done(rp__gpu_hold *h)
{
    if (h->n > 0)
        let_go(h, 0, false);
}

void rp__gpu_hold_close(rp__gpu_hold *h)
{
    if (!h->device)
        return;
    if (h->n > 0) {
        (void)rp__device_wait(h->device);
        let_go(h, 0, true);
    }
    rp__list_fetch_close(&h->fetch);
    if (h->ready)
        h->device->driver->event_destroy(h->ready);
    rp__free(h->held);
    *h = (rp__gpu_hold){0};
}

/* ---- Parts of lists ---------------------------------------------------------------------------- */

/* Bytes of a section: the directory and docids of a list, or its frequencies. Those of a short list are in the same few
 * bytes, and come with them. */
typedef struct part {
    const uint8_t *host;
    size_t bytes;          /* 0: not wanted */
    rp__list_piece *piece; /* NULL: not there yet */
} part;

typedef struct parts {
    part docs, freqs;
    bool is_new; /* seen for the first time */
} parts;

/* A query on its way. */
typedef struct job {
    rp__gpu_hold *hold;
    rp__gpu_want *wants;
    parts *parts;
    size_t n;
    const rp__list *among;
    const uint32_t *docids; /* of it, once they are needed */
    uint64_t n_sparse;
    rp__arena *arena;
} job;

static part make_part(const uint8_t *from, const uint8_t *end)
{
    from -= (uintptr_t)from % ALIGN;
    return (part){.host = from, .bytes = (size_t)(end - from) + RP_PAD};
}

static parts parts_of(const rp__gpu_want *want)
{
    const rp__list *list = want->list;
    const uint8_t *freqs_end = list->freqs + list->freqs_bytes;
    parts out = {0};
    if (!list->last) {
        out.docs = make_part(list->bounds, freqs_end);
        return out;
    }
    out.docs = make_part((const uint8_t *)list->last, list->docs + list->docs_bytes);
    if (want->freqs && list->freqs_bytes > 0)
        out.freqs = make_part(list->freqs, freqs_end);
    return out;
}

static uint64_t at(const part *p, const void *host)
{
    return p->piece && host ? p->piece->at + (uint64_t)((const uint8_t *)host - p->host) : 0;
}

static karg_list list_at(const rp__list *list, const parts *p)
{
    karg_list out = rp__gpu_index_sizes(list);
    out.docs = at(&p->docs, list->docs);
    out.freqs = at(list->last ? &p->freqs : &p->docs, list->freqs);
    out.last = at(&p->docs, list->last);
    out.last_far = at(&p->docs, list->last_far);
    out.offsets = at(&p->docs, list->offsets);
    out.freq_offsets = at(&p->docs, list->freq_offsets);
    out.first = at(&p->docs, list->first);
    out.bounds = at(&p->docs, list->bounds);
    return out;
}

/* ---- What is there already --------------------------------------------------------------------- */

static void keep(rp__gpu_hold *h, rp__list_cache *cache, rp__list_piece *piece, bool is_filled)
{
    h->held[h->n++] = (struct rp__gpu_held){piece, cache, is_filled};
}

/* Under the lock. What another one is still copying, the device waits for. */
static rp_status find_part(rp__gpu_hold *h, part *p)
{
    rp__list_cache *lists = &h->index->share->lists;
    rp__device *d = h->device;
    if (p->bytes == 0 || (p->piece = rp__list_cache_find(lists, p->host)) == NULL)
        return RP_OK;
    keep(h, lists, p->piece, false);
    if (!p->piece->filled)
        return RP_OK;
    return rp__device_check(d, d->driver->stream_after(d->stream, p->piece->filled, 0));
}

/* Before any are copied, so that none of them gives way to another. */
static rp_status find_all(const job *j)
{
    rp__gpu_share *share = j->hold->index->share;
    rp_status status = RP_OK;
    pthread_mutex_lock(&share->lock);
    for (size_t i = 0; status == RP_OK && i < j->n; i++) {
        parts *p = &j->parts[i];
        *p = parts_of(&j->wants[i]);
        status = find_part(j->hold, &p->docs);
        if (status == RP_OK)
            status = find_part(j->hold, &p->freqs);
        p->is_new = rp__list_touches_get(&share->lists.touches, p->docs.host) <= 1;
    }
    pthread_mutex_unlock(&share->lock);
    return status;
}

/* ---- What is copied ---------------------------------------------------------------------------- */

/* Room in the cache, or as a guest. NULL: nowhere. */
static rp__list_piece *take(rp__gpu_hold *h, const void *key, uint64_t bytes, bool is_guest)
{
    rp__gpu_share *share = h->index->share;
    rp__list_cache *cache = is_guest ? &share->guests : &share->lists;
    pthread_mutex_lock(&share->lock);
    rp__list_piece *piece = rp__list_cache_take(cache, is_guest ? NULL : key, bytes);
    pthread_mutex_unlock(&share->lock);
    if (piece)
        keep(h, cache, piece, true);
    return piece;
}

static rp_status open_fetch(rp__gpu_hold *h)
{
    const rp__driver *driver = h->device->driver;
    rp_status status = RP_OK;
    if (!h->ready)
        status = rp__device_check(h->device, driver->event_create(&h->ready, RP_CU_EVENT_UNTIMED));
    if (status == RP_OK && !h->fetch.device)
        status = rp__list_fetch_open(&h->fetch, h->device);
    return status;
}

static rp_status copy_part(rp__gpu_hold *h, const part *p)
{
    rp_status status = open_fetch(h);
    if (status != RP_OK)
        return status;
    rp__list_fetch_begin(&h->fetch, p->piece->at);
    status = rp__list_fetch_put(&h->fetch, p->host, p->bytes);
    return status == RP_OK ? rp__list_fetch_send(&h->fetch) : status;
}

/* A word may be there twice. */
static rp__list_piece *find_twin(const job *j, size_t i, const part *p)
{
    for (size_t k = 0; k < i; k++) {
        const parts *other = &j->parts[k];
        if (other->docs.piece && other->docs.host == p->host)
            return other->docs.piece;
        if (other->freqs.piece && other->freqs.host == p->host)
            return other->freqs.piece;
    }
    return NULL;
}

/* RP_NOT_FOUND: there is no room for it. */
static rp_status bring_part(const job *j, size_t i, part *p, bool is_guest)
{
    if (p->bytes == 0 || p->piece || (p->piece = find_twin(j, i, p)) != NULL)
        return RP_OK;
    p->piece = take(j->hold, p->host, p->bytes, is_guest);
    return p->piece ? copy_part(j->hold, p) : RP_NOT_FOUND;
}

static rp_status bring_parts(const job *j, size_t i, bool is_guest)
{
    rp_status status = bring_part(j, i, &j->parts[i].docs, is_guest);
    if (status == RP_OK)
        status = bring_part(j, i, &j->parts[i].freqs, is_guest);
    if (status == RP_OK)
        j->wants[i].at = list_at(j->wants[i].list, &j->parts[i]);
    return status;
}

/* ---- Some blocks of a list --------------------------------------------------------------------- */

static bool can_be_sparse(const job *j, size_t i)
{
    const rp__list *list = j->wants[i].list;
    return j->among && !j->wants[i].whole && !j->parts[i].docs.piece && rp__sparse_list_can(list) &&
           list->docs != j->among->docs && j->among->n <= list->n_blocks;
}

static rp_status read_docids(job *j)
{
    if (j->docids)
        return RP_OK;
    uint32_t *docids =
        rp__arena_array(j->arena, (size_t)j->among->n + RP_BLOCK_ROOM, sizeof *docids);
    rp_status status = docids ? rp__list_decode(j->among, docids, NULL) : RP_NO_MEMORY;
    if (status != RP_OK)
        return status;
    j->docids = docids;
    rp__gpu_list_count_decoded(j->among, &j->hold->device->counters);
    return RP_OK;
}

/* RP_NOT_FOUND: it is not worth it, or there is no room for it. */
static rp_status bring_blocks(job *j, size_t i)
{
    rp__gpu_hold *h = j->hold;
    rp__gpu_want *want = &j->wants[i];
    rp__sparse_list sparse;
    rp_status status = read_docids(j);
    if (status == RP_OK)
        status = rp__sparse_list_plan(&sparse, want->list, want->freqs, j->docids, j->among->n,
                                      j->arena);
    if (status != RP_OK)
        return status;
    rp__list_piece *piece = take(h, NULL, sparse.bytes, true);
    if (!piece)
        return RP_NOT_FOUND;
    status = open_fetch(h);
    if (status == RP_OK)
        status = rp__sparse_list_put(&sparse, &h->fetch, piece->at, j->arena, &want->at);
    j->n_sparse += status == RP_OK;
    return status;
}

static rp_status bring(job *j, size_t i)
{
    const parts *p = &j->parts[i];
    bool is_sparse = can_be_sparse(j, i);
    rp_status status = is_sparse && p->is_new ? bring_blocks(j, i) : RP_NOT_FOUND;
    if (status == RP_NOT_FOUND)
        status = bring_parts(j, i, false);
    if (status == RP_NOT_FOUND && is_sparse && !p->is_new && !p->docs.piece)
        status = bring_blocks(j, i);
    if (status == RP_NOT_FOUND)
        status = bring_parts(j, i, true);
    return status == RP_NOT_FOUND ? RP_NO_MEMORY : status;
}

/* ---- The whole --------------------------------------------------------------------------------- */

/* From now on others may find what was copied. */
static void publish(const job *j, size_t before, uint64_t bytes)
{
    rp__gpu_hold *h = j->hold;
    rp__gpu_share *share = h->index->share;
    pthread_mutex_lock(&share->lock);
    for (size_t i = before; i < h->n; i++)
        if (h->held[i].is_filled) {
            h->held[i].piece->filled = h->ready;
            rp__list_cache_put(h->held[i].cache, h->held[i].piece);
        }
    share->copied += bytes;
    share->sparse += j->n_sparse;
    pthread_mutex_unlock(&share->lock);
}

static rp_status bring_all(job *j, size_t before)
{
    rp__gpu_hold *h = j->hold;
    const rp__driver *driver = h->device->driver;
    uint64_t bytes = h->fetch.bytes;
    rp_status status = find_all(j);
    for (size_t i = 0; status == RP_OK && i < j->n; i++)
        status = bring(j, i);
    if (status != RP_OK || h->fetch.bytes == bytes)
        return status;
    status = rp__device_check(h->device, driver->event_record(h->ready, h->fetch.stream));
    if (status == RP_OK)
        status = rp__device_check(h->device, driver->stream_after(h->device->stream, h->ready, 0));
    if (status == RP_OK)
        publish(j, before, h->fetch.bytes - bytes);
    return status;
}

static rp_status want_of_whole(const rp__gpu_hold *h, rp__gpu_want *wants, size_t n)
{
    bool is_sound = true;
    for (size_t i = 0; i < n; i++)
        is_sound = rp__gpu_index_list(h->index, wants[i].list, &wants[i].at) && is_sound;
    return is_sound ? RP_OK : RP_DAMAGED;
}

rp_status rp__gpu_hold_want(rp__gpu_hold *h, rp__gpu_want *wants, size_t n, const rp__list *among,
                            rp__arena *arena)
{
    if (h->index->share->is_whole)
        return want_of_whole(h, wants, n);
    size_t before = h->n;
    job j = {.hold = h, .wants = wants, .n = n, .among = among, .arena = arena};
    j.parts = rp__arena_array(arena, n, sizeof *j.parts);
    /* a part may be tried in three places */
    if (!j.parts || !rp__alloc_grow(&h->held, &h->cap, h->n + 3 * 2 * n, sizeof *h->held))
        return RP_NO_MEMORY;
    rp_status status = bring_all(&j, before);
    if (status != RP_OK)
        let_go(h, before, false);
    return status;
}
