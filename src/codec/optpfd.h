/* optpfd.h: the bytes of the block code optpfd. Interior of the room.
 *
 * A value has up to three parts: b low bits, h high bits, and what is beyond them, its far part.
 * Byte 0: bits 0 to 5 b (0 to 32), bits 6 and 7 the mode: 0 lows alone; 1 the high parts' positions
 * are listed; 2 they are a bitmap; 3 there are no high parts (h is 0), but far ones.
 * Modes 1 and 2 have a byte more: bits 0 to 2 h less one, bit 3 whether there are far parts, bits 4
 * to 7 the number k of high parts, less one, in mode 1 and zero in mode 2. Far parts have a byte
 * more: bits 0 to 2 their number f less one, bits 3 to 7 their width less one.
 * Then, each up to a full byte: the lows of all n values; in mode 2 the bitmap of n bits, bit i
 * set for value i; in mode 1 k positions and k high parts, in mode 2 the high parts alone; then f
 * positions and f far parts. Positions rise and have as many bits as n - 1. */
#ifndef RP_CODEC_OPTPFD_H
#define RP_CODEC_OPTPFD_H

#include "codec/patch.h"

enum {
    RP_OPTPFD_PLAIN = 0,
    RP_OPTPFD_LISTED = 1,
    RP_OPTPFD_BITMAP = 2,
    RP_OPTPFD_FAR = 3,
    RP_OPTPFD_LISTED_MAX = 16, /* high parts of mode 1 */
    RP_OPTPFD_FAR_MAX = 8,     /* far parts */
    RP_OPTPFD_HIGH_MAX = 8,    /* bits of a high part */
};

/* A block's head: k high parts of h bits, f far parts; positions have at_width bits. */
typedef struct rp__optpfd_head {
    uint32_t mode, b, h, k, f, far_width, at_width;
    size_t bytes; /* of the head */
} rp__optpfd_head;

/* Without branches, which would be mispredicted; bytes past the block are there, and do not count
 * where the head says so. */
static inline rp__optpfd_head rp__optpfd_read_head(const uint8_t *in, size_t n)
{
    uint32_t mode = in[0] >> 6;
    uint32_t has_high = mode == RP_OPTPFD_LISTED || mode == RP_OPTPFD_BITMAP;
    uint32_t has_far = has_high ? in[1] >> 3 & 1 : mode == RP_OPTPFD_FAR;
    uint32_t far = in[1 + has_high];
    return (rp__optpfd_head){
        .mode = mode,
        .b = in[0] & 63,
        .h = has_high ? (in[1] & 7) + 1U : 0,
        .k = mode == RP_OPTPFD_LISTED ? (in[1] >> 4) + 1U : 0,
        .f = has_far ? (far & 7) + 1 : 0,
        .far_width = has_far ? (far >> 3) + 1 : 0,
        .at_width = rp__bits_width((uint32_t)n - 1) & 15, /* n of 0: no matter */
        .bytes = 1 + has_high + has_far,
    };
}

/* Takes the bitmap of n bits as marks. */
static inline void rp__optpfd_mark(rp__patch *p, const uint8_t *in, size_t n)
{
    for (size_t i = 0; 64 * i < n; i++) {
        uint64_t word = rp__load64(in + 8 * i);
        p->marks[i] = n - 64 * i < 64 ? word & ((1ULL << (n - 64 * i)) - 1) : word;
        p->n_marks += rp__bits_count64(p->marks[i]);
    }
}

static inline rp_status rp__optpfd_open(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p)
{
    rp__optpfd_head o = rp__optpfd_read_head(in, n);
    size_t lows = o.bytes + rp__patch_bytes(n * o.b), high_bit = o.k * o.at_width, bitmap = 0;
    if (in_bytes < lows || o.b + o.h + o.far_width > 32)
        return RP_DAMAGED;
    rp__patch_start(p, in + o.bytes, o.b);
    if (o.mode == RP_OPTPFD_BITMAP) {
        bitmap = rp__patch_bytes(n);
        p->highs = in + lows + bitmap;
        p->high_width = o.h;
        rp__optpfd_mark(p, in + lows, n);
    }
    size_t highs = bitmap + rp__patch_bytes(high_bit + (o.k + p->n_marks) * o.h);
    size_t fars = rp__patch_bytes(o.f * (o.at_width + o.far_width));
    if (in_bytes - lows < highs + fars)
        return RP_DAMAGED;
    const uint8_t *at = in + lows, *far_at = at + highs;
    if (rp__patch_place(p, at, high_bit, o.k, o.at_width, o.h, o.b & 31, n))
        return RP_DAMAGED;
    return rp__patch_place(p, far_at, o.f * o.at_width, o.f, o.at_width, o.far_width,
                           (o.b + o.h) & 31, n);
}

