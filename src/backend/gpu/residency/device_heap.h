/* backend/gpu/residency/device_heap.h: interior of residency: who has which part of one range of
 * device memory.
 *
 * The heap knows addresses, not contents. A piece is free, taken (it stays where it is until it is
 * given back), or kept (it may be evicted). The value of a kept piece is its recent touches times
 * the cost per byte to have it again times its bytes. An eviction takes the cheapest run of
 * neighbours that is large enough.
 * One thread at a time: callers have a lock. */
#ifndef RP_BACKEND_GPU_RESIDENCY_DEVICE_HEAP_H
#define RP_BACKEND_GPU_RESIDENCY_DEVICE_HEAP_H

#include <stdatomic.h>

#include "backend/gpu/residency/admission.h"

typedef enum rp__piece_state { RP_PIECE_FREE, RP_PIECE_TAKEN, RP_PIECE_KEPT } rp__piece_state;

typedef struct rp__piece {
    struct rp__piece *before, *after;  /* by address */
    struct rp__piece *previous, *next; /* free ones: of their size class; unused ones: next alone */
    uint64_t at, bytes;
    rp__piece_state state;
    /* of kept ones */
    uint64_t key;          /* by which touches are counted; with a cost of 0, what it is worth */
    uint32_t cost;         /* to have a byte of it again; 0: it is scratch */
    _Atomic uint64_t mark; /* by which an eviction may pass it over */
    uint64_t found;        /* the lease that found it last while it acquired, by its epoch */
    void *owner;           /* for the callback below */
    _Atomic uint8_t used;  /* since an eviction last looked at it */
} rp__piece;

/* Is called of each kept piece that an eviction takes, before the piece is somebody else's. */
typedef struct rp__device_heap_owner {
    void (*evict)(void *arg, rp__piece *piece);
    void *arg;
} rp__device_heap_owner;

typedef struct rp__device_heap_stats {
    uint64_t evicted, evicted_bytes; /* pieces that were kept */
    uint64_t peak;                   /* most bytes that were not free */
} rp__device_heap_stats;

/* Pieces are whole grains, and begin at one. */
enum { RP_DEVICE_HEAP_CLASSES = 64, RP_DEVICE_HEAP_GRAIN = 256 };

typedef struct rp__device_heap {
    rp__piece **blocks; /* all records of pieces, many at a time */
    size_t n_blocks, cap_blocks;
    rp__piece *unused;
    rp__piece *first, *hand; /* by address; where the next eviction begins to look */
    rp__piece *holes[RP_DEVICE_HEAP_CLASSES]; /* free ones by log2 of grains */
    rp__admission touches;
    rp__device_heap_owner owner;
    uint64_t base, bytes, in_use;
    size_t n_kept;
    /* what an eviction lately found cheapest, 16 times a byte; how many did not look since */
    uint64_t floor;
    uint32_t n_passed;
    rp__device_heap_stats stats;
} rp__device_heap;

/* `bytes` from address `base` on, about so many lists. False: no memory. */
bool rp__device_heap_open(rp__device_heap *heap, uint64_t base, uint64_t bytes, size_t lists,
                          rp__device_heap_owner owner);
void rp__device_heap_close(rp__device_heap *heap); /* all zero is fine */

/* A free piece of so many bytes becomes taken. NULL: none is free. */
rp__piece *rp__device_heap_take(rp__device_heap *heap, uint64_t bytes);
/* What an eviction passes over: pieces with a mark from one on, and those that its own lease found.
 */
typedef struct rp__device_heap_spared {
    uint64_t from, found;
} rp__device_heap_spared;

/* Evicts the cheapest run of kept and free neighbours that has so many bytes, in one taken piece,
 * which may be larger. Only where their value is below `value`; and none that is spared. Who offers
 * less than was found cheapest lately does not look, but for a few. The piece has the largest mark
 * of all that were evicted, as it was then. NULL: there is none. */
rp__piece *rp__device_heap_evict(rp__device_heap *heap, uint64_t bytes, uint64_t value,
                                 rp__device_heap_spared spared);
/* What a taken piece has beyond so many bytes becomes free. */
void rp__device_heap_trim(rp__device_heap *heap, rp__piece *piece, uint64_t bytes);
/* A taken piece may be evicted from now on. */
void rp__device_heap_keep(rp__device_heap *heap, rp__piece *piece, uint64_t key, uint32_t cost,
                          void *owner);
/* A taken or kept piece becomes free. */
void rp__device_heap_give(rp__device_heap *heap, rp__piece *piece);

/* A list was used, whether it is there or not. Any thread, without the lock. */
void rp__device_heap_touch(rp__device_heap *heap, uint64_t key);
uint64_t rp__device_heap_value(const rp__device_heap *heap, uint64_t key, uint32_t cost,
                               uint64_t bytes);

#endif
