/* fastpfd.h: what all rows of the docid codec fastpfd share. Interior of the room.
 *
 * Every block is a block of bp128 (bitpack.h) of the low bits of gaps less one. The first one of
 * each group of RP_FASTPFD_GROUP blocks is followed by the group's exceptions, up to where the next
 * block begins, by the bits that their high parts have:
 *   byte 0   h, the bits of a high part (1 to 32)
 *   byte 1   how many exceptions follow, less one
 *   then     their places in the group, RP_FASTPFD_AT_BITS bits each, up to a full byte
 *   then     their high parts without the highest bit, which is 1: h - 1 bits each, likewise
 * A high part is added to the low bits that its docid's block has: shifted by the block's width,
 * which with h is at most 32. So exceptions of eight blocks are placed in one loop. */
#ifndef RP_CODEC_FASTPFD_H
#define RP_CODEC_FASTPFD_H

#include "codec/bitpack.h"
#include "codec/blocks.h"
#include "codec/patch.h"

enum {
    RP_FASTPFD_GROUP = 8, /* blocks */
    RP_FASTPFD_DOCIDS = RP_FASTPFD_GROUP * RP_BLOCK,
    RP_FASTPFD_AT_BITS = 10,
};

/* Exceptions of one width. */
typedef struct rp__fastpfd_run {
    const uint8_t *at, *highs;
    uint32_t high_bits, count;
} rp__fastpfd_run;

/* The run at *p, which is then past it. RP_DAMAGED: it does not lie before `end`. */
static inline rp_status rp__fastpfd_next(const uint8_t **p, const uint8_t *end,
                                         rp__fastpfd_run *run)
{
    enum { HEAD = 2 };
    if (end - *p < HEAD)
        return RP_DAMAGED;
    uint32_t high_bits = (*p)[0], count = (*p)[1] + 1U;
    size_t at_bytes = rp__patch_bytes((size_t)count * RP_FASTPFD_AT_BITS);
    size_t bytes = at_bytes + rp__patch_bytes((size_t)count * (high_bits - 1));
    if (high_bits - 1 >= 32 || (size_t)(end - *p) - HEAD < bytes)
        return RP_DAMAGED;
    *run = (rp__fastpfd_run){*p + HEAD, *p + HEAD + at_bytes, high_bits, count};
    *p += HEAD + bytes;
    return RP_OK;
}

static inline uint32_t rp__fastpfd_at(const rp__fastpfd_run *run, uint32_t i)
{
    return rp__patch_bits(run->at, (size_t)i * RP_FASTPFD_AT_BITS, RP_FASTPFD_AT_BITS);
}

static inline uint32_t rp__fastpfd_high(const rp__fastpfd_run *run, uint32_t i)
{
    uint32_t bits = run->high_bits - 1;
    return 1U << bits | rp__patch_bits(run->highs, (size_t)i * bits, bits);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* One block, whose values a kernel of the PForDelta rows makes docids of. */
rp_status rp__fastpfd_block_by(rp__patch_docids_fn *kernel, const rp__list *list, uint32_t b,
                               uint32_t *out);

/* Decodes block b to out; returns where the next one goes, NULL: it is damaged. */
uint32_t *rp__fastpfd_put_by(rp__patch_docids_fn *kernel, const rp__list *list, uint32_t b,
                             uint32_t *out);

#endif
