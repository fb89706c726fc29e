/* serve/cache.h: replies that are kept in memory, and requests that wait for one on its way.
 *
 * A key is the caller's: bytes that stand for everything that shapes a reply. A reply is kept only
 * where it is asked for more often than what it would push out. Any thread. */
#ifndef RP_SERVE_CACHE_H
#define RP_SERVE_CACHE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "riposte/status.h"

typedef struct rp__cache rp__cache;

/* A reply. It does not change, and lives until its last user releases it. */
typedef struct rp__cached {
    _Atomic uint32_t refs;
    size_t n;      /* bytes of the reply, */
    size_t gap_at; /* into which the user puts something of its own here; n: nowhere */
    uint64_t hits; /* that it shows, for the log */
    uint8_t bytes[];
} rp__cached;

/* `max_bytes` for keys and replies together. A large cache has parts, each for some of the keys, so
 * that threads seldom wait for each other; a reply may have an eighth of a part's bytes. */
rp_status rp__cache_new(size_t max_bytes, rp__cache **out, rp_error *err);
void rp__cache_free(rp__cache *cache); /* NULL is fine */
/* Forgets all replies: their generation is not asked any more. */
void rp__cache_clear(rp__cache *cache);

/* The reply, to be released; NULL: there is none. Counts how often the key is asked for. */
rp__cached *rp__cache_find(rp__cache *cache, const rp__buf *key);
void rp__cache_release(rp__cached *reply); /* NULL is fine */

/* One that waits for the reply to an equal request. */
typedef struct rp__cache_waiter {
    /* reply NULL: there is none, and who waits must ask for its own. Released afterwards. */
    void (*done)(void *arg, const rp__cached *reply);
    void *arg;
    uint64_t deadline_ns; /* until when it can wait: written when it boards */
    struct rp__cache_waiter *next;
} rp__cache_waiter;

/* A request that others may wait for. */
typedef struct rp__flight rp__flight;

typedef enum rp__boarding {
    RP_BOARDING_HIT,   /* *reply is there by now */
    RP_BOARDING_LEADS, /* the caller asks, and must land *flight */
    RP_BOARDING_JOINS, /* the waiter will be called, perhaps before this returns */
    RP_BOARDING_ALONE  /* the caller asks for itself: the other one may take longer */
} rp__boarding;

/* After a find that found nothing. timeout_ns: for so long from now the caller can wait. Of equal
 * requests with the same timeout, whoever comes after the first joins it, or finds its reply. */
rp__boarding rp__cache_board(rp__cache *cache, const rp__buf *key, uint64_t timeout_ns,
                             rp__cache_waiter *waiter, rp__cached **reply, rp__flight **flight);
/* Room for a reply of so many bytes; NULL: there is no memory. */
rp__cached *rp__cache_reply(size_t bytes);
/* Ends a flight with its reply, which becomes the cache's, or NULL. Those who wait are called. */
void rp__cache_land(rp__cache *cache, rp__flight *flight, rp__cached *reply);

typedef struct rp__cache_counts {
    uint64_t hits, misses, joined; /* joined: waited for an equal one */
    uint64_t kept, declined;       /* replies; declined: others are asked for more often */
    uint64_t entries, bytes;       /* now */
} rp__cache_counts;
void rp__cache_get_counts(rp__cache *cache, rp__cache_counts *out);

#endif
