/* iiu_pack.c: blocks of iiu to bits: of each posting the gap, then the frequency, in the widths of its
 * block, back to back. iiu.h gives the bytes; where blocks end is iiu_partition.c's. */
#include "codec/iiu_pack.h"

#include "base/bits.h"

/* Bits on their way to bytes: fewer than 64 held. */
typedef struct bit_writer {
    uint8_t *p;
    uint64_t word;
    uint32_t held;
} bit_writer;

/* Adds a value of w bits, 0 to 63. */
static inline void put_bits(bit_writer *to, uint64_t value, uint32_t w)
{
    to->word |= value << to->held;
    if (to->held + w < 64) {
        to->held += w;
        return;
    }
    rp__store64(to->p, to->word);
    to->p += 8;
    to->word = to->held ? value >> (64 - to->held) : 0;
    to->held = to->held + w - 64;
}

static void put_block(const rp__iiu_blocks *from, size_t first, size_t end, bit_writer *to,
                      uint32_t *gap_width, uint32_t *tf_width)
{
    const uint32_t *docids = from->docids, *tfs = from->tfs;
    uint32_t gaps = 0, any_tf = tfs[first];
    if (from->of == RP_IIU_COST_PAPER)
        gaps = first > 0 ? docids[first] - docids[first - 1] : docids[0];
    for (size_t i = first + 1; i < end; i++) {
        gaps |= docids[i] - docids[i - 1];
        any_tf |= tfs[i];
    }
    if (from->of == RP_IIU_COST_NONE)
        gaps = any_tf = INT32_MAX;
    *gap_width = rp__bits_width(gaps);
    *tf_width = rp__bits_width(any_tf);
    for (size_t i = first; i < end; i++) {
        uint64_t gap = i > first ? docids[i] - docids[i - 1] : 0;
        put_bits(to, gap | (uint64_t)tfs[i] << *gap_width, *gap_width + *tf_width);
    }
}

uint64_t rp__iiu_pack(const rp__iiu_blocks *blocks, uint8_t *meta, uint8_t *skips, uint8_t *bits)
{
    bit_writer to = {.p = bits};
    for (size_t b = 0, first = 0; b < blocks->n_blocks; first = blocks->ends[b++]) {
        uint64_t offset = 8 * (uint64_t)(to.p - bits) + to.held, count = blocks->ends[b] - first;
        uint32_t gap, tf;
        put_block(blocks, first, blocks->ends[b], &to, &gap, &tf);
        rp__store64(meta + b * sizeof(uint64_t), gap | tf << 5 | count << 10 | offset << 21);
        rp__store32(skips + b * sizeof(uint32_t), blocks->docids[first]);
    }
    rp__store64(to.p, to.word);
    return 8 * (uint64_t)(to.p - bits) + to.held;
}
