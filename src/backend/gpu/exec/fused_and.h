/* backend/gpu/exec/fused_and.h: interior of gpu: many ANDs of words at once on a device that holds
 * their lists.
 *
 * A batch has a stream, pinned memory and device memory of its own: while one is in work the next
 * can be filled. Order of calls: open; then begin, any number of put and add, start, finish,
 * answers, and begin again; close. Who calls decides when a batch is large enough.
 * One thread at a time, for all batches of a device. */
#ifndef RP_BACKEND_GPU_EXEC_FUSED_AND_H
#define RP_BACKEND_GPU_EXEC_FUSED_AND_H

#include "backend/gpu/kernels/args.h"
#include "backend/gpu/residency/lease.h"

enum {
    RP_FUSED_AND_K = 10000,     /* pairs that a query may ask for, */
    RP_FUSED_AND_PHRASE = 1024, /* and documents of a phrase, all of which are wanted */
};

/* What a batch has room for. */
typedef struct rp__fused_and_limits {
    uint32_t queries;
    uint64_t elements; /* postings of their shortest lists, below 2^32; 0: 2^22 */
    uint32_t k;        /* pairs of each, at most RP_FUSED_AND_K */
    size_t pairs;      /* of all queries; 0: k of each */
    size_t bytes;      /* of what queries bring along: words, lists that are copied */
    rp__lease *lease; /* by which it has scratch, on the stream of the device; NULL: plain memory */
    /* parts of lists, near each other, that are worked on together, about; 0: as measured */
    uint32_t phase;
    bool is_shared; /* uses the device's stream, in turn with others */
} rp__fused_and_limits;

typedef struct rp__fused_and {
    rp__device *device;
    rp__fused_and_limits limits;
    rp__cu_stream stream;
    uint8_t *host;        /* pinned: what goes in, but for parts, and what comes out */
    rp__cu_ptr mapped;    /* the same, as kernels see it */
    karg_and_part *parts; /* pinned; NULL: no batch was so large yet */
    rp__scratch scratch;  /* of the device: what goes in, behind states */
    rp__scratch keys;     /* and what is found */
    size_t used;          /* of limits.bytes */
    uint32_t n_queries, n_parts;
    bool is_iiu; /* how the batch scores, which the caller may set before it starts; else by BM25 */
    uint64_t elements; /* postings of shortest lists */
    karg_and_topk args;
    rp__device_job job; /* that gives it to the device */
    rp_status started;  /* of that */
    uint64_t submitted; /* nanoseconds of the clock: when it went to the queue, */
    uint64_t given;     /* and when the device had it */
    bool is_busy;       /* work was given to the device, and nobody saw it end */
    bool is_launched;   /* all kernels of the last batch */
    bool is_dirty;      /* states may be what a batch left that did not end */
} rp__fused_and;

/* Of one query: n: documents that match; n_pairs: of the best, at most k; damaged: not 0: bytes
 * were met that cannot be, ask another processor. */
typedef karg_found rp__fused_and_count;

/* RP_NO_MEMORY: there is none; b is closed then. */
rp_status rp__fused_and_open(rp__fused_and *b, rp__device *device,
                             const rp__fused_and_limits *limits);
/* all zero is fine; waits for what is in work, and closes the lease */
void rp__fused_and_close(rp__fused_and *b);

/* Scratch for so many elements of so many queries and k pairs each, as rp__scratch_hold: before
 * begin, where there is a lease. */
rp_status rp__fused_and_hold(rp__fused_and *b, uint64_t elements, uint32_t queries, uint32_t k);
/* An empty batch: of k pairs a query, 0: the number alone is wanted; among
 * documents from `begin` on and before `end`, which is at most the number of them. Not while it is
 * in work. */
void rp__fused_and_begin(rp__fused_and *b, const karg_norms *norms, uint32_t k, uint32_t begin,
                         uint32_t end);
/* Room for bytes that go to the device with the batch, at *at there: words, lists. NULL: there is
 * none left. */
void *rp__fused_and_put(rp__fused_and *b, size_t bytes, uint64_t *at);
/* Where the words of the next query go, for who writes them there and then adds them; NULL: there
 * is no room for KARG_MAX_TERMS. */
karg_and_term *rp__fused_and_next(const rp__fused_and *b);
/* A query of n words, 1 to KARG_MAX_TERMS, the shortest list first. False: there is no room left,
 * be it for its pairs; nothing was added. */
bool rp__fused_and_add(rp__fused_and *b, const karg_and_term *words, uint32_t n);

/* Gives the batch to the device, by the card's queue; does not wait, and does not use the device
 * again before one of the calls below. The lease is launched with it. */
rp_status rp__fused_and_start(rp__fused_and *b);
/* Until it is given to the device, and whether it was. */
rp_status rp__fused_and_await(rp__fused_and *b);
/* Waits for it. RP_UNAVAILABLE: the device has failed. */
rp_status rp__fused_and_finish(rp__fused_and *b);
bool rp__fused_and_is_done(const rp__fused_and *b); /* finish would not wait; after await */
/* Nanoseconds from `start` until the device had the last batch; 0: there was none. After await. */
uint64_t rp__fused_and_start_ns(const rp__fused_and *b);
/* The same of one that failed: nobody wants its answers. */
rp_status rp__fused_and_settle(rp__fused_and *b);
/* The kernels of what was started, and has finished, once more on the device's stream, for
 * measuring: answers stay. */
rp_status rp__fused_and_again(rp__fused_and *b);
/* Of query i of those added, in their order, after it has finished and until it begins again. */
const rp__fused_and_count *rp__fused_and_count_of(const rp__fused_and *b, uint32_t i);
const karg_pair *rp__fused_and_pairs_of(const rp__fused_and *b, uint32_t i); /* best first */

#endif
