/* backend/gpu/residency/residency.h: residency: the one owner of a card's memory for
 * one index.
 *
 * Everything of the index that is on the card, and all scratch of its queries, is a piece of one
 * heap, whose range is allocated once. Searchers of one process find each other by card, segment
 * and limit, and share it all. Where all sections fit beside the scratch of the largest query, they
 * are there as a whole and stay. Otherwise lists come and go.
 *
 * A list has representations, one table row each (repr_table.c). What is resident is found by key,
 * without a lock, by whoever has a lease (lease.h). An entry does not change. It is published only
 * when the host has seen its bytes arrive, so no reader waits for an event. */
#ifndef RP_BACKEND_GPU_RESIDENCY_RESIDENCY_H
#define RP_BACKEND_GPU_RESIDENCY_RESIDENCY_H

#include <pthread.h>

#include "backend/gpu/device/device.h"
#include "backend/gpu/kernels/args.h"
#include "backend/gpu/residency/device_heap.h"
#include "backend/gpu/residency/slot_table.h"
#include "index/index.h"

/* ---- Representations ------------------------------------------------------------------------- */

typedef enum rp__repr_id {
    RP_REPR_STORED, /* a list's bytes as the index stores them */
    RP_REPR_RECORD, /* nothing but a karg_term of a list that lies elsewhere for good */
    RP_REPR_DOCIDS, /* docids and frequencies, u32 each */
    RP_REPR_FREQS,  /* frequencies, u32 each, beside docids that lie elsewhere for good */
    RP_REPR_BITS,   /* a bit a document, ranks, and frequencies, u32 each */
    RP_REPR_TILED,  /* by tiles of docids, with norms in it */
    RP_REPR_PLAIN,  /* docids and frequencies, u32 each, whatever else there is */
    RP_REPR_NORMS,  /* not of a list: a table of norms */
    RP_REPRS
} rp__repr_id;

/* What a launch looks a list up for: of one use a list has one representation at a time. */
typedef enum rp__repr_use {
    RP_USE_STORED,
    RP_USE_LOOKUP,
    RP_USE_TILED,
    RP_USE_NORMS,
    RP_USE_PLAIN,
} rp__repr_use;

typedef struct rp__repr {
    const char *name;
    rp__repr_use use;
    /* to have a byte of it again: those that are made on the card cost least */
    uint32_t cost;
    bool is_made; /* on the card, of what is there; otherwise its bytes are uploaded */
    /* but for the record; NULL: the caller says */
    uint64_t (*bytes)(const karg_list *list, uint32_t n_docs);
} rp__repr;

extern const rp__repr rp__reprs[RP_REPRS]; /* repr_table.c */

/* ---- The table ------------------------------------------------------------------------------- */

enum { RP_READS_LOOKUP = 1, RP_READS_TILES = 2 }; /* and_batch_topk.cu; build_tiled.cu */

/* What is resident. It does not change while anybody may find it. */
typedef struct rp__resident {
    struct rp__resident *_Atomic next; /* of its bucket */
    uint64_t key;                      /* rp__residency_key */
    /* of its karg_term, or table, on the device; 0: kernels cannot have it */
    uint64_t at;
    rp__piece *piece;             /* NULL: there is none */
    struct rp__resident *sibling; /* the next one of its piece */
    uint32_t n;                   /* postings, or norms */
    uint32_t norms;               /* tiled: serial of the norms in it, otherwise 0 */
    uint32_t serial;              /* norms: no two have the same, from 1 on; otherwise 0 */
    uint8_t repr;
    uint8_t reads;                /* RP_READS_*: which kernels read the karg_term */
    uint8_t kths[RP_LIST_KTHS];   /* as rp__list has them; 0: not known */
    struct rp__resident *retired; /* the next one of those that nobody can find any more */
    uint64_t retired_in;          /* which epoch */
    float *values;                /* norms: a copy */
    union {
        karg_term word;
        karg_tiled tiled;
    } list;
} rp__resident;

typedef struct rp__gpu_section {
    const uint8_t *host; /* mapped; only its address counts after the copy */
    size_t bytes;
    rp__cu_ptr at;
} rp__gpu_section;

typedef struct rp__residency_stats {
    _Atomic uint64_t uploaded; /* bytes of lists, from the host */
    _Atomic uint64_t partial;  /* lists of which only some blocks were uploaded */
} rp__residency_stats;

