/* engine/mailbox.h: interior of engine: memory that searchers share with the process that answers
 * for them.
 *
 * That process is a worker, and workers have numbers: when one ends, the next begins. A searcher
 * has a slot, and one more for each batch: it puts a question for the worker of a number, and
 * the answer comes into the same slot. Questions are bound queries as they are: the worker is
 * forked from the searcher's process, so this memory, what is mapped, and what is constant lie
 * where they did. Nobody but the worker of the number asked writes into a slot that is asked,
 * and a worker is gone before the next one is ready: so an answer that comes too late is never
 * taken for another. */
#ifndef RP_ENGINE_MAILBOX_H
#define RP_ENGINE_MAILBOX_H

#include <stdatomic.h>

#include "backend/backend.h"

enum {
    RP_MAILBOX_SLOTS = 128,
    RP_MAILBOX_ROOM = 2 << 20, /* bytes of a question, or of its answer */
};

typedef enum rp__phase {
    RP_PHASE_DOWN, /* the worker of this number is lost */
    RP_PHASE_LOADING,
    RP_PHASE_READY,
} rp__phase;

/* What a question is. */
typedef enum rp__ask { RP_ASK_ONE, RP_ASK_MANY, RP_ASK_STEP } rp__ask;

/* Steps of a query (rp__steps). The query comes with the first, and stays in the slot. Candidates
 * are put and taken a piece at a time. */
typedef enum rp__mail_step {
    RP_MAIL_OPEN,
    RP_MAIL_START,
    RP_MAIL_MEET,
    RP_MAIL_SCORE,
    RP_MAIL_NARROW,
    RP_MAIL_SELECT,
    RP_MAIL_PUT,
    RP_MAIL_TAKE,
    RP_MAIL_CLOSE
} rp__mail_step;

/* A step, and what came of it. */
typedef struct rp__step_mail {
    rp__mail_step kind;
    uint32_t first, last; /* leaves; of put and take, candidates: from first to before last */
    uint32_t n;           /* candidates of all pieces; after a step, those that there are */
    rp_status status;
    rp_fallback fallback;
    uint64_t postings; /* as of rp__partial */
    rp_gpu_counters gpu;
} rp__step_mail;

typedef struct rp__slot {
    /* a worker's number, and whether it was asked or has answered */
    _Alignas(64) _Atomic uint32_t word;
    _Atomic uint32_t is_awaited; /* somebody sleeps on the word */
    uint32_t n;                  /* queries */
    rp__ask kind;                /* of one query; of a batch; or the next step of one query */
    _Atomic uint32_t stop;       /* of the one query */
    rp__step_mail step;
    size_t used; /* bytes: behind them are candidates, or hits of steps */
    rp__rank rank;
    size_t max_memory;
    rp_error err; /* of the one query */
    /* rp__batch_item of each; then arrays of queries, or hits */
    _Alignas(64) unsigned char bytes[RP_MAILBOX_ROOM];
} rp__slot;

static inline rp__batch_item *rp__mailbox_asked(rp__slot *slot)
{
    return (rp__batch_item *)(void *)slot->bytes;
}

typedef struct rp__mailbox {
    _Alignas(64) _Atomic uint32_t phase;    /* rp__phase, and above it the number */
    _Atomic uint32_t n_slots;               /* ever used */
    _Atomic int32_t worker;                 /* its process, 0: none */
    _Atomic uint64_t faults, returns;       /* workers lost when ready; ready again */
    rp_error fault;                         /* the last */
    _Alignas(64) _Atomic uint32_t bell;     /* rung for every question */
    _Atomic uint32_t n_asleep;              /* threads of the worker that sleep on it */
    _Alignas(64) _Atomic uint32_t answered; /* questions */
    rp__slot slots[RP_MAILBOX_SLOTS];
} rp__mailbox;

/* Shared with all processes forked from this one. NULL: no memory. */
rp__mailbox *rp__mailbox_new(void);
void rp__mailbox_free(rp__mailbox *box); /* NULL is fine */

/* ---- The worker's state ---------------------------------------------------------------------- */

static inline rp__phase rp__mailbox_phase(uint32_t phase)
{
    return (rp__phase)(phase & 3);
}
static inline uint32_t rp__mailbox_number(uint32_t phase)
{
    return phase >> 2;
}
void rp__mailbox_enter(rp__mailbox *box, uint32_t number, rp__phase phase);
/* The worker of this number is lost: from here on nobody asks it, and who waits for it is told.
 * False: somebody has said so before. */
bool rp__mailbox_lose(rp__mailbox *box, uint32_t number, rp_status code, const char *why);

/* ---- Questions and answers ------------------------------------------------------------------- */

/* Those of the queries whose status is RP_OK; what is too long becomes RP_UNAVAILABLE,
 * RP_FALLBACK_CHILD. False: nothing was asked. */
bool rp__mailbox_ask(rp__mailbox *box, rp__slot *slot, uint32_t number, rp__batch_item *asked,
                     size_t n, rp__ask kind, size_t max_memory);
/* The next step of a query that was asked as RP_ASK_STEP. */
void rp__mailbox_ask_step(rp__mailbox *box, rp__slot *slot, uint32_t number,
                          const rp__step_mail *step);
/* Candidates that fit into a piece. */
uint32_t rp__mailbox_piece_max(const rp__slot *slot);
/* Copies the candidates from `first` to before `last` into the slot, and out of it. */
void rp__mailbox_put_piece(rp__slot *slot, const rp__partial *from, uint32_t first, uint32_t last);
void rp__mailbox_get_piece(const rp__slot *slot, rp__partial *to, uint32_t first, uint32_t last);
/* Waits for the answer for a while. False: there is none yet. */
bool rp__mailbox_wait(rp__slot *slot, uint32_t number, uint64_t ns);
/* The answers to what was asked, their hits in the arena; of a query that failed, why and what was
 * done for it. */
void rp__mailbox_take(rp__slot *slot, rp__batch_item *asked, size_t n, rp__arena *arena);

/* For the worker: the next slot that was asked, from `*at` on; NULL: none is. */
rp__slot *rp__mailbox_next(rp__mailbox *box, uint32_t number, uint32_t *at);
bool rp__mailbox_is_asked(const rp__slot *slot, uint32_t number);
/* Has those that sleep look at all slots again. */
void rp__mailbox_ring(rp__mailbox *box);
/* Sleeps until the bell has been rung since it showed `bell`, or for a second. */
void rp__mailbox_sleep(rp__mailbox *box, uint32_t bell);
/* Hands over the answers that are in the slot's `asked`, wherever their hits are. */
void rp__mailbox_reply(rp__mailbox *box, rp__slot *slot, uint32_t number);

#endif
