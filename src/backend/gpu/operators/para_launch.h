/* backend/gpu/operators/para_launch.h: PARA (Ao et al. 2011): a batch of ANDs is one launch over
 * the docids of its shortest lists, each looked up in the other lists of its query by one of
 * several searches; then scan and compaction, scores, and the k best of each query.
 *
 * Hooks of the row `para` of the launch table. All lists are there as docids and frequencies;
 * methods that read compressed lists have them as they are stored, too. */
#ifndef RP_BACKEND_GPU_OPERATORS_PARA_LAUNCH_H
#define RP_BACKEND_GPU_OPERATORS_PARA_LAUNCH_H

#include "backend/gpu/operators/para_method.h"
#include "backend/gpu/residency/lease.h"

struct rp__flight;

enum {
    RP_PARA_QUERIES = 1 << 14, /* of a launch */
    RP_PARA_SOUND = 1 << 6,    /* places for keys of sound auxiliary data, at first */
    RP_PARA_CHECKED = 1 << 30, /* postings whose auxiliary data a launch checks, at most */
};

/* Nanoseconds of launches: the host's, from the queries to the launch and from its end to answers;
 * the device's, for copies and for kernels; the first kernel's of them. */
typedef struct rp__para_times {
    uint64_t launches, elements, host, transfer, kernels, search;
} rp__para_times;

/* Auxiliary data of a list, as kernels read them. */
typedef struct rp__para_aux {
    const uint8_t *at; /* mapped; NULL: none */
    size_t bytes;
    uint32_t n;                /* postings of the list */
    uint32_t shift, n_buckets; /* of hs */
} rp__para_aux;

/* Those that were found to be sound: `key` is of their list and method, 0 of none. */
typedef struct rp__para_sound {
    uint64_t key;
    rp__para_aux aux;
} rp__para_sound;

/* Memory that launches leave for the next one. All zero is closed. */
typedef struct rp__para_launch {
    rp__device *device;
    rp__scratch scratch;
    uint8_t *host; /* pinned: what goes in, then what comes out */
    size_t host_bytes;
    /* for who measures: the caller wants times, and docids, of all queries, in memory of the host;
     * where those of a query begin: of the last launch */
    bool is_measured;
    rp__para_times times;
    const uint32_t *docids, *begins;
    uint8_t *pinned; /* for docids */
    size_t pinned_bytes;
    rp__cu_event marks[7]; /* before and after copies and kernels; NULL: not made yet */
    /* each from its key's hash on, in sound_slots places, a power of 2 or 0 */
    rp__para_sound *sound;
    size_t n_sound, sound_slots;
} rp__para_launch;

void rp__para_launch_open(rp__para_launch *p, rp__device *device);
void rp__para_launch_close(rp__para_launch *p, rp__residency *residency); /* its lease is closed */

rp_status rp__para_launch_begin(struct rp__flight *f);
rp_status rp__para_launch_hold(struct rp__flight *f);
rp_status rp__para_launch_find(struct rp__flight *f);
rp_status rp__para_launch_start(struct rp__flight *f);
bool rp__para_launch_is_done(const struct rp__flight *f);
rp_status rp__para_launch_wait(struct rp__flight *f);
rp_status rp__para_launch_take(struct rp__flight *f);
rp_status rp__para_launch_settle(struct rp__flight *f);

#endif
