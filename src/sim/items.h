/* items.h: what travels on the links. Interior of the room. */
#ifndef RP_SIM_ITEMS_H
#define RP_SIM_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

/* A status of a query that several units may set: the smaller one but 0 wins. */
static inline void rp__sim_blame(uint8_t *status, uint32_t fault)
{
    if (fault && (!*status || fault < *status))
        *status = (uint8_t)fault;
}

/* Bytes of the image, in one piece; NULL: not all of them are in it. */
static inline const uint8_t *rp__sim_view(const rp__sim_memory *m, uint64_t at, uint64_t n)
{
    if (at <= m->image_bytes && n <= m->image_bytes - at)
        return m->image + at;
    uint64_t from = at - m->mapped_at;
    if (at >= m->mapped_at && from <= m->mapped_bytes && n <= m->mapped_bytes - from)
        return m->mapped + from;
    return NULL;
}

/* Unit to memory: 64 bytes at a multiple of 64. */
typedef struct rp__sim_request {
    uint64_t address;
    uint32_t tag;    /* the unit's own; comes back */
    uint8_t traffic; /* RP_SIM_TRAFFIC_* */
    bool is_write;
    uint8_t bytes; /* that the unit needs of the line */
    uint64_t mask; /* bytes to write */
    uint64_t words[8];
} rp__sim_request;

/* Memory to unit. */
typedef struct rp__sim_line {
    uint32_t tag;
    bool is_bad; /* the address lies outside the memory; words are 0 */
    uint64_t words[8];
} rp__sim_line;

/* Interface to memory, and back. */
typedef struct rp__sim_access {
    uint64_t address;
    uint32_t entry;
    bool is_write;
    uint64_t mask;
    uint64_t words[8];
} rp__sim_access;

/* A query that the command queue passes on. */
typedef struct rp__sim_command {
    rp__descriptor descriptor;
    uint64_t arrival;
} rp__sim_command;

/* Query scheduler to a pair, and the pair's answer. */
typedef struct rp__sim_assignment {
    rp__descriptor descriptor;
    uint32_t cores; /* mask */
} rp__sim_assignment;

typedef struct rp__sim_finish {
    uint64_t n_results, first, last;
    uint8_t status;
} rp__sim_finish;

/* Block scheduler to block reader: the bits of a list, or the end of the query. The reader answers
 * an end, with nothing in it, when its last line has arrived. */
typedef struct rp__sim_open {
    uint64_t bit, n_bits; /* absolute */
    uint32_t cores;
    uint8_t stream, n_streams;
    bool is_end, is_skip; /* is_skip: bits that no unit will request */
} rp__sim_open;

/* A block for a decompression unit. An end is the last item of a query for the unit. */
typedef struct rp__sim_block {
    uint64_t bit;  /* absolute */
    uint64_t slot; /* of the block's first result */
    uint32_t number, base;
    uint64_t n_bits;
    uint16_t n;
    uint8_t gap_bits, tf_bits, stream, status;
    bool is_end, is_bp128;
} rp__sim_block;

/* The block of a list that this metadata describes; number, place and base are the caller's. */
static inline rp__sim_block rp__sim_block_of(const rp__list_header *h, uint64_t meta)
{
    return (rp__sim_block){.n = meta >> 10 & 2047,
                           .gap_bits = meta & 31,
                           .tf_bits = meta >> 5 & 31,
                           .n_bits = rp__sim_block_bits(h->flags, meta),
                           .is_bp128 = h->flags & RP_SIM_BP128};
}

/* Decompression unit to block reader (or to the fetch of candidates' blocks): the line that holds
 * the next bits of a block. */
typedef struct rp__sim_line_request {
    uint64_t line;   /* address / 64 */
    uint32_t number; /* of the block */
    uint16_t bits;   /* of the block in this line */
    uint8_t stream;
} rp__sim_line_request;

enum { RP_SIM_LAST = 1, RP_SIM_NONE = 2, RP_SIM_END = 4 };

/* A posting on its way to a result. */
typedef struct rp__sim_posting {
    uint64_t slot;       /* of its block's first result */
    uint32_t doc, value; /* value: tf, then score */
    uint32_t block;      /* number of its block */
    uint8_t flags;       /* LAST of its block; NONE: no posting, only the flags; END of the query */
    uint8_t status;      /* of END */
} rp__sim_posting;

/* AND: a posting of list0, and the block of list1 that may have its docid. */
typedef struct rp__sim_candidate {
    rp__sim_posting posting;
    uint32_t block, base; /* base: the block's skip value */
    uint64_t meta;        /* its metadata, of a paired list */
} rp__sim_candidate;

/* Write-back to block scheduler: all results of this lane are in memory. */
typedef struct rp__sim_lane_end {
    uint64_t n_results;
    uint8_t status;
} rp__sim_lane_end;

#endif
