/* simple16.h: what the rows of the block code simple16, and newpfd, share. Interior of the room.
 *
 * Words of 4 bytes. The 4 high bits of a word select how its 28 low bits are cut; the first value
 * lies lowest. The last word may have room for more values than are left: that is zero. Selector 15
 * stands for one value of more than 28 bits, which is the word that follows; its other bits are
 * zero. */
#ifndef RP_CODEC_SIMPLE16_H
#define RP_CODEC_SIMPLE16_H

#include "codec/codec.h"

enum {
    RP_SIMPLE16_BITS = 28,  /* of a word that hold values; most values of a word, too */
    RP_SIMPLE16_LARGE = 15, /* the selector of one large value */
};

/* How a selector cuts: slot i has `widths[i]` bits from bit `shifts[i]` on; past the count, 0. */
typedef struct rp__simple16_cut {
    uint8_t count, widths[32], shifts[32];
} rp__simple16_cut;

extern const rp__simple16_cut rp__simple16_cuts[16];

size_t rp__simple16_bound(size_t n);
size_t rp__simple16_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                           uint8_t *out);
/* The first n values of `in`, and the bytes they took. Writes up to RP_SIMPLE16_BITS values past
 * them. */
rp_status rp__simple16_read(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n,
                            size_t *used);
#if defined(__x86_64__)
rp_status rp__simple16_avx512_read(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n,
                                   size_t *used);
#endif

#endif