/* ---- One value ------------------------------------------------------------------------------- */

/* Which of the positions of 7 bits, of which there may be 17, is the first that is `at`; 17:
 * none of them. Nine to a word: what is equal becomes 0, and taking 1 from it borrows from its
 * top bit. */
static inline uint32_t rp__optpfd_find(const uint8_t *in, uint32_t at)
{
    const uint64_t ones = 0x0102040810204081, tops = ones << 6, nine = INT64_MAX; /* 63 bits */
    uint64_t x = (rp__load64(in) & nine) ^ at * ones, y = rp__load64(in + 7) >> 7 ^ at * ones;
    uint64_t in_x = (x - ones) & ~x & tops, in_y = (y - ones) & ~y & tops >> 7;
    if (in_x)
        return rp__bits_lowest64(in_x) / 7;
    return in_y ? 9 + rp__bits_lowest64(in_y) / 7 : 17;
}

/* The part, of `width` bits, of the value of rank i, 0 where it has none: k positions come first,
 * then the parts. */
static inline uint32_t rp__optpfd_part(const uint8_t *in, uint32_t k, uint32_t at_width,
                                       uint32_t width, size_t i)
{
    uint32_t j = 0;
    if (at_width == 7)
        j = rp__optpfd_find(in, (uint32_t)i);
    else
        while (j < k && rp__patch_bits(in, j * at_width, at_width) != i)
            j++;
    return j < k ? rp__patch_bits(in, k * at_width + j * width, width) : 0;
}

/* Set bits of the n, and of them those before bit i. */
static inline uint32_t rp__optpfd_count(const uint8_t *in, size_t n, size_t i, uint32_t *before)
{
    uint32_t all = 0;
    *before = 0;
    for (size_t from = 0; from < n; from += 64) {
        uint64_t word = rp__load64(in + from / 8);
        word &= n - from < 64 ? (1ULL << (n - from)) - 1 : UINT64_MAX;
        uint64_t below = i < from ? 0 : i - from < 64 ? (1ULL << (i - from)) - 1 : UINT64_MAX;
        *before += rp__bits_count64(word & below);
        all += rp__bits_count64(word);
    }
    return all;
}

/* Opens no more than one value needs: frequencies are asked for one by one. Of positions that do
 * not rise it finds the first. */
static inline rp_status rp__optpfd_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i,
                                      uint32_t *out)
{
    rp__optpfd_head o = rp__optpfd_read_head(in, n);
    size_t lows = o.bytes + rp__patch_bytes(n * o.b), bitmap = 0;
    uint32_t high = 0, far = 0, before = 0, marks = 0;
    if (i >= n || in_bytes < lows || o.b + o.h + o.far_width > 32)
        return RP_DAMAGED;
    const uint8_t *at = in + lows;
    if (o.mode == RP_OPTPFD_BITMAP) {
        bitmap = rp__patch_bytes(n);
        marks = rp__optpfd_count(at, n, i, &before);
    }
    size_t highs = bitmap + rp__patch_bytes(o.k * o.at_width + (o.k + marks) * o.h);
    size_t fars = rp__patch_bytes(o.f * (o.at_width + o.far_width));
    if (in_bytes - lows < highs + fars)
        return RP_DAMAGED;
    if (o.k)
        high = rp__optpfd_part(at, o.k, o.at_width, o.h, i);
    else if (bitmap && at[i / 8] >> i % 8 & 1)
        high = rp__patch_bits(at + bitmap, before * o.h, o.h);
    if (o.f)
        far = rp__optpfd_part(at + highs, o.f, o.at_width, o.far_width, i);
    *out = (uint32_t)(rp__patch_bits(in + o.bytes, i * o.b, o.b) + ((uint64_t)high << o.b) +
                      ((uint64_t)far << (o.b + o.h)));
    return RP_OK;
}

/* A row's own, by the instructions of its file. */
#define RP_OPTPFD_ROW_AT                                                                           \
    static rp_status at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)     \
    {                                                                                              \
        return rp__optpfd_at(in, in_bytes, n, i, out);                                             \
    }

size_t rp__optpfd_bound(size_t n);
size_t rp__optpfd_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out);

#endif
