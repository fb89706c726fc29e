/* link.h: registered FIFOs between units, and the cycle they all see. Interior of the room.
 *
 * Whether a push or a pop is legal depends on how full the link was when the cycle began. So what
 * one unit does in a cycle is invisible to all others until the next one, and the order in which
 * units are evaluated cannot change a result. No pass over the links ends a cycle: a link remembers
 * how many pushes and pops belong to the current one.
 * Each link has one producer and one consumer. A push wakes the consumer for the next cycle. A pop
 * wakes the producer of a full link: one that has space does not wait for more of it, and one that
 * pushes is evaluated in the next cycle anyway. */
#ifndef RP_SIM_LINK_H
#define RP_SIM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

enum { RP_SIM_WAKE_WORDS = 2, RP_SIM_MAX_UNITS = 64 * RP_SIM_WAKE_WORDS };
#define RP_SIM_NEVER UINT64_MAX

typedef struct rp__sim_clock {
    uint64_t now;
    uint64_t last_move;               /* cycle of the last push or pop of any link */
    uint64_t wake[RP_SIM_WAKE_WORDS]; /* units to be evaluated in the next cycle */
} rp__sim_clock;

static inline void rp__sim_wake(rp__sim_clock *clock, uint32_t unit)
{
    clock->wake[unit >> 6] |= UINT64_C(1) << (unit & 63);
}

/* One line of a host's cache: a cycle of a busy machine touches a hundred links. */
typedef struct rp__link {
    _Alignas(64) uint64_t pushed;  /* items since the machine began */
    uint64_t popped;               /* of them */
    uint64_t push_cycle;           /* the last cycle that had one */
    uint64_t pop_cycle;            /* likewise */
    uint16_t pushes_now, pops_now; /* in that cycle */
    uint16_t depth, mask, item_bytes;
    uint16_t wake_fill;         /* a pop wakes the producer if the link has so many items */
    uint8_t producer, consumer; /* units */
    uint8_t ready_bit;          /* number of the bit in *ready */
    uint8_t *items;
    uint64_t *ready; /* where a push sets a bit, for a consumer of many links; or NULL */
} rp__link;

/* RP_NO_MEMORY is the only failure. */
rp_status rp__link_init(rp__link *link, uint32_t depth, size_t item_bytes);
/* The same, with room for items that the producer works on before it pushes them. */
rp_status rp__link_init_ahead(rp__link *link, uint32_t depth, uint32_t ahead, size_t item_bytes);
void rp__link_reset(rp__link *link);

static inline uint64_t rp__link_pushed_before(const rp__link *link, const rp__sim_clock *clock)
{
    return link->pushed - (link->push_cycle == clock->now ? link->pushes_now : 0);
}

/* Items that the consumer may still take in this cycle. */
static inline uint32_t rp__link_count(const rp__link *link, const rp__sim_clock *clock)
{
    return (uint32_t)(rp__link_pushed_before(link, clock) - link->popped);
}

/* The i-th item that the consumer may take; NULL: there is none. Valid in this cycle. */
static inline const void *rp__link_peek(const rp__link *link, const rp__sim_clock *clock,
                                        uint32_t i)
{
    if (link->pushed - link->popped <= i || rp__link_count(link, clock) <= i)
        return NULL; /* most links are empty, which the first comparison tells */
    return link->items + ((link->popped + i) & link->mask) * link->item_bytes;
}

static inline const void *rp__link_head(const rp__link *link, const rp__sim_clock *clock)
{
    return rp__link_peek(link, clock, 0);
}

/* There is a head. */
static inline void rp__link_pop(rp__link *link, rp__sim_clock *clock)
{
    link->pops_now = link->pop_cycle == clock->now ? (uint16_t)(link->pops_now + 1) : 1;
    link->pop_cycle = clock->now;
    clock->last_move = clock->now;
    if (link->pushed - link->popped >= link->wake_fill)
        rp__sim_wake(clock, link->producer);
    link->popped++;
}

/* Items that the producer may still push in this cycle. */
static inline uint32_t rp__link_space(const rp__link *link, const rp__sim_clock *clock)
{
    uint64_t popped = link->popped - (link->pop_cycle == clock->now ? link->pops_now : 0);
    return link->depth - (uint32_t)(link->pushed - popped);
}

/* What the producer sees of the link's fill when the cycle begins, its own pushes included. */
static inline uint32_t rp__link_fill(const rp__link *link, const rp__sim_clock *clock)
{
    return link->depth - rp__link_space(link, clock);
}

/* The producer's own room: the item that the i-th push from now on will push. */
static inline void *rp__link_ahead(const rp__link *link, uint32_t i)
{
    return link->items + ((link->pushed + i) & link->mask) * link->item_bytes;
}

/* There is space. The caller fills the item that is returned. */
static inline void *rp__link_push(rp__link *link, rp__sim_clock *clock)
{
    void *item = rp__link_ahead(link, 0);
    link->pushes_now = link->push_cycle == clock->now ? (uint16_t)(link->pushes_now + 1) : 1;
    link->push_cycle = clock->now;
    clock->last_move = clock->now;
    if (link->ready)
        *link->ready |= UINT64_C(1) << link->ready_bit;
    rp__sim_wake(clock, link->consumer);
    link->pushed++;
    return item;
}

/* Nothing is in it, not even what this cycle pushed. */
static inline bool rp__link_is_empty(const rp__link *link)
{
    return link->pushed == link->popped;
}

#endif
