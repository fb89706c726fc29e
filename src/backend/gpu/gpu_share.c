/* gpu_share.c: sections of an index on a card, and who shares them. Loading is a copy: kernels read the bytes of the
 * files.
 *
 * Invariants: 1 one table of all shares, under one lock, which nobody holds while mapped memory is read: the guard
 * would leave with it; 2 whoever enters a share into the table fills it, and is its only user until it is ready;
 * others wait for that; 3 where filling fails or is left by the guard, dropping it takes it from the table, and one of
 * those who wait tries again. */
#include "backend/gpu/gpu_share.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

enum {
    STAGE = 8 << 20,      /* bytes that are copied at once */
    QUERIES_OF = 8,       /* one part of so many is left to queries, */
    QUERY_BYTES = 13,     /* or so much a document, which an OR may need; but not more than half */
    GUESTS_OF = 8,        /* one part of so many of what is left for lists is for guests */
    LIST_BYTES = 2 << 10, /* of a piece, about: how many there may be follows from it */
    LISTS_LEAST = 1 << 10,
    LISTS_MOST = 1 << 22,
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t table_changed = PTHREAD_COND_INITIALIZER;
static rp__gpu_share *table;

/* ---- Filling ------------------------------------------------------------------------------------ */

/* The driver must not be the one that meets a page which cannot be read: the guard would leave it with its locks
 * held. */
static rp_status copy_section(rp__device *device, uint8_t *stage, const rp__gpu_section *section)
{
    rp_status status = RP_OK;
    size_t bytes = section->bytes + RP_PAD;
    for (size_t from = 0; status == RP_OK && from < bytes; from += STAGE) {
        size_t n = bytes - from < STAGE ? bytes - from : STAGE;
        memcpy(stage, section->host + from, n);
        status = rp__device_copy_in(device, section->at + from, stage, n);
        if (status == RP_OK)
            status = rp__device_wait(device);
    }
    return status;
}

static rp_status add_section(rp__gpu_share *s, rp__device *device, const uint8_t *host,
                             size_t bytes)
{
    rp__gpu_section section = {.host = host, .bytes = bytes};
    rp_status status = rp__device_alloc(device, bytes + RP_PAD, &section.at);
    if (status != RP_OK)
        return status;
    s->sections[s->n++] = section;
    s->bytes += bytes + RP_PAD;
    return copy_section(device, s->stage, &s->sections[s->n - 1]);
}

static rp_status add_sections(rp__gpu_share *s, rp__device *device)
{
    const uint8_t *host;
    size_t bytes;
    rp__lengths lengths;
    rp_status status = RP_OK;
    rp__segment_get_lengths(s->segment, &lengths);
    for (size_t i = 0; status == RP_OK && rp__segment_section(s->segment, i, &host, &bytes); i++)
        if (s->is_whole || host == lengths.codes)
            status = add_section(s, device, host, bytes);
    return status;
}

/* Bytes of all sections, and of the lengths alone. */
static void measure(const rp__segment *segment, uint64_t *all, uint64_t *least)
{
    const uint8_t *host;
    size_t bytes;
    rp__lengths lengths;
    rp__segment_get_lengths(segment, &lengths);
    *all = *least = 0;
    for (size_t i = 0; rp__segment_section(segment, i, &host, &bytes); i++) {
        *all += bytes + RP_PAD;
        *least += host == lengths.codes ? bytes + RP_PAD : 0;
    }
}

/* How many lists there may be; a tiny cache has as many grains. */
static size_t lists_in(uint64_t bytes)
{
    uint64_t n = bytes / LIST_BYTES;
    return n < LISTS_LEAST ? LISTS_LEAST : n > LISTS_MOST ? LISTS_MOST : (size_t)n;
}

static rp_status add_caches(rp__gpu_share *s, rp__device *device, uint64_t bytes)
{
    bytes = bytes / (RP_LIST_CACHE_GRAIN * GUESTS_OF) * RP_LIST_CACHE_GRAIN * GUESTS_OF;
    uint64_t guests = bytes / GUESTS_OF, lists = bytes - guests;
    if (bytes == 0)
        return RP_NO_MEMORY;
    rp_status status = rp__device_alloc(device, bytes, &s->room);
    if (status != RP_OK)
        return status;
    s->bytes += bytes;
    bool is_open = rp__list_cache_open(&s->lists, s->room, lists, lists_in(lists)) &&
                   rp__list_cache_open(&s->guests, s->room + lists, guests, lists_in(guests));
    return is_open ? RP_OK : RP_NO_MEMORY;
}

static uint64_t for_queries(const rp__segment *segment, uint64_t limit)
{
    rp__lengths lengths;
    rp__segment_get_lengths(segment, &lengths);
    uint64_t bytes = (uint64_t)lengths.n_docs * QUERY_BYTES;
    bytes = bytes < limit / 2 ? bytes : limit / 2;
    return bytes > limit / QUERIES_OF ? bytes : limit / QUERIES_OF;
}

static rp_status fill(rp__gpu_share *s, rp__device *device)
{
    uint64_t all, least, limit = s->most;
    size_t unused = 0, total;
    void *stage = NULL;
    rp_status status = rp__device_check(device, device->driver->memory_info(&unused, &total));
    if (status == RP_OK)
        status = rp__device_pin(device, STAGE, 0, &stage);
    if (status != RP_OK)
        return status;
    s->stage = stage;
    limit = limit && limit < unused ? limit : unused;
    measure(s->segment, &all, &least);
    uint64_t room = limit - for_queries(s->segment, limit);
    s->is_whole = all <= room;
    if (!s->is_whole && least >= room)
        return RP_NO_MEMORY;
    status = add_sections(s, device);
    if (status == RP_OK && !s->is_whole)
        status = add_caches(s, device, room - least);
    return status;
}

/* ---- Sharing ------------------------------------------------------------------------------------ */

static void free_stage(rp__gpu_share *s, const rp__device *device)
{
    if (s->stage)
        device->driver->host_free(s->stage);
    s->stage = NULL;
}

/* Device memory first: that waits for copies which nobody saw end, and which read the stage. */
static void free_share(rp__gpu_share *s, rp__device *device)
{
    for (size_t i = 0; i < s->n; i++)
        rp__device_free(device, s->sections[i].at);
    rp__device_free(device, s->room);
    free_stage(s, device);
    rp__list_cache_close(&s->lists);
    rp__list_cache_close(&s->guests);
    rp__gpu_budget_close(&s->budget);
    pthread_mutex_destroy(&s->lock);
    rp__free(s);
}

static rp__gpu_share *find(const rp__device *device, const rp__segment *segment, uint64_t most)
{
    rp__gpu_share *s = table;
    while (s && (s->driver != device->driver || s->context != device->context ||
                 s->segment != segment || s->most != most))
        s = s->next;
    return s;
}

/* One that is ready, or a new one in the table. */
static rp__gpu_share *enter(const rp__device *device, const rp__segment *segment, uint64_t most)
{
    rp__gpu_share *s;
    pthread_mutex_lock(&table_lock);
    while ((s = find(device, segment, most)) != NULL && !s->is_ready)
        pthread_cond_wait(&table_changed, &table_lock);
    if (!s && (s = rp__alloc_zero(1, sizeof *s)) != NULL) {
        s->driver = device->driver;
        s->context = device->context;
        s->segment = segment;
        s->most = most;
        s->next = table;
        table = s;
        pthread_mutex_init(&s->lock, NULL);
        if (most)
            rp__gpu_budget_open(&s->budget, most);
    }
    if (s)
        s->users++;
    pthread_mutex_unlock(&table_lock);
    return s;
}

rp_status rp__gpu_share_get(rp__device *device, const rp__segment *segment, uint64_t most,
                            rp__gpu_share **out)
{
    rp__gpu_share *s = *out = enter(device, segment, most);
    if (!s)
        return RP_NO_MEMORY;
    device->budget = most ? &s->budget : NULL;
    if (s->is_ready)
        return RP_OK;
    rp_status status = fill(s, device);
    if (status != RP_OK) {
        rp__gpu_share_drop(s, device);
        *out = NULL;
        return status;
    }
    free_stage(s, device);
    pthread_mutex_lock(&table_lock);
    s->is_ready = true;
    pthread_cond_broadcast(&table_changed);
    pthread_mutex_unlock(&table_lock);
    return RP_OK;
}

void rp__gpu_share_drop(rp__gpu_share *s, rp__device *device)
{
    if (!s)
        return;
    pthread_mutex_lock(&table_lock);
    bool is_last = --s->users == 0;
    for (rp__gpu_share **at = &table; is_last && *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    pthread_cond_broadcast(&table_changed);
    pthread_mutex_unlock(&table_lock);
    if (is_last)
        free_share(s, device);
    device->budget = NULL;
}
