/* optpfd.c: the block code optpfd, plain reference: PForDelta with the widths and the layout of
 * exceptions that give the fewest bytes for the block (optpfd.h gives the bytes).
 *
 * A second tier for the few values that are far larger than the others keeps them from widening
 * every exception. High parts of at most 8 bits and positions of at most 16 are what vector units
 * place at once. Source of the rule: Yan, Ding, Suel 2009 (OptPFD); of the second tier: Ding et al.
 * 2009, whose exceptions have exceptions. */
#include "codec/optpfd.h"

#include <string.h>

#include "codec/codec_table.h"

size_t rp__optpfd_bound(size_t n)
{
    return 64 + 5 * n; /* 3 of head, n*b/8, n/8, 0.6n, 8 far parts of 5 bytes */
}

/* The sizes of a block with these widths; false: it cannot be. */
static bool measure(const rp__patch_widths *widths, size_t n, uint32_t b, uint32_t h,
                    rp__optpfd_head *o, size_t *bytes)
{
    *o =
        (rp__optpfd_head){.b = b, .h = h, .k = h ? widths->wider[b] : 0, .f = widths->wider[b + h]};
    if (o->f > RP_OPTPFD_FAR_MAX || (h && o->k == 0))
        return false;
    o->at_width = rp__bits_width((uint32_t)n - 1) & 15;
    o->far_width = o->f ? widths->most - b - h : 0;
    size_t listed = rp__patch_bytes(o->k * (o->at_width + h));
    size_t mapped = rp__patch_bytes(n) + rp__patch_bytes(o->k * h);
    bool is_listed = o->k <= RP_OPTPFD_LISTED_MAX && listed <= mapped;
    o->mode = h      ? is_listed ? RP_OPTPFD_LISTED : RP_OPTPFD_BITMAP
              : o->f ? RP_OPTPFD_FAR
                     : RP_OPTPFD_PLAIN;
    o->bytes = 1U + (h ? 1 : 0) + (o->f ? 1 : 0);
    *bytes = o->bytes + rp__patch_bytes(n * b) + (h ? is_listed ? listed : mapped : 0) +
             rp__patch_bytes(o->f * (o->at_width + o->far_width));
    return true;
}

/* Bytes that far parts must save, and the part of the block that many must, to be worth their time. */
enum { FAR_COST = 1, MANY_PART = 64 };

/* Vector units place a few far parts, or a few that are listed, together with those of other blocks. */
static size_t cost_of(const rp__optpfd_head *o, size_t bytes)
{
    uint32_t n = o->mode != RP_OPTPFD_LISTED ? o->f : o->f ? UINT32_MAX : o->k;
    return bytes + (o->f ? FAR_COST : 0) + (n > RP_PATCH_EASY ? bytes / MANY_PART : 0);
}

/* The smallest block among the widths b from `from` to `to`. */
static size_t choose(const rp__patch_widths *widths, size_t n, uint32_t from, uint32_t to,
                     rp__optpfd_head *best)
{
    size_t least = SIZE_MAX, bytes;
    for (uint32_t b = from; b <= to; b++)
        for (uint32_t h = 0; h <= RP_OPTPFD_HIGH_MAX && b + h <= widths->most; h++) {
            rp__optpfd_head o;
            if (!measure(widths, n, b, h, &o, &bytes))
                continue;
            bytes = cost_of(&o, bytes);
            if (bytes < least) {
                least = bytes;
                *best = o;
            }
        }
    return least;
}

static rp__optpfd_head choose_by(const rp__codec_options *options, const rp__patch_widths *widths,
                                 size_t n)
{
    rp__optpfd_head best;
    uint32_t from = 0, to = widths->most;
    if (options && options->has_exceptions)
        from = to = rp__patch_width_for(widths, options, 0, n);
    while (choose(widths, n, from, to, &best) == SIZE_MAX)
        from = ++to; /* some values are too far: a wider b is the nearest that can be */
    return best;
}

static uint8_t *put_head(const rp__optpfd_head *o, uint8_t *p)
{
    *p++ = (uint8_t)(o->b | o->mode << 6);
    if (o->h) {
        uint32_t count = o->mode == RP_OPTPFD_LISTED ? o->k - 1 : 0;
        *p++ = (uint8_t)((o->h - 1) | (o->f ? 8U : 0) | count << 4);
    }
    if (o->f)
        *p++ = (uint8_t)((o->f - 1) | (o->far_width - 1) << 3);
    return p;
}

/* The ranks of values that have something from bit `shift` on: in a bitmap among the `bits` bits there, since
 * it leaves zeros out; otherwise anywhere above. */
static uint32_t find_parts(const uint32_t *values, size_t n, uint32_t shift, uint32_t bits,
                           bool is_bitmap, uint32_t *at)
{
    uint64_t mask = is_bitmap ? (1ULL << bits) - 1 : UINT32_MAX;
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        at[k] = i;
        k += ((uint64_t)values[i] >> shift & mask) != 0;
    }
    return k;
}

static uint8_t *put_parts(uint8_t *p, const uint32_t *values, size_t n, uint32_t shift,
                          uint32_t bits, uint32_t at_width, bool is_bitmap)
{
    uint32_t at[RP_BLOCK_MAX], k = find_parts(values, n, shift, bits, is_bitmap, at);
    rp__patch_writer w = {.out = p};
    if (is_bitmap) {
        w.out += rp__patch_bytes(n);
        memset(p, 0, rp__patch_bytes(n));
    }
    for (uint32_t j = 0; j < k; j++)
        if (is_bitmap)
            p[at[j] / 8] |= (uint8_t)(1U << at[j] % 8);
        else
            rp__patch_write(&w, at[j], at_width);
    for (uint32_t j = 0; j < k; j++)
        rp__patch_write(&w, values[at[j]] >> shift, bits);
    return rp__patch_flush(&w);
}

size_t rp__optpfd_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                         uint8_t *out)
{
    rp__patch_widths widths;
    rp__patch_count_widths(values, n, &widths);
    rp__optpfd_head o = choose_by(options, &widths, n);
    uint8_t *p = rp__patch_put_lows(put_head(&o, out), values, n, o.b);
    if (o.h)
        p = put_parts(p, values, n, o.b, o.h, o.at_width, o.mode == RP_OPTPFD_BITMAP);
    if (o.f)
        p = put_parts(p, values, n, o.b + o.h, o.far_width, o.at_width, false);
    return (size_t)(p - out);
}

RP_PATCH_ROW(rp__optpfd_open, rp__patch_decode, rp__patch_docids)
RP_OPTPFD_ROW_AT

const rp__block_code rp__optpfd_code = {
    .name = "optpfd",
    .needs = 0,
    .bound = rp__optpfd_bound,
    .encode = rp__optpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
