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
    RP_OPTPFD_HIGH_MAX = 8,    /* bits of a high part */
};

/* A block's head, and the bytes of its parts. */
typedef struct rp__optpfd_head {
    uint32_t mode, b, h, k, f, far_width, at_width;
    size_t head, lows, bitmap, highs, far;
} rp__optpfd_head;

static inline rp_status rp__optpfd_read_head(const uint8_t *in, size_t in_bytes, size_t n,
                                             rp__optpfd_head *o)
{
    if (in_bytes < 1)
        return RP_DAMAGED;
    *o = (rp__optpfd_head){.mode = in[0] >> 6, .b = in[0] & 63, .head = 1};
    bool has_far = o->mode == RP_OPTPFD_FAR;
    o->at_width = rp__bits_width((uint32_t)n - 1) & 15; /* n of 0: no matter */
    if (o->mode == RP_OPTPFD_LISTED || o->mode == RP_OPTPFD_BITMAP) {
        if (in_bytes < 2)
            return RP_DAMAGED;
        o->h = (in[1] & 7) + 1U;
        o->k = (in[1] >> 4) + 1U;
        has_far = in[1] & 8;
        o->head = 2;
    }
    if (has_far) {
        if (in_bytes <= o->head)
            return RP_DAMAGED;
        o->f = (in[o->head] & 7) + 1U;
        o->far_width = (in[o->head] >> 3) + 1U;
        o->head++;
    }
    o->lows = rp__patch_bytes(n * o->b);
    o->far = rp__patch_bytes(o->f * (o->at_width + o->far_width));
    return o->b + o->h + o->far_width <= 32 ? RP_OK : RP_DAMAGED;
}

/* k positions, rising and below n, from *in on. */
static inline rp_status rp__optpfd_mark(rp__patch *p, const uint8_t *in, uint32_t k, uint32_t width,
                                        size_t n)
{
    size_t above = 0; /* the least position that may follow */
    for (uint32_t i = 0; i < k; i++) {
        uint32_t at = rp__patch_bits(in, i * width, width);
        if (at < above || at >= n)
            return RP_DAMAGED;
        rp__patch_mark(p, at);
        above = at + 1U;
    }
    return RP_OK;
}

/* The bitmap of n bits; its set bits are the high parts. */
static inline void rp__optpfd_mark_bitmap(rp__patch *p, const uint8_t *in, size_t n)
{
    for (size_t i = 0; 64 * i < n; i++) {
        uint64_t word = rp__load64(in + 8 * i);
        p->at[i] = n - 64 * i < 64 ? word & ((1ULL << (n - 64 * i)) - 1) : word;
        p->count += rp__bits_count64(p->at[i]);
    }
}

static inline rp_status rp__optpfd_read_far(rp__patch *p, const uint8_t *in,
                                            const rp__optpfd_head *o, size_t n)
{
    size_t above = 0, values = o->f * o->at_width;
    for (uint32_t i = 0; i < o->f; i++) {
        uint32_t at = rp__patch_bits(in, i * o->at_width, o->at_width);
        if (at < above || at >= n)
            return RP_DAMAGED;
        above = at + 1U;
        p->far_at[i] = (uint8_t)at;
        p->far[i] = rp__patch_bits(in, values + i * o->far_width, o->far_width) << (o->b + o->h);
    }
    p->n_far = o->f;
    return RP_OK;
}

typedef rp_status rp__optpfd_mark_fn(rp__patch *p, const uint8_t *in, uint32_t k, uint32_t width,
                                     size_t n);

static inline rp_status rp__optpfd_open_by(rp__optpfd_mark_fn *mark, const uint8_t *in,
                                           size_t in_bytes, size_t n, rp__patch *p)
{
    rp__optpfd_head o;
    if (rp__optpfd_read_head(in, in_bytes, n, &o) || in_bytes - o.head < o.lows)
        return RP_DAMAGED;
    rp__patch_start(p, in + o.head, o.b);
    const uint8_t *at = in + o.head + o.lows;
    size_t left = in_bytes - o.head - o.lows;
    p->high_width = o.h;
    p->bits = o.b + o.h + o.far_width;
    if (o.mode == RP_OPTPFD_LISTED) {
        size_t bits = o.k * o.at_width;
        o.highs = rp__patch_bytes(bits + o.k * o.h);
        if (left < o.highs || mark(p, at, o.k, o.at_width, n))
            return RP_DAMAGED;
        p->count = o.k;
        p->highs = at + bits / 8;
        p->high_start = bits % 8;
    } else if (o.mode == RP_OPTPFD_BITMAP) {
        o.bitmap = rp__patch_bytes(n);
        if (left < o.bitmap)
            return RP_DAMAGED;
        rp__optpfd_mark_bitmap(p, at, n);
        p->highs = at + o.bitmap;
        o.highs = rp__patch_bytes(p->count * o.h);
    }
    if (left < o.bitmap + o.highs + o.far)
        return RP_DAMAGED;
    return rp__optpfd_read_far(p, at + o.bitmap + o.highs, &o, n);
}

size_t rp__optpfd_bound(size_t n);
size_t rp__optpfd_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out);

#endif
