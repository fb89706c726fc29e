/* backend/gpu/list_cache.h: interior of gpu: which lists lie where in a stretch of a device's memory, and which give
 * way when there is no room. Knows addresses, not what lies there: whoever takes a piece fills it.
 *
 * A piece that is held stays. Of the others the one that was not asked for the longest gives way, with what lies
 * beside it until the hole is large enough: but only to a list that is worth more. A list is worth its bytes times
 * how often it was asked for lately, since its bytes are what a copy costs. So a list that is seen for the first
 * time pushes out nobody who was ever asked for again.
 * One thread at a time: callers have a lock. */
#ifndef RP_BACKEND_GPU_LIST_CACHE_H
#define RP_BACKEND_GPU_LIST_CACHE_H

#include "backend/gpu/driver.h"
#include "backend/gpu/list_touches.h"

typedef struct rp__list_piece {
    struct rp__list_piece *before, *after; /* by address */
    struct rp__list_piece *older, *newer;  /* of those that may give way; free ones: of their size */
    struct rp__list_piece *same;           /* next of its hash */
    const void *key;
    uint64_t at, bytes;
    uint32_t holds;
    bool is_free, is_found;  /* is_found: by its key */
    rp__cu_event filled;     /* the filler's: what comes by when the bytes are there; NULL: they are */
} rp__list_piece;

typedef struct rp__list_cache_stats {
    uint64_t hits, misses; /* of what was asked for */
    uint64_t refused;      /* no room, or none that was worth it */
    uint64_t evicted;      /* pieces that gave way, */
    uint64_t evicted_bytes;
} rp__list_cache_stats;

enum { RP_LIST_CACHE_SIZES = 64, RP_LIST_CACHE_GRAIN = 256 }; /* pieces are whole grains, and begin at one */

typedef struct rp__list_cache {
    rp__list_piece *pieces, *unused; /* all that there are; given back, a stack by `same` */
    size_t n_touched;                /* of all: the rest was never used, and costs no memory yet */
    rp__list_piece **table;          /* by hash of the key */
    size_t n_table;                  /* a power of two */
    rp__list_piece *oldest, *newest;
    rp__list_piece *holes[RP_LIST_CACHE_SIZES]; /* free ones by log2 of grains */
    rp__list_touches touches;
    uint64_t bytes, in_use;
    size_t n, most;                  /* pieces that are not free */
    rp__list_cache_stats stats;
} rp__list_cache;

/* `bytes` from address `at` on, a multiple of the grain, for at most `most` lists. False: no memory. */
bool rp__list_cache_open(rp__list_cache *cache, uint64_t at, uint64_t bytes, size_t most);
void rp__list_cache_close(rp__list_cache *cache); /* all zero is fine */

/* Counts a touch. The piece of the key, held once more; NULL: it is not there. */
rp__list_piece *rp__list_cache_find(rp__list_cache *cache, const void *key);
/* Room for `bytes`, held; nobody finds it before it is put. NULL: there is no room, or those who would have to give
 * way are worth more. Of key NULL nothing gives way. */
rp__list_piece *rp__list_cache_take(rp__list_cache *cache, const void *key, uint64_t bytes);
/* From now on it is found by its key, unless another is. */
void rp__list_cache_put(rp__list_cache *cache, rp__list_piece *piece);
/* Holds it no more: once for each find and take. One that nobody can find is gone with its last hold. */
void rp__list_cache_let_go(rp__list_cache *cache, rp__list_piece *piece);

#endif
