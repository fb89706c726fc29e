/* engine/mailbox.h: interior of engine: memory that searchers share with the process that answers for them.
 *
 * That process is a worker, and workers have numbers: when one ends, the next begins. A searcher has a slot: it
 * puts a question for the worker of a number, and the answer comes into the same slot. Questions are bound queries as
 * they are: the worker is forked from the searcher's process, so what is mapped, and what is constant, lies where it
 * did. Nobody but the worker of the number asked writes into a slot that is asked, and a worker is gone before the
 * next one is ready: so an answer that comes too late is never taken for another. */
#ifndef RP_ENGINE_MAILBOX_H
#define RP_ENGINE_MAILBOX_H

#include <stdatomic.h>

#include "backend/backend.h"

enum {
    RP_MAILBOX_SLOTS = 256,
    RP_MAILBOX_ROOM = 256 << 10, /* bytes of a question, or of the hits of an answer */
};

typedef enum rp__phase {
    RP_PHASE_DOWN, /* the worker of this number is lost */
    RP_PHASE_LOADING,
    RP_PHASE_READY,
    RP_PHASE_OVER, /* there will be no other */
} rp__phase;

typedef struct rp__slot {
    _Alignas(64) _Atomic uint32_t word; /* a worker's number, and whether it was asked or has answered */
    _Atomic uint32_t is_awaited;        /* somebody sleeps on the word */
    rp__query query;                    /* its arrays are in `bytes`, one after the other */
    rp__rank rank;
    size_t max_memory;
    rp__answer answer; /* its hits are in `bytes` */
    rp_status status;
    rp_error err;
    _Alignas(64) unsigned char bytes[RP_MAILBOX_ROOM];
} rp__slot;

typedef struct rp__mailbox {
    _Alignas(64) _Atomic uint32_t phase; /* rp__phase, and above it the number */
    _Atomic uint32_t n_slots;            /* ever used */
    _Atomic int32_t worker;              /* its process, 0: none */
    _Atomic uint64_t faults, returns;    /* workers lost when ready; ready again */
    rp_error fault;                      /* the last */
    _Alignas(64) _Atomic uint32_t bell;  /* rung for every question */
    _Atomic uint32_t is_asleep;          /* the worker sleeps on it */
    _Alignas(64) _Atomic uint32_t answered; /* questions */
    rp__slot slots[RP_MAILBOX_SLOTS];
} rp__mailbox;

/* Shared with all processes forked from this one. NULL: no memory. */
rp__mailbox *rp__mailbox_new(void);
void rp__mailbox_free(rp__mailbox *box); /* NULL is fine */

/* ---- The worker's state ------------------------------------------------------------------------ */

static inline rp__phase rp__mailbox_phase(uint32_t phase)
{
    return (rp__phase)(phase & 3);
}
static inline uint32_t rp__mailbox_number(uint32_t phase)
{
    return phase >> 2;
}
void rp__mailbox_enter(rp__mailbox *box, uint32_t number, rp__phase phase);
/* The worker of this number is lost: from here on nobody asks it, and who waits for it is told. False: somebody has
 * said so before. */
bool rp__mailbox_lose(rp__mailbox *box, uint32_t number, const char *why);

/* ---- Questions and answers --------------------------------------------------------------------- */

/* False: the question is too long. */
bool rp__mailbox_ask(rp__mailbox *box, rp__slot *slot, uint32_t number, const rp__query *query,
                     size_t max_memory);
/* Waits for the answer for a while. False: there is none yet. */
bool rp__mailbox_wait(rp__slot *slot, uint32_t number, uint64_t ns);
/* The answer, its hits in the arena. */
rp_status rp__mailbox_take(const rp__slot *slot, rp__arena *arena, rp__answer *answer, rp_error *err);

/* For the worker: the next slot that was asked, from `*at` on; NULL: none is. */
rp__slot *rp__mailbox_next(rp__mailbox *box, uint32_t number, uint32_t *at);
/* Sleeps until the bell has been rung since it showed `bell`, or for a second. */
void rp__mailbox_sleep(rp__mailbox *box, uint32_t bell);
void rp__mailbox_reply(rp__mailbox *box, rp__slot *slot, uint32_t number, rp_status status,
                       const rp__answer *answer, const rp_error *err);

#endif
