/* pfd.h: the bytes of the block code pfd. Interior of the room.
 *
 * Byte 0: bits 0 to 5 the width b (0 to 32), bits 6 and 7 how exceptions are stored: 0 there are
 * none, 1 to 3 in 1, 2 or 4 bytes each. With exceptions, byte 1 is their number less one and byte
 * 2 the position of the first. Then n slots of b bits, in order. The slot of an exception holds the
 * distance to the next one, less one; that of the last one 0. Then the exceptions' values. */
#ifndef RP_CODEC_PFD_H
#define RP_CODEC_PFD_H

#include "codec/patch.h"

static inline rp_status rp__pfd_open(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p)
{
    uint32_t width = in_bytes ? in[0] & 63 : 64, code = in_bytes ? in[0] >> 6 : 0;
    size_t head = code ? 3 : 1, lows_bytes = rp__patch_bytes(n * width);
    if (width > 32 || in_bytes < head)
        return RP_DAMAGED;
    uint32_t count = code ? in[1] + 1U : 0, value_bytes = code ? 1U << (code - 1) : 0;
    if (in_bytes - head < lows_bytes + count * value_bytes)
        return RP_DAMAGED;
    const uint8_t *values = in + head + lows_bytes;
    rp__patch_start(p, in + head, width);
    size_t at = code ? in[2] : 0;
    for (uint32_t k = 0; k < count; k++) {
        if (at >= n)
            return RP_DAMAGED;
        uint32_t link = rp__patch_bits(p->lows, at * width, width);
        uint32_t value = rp__patch_bits(values, (size_t)k * 8 * value_bytes, 8 * value_bytes);
        rp__patch_add(p, (uint32_t)at, value - link);
        p->total += value;
        at += link + 1U;
    }
    return RP_OK;
}

size_t rp__pfd_bound(size_t n);
size_t rp__pfd_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                      uint8_t *out);

#endif
