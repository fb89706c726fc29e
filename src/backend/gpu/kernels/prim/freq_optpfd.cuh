/* freq_optpfd.cuh: blocks of optpfd (docs/format.md, chapter 6), the default code of frequencies: the head; one value
 * without the others; all values, by a warp.
 *
 * By a warp lane l has values 4l to 4l + 3. A listed high part is one of lanes 0 to 15's, a far part one of lanes 16 to
 * 23's: both are put to their values through shared memory. High parts of a bitmap lie in the order of values, so that
 * each lane reads its own. */
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

/* ---- By a warp ----------------------------------------------------------------------------------- */

/* A head in a word, as all lanes take it: widths b in bits 0 to 5, h 6 to 9, far 10 to 15 and of ranks 16 to 19; k in 20 to
 * 24, f 25 to 28; bit 29: a bitmap. And bytes of the head. */
PRIM uint32_t optpfd_shape(uint32_t first, uint32_t bytes, uint32_t n, uint32_t *head)
{
    optpfd_head o = optpfd_read(first, n);
    uint32_t is_bitmap = o.mode == OPTPFD_BITMAP;
    uint32_t used = o.bytes + pack_bytes(n * o.b) + pack_bytes(o.k * (o.at_width + o.h)) +
                    (is_bitmap ? pack_bytes(n) : pack_bytes(o.f * (o.at_width + o.far_width)));
    *head = o.bytes;
    if (o.b + o.h + o.far_width > 32 || used > bytes)
        return 0; /* zeros */
    return o.b | o.h << 6 | o.far_width << 10 | o.at_width << 16 | o.k << 20 | o.f << 25 | is_bitmap << 29;
}
PRIM uint32_t optpfd_low_width(uint32_t shape) { return shape & 63; }

/* What a lane has loaded of a block's high and far parts. */
struct optpfd_parts {
    enum { FIRST_FAR = 16 };
    uint32_t at, add;      /* of the lane's listed or far part: its value's number, and what is added there */
    uint32_t marks, highs; /* of a bitmap: which of the lane's four have high parts, and these */

    /* `in` begins after the lows, and has `bytes`. */
    PRIM_MEMBER void load(pack_bits in, uint32_t bytes, uint32_t shape, uint32_t n)
    {
        uint32_t h = shape >> 6 & 15, ranks = shape >> 16 & 15, k = shape >> 20 & 31, f = shape >> 25 & 15;
        uint32_t bit = 0, j = prim_lane() % FIRST_FAR, width = h, low = optpfd_low_width(shape);
        at = add = marks = highs = 0;
        if (shape >> 29)
            bit = load_marks(in, bytes, shape, n);
        if (prim_lane() >= FIRST_FAR) {
            bit += 8 * pack_bytes(k * (ranks + h));
            low += h;
            k = f;
            width = shape >> 10 & 63;
        }
        bool fits = !(shape >> 29) || pack_bytes(bit + k * (ranks + width)) <= bytes;
        if (j < k && fits) {
            at = pack_one(in, bit + j * ranks, ranks);
            add = pack_one(in, bit + k * ranks + j * width, width) << (low & 31);
        }
    }
    /* Returns the bits of bitmap and high parts. */
    PRIM_MEMBER uint32_t load_marks(pack_bits in, uint32_t bytes, uint32_t shape, uint32_t n)
    {
        uint32_t h = shape >> 6 & 15, slot = 4 * prim_lane(), from = slot & ~31U;
        uint32_t word = optpfd_marks(in, n, from), all = prim_count(word);
        uint32_t before = prim_count(word & prim_mask(slot & 31));
#pragma unroll
        for (uint32_t lane = 7; lane < 31; lane += 8) {
            uint32_t of_word = prim_shuffle<32>(all, lane);
            before += lane < prim_lane() / 8 * 8 ? of_word : 0;
        }
        uint32_t bit = 8 * pack_bytes(n) + before * h;
        bool fits = pack_bytes(bit + 4 * h) <= bytes + 4; /* bits of others may be read, but few */
        marks = fits ? word >> (slot & 31) & 15 : 0;
        if (marks)
            highs = pack_word(in, bit);
        uint32_t end = prim_shuffle<32>(before + prim_count(word >> (slot & 31) & 15), 31);
        return 8 * pack_bytes(8 * pack_bytes(n) + end * h);
    }

    /* Adds them to the lane's values. `room`: 128 words of shared memory of the warp's own, 16-byte aligned. */
    PRIM_MEMBER void add_to(uint32_t shape, uint32_t *room, uint32_t v[4])
    {
        if (shape >> 29)
            add_marked(shape, v);
        if (shape >> 20 & 511)
            add_listed(shape, room, v);
    }
    PRIM_MEMBER void add_marked(uint32_t shape, uint32_t v[4])
    {
        uint32_t h = shape >> 6 & 15, mask = (1U << h) - 1, low = optpfd_low_width(shape) & 31;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            bool has = marks >> k & 1;
            v[k] += has ? (highs & mask) << low : 0;
            highs = has ? highs >> h : highs;
        }
    }
    PRIM_MEMBER void add_listed(uint32_t shape, uint32_t *room, uint32_t v[4])
    {
        uint4 *mine = (uint4 *)room + prim_lane();
        *mine = make_uint4(0, 0, 0, 0);
        prim_sync_tile();
        if (prim_lane() < (shape >> 20 & 31))
            room[at % 128] = add;
        if (shape >> 25 & 15) { /* in all lanes or none; a far part may meet a high one */
            prim_sync_tile();
            if (prim_lane() - FIRST_FAR < (shape >> 25 & 15))
                room[at % 128] += add;
        }
        prim_sync_tile();
        uint4 adds = *mine;
        v[0] += adds.x;
        v[1] += adds.y;
        v[2] += adds.z;
        v[3] += adds.w;
    }
};

/* By a warp: of the n values, 1 to 128, in these bytes, those from 4 times the lane's number on; what is past the last
 * is some number. Any bytes: parts that do not lie inside are 0. `room`: 128 words of shared memory of the warp's own,
 * 16-byte aligned; of one call a lane writes first what it alone has read in the call before. */
PRIM void freq_optpfd_four(uint64_t in, uint32_t bytes, uint32_t n, uint32_t *room, uint32_t v[4])
{
    uint32_t head, first = bytes ? pack_word(pack_at(in), 0) : 0, shape = optpfd_shape(first, bytes, n, &head);
    uint32_t b = optpfd_low_width(shape), lows = pack_bytes(n * b), bit = 4 * prim_lane() < n ? 4 * prim_lane() * b : 0;
    pack_bits at = pack_at(in + head);
    pack_four four = pack_load(at, bit);
    optpfd_parts parts = {};
    parts.load(pack_at(in + head + lows), bytes - head - lows, shape, n);
    pack_values(four, at, bit, b, v);
    parts.add_to(shape, room, v);
}

#endif
