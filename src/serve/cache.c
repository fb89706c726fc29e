/* cache.c: a table of replies with a limit of bytes, a sketch of how often keys are asked for, and flights: each in parts,
 * of which the hash of a key names one.
 *
 * When room is needed, the replies that were used the longest time ago go first. A new reply is kept only if its key
 * was requested more often than each of those that it would push out (the idea of TinyLFU): a scan of rare queries
 * leaves the frequent ones alone. The sketch has small counters, which are halved now and then, so that it forgets.
 * Invariants: 1 bytes <= max_bytes; 2 an entry is in one bucket and in the list of use; 3 a flight is in its bucket
 * until it lands, and nobody is called with the lock held. */
#include "serve/cache.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"

enum {
    ROWS = 4,         /* of the sketch */
    MAX_COUNT = 15,   /* of one counter */
    AGING = 10,       /* the sketch is halved after so many times its width */
    TYPICAL = 2048,   /* bytes of an entry: sizes the tables */
    MIN_WIDTH = 1024, /* of tables */
    MAX_WIDTH = 1 << 20,
    FLIGHTS = 64, /* buckets */
    SHARE = 8,    /* one reply takes at most this share of a part's bytes */
    PARTS = 16,
    PART_BYTES = 1 << 20, /* at the least */
};

typedef struct entry {
    struct entry *next;          /* of its bucket */
    struct entry *newer, *older; /* by use */
    uint64_t hash;
    size_t key_bytes;
    rp__cached *reply;
    uint8_t key[];
} entry;

struct rp__flight {
    rp__flight *next; /* of its bucket */
    rp__cache_waiter *waiters;
    uint64_t hash, deadline_ns;
    size_t key_bytes;
    uint8_t key[];
};

typedef struct part {
    pthread_mutex_t lock; /* of all below */
    entry **buckets;
    uint8_t *counters; /* ROWS of width */
    size_t width;      /* of both; a power of two */
    entry *newest, *oldest;
    rp__flight *flights[FLIGHTS];
    size_t max_bytes;
    uint64_t n_counted;
    rp__cache_counts counts;
} part;

struct rp__cache {
    uint64_t seed;
    size_t n; /* a power of two */
    part *parts[PARTS];
};

/* ---- 1. Hashes and the sketch ---------------------------------------------------------------- */

static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 33)) * UINT64_C(0xFF51AFD7ED558CCD);
    h = (h ^ (h >> 33)) * UINT64_C(0xC4CEB9FE1A85EC53);
    return h ^ (h >> 33);
}

static part *part_of(const rp__cache *c, uint64_t hash)
{
    return c->parts[hash >> 60 & (c->n - 1)];
}

/* Eight bytes at a time. Keys distinguish equal hashes. */
static uint64_t hash_of(const rp__cache *c, const rp__buf *key)
{
    uint64_t h = c->seed ^ key->n;
    for (size_t i = 0; i < key->n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, key->at + i, key->n - i < 8 ? key->n - i : 8);
        h = mix(h ^ word);
    }
    return h;
}

static uint8_t *counter_of(const part *c, uint64_t hash, size_t row)
{
    return &c->counters[row * c->width + (mix(hash + row) & (c->width - 1))];
}

static uint8_t estimate(const part *c, uint64_t hash)
{
    uint8_t min = MAX_COUNT;
    for (size_t row = 0; row < ROWS; row++)
        min = *counter_of(c, hash, row) < min ? *counter_of(c, hash, row) : min;
    return min;
}

static void count(part *c, uint64_t hash)
{
    for (size_t row = 0; row < ROWS; row++) {
        uint8_t *counter = counter_of(c, hash, row);
        if (*counter < MAX_COUNT)
            ++*counter;
    }
    if (++c->n_counted < AGING * (uint64_t)c->width)
        return;
    for (size_t i = 0; i < ROWS * c->width; i++)
        c->counters[i] /= 2;
    c->n_counted /= 2;
}

/* ---- 2. Entries ------------------------------------------------------------------------------ */

static size_t cost_of(size_t key_bytes, size_t reply_bytes)
{
    return sizeof(entry) + key_bytes + sizeof(rp__cached) + reply_bytes;
}

