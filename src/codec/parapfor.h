/* parapfor.h: the bytes of the block code parapfor. Interior of the room.
 *
 * Four bytes: the widths b, ib and hb, and the number of exceptions en. Then three arrays, each up
 * to a full byte: the b low bits of all values; the positions of the exceptions, rising, in ib
 * bits; their values >> b in hb bits. b + hb is at most 32 and ib at most 8; without exceptions ib
 * and hb are 0. Thread j reads entry j of each array: nothing waits for anything. */
#ifndef RP_CODEC_PARAPFOR_H
#define RP_CODEC_PARAPFOR_H

#include "codec/patch.h"

enum { RP_PARAPFOR_HEAD = 4 };

static inline rp_status rp__parapfor_open(const uint8_t *in, size_t in_bytes, size_t n,
                                          rp__patch *p)
{
    if (in_bytes < RP_PARAPFOR_HEAD)
        return RP_DAMAGED;
    uint32_t b = in[0], ib = in[1], hb = in[2], en = in[3];
    size_t lows = rp__patch_bytes(n * b), at = rp__patch_bytes(en * ib);
    if (b + hb > 32 || ib > 8 || (en && hb == 0) ||
        in_bytes - RP_PARAPFOR_HEAD < lows + at + rp__patch_bytes(en * hb))
        return RP_DAMAGED;
    const uint8_t *indices = in + RP_PARAPFOR_HEAD + lows;
    rp__patch_start(p, in + RP_PARAPFOR_HEAD, b);
    /* without exceptions b may be 32 */
    return rp__patch_place(p, indices, 8 * at, en, ib, hb, b & 31, n);
}

size_t rp__parapfor_bound(size_t n);
size_t rp__parapfor_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                           uint8_t *out);

#endif
