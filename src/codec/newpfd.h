/* newpfd.h: the bytes of the block code newpfd. Interior of the room.
 *
 * Byte 0: bits 0 to 5 the width b (0 to 32), bit 6 whether there are exceptions, bit 7 zero.
 * With exceptions (b is below 32 then), byte 1 is their number k less one. Then the b low bits
 * of all values, in order, up to a full byte. Then 2k numbers by Simple16 (simple16.h): the
 * exceptions' positions, each less the one before and 1 (the first as it is), then their values
 * >> b, less 1. */
#ifndef RP_CODEC_NEWPFD_H
#define RP_CODEC_NEWPFD_H

#include "codec/patch.h"
#include "codec/simple16.h"

typedef rp_status rp__newpfd_read_fn(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n,
                                     size_t *used);

/* Adds k high parts, of which `numbers` holds the steps, then the parts. */
static inline rp_status rp__newpfd_place(rp__patch *p, const uint32_t *numbers, uint32_t k,
                                         size_t n)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < k; i++) {
        uint32_t add = (numbers[k + i] + 1) << p->width;
        at += numbers[i];
        if (at >= n)
            return RP_DAMAGED;
        rp__patch_add(p, (uint32_t)at++, add);
        p->total += add;
    }
    return RP_OK;
}

static inline rp_status rp__newpfd_open_by(rp__newpfd_read_fn *read, const uint8_t *in,
                                           size_t in_bytes, size_t n, rp__patch *p)
{
    uint32_t width = in_bytes ? in[0] & 63 : 64;
    bool has_exceptions = in_bytes && in[0] & 64;
    size_t head = has_exceptions ? 2 : 1, lows_bytes = rp__patch_bytes(n * width), used;
    if (in_bytes < head || in[0] & 128 || width + has_exceptions > 32 ||
        in_bytes - head < lows_bytes)
        return RP_DAMAGED;
    rp__patch_start(p, in + head, width);
    if (!has_exceptions)
        return RP_OK;
    uint32_t k = in[1] + 1U, numbers[2 * RP_BLOCK_MAX + RP_SIMPLE16_BITS + 16];
    head += lows_bytes;
    if (k > n || read(in + head, in_bytes - head, numbers, 2 * k, &used))
        return RP_DAMAGED;
    return rp__newpfd_place(p, numbers, k, n);
}

size_t rp__newpfd_bound(size_t n);
size_t rp__newpfd_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out);

#endif