static void unlink_use(part *c, entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void link_newest(part *c, entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static entry *find(const part *c, uint64_t hash, const uint8_t *key, size_t bytes)
{
    for (entry *e = c->buckets[hash & (c->width - 1)]; e; e = e->next)
        if (e->hash == hash && e->key_bytes == bytes && memcmp(e->key, key, bytes) == 0)
            return e;
    return NULL;
}

static void drop(part *c, entry *e)
{
    entry **at = &c->buckets[e->hash & (c->width - 1)];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    unlink_use(c, e);
    c->counts.bytes -= cost_of(e->key_bytes, e->reply->n);
    c->counts.entries--;
    rp__cache_release(e->reply);
    rp__free(e);
}

/* Whether all that would have to go for `cost` bytes is asked for less often than the newcomer. */
static bool is_worth(const part *c, uint64_t hash, size_t cost)
{
    const uint8_t own = estimate(c, hash);
    size_t left = c->counts.bytes;
    if (cost > c->max_bytes / SHARE)
        return false;
    for (const entry *e = c->oldest; e && left + cost > c->max_bytes; e = e->newer) {
        if (estimate(c, e->hash) >= own)
            return false;
        left -= cost_of(e->key_bytes, e->reply->n);
    }
    return true;
}

static void keep(part *c, const rp__flight *f, rp__cached *reply)
{
    const size_t cost = cost_of(f->key_bytes, reply->n);
    entry *e = NULL;
    if (find(c, f->hash, f->key, f->key_bytes))
        return;
    if (is_worth(c, f->hash, cost))
        e = rp__alloc(sizeof *e + f->key_bytes);
    if (!e) {
        c->counts.declined++;
        return;
    }
    while (c->counts.bytes + cost > c->max_bytes)
        drop(c, c->oldest);
    *e = (entry){.hash = f->hash, .key_bytes = f->key_bytes, .reply = reply};
    memcpy(e->key, f->key, f->key_bytes);
    e->next = c->buckets[f->hash & (c->width - 1)];
    c->buckets[f->hash & (c->width - 1)] = e;
    link_newest(c, e);
    atomic_fetch_add(&reply->refs, 1);
    c->counts.bytes += cost;
    c->counts.entries++;
    c->counts.kept++;
}

/* ---- 3. The cache ---------------------------------------------------------------------------- */

static void clear(part *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->oldest)
        drop(c, c->oldest);
    pthread_mutex_unlock(&c->lock);
}

static void free_part(part *c)
{
    if (!c)
        return;
    clear(c);
    pthread_mutex_destroy(&c->lock);
    rp__free(c->buckets);
    rp__free(c->counters);
    rp__free(c);
}

/* NULL: there is no memory. */
static part *make_part(size_t max_bytes)
{
    part *c = rp__alloc_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->max_bytes = max_bytes;
    for (c->width = MIN_WIDTH; c->width < MAX_WIDTH && c->width < max_bytes / TYPICAL;)
        c->width *= 2;
    c->buckets = rp__alloc_zero(c->width, sizeof *c->buckets);
    c->counters = rp__alloc_zero(c->width, ROWS);
    rp__thread_lock_init(&c->lock);
    if (c->buckets && c->counters)
        return c;
    free_part(c);
    return NULL;
}

rp_status rp__cache_new(size_t max_bytes, rp__cache **out, rp_error *err)
{
    rp__cache *c = rp__alloc_zero(1, sizeof *c);
    *out = NULL;
    if (!c)
        return rp__error_no_memory(err);
    c->seed = rp__clock_now();
    for (c->n = 1; c->n < PARTS && max_bytes / c->n >= 2 * PART_BYTES;)
        c->n *= 2;
    for (size_t i = 0; i < c->n; i++)
        if (!(c->parts[i] = make_part(max_bytes / c->n))) {
            rp__cache_free(c);
            return rp__error_no_memory(err);
        }
    *out = c;
    return RP_OK;
}

void rp__cache_clear(rp__cache *cache)
{
    for (size_t i = 0; i < cache->n; i++)
        clear(cache->parts[i]);
}

void rp__cache_free(rp__cache *cache)
{
    for (size_t i = 0; cache && i < cache->n; i++)
        free_part(cache->parts[i]);
    rp__free(cache);
}

rp__cached *rp__cache_reply(size_t bytes)
{
    rp__cached *reply = rp__alloc(sizeof *reply + bytes);
    if (!reply)
        return NULL;
    *reply = (rp__cached){.n = bytes, .gap_at = bytes};
    atomic_store(&reply->refs, 1);
    return reply;
}

void rp__cache_release(rp__cached *reply)
{
    if (reply && atomic_fetch_sub(&reply->refs, 1) == 1)
        rp__free(reply);
}

/* With the lock held. */
static rp__cached *use(part *c, uint64_t hash, const rp__buf *key)
{
    entry *e = find(c, hash, key->at, key->n);
    if (!e)
        return NULL;
    unlink_use(c, e);
    link_newest(c, e);
    atomic_fetch_add(&e->reply->refs, 1);
    c->counts.hits++;
    return e->reply;
}

rp__cached *rp__cache_find(rp__cache *cache, const rp__buf *key)
{
    const uint64_t hash = hash_of(cache, key);
    part *c = part_of(cache, hash);
    pthread_mutex_lock(&c->lock);
    count(c, hash);
    rp__cached *reply = use(c, hash, key);
    pthread_mutex_unlock(&c->lock);
    return reply;
}

/* ---- 4. Flights ------------------------------------------------------------------------------ */

static rp__flight *find_flight(const part *c, uint64_t hash, const rp__buf *key)
{
    for (rp__flight *f = c->flights[hash % FLIGHTS]; f; f = f->next)
        if (f->hash == hash && f->key_bytes == key->n && memcmp(f->key, key->at, key->n) == 0)
            return f;
    return NULL;
}

static rp__flight *start_flight(part *c, uint64_t hash, const rp__buf *key, uint64_t deadline_ns)
{
    rp__flight *f = rp__alloc(sizeof *f + key->n);
    if (!f)
        return NULL;
    *f = (rp__flight){.next = c->flights[hash % FLIGHTS],
                      .hash = hash,
                      .deadline_ns = deadline_ns,
                      .key_bytes = key->n};
    memcpy(f->key, key->at, key->n);
    c->flights[hash % FLIGHTS] = f;
    return f;
}

/* The clock is read with the lock held: else one that comes later could have to end earlier. */
rp__boarding rp__cache_board(rp__cache *cache, const rp__buf *key, uint64_t timeout_ns,
                             rp__cache_waiter *waiter, rp__cached **reply, rp__flight **flight)
{
    const uint64_t hash = hash_of(cache, key);
    part *c = part_of(cache, hash);
    rp__boarding how = RP_BOARDING_ALONE;
    *flight = NULL;
    pthread_mutex_lock(&c->lock);
    waiter->deadline_ns = rp__clock_now() + timeout_ns;
    *reply = use(c, hash, key);
    rp__flight *f = *reply ? NULL : find_flight(c, hash, key);
    if (*reply) {
        how = RP_BOARDING_HIT;
    } else if (f && f->deadline_ns <= waiter->deadline_ns) {
        waiter->next = f->waiters;
        f->waiters = waiter;
        c->counts.joined++;
        how = RP_BOARDING_JOINS;
    } else {
        c->counts.misses++;
        *flight = f ? NULL : start_flight(c, hash, key, waiter->deadline_ns);
        how = *flight ? RP_BOARDING_LEADS : RP_BOARDING_ALONE;
    }
    pthread_mutex_unlock(&c->lock);
    return how;
}

void rp__cache_land(rp__cache *cache, rp__flight *flight, rp__cached *reply)
{
    part *c = part_of(cache, flight->hash);
    rp__flight **at = &c->flights[flight->hash % FLIGHTS];
    pthread_mutex_lock(&c->lock);
    while (*at != flight)
        at = &(*at)->next;
    *at = flight->next;
    if (reply)
        keep(c, flight, reply);
    rp__cache_waiter *waiter = flight->waiters;
    pthread_mutex_unlock(&c->lock);
    for (rp__cache_waiter *next; waiter; waiter = next) {
        next = waiter->next; /* it may be gone after the call */
        waiter->done(waiter->arg, reply);
    }
    rp__cache_release(reply);
    rp__free(flight);
}

void rp__cache_get_counts(rp__cache *cache, rp__cache_counts *out)
{
    *out = (rp__cache_counts){0};
    for (size_t i = 0; i < cache->n; i++) {
        part *c = cache->parts[i];
        pthread_mutex_lock(&c->lock);
        out->hits += c->counts.hits;
        out->misses += c->counts.misses;
        out->joined += c->counts.joined;
        out->kept += c->counts.kept;
        out->declined += c->counts.declined;
        out->entries += c->counts.entries;
        out->bytes += c->counts.bytes;
        pthread_mutex_unlock(&c->lock);
    }
}
