/* iiu.h: what all rows of the docid codec iiu share. Interior of the room.
 *
 * The payload is the image that the accelerator reads (docs/format.md, "iiu"): 64 bits of metadata
 * a block, 32 bits of skip value a block, then all blocks' postings, bits back to back: of each
 * posting the gap, then the frequency. The functions named *_with are the row's members but for the
 * two that unpack a block, which each instruction set gives: those are called directly, not by
 * pointer. */
#ifndef RP_CODEC_IIU_H
#define RP_CODEC_IIU_H

#include "base/bits.h"
#include "codec/codec.h"
#include "codec/list.h"

enum {
    RP_IIU_ENTRY = 12,     /* bytes of a block's metadata and skip value */
    RP_IIU_MAX_SIZE = 256, /* postings of a block */
};

/* A block, proved to lie inside the payload. */
typedef struct rp__iiu_view {
    const uint8_t *bits;     /* its first bit is bit `phase` (0 to 7) of this byte */
    uint32_t phase, gap, tf; /* widths: 0 to 31 */
    uint32_t count, skip;    /* 1 to RP_BLOCK_MAX */
} rp__iiu_view;

/* Docids: the running sum of gaps on the skip value. RP_DAMAGED: a gap but the first is 0, or the
 * sum passes 2^32. May write RP_BLOCK_CAPACITY. */
typedef rp_status (*rp__iiu_docids)(const rp__iiu_view *v, uint32_t *out);
/* Frequencies of slots from to from + count - 1. RP_DAMAGED: one is 0. */
typedef rp_status (*rp__iiu_freqs)(const rp__iiu_view *v, uint32_t from, uint32_t count,
                                   uint32_t *out);

static inline rp_status rp__iiu_open(const rp__list *list, uint32_t b, rp__iiu_view *v)
{
    size_t bits_at = (size_t)list->n_blocks * RP_IIU_ENTRY;
    if (list->docs_bytes < bits_at)
        return RP_DAMAGED;
    uint64_t meta = rp__load64(list->docs + 8 * (size_t)b), offset = meta >> 21;
    uint64_t n_bits = 8 * (uint64_t)(list->docs_bytes - bits_at);
    *v =
        (rp__iiu_view){.bits = list->docs + bits_at,
                       .phase = offset % 8,
                       .gap = meta & 31,
                       .tf = meta >> 5 & 31,
                       .count = meta >> 10 & 2047,
                       .skip = rp__load32(list->docs + 8 * (size_t)list->n_blocks + 4 * (size_t)b)};
    if (v->count == 0 || v->count != rp__list_count(list, b) ||
        offset + v->count * (v->gap + v->tf) > n_bits)
        return RP_DAMAGED;
    v->bits += offset / 8;
    return RP_OK;
}

static inline rp_status rp__iiu_block_with(const rp__list *list, uint32_t b, uint32_t *out,
                                           rp__iiu_docids docids)
{
    rp__iiu_view v;
    uint32_t base = b ? list->last[b - 1] : UINT32_MAX;
    if (rp__iiu_open(list, b, &v) || docids(&v, out) || out[0] < (uint32_t)(base + 1))
        return RP_DAMAGED;
    return RP_OK;
}

static inline rp_status rp__iiu_decode_with(const rp__list *list, uint32_t *out,
                                            rp__iiu_docids docids)
{
    uint32_t base = UINT32_MAX;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        rp__iiu_view v;
        if (rp__iiu_open(list, b, &v) || docids(&v, out) || out[0] < (uint32_t)(base + 1))
            return RP_DAMAGED;
        out += v.count;
        base = out[-1];
        if (list->last && base != list->last[b])
            return RP_DAMAGED;
    }
    return base < list->universe ? RP_OK : RP_DAMAGED;
}

/* The block that holds a rank, where the directory is sound. */
static inline uint32_t rp__iiu_block_of(const rp__list *list, uint32_t rank)
{
    uint32_t from = 0, to = list->n_blocks;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (rp__list_begin(list, middle) <= rank)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* A frame lies in one block or several. */
static inline rp_status rp__iiu_tfs_with(const rp__list *list, uint32_t f, uint32_t *out,
                                         rp__iiu_freqs freqs)
{
    uint32_t rank = f * RP_BLOCK, end = list->n - rank < RP_BLOCK ? list->n : rank + RP_BLOCK;
    for (uint32_t b = rp__iiu_block_of(list, rank); rank < end; b++) {
        rp__iiu_view v;
        uint32_t first = rp__list_begin(list, b);
        if (b >= list->n_blocks || rp__iiu_open(list, b, &v) || rank < first ||
            rank - first >= v.count)
            return RP_DAMAGED;
        uint32_t from = rank - first, count = v.count - from;
        count = count < end - rank ? count : end - rank;
        if (freqs(&v, from, count, out))
            return RP_DAMAGED;
        out += count;
        rank += count;
    }
    return RP_OK;
}

/* The plain kernels, for what the others leave out. */
rp_status rp__iiu_plain_docids(const rp__iiu_view *v, uint32_t *out);
rp_status rp__iiu_plain_freqs(const rp__iiu_view *v, uint32_t from, uint32_t count, uint32_t *out);

#endif
