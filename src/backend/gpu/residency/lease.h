/* backend/gpu/residency/lease.h: what one launch may read, and the scratch it has, until it has
 * ended.
 *
 * A lease stores the current epoch in its own slot: one store to take it, one to give it back. What
 * is evicted meanwhile is used again only when every lease of that time has ended, or its work is
 * seen to have left the device. The host sees an answer before the last thread blocks of its launch
 * have left, and these still count in scratch: so whoever evicts also waits for what is on the
 * streams of all leases by then. Where memory is scarce, and evictions are many, leases wait for
 * their stream before they end, and mark what they find with their epoch: what no lease of now has
 * marked is evicted without a wait.
 *
 * Memory for a launch is taken in one of two ways. Fast: enter, hold scratch, find all lists. If
 * any of that is not there: end, and then acquire. Only one thread at a time acquires; it has
 * nothing by then, begins a new lease, takes what is missing, which may evict what others keep and
 * wait until their launches have ended, and releases the acquiring. Then it fills what it took,
 * launches, and ends. So nobody waits who has memory that somebody waits for. No mapped memory is
 * read while acquiring: the guard would leave with the lock. It may leave everywhere else: what was
 * taken is the lease's, and the next enter or acquire gives it back. */
#ifndef RP_BACKEND_GPU_RESIDENCY_LEASE_H
#define RP_BACKEND_GPU_RESIDENCY_LEASE_H

#include "backend/gpu/residency/residency.h"
#include "backend/gpu/residency/uploader.h"

/* Device memory that an exec needs while it has a lease, and keeps until another needs it. All
 * zero: none. */
typedef struct rp__scratch {
    struct rp__scratch *next; /* of those that a lease holds */
    rp__piece *piece;         /* under the residency's lock; NULL: none, or it was evicted */
    rp__cu_ptr at;
    size_t bytes, need; /* that it has; that were asked for last */
    /* a byte of it, while it is idle: what a list must be worth to evict it; and how many bytes
     * stay when the lease ends; 0: all */
    uint64_t worth, keeps;
    bool is_fresh; /* it came with the last hold: its bytes are anybody's */
} rp__scratch;

/* One thread at a time, but for what others see of it. All zero is closed. */
typedef struct rp__lease {
    rp__residency *residency;
    rp__device *device;
    rp__cu_stream stream; /* that its launches are on */
    /* of a persistent kernel that writes to its scratch; NULL: none */
    rp__cu_stream kernel_stream;
    /* once launched, the host reads nothing more from the device's memory */
    bool is_detached;
    struct rp__lease *next;    /* of those that are open */
    _Atomic uint64_t epoch;    /* 0: it has none */
    _Atomic uint64_t launched; /* the turn of which all work is on the stream; 0: none */
    uint64_t turn;             /* how many times it began */
    bool is_begun, is_acquiring;
    /* that it took, and nobody else finds; under the residency's lock once launched */
    rp__piece **pieces;
    size_t n, cap;
    rp__scratch *scratch; /* that it holds */
    /* of what is there for one launch alone */
    rp__scratch transient;
    rp__uploader uploader; /* to what it took; opened when it is first needed */
    rp__cu_event behind;   /* by which its stream waits for what is on another one */
    uint32_t *flags;       /* pinned, of lists that are checked (list_checks.h): n_flags */
    rp__cu_ptr flags_at;   /* to the device */
    size_t n_flags;
} rp__lease;

/* Its launches are on `stream`. */
rp_status rp__lease_open(rp__lease *lease, rp__residency *residency, rp__device *device,
                         rp__cu_stream stream, bool is_detached);
/* The device is done with its work. All zero is fine. */
void rp__lease_close(rp__lease *lease);
/* Whoever evicts its scratch also waits for what is on `stream` by then: a persistent kernel, which
 * leaves by itself. NULL: there is none any more. */
void rp__lease_follow(rp__lease *lease, rp__cu_stream stream);

/* Begins. False: somebody needs all memory; acquire instead. What is left of the time before is
 * given back. */
bool rp__lease_enter(rp__lease *lease);
/* Begins, to look things up. */
void rp__lease_begin(rp__lease *lease);
/* Begins, when it is its turn. */
void rp__lease_acquire(rp__lease *lease);
/* The end of acquiring, not of the lease. Nothing happens where it does not acquire. */
void rp__lease_release(rp__lease *lease);
/* All its work is on its stream. */
void rp__lease_launched(rp__lease *lease);
/* It reads nothing more. What it took and did not publish is free, its scratch may be evicted. */
void rp__lease_end(rp__lease *lease);

/* What is resident, until the lease ends; NULL: not there. What a lease finds while it acquires is
 * not evicted by what it takes. */
const rp__resident *rp__lease_find(rp__lease *lease, uint64_t key, uint32_t norms);

/* How much a piece is worth to the one who takes it: what is free alone; what is evicted, if less
 * is lost than won; or all that nobody uses at the moment, after waiting. */
typedef enum rp__lease_need { RP_NEED_FREE, RP_NEED_WORTH, RP_NEED_ALL } rp__lease_need;

/* A piece of at least so many bytes, by its use's key and cost. RP_NO_MEMORY: it cannot be had.
 * RP_NOT_FOUND: it is not free; acquire, and take again. */
rp_status rp__lease_take(rp__lease *lease, uint64_t bytes, rp__lease_need need, uint64_t key,
                         uint32_t cost, rp__piece **out);
/* The same for what a kernel makes of a list, to stay. Where memory is scarce it is taken from what
 * is plenty; only a list that has just become frequent, or is `eager`, looks for others to evict,
 * since looking takes longer than making it. RP_NO_MEMORY: make it for one launch alone. */
rp_status rp__lease_take_made(rp__lease *lease, uint64_t bytes, uint64_t key, uint32_t cost,
                              bool is_eager, rp__piece **out);
/* Memory for all that is there for this launch alone, which the lease keeps for its next launches:
 * once a launch. Errors as rp__lease_take. */
rp_status rp__lease_take_transient(rp__lease *lease, uint64_t bytes, rp__cu_ptr *out);
/* Whether so much may be taken for speed alone: a part of all memory is left free by that. */
bool rp__lease_is_plenty(rp__residency *residency, uint64_t bytes);
/* Bytes that one launch should have for such things; UINT64_MAX where memory is not scarce. */
uint64_t rp__lease_share(const rp__residency *residency);
/* What was put to the uploader is on its way, and the lease's stream goes on when it is there. Does
 * not wait. */
rp_status rp__lease_upload(rp__lease *lease);
/* The uploader, open. */
rp_status rp__lease_uploader(rp__lease *lease, rp__uploader **out);
/* What was taken is published, as rp__residency_publish. False: none is, and the piece stays the
 * lease's until it ends. */
bool rp__lease_publish(rp__lease *lease, const rp__resident *const *made, size_t n);

/* ---- Scratch --------------------------------------------------------------------------------- */

/* At least so many bytes. `lease` NULL: plain memory of the device. RP_NOT_FOUND: they have to be
 * acquired. RP_NO_MEMORY: they cannot be had. What was there stays, unless it is fresh. */
rp_status rp__scratch_hold(rp__scratch *scratch, rp__lease *lease, rp__device *device,
                           size_t bytes);
/* Nobody reads or writes it any more, and no lease holds it. */
void rp__scratch_free(rp__scratch *scratch, rp__residency *residency, rp__device *device);

#endif
