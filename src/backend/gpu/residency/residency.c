/* residency.c: the range, the sections that stay, and the table of what is resident.
 *
 * Invariants: 1 one table of all residencies, under one lock, which nobody holds while mapped memory is read: the guard
 * would leave with it; 2 whoever enters a residency there fills it, and is its only user until it is ready; others wait
 * for that; 3 where filling fails or is left by the guard, dropping it takes it from the table, and one of those who wait
 * tries again; 4 an entry is unlinked before its piece is anybody else's, and freed when all leases of that time have
 * ended. */
#include "backend/gpu/residency/residency.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

enum {
    STAGE = 8 << 20,  /* bytes that are copied at once */
    QUERY_BYTES = 13, /* of scratch a document, which an OR may need */
    SLACK = 64 << 10, /* of scratch of any query */
    MADE_BYTES = 14,  /* a posting, of all that may be made of lists */
    BATCHES_OF = 256, /* one part of so many of a card is for scratch of batches */
    BUCKETS_MIN = 1 << 10,
    BUCKETS_MAX = 1 << 22,
    LISTS_OF_VERDICTS = 512, /* bytes of lists for which one word has verdicts */
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t table_changed = PTHREAD_COND_INITIALIZER;
static rp__residency *table;

/* ---- What is resident -------------------------------------------------------------------------- */

static struct rp__resident *_Atomic *bucket_of(const rp__residency *r, uint64_t key)
{
    return &r->buckets[(size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (r->n_buckets - 1)];
}

const rp__resident *rp__residency_find(const rp__residency *r, uint64_t key, uint32_t norms)
{
    rp__resident *e = atomic_load_explicit(bucket_of(r, key), memory_order_seq_cst);
    while (e && (e->key != key || e->norms != norms))
        e = atomic_load_explicit(&e->next, memory_order_seq_cst);
    if (e && e->piece && !atomic_load_explicit(&e->piece->used, memory_order_relaxed))
        atomic_store_explicit(&e->piece->used, 1, memory_order_relaxed);
    return e;
}

void rp__residency_expect_bucket(const rp__residency *r, uint64_t key)
{
    __builtin_prefetch(bucket_of(r, key));
}

void rp__residency_expect(const rp__residency *r, uint64_t key)
{
    __builtin_prefetch(atomic_load_explicit(bucket_of(r, key), memory_order_relaxed));
}

static void free_entry(rp__resident *e)
{
    rp__free(e->values);
    rp__free(e);
}

/* Copies of entries in a chain by `retired`, as many as there is memory for. */
static rp__resident *copy_entries(const rp__resident *const *made, size_t n)
{
    rp__resident *chain = NULL;
    for (size_t i = 0; i < n; i++) {
        rp__resident *e = rp__alloc(sizeof *e);
        if (!e)
            break;
        *e = *made[i];
        e->retired = chain;
        chain = e;
    }
    return chain;
}

static bool has_slot(const rp__resident *e)
{
    return rp__reprs[e->repr].use == RP_USE_LOOKUP;
}

/* Under the lock. False: there is one. */
static bool link_entry(rp__residency *r, rp__resident *e, rp__resident **siblings)
{
    struct rp__resident *_Atomic *bucket = bucket_of(r, e->key);
    if (rp__residency_find(r, e->key, e->norms))
        return false;
    e->retired = NULL;
    e->sibling = *siblings;
    *siblings = e;
    e->serial = e->repr == RP_REPR_NORMS ? ++r->n_serials : 0;
    atomic_store_explicit(&e->next, atomic_load_explicit(bucket, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(bucket, e, memory_order_release);
    if (has_slot(e))
        rp__slot_table_put(&r->slots, e->key, e->at, e->n);
    return true;
}

/* Memory is taken and given back outside of the lock, for which all threads wait. */
size_t rp__residency_publish(rp__residency *r, const rp__resident *const *made, size_t n)
{
    rp__resident *siblings = NULL, *chain = copy_entries(made, n), *twins = NULL;
    size_t n_linked = 0;
    pthread_mutex_lock(&r->lock);
    for (rp__resident *e = chain, *next; e; e = next) {
        next = e->retired;
        if (link_entry(r, e, &siblings)) {
            n_linked++;
        } else {
            e->retired = twins;
            twins = e;
        }
    }
    if (siblings && siblings->piece)
        rp__device_heap_keep(&r->heap, siblings->piece, siblings->key,
                             rp__reprs[siblings->repr].cost, siblings);
    pthread_mutex_unlock(&r->lock);
    for (rp__resident *e = twins, *next; e; e = next) {
        next = e->retired;
        rp__free(e); /* its values are the caller's */
    }
    return n_linked;
}

/* Under the lock. Those who are at the entry go on from it. Its slot goes first: nobody finds what has no entry. */
static void unlink_entry(rp__residency *r, rp__resident *e)
{
    struct rp__resident *_Atomic *from = bucket_of(r, e->key);
    rp__resident *at;
    if (has_slot(e))
        rp__slot_table_remove(&r->slots, e->key);
    while ((at = atomic_load_explicit(from, memory_order_relaxed)) != e)
        from = &at->next;
    atomic_store_explicit(from, atomic_load_explicit(&e->next, memory_order_relaxed),
                          memory_order_seq_cst);
    e->retired = r->retired;
    e->retired_in = atomic_load_explicit(&r->epoch, memory_order_seq_cst);
    r->retired = e;
}

/* Scratch has a cost of 0: its owner is the place that points to the piece. */
static void evict(void *arg, rp__piece *piece)
{
    rp__resident *e = piece->cost == 0 ? NULL : piece->owner;
    if (piece->cost == 0)
        *(rp__piece **)piece->owner = NULL;
    for (; e; e = e->sibling)
        unlink_entry(arg, e);
}

/* The last to be retired is the first of the chain. */
static void free_retired(rp__residency *r, uint64_t epoch)
{
    rp__resident **at = &r->retired;
    while (*at && (*at)->retired_in >= epoch)
        at = &(*at)->retired;
    while (*at) {
        rp__resident *e = *at;
        *at = e->retired;
        free_entry(e);
    }
}

void rp__residency_settle(rp__residency *r, uint64_t epoch)
{
    free_retired(r, epoch);
    while (r->unsettled && r->unsettled_epoch < epoch) {
        rp__piece *p = r->unsettled;
        r->unsettled = p->next;
        p->next = NULL;
        rp__device_heap_give(&r->heap, p);
    }
}

rp__piece *rp__residency_take_spare(rp__residency *r, uint64_t bytes)
{
    pthread_mutex_lock(&r->lock);
    bool is_plenty = r->heap.in_use + bytes <= r->heap.bytes / 4 * 3;
    rp__piece *piece = is_plenty ? rp__device_heap_take(&r->heap, bytes) : NULL;
    r->n_taken++;
    pthread_mutex_unlock(&r->lock);
    return piece;
}

void rp__residency_give(rp__residency *r, rp__piece *piece)
{
    if (!piece)
        return;
    pthread_mutex_lock(&r->lock);
    rp__device_heap_give(&r->heap, piece);
    pthread_mutex_unlock(&r->lock);
}

static void free_entries(rp__residency *r)
{
    free_retired(r, UINT64_MAX);
    for (size_t i = 0; r->buckets && i < r->n_buckets; i++)
        for (rp__resident *e = r->buckets[i], *next; e; e = next) {
            next = e->next;
            free_entry(e);
        }
    rp__free_random((void *)r->buckets, r->n_buckets, sizeof *r->buckets);
    rp__free_random((void *)r->verdicts, r->n_verdicts, sizeof *r->verdicts);
    rp__slot_table_close(&r->slots);
}

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

static rp_status add_section(rp__residency *r, rp__device *device, const uint8_t *host,
                             size_t bytes)
{
    rp__piece *piece = rp__device_heap_take(&r->heap, bytes + RP_PAD);
    if (!piece)
        return RP_NO_MEMORY;
    r->sections[r->n++] = (rp__gpu_section){.host = host, .bytes = bytes, .at = piece->at};
    return copy_section(device, r->stage, &r->sections[r->n - 1]);
}

static rp_status add_sections(rp__residency *r, rp__device *device, const void *codes)
{
    const uint8_t *host;
    size_t bytes;
    rp_status status = RP_OK;
    for (size_t i = 0; status == RP_OK && rp__segment_section(r->segment, i, &host, &bytes); i++)
        if (r->is_whole || host == codes)
            status = add_section(r, device, host, bytes);
    return status;
}

/* Bytes of all sections. The first one is that of the lists. */
static uint64_t measure(rp__residency *r)
{
    const uint8_t *host;
    size_t bytes;
    uint64_t all = 0;
    for (size_t i = 0; rp__segment_section(r->segment, i, &host, &bytes); i++) {
        all += rp__bits_align(bytes + RP_PAD, RP_DEVICE_HEAP_GRAIN);
        if (i == 0) {
            r->lists = host;
            r->lists_bytes = bytes;
        }
    }
    return all;
}

/* What the largest single query needs beside lists: scratch and norms. */
static uint64_t query_bytes(const rp__lengths *lengths)
{
    return (uint64_t)lengths->n_docs * QUERY_BYTES + lengths->n_table * sizeof(float) + SLACK;
}

/* With all that may be made of lists, and queries of several threads. */
static uint64_t useful_bytes(const rp__residency *r, uint64_t all)
{
    const rp__segment_info *info = rp__segment_get_info(r->segment);
    rp__lengths lengths;
    rp__segment_get_lengths(r->segment, &lengths);
    uint64_t a_list = 2048 + sizeof(karg_cell) * ((lengths.n_docs >> KARG_OR_TILE) + 2);
    uint64_t made = info->postings * MADE_BYTES + info->terms * a_list;
    return all + made + 16 * query_bytes(&lengths);
}

/* The budget, of what the card has left. */
static void choose_bytes(rp__residency *r, const rp__device *device, uint64_t all, uint64_t unused)
{
    const uint64_t useful = useful_bytes(r, all), batches = device->memory / BATCHES_OF;
    uint64_t bytes = useful + batches < unused / 8 * 7 ? useful + batches : unused / 8 * 7;
    bytes = r->limit && r->limit < bytes ? r->limit : bytes;
    r->bytes = bytes / RP_DEVICE_HEAP_GRAIN * RP_DEVICE_HEAP_GRAIN;
    r->is_scarce = r->bytes < useful;
}

static rp_status open_table(rp__residency *r)
{
    uint64_t terms = rp__segment_get_info(r->segment)->terms;
    r->n_buckets = BUCKETS_MIN;
    while (r->n_buckets < terms && r->n_buckets < BUCKETS_MAX)
        r->n_buckets *= 2;
    r->buckets = rp__alloc_random(r->n_buckets, sizeof *r->buckets);
    r->n_verdicts = r->lists_bytes / LISTS_OF_VERDICTS + 1;
    r->verdicts = rp__alloc_random(r->n_verdicts, sizeof *r->verdicts);
    const rp__device_heap_owner owner = {evict, r};
    bool is_open = r->buckets && r->verdicts &&
                   (r->is_scarce || rp__slot_table_open(&r->slots, terms)) &&
                   rp__device_heap_open(&r->heap, r->range, r->bytes, r->n_buckets, owner);
    return is_open ? RP_OK : RP_NO_MEMORY;
}

static rp_status fill(rp__residency *r, rp__device *device)
{
    size_t unused = 0, total;
    rp__lengths lengths;
    void *stage = NULL;
    rp_status status = rp__device_check(device, device->driver->memory_info(&unused, &total));
    if (status == RP_OK)
        status = rp__device_pin(device, STAGE, 0, &stage);
    if (status != RP_OK)
        return status;
    r->stage = stage;
    rp__segment_get_lengths(r->segment, &lengths);
    r->n_docs = lengths.n_docs;
    uint64_t all = measure(r);
    choose_bytes(r, device, all, unused);
    r->is_whole = all + query_bytes(&lengths) <= r->bytes;
    if (r->bytes == 0)
        return RP_NO_MEMORY;
    status = rp__device_alloc(device, r->bytes, &r->range);
    if (status == RP_OK)
        status = open_table(r);
    if (status == RP_OK)
        status = add_sections(r, device, lengths.codes);
    r->left = r->bytes - r->heap.in_use;
    return status;
}

/* ---- Sharing ------------------------------------------------------------------------------------ */

static void free_stage(rp__residency *r, const rp__device *device)
{
    if (r->stage)
        device->driver->host_free(r->stage);
    r->stage = NULL;
}

/* Device memory first: that waits for copies which nobody saw end, and which read the stage. */
static void free_residency(rp__residency *r, rp__device *device)
{
    rp__device_free(device, r->range);
    free_stage(r, device);
    free_entries(r);
    rp__device_heap_close(&r->heap);
    pthread_mutex_destroy(&r->acquiring);
    pthread_mutex_destroy(&r->registry);
    pthread_mutex_destroy(&r->lock);
    rp__free(r);
}

static rp__residency *find_residency(const rp__device *device, const rp__segment *segment,
                                     uint64_t limit)
{
    rp__residency *r = table;
    while (r && (r->driver != device->driver || r->context != device->context ||
                 r->segment != segment || r->limit != limit))
        r = r->next;
    return r;
}

static rp__residency *new_residency(const rp__device *device, const rp__segment *segment,
                                    uint64_t limit)
{
    rp__residency *r = rp__alloc_zero(1, sizeof *r);
    if (!r)
        return NULL;
    r->driver = device->driver;
    r->context = device->context;
    r->segment = segment;
    r->limit = limit;
    atomic_store(&r->epoch, 1);
    pthread_mutex_init(&r->acquiring, NULL);
    pthread_mutex_init(&r->registry, NULL);
    pthread_mutex_init(&r->lock, NULL);
    r->next = table;
    table = r;
    return r;
}

/* One that is ready, or a new one in the table. */
static rp__residency *enter(const rp__device *device, const rp__segment *segment, uint64_t limit)
{
    rp__residency *r;
    pthread_mutex_lock(&table_lock);
    while ((r = find_residency(device, segment, limit)) != NULL && !r->is_ready)
        pthread_cond_wait(&table_changed, &table_lock);
    if (!r)
        r = new_residency(device, segment, limit);
    if (r)
        r->users++;
    pthread_mutex_unlock(&table_lock);
    return r;
}

rp_status rp__residency_get(rp__device *device, const rp__segment *segment, uint64_t limit,
                            rp__residency **out)
{
    rp__residency *r = *out = enter(device, segment, limit);
    if (!r)
        return RP_NO_MEMORY;
    if (r->is_ready)
        return RP_OK;
    rp_status status = fill(r, device);
    if (status != RP_OK) {
        rp__residency_drop(r, device);
        *out = NULL;
        return status;
    }
    free_stage(r, device);
    pthread_mutex_lock(&table_lock);
    r->is_ready = true;
    pthread_cond_broadcast(&table_changed);
    pthread_mutex_unlock(&table_lock);
    return RP_OK;
}

void rp__residency_drop(rp__residency *r, rp__device *device)
{
    if (!r)
        return;
    pthread_mutex_lock(&table_lock);
    bool is_last = --r->users == 0;
    for (rp__residency **at = &table; is_last && *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            break;
        }
    pthread_cond_broadcast(&table_changed);
    pthread_mutex_unlock(&table_lock);
    if (is_last)
        free_residency(r, device);
}
