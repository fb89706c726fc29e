/* blocks.h: a whole list of blocks by a block code's own function, inline, for rows whose blocks
 * are decoded faster without a call through a pointer for each. Interior of the room. */
#ifndef RP_CODEC_BLOCKS_H
#define RP_CODEC_BLOCKS_H

#include "codec/list.h"

/* A code's decode_docids. */
typedef rp_status rp__blocks_docids_fn(const uint8_t *in, size_t in_bytes, uint32_t base,
                                       uint32_t *out, size_t n);

/* Block b of a list: its bytes, its docids, and the one that they start above. That is what the
 * directory says, so that no block waits for the one before. */
typedef struct rp__blocks_part {
    const uint8_t *in;
    size_t in_bytes;
    uint32_t base, count;
} rp__blocks_part;

static inline rp_status rp__blocks_open(const rp__list *list, uint32_t b, rp__blocks_part *block)
{
    block->count = rp__list_count(list, b);
    block->base = b ? list->last[b - 1] : UINT32_MAX;
    if (block->count == 0)
        return RP_DAMAGED;
    return rp__list_bytes(list, b, &block->in, &block->in_bytes);
}

/* Whether block b ends with what the directory says. */
static inline bool rp__blocks_ends_so(const rp__list *list, uint32_t b, uint32_t last)
{
    return list->last ? last == list->last[b] : last < list->universe;
}

/* Whether the list, whose blocks all end so, does below its universe. */
static inline rp_status rp__blocks_end(const rp__list *list)
{
    return !list->last || list->last[list->n_blocks - 1] < list->universe ? RP_OK : RP_DAMAGED;
}

/* How many blocks, from the first on, are full and have offsets: rows decode these by twos. */
static inline uint32_t rp__blocks_n_full(const rp__list *list)
{
    return rp__list_has_offsets(list) && !list->first ? list->n / RP_BLOCK : 0;
}

/* Blocks b and b + 1 of these. False: their bytes are damaged, or there are none. */
static inline bool rp__blocks_open_two(const rp__list *list, uint32_t b, rp__blocks_part two[2])
{
    size_t at = rp__list_offset(list, b), middle = rp__list_offset(list, b + 1),
           end = list->docs_bytes;
    if (b + 2 < list->n_blocks)
        end = rp__list_offset(list, b + 2);
    if (at >= middle || middle >= end || end > list->docs_bytes)
        return false;
    const uint8_t *p = list->docs + at, *q = list->docs + middle;
    two[0] = (rp__blocks_part){p, middle - at, b ? list->last[b - 1] : UINT32_MAX, RP_BLOCK};
    two[1] = (rp__blocks_part){q, end - middle, list->last[b], RP_BLOCK};
    return true;
}

/* Decodes block b to out; returns where the next one goes, NULL: it is damaged. Full blocks are a
 * call of their own, whose count compilers know. */
static inline __attribute__((always_inline)) uint32_t *
rp__blocks_put(const rp__list *list, uint32_t b, uint32_t *out, rp__blocks_docids_fn *docids)
{
    rp__blocks_part k;
    if (rp__blocks_open(list, b, &k))
        return NULL;
    if (k.count == RP_BLOCK ? docids(k.in, k.in_bytes, k.base, out, RP_BLOCK)
                            : docids(k.in, k.in_bytes, k.base, out, k.count))
        return NULL;
    out += k.count;
    return rp__blocks_ends_so(list, b, out[-1]) ? out : NULL;
}

/* What rp__blocks_block does. */
static inline __attribute__((always_inline)) rp_status
rp__blocks_block_by(const rp__list *list, uint32_t b, uint32_t *out, rp__blocks_docids_fn *docids)
{
    rp__blocks_part k;
    if (rp__blocks_open(list, b, &k))
        return RP_DAMAGED;
    return docids(k.in, k.in_bytes, k.base, out, k.count);
}

/* What rp__blocks_decode does. */
static inline __attribute__((always_inline)) rp_status
rp__blocks_decode_by(const rp__list *list, uint32_t *out, rp__blocks_docids_fn *docids)
{
    for (uint32_t b = 0; b < list->n_blocks; b++)
        if (!(out = rp__blocks_put(list, b, out, docids)))
            return RP_DAMAGED;
    return rp__blocks_end(list);
}

#endif
