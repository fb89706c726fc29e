/* freq_optpfd.cuh: the head of a block of optpfd (docs/format.md, chapter 6), and one value of it without the
 * others: the default code of frequencies. */
#ifndef RP_KERNELS_FREQ_OPTPFD_CUH
#define RP_KERNELS_FREQ_OPTPFD_CUH

#include "backend/gpu/kernels/prim/pack.cuh"

enum { OPTPFD_LISTED = 1, OPTPFD_BITMAP = 2, OPTPFD_FAR = 3 };

/* k listed high parts of h bits, f far parts; ranks have at_width bits. */
struct optpfd_head {
    uint32_t mode, b, h, k, f, far_width, at_width, bytes;
};

/* Of a block's first bytes. */
PRIM optpfd_head optpfd_read(uint32_t first, uint32_t count)
{
    uint32_t mode = first >> 6 & 3, second = first >> 8 & 255;
    uint32_t has_high = mode == OPTPFD_LISTED || mode == OPTPFD_BITMAP;
    uint32_t has_far = has_high ? second >> 3 & 1 : mode == OPTPFD_FAR;
    uint32_t far = has_high ? first >> 16 & 255 : second;
    optpfd_head o;
    o.mode = mode;
    o.b = first & 63;
    o.h = has_high ? (second & 7) + 1 : 0;
    o.k = mode == OPTPFD_LISTED ? (second >> 4) + 1 : 0;
    o.f = has_far ? (far & 7) + 1 : 0;
    o.far_width = has_far ? (far >> 3) + 1 : 0;
    o.at_width = prim_width(count - 1) & 15; /* of no values: no matter */
    o.bytes = 1 + has_high + has_far;
    return o;
}

/* The 32 bits of a bitmap of n from bit `from` on; 0 past the last. */
PRIM uint32_t optpfd_marks(pack_bits bitmap, uint32_t n, uint32_t from)
{
    return from < n ? pack_one(bitmap, from, prim_min(n - from, 32U)) : 0;
}

/* The part of slot i, 0 where it has none: k ranks come first, then the parts, of `width` bits. */
PRIM uint32_t optpfd_part(pack_bits in, uint32_t k, uint32_t at_width, uint32_t width, uint32_t i)
{
    for (uint32_t j = 0; j < k; j++)
        if (pack_one(in, j * at_width, at_width) == i)
            return pack_one(in, k * at_width + j * width, width);
    return 0;
}

/* The high part of slot i of a bitmap's, and how many bytes bitmap and parts have; 0 where they pass `bytes`. */
PRIM uint32_t optpfd_marked(pack_bits in, uint32_t n, uint32_t h, uint32_t i, uint32_t bytes, uint32_t *used)
{
    uint32_t before = 0, all = 0, mark = 0;
    *used = pack_bytes(n);
    for (uint32_t from = 0; from < n && *used <= bytes; from += 32) {
        uint32_t here = optpfd_marks(in, n, from);
        all += prim_count(here);
        before += prim_count(here & (i <= from ? 0 : prim_mask(prim_min(i - from, 32U))));
        mark = i / 32 == from / 32 ? here >> i % 32 & 1 : mark;
    }
    uint32_t bit = 8 * *used + before * h;
    *used += pack_bytes(all * h);
    return mark && *used <= bytes ? pack_one(in, bit, h) : 0;
}

/* Value i of the n, 1 to 128, in these bytes; i is below n. Any bytes: parts that do not lie inside are 0. */
PRIM uint32_t freq_optpfd_at(uint64_t in, uint32_t bytes, uint32_t n, uint32_t i)
{
    uint32_t first = bytes ? pack_word(pack_at(in), 0) : 0, used;
    optpfd_head o = optpfd_read(first, n);
    uint32_t lows = o.bytes + pack_bytes(n * o.b), high = 0, far = 0;
    if (o.b + o.h + o.far_width > 32 || lows > bytes)
        return 0;
    pack_bits parts = pack_at(in + lows);
    used = pack_bytes(o.k * (o.at_width + o.h));
    if (o.mode == OPTPFD_BITMAP)
        high = optpfd_marked(parts, n, o.h, i, bytes - lows, &used);
    else if (used <= bytes - lows)
        high = optpfd_part(parts, o.k, o.at_width, o.h, i);
    if (used + pack_bytes(o.f * (o.at_width + o.far_width)) <= bytes - lows)
        far = optpfd_part(pack_at(in + lows + used), o.f, o.at_width, o.far_width, i);
    uint32_t low = pack_one(pack_at(in + o.bytes), i * o.b, o.b);
    return low + (o.b < 32 ? high << o.b : 0) + (o.b + o.h < 32 ? far << (o.b + o.h) : 0);
}

#endif