typedef struct rp__residency {
    struct rp__residency *next;
    const rp__driver *driver; /* by these it is found */
    rp__cu_context context;
    const rp__segment *segment;
    uint64_t limit;
    size_t users;
    bool is_ready;  /* otherwise the only user is still filling it */
    uint8_t *stage; /* pinned; while it is filled */

    /* once ready, what follows does not change */
    rp__gpu_section sections[RP_AUX_KINDS + 2];
    size_t n;
    rp__cu_ptr range;
    uint64_t bytes; /* of the range: the budget */
    uint64_t left;  /* of them, beside the sections that stay */
    uint32_t n_docs;
    bool is_whole;        /* all sections are there */
    bool is_scarce;       /* not all that may be made of them would fit beside them */
    const uint8_t *lists; /* the section of lists, mapped */
    size_t lists_bytes;

    _Atomic uint64_t *verdicts; /* on stored lists: list_checks.h */
    size_t n_verdicts;
    struct rp__resident *_Atomic *buckets;
    size_t n_buckets;       /* a power of two */
    rp__slot_table slots;   /* of RP_USE_LOOKUP, where nothing is scarce */
    _Atomic uint64_t epoch; /* from 1 on */
    _Atomic bool is_closed; /* somebody waits until nobody has a lease: enter by acquiring */
    /* of the one who takes memory for a launch; taken before the others */
    pthread_mutex_t acquiring;
    pthread_mutex_t registry; /* of the leases that are open; taken before `lock` */
    struct rp__lease *leases;
    pthread_mutex_t lock; /* of what follows, and of writing to the table */
    rp__device_heap heap;
    /* nobody finds them; freed when all leases of their time have ended */
    rp__resident *retired;
    /* evicted, by `next`; free once all leases up to that epoch have ended, which were */
    rp__piece *unsettled;
    uint64_t unsettled_epoch; /* waited for in vain */
    uint32_t n_serials;
    rp__residency_stats stats;
    _Atomic uint64_t n_taken; /* pieces so far: while it stays, no memory has got other bytes */
} rp__residency;

/* What is there already, or else filled now by `device`, on whose card it is: at most `limit` bytes
 * of device memory (0: what the index can use of what the card has). Contexts, modules and pinned
 * memory are beside it. RP_NO_MEMORY: the limit is too small for norms. Reads mapped memory, though
 * never by way of the driver: call it under the guard, and where that leaves it, drop *out. Any
 * thread, each with its own device. */
rp_status rp__residency_get(rp__device *device, const rp__segment *segment, uint64_t limit,
                            rp__residency **out);
/* The last user frees it; leases are closed by then. NULL is fine. */
void rp__residency_drop(rp__residency *residency, rp__device *device);

/* Which list: no two have the same, for any use. */
static inline uint64_t rp__residency_key(const rp__term *term, rp__repr_use use)
{
    uint64_t list =
        term->tiny ? (uint64_t)(uintptr_t)term->tiny : term->list_offset | UINT64_C(1) << 63;
    return list | (uint64_t)use << 60;
}
/* Leases find by rp__lease_find. NULL: not there. */
const rp__resident *rp__residency_find(const rp__residency *residency, uint64_t key,
                                       uint32_t norms);
/* It will be looked up soon: first that, a little later this. Changes nothing but time. */
void rp__residency_expect_bucket(const rp__residency *residency, uint64_t key);
void rp__residency_expect(const rp__residency *residency, uint64_t key);

/* From now on others find those of n entries of whose key there is no other. All are of one piece,
 * which is taken, and may be evicted from then on, or of none. How many; 0: piece and values are
 * still the caller's. */
size_t rp__residency_publish(rp__residency *residency, const rp__resident *const *made, size_t n);
/* A piece that stays until it is given back, where there is plenty of memory. NULL: there is
 * not. */
rp__piece *rp__residency_take_spare(rp__residency *residency, uint64_t bytes);
void rp__residency_give(rp__residency *residency, rp__piece *piece); /* NULL is fine */
/* Under the lock, once all leases that began before an epoch have ended: what was evicted by then
 * is free. */
void rp__residency_settle(rp__residency *residency, uint64_t epoch);

#endif
