/* lrc.h: what the codecs of the regression family share: lrc, lrcseg, seglrc, hslrc256, hslrc128.
 * Interior of the room.
 *
 * A docid is a point of a line plus a residual of at least 0: slot i of a segment of 1 to 256 postings
 * has ((a * i + start) >> 24) + residual(i), modulo 2^32, and nothing else is needed for it: no docid
 * waits for another. M, which makes the residuals start at 0, is part of `start`. The rows differ in
 * where a and start come from (a row's `open`) and in how the list is cut.
 *
 * Residuals are ParaPFor's: byte 0 has the width b (0 to 32) in bits 0 to 5, and in bit 7 whether there
 * are exceptions. With them follow a byte with their number less one and a byte with hb, the bits of
 * their high parts (at least 1, b + hb at most 32). Then the b low bits of each residual, up to a full
 * byte; then the ranks of the exceptions, rising, a byte each; then their residuals >> b in hb bits each,
 * up to a full byte. (ib of the paper is always 8.)
 *
 * Functions named *_with are members of rows but for what a row or an instruction set gives them, which
 * is called directly, not by pointer. */
#ifndef RP_CODEC_LRC_H
#define RP_CODEC_LRC_H

#include "codec/gaps.h"
#include "codec/line.h"
#include "codec/list.h"
#include "codec/lowbits.h"

enum {
    RP_LRC_WIDTH = 63,       /* bits of byte 0 */
    RP_LRC_EXCEPTIONS = 128, /* bit of byte 0 */
    RP_LRC_LINE = 12,        /* bytes of the line of a whole list: u64 a, u32 start >> 24 */
    RP_LRC_MOVED = 4,        /* bytes before the residuals of lrcseg */
    RP_LRC_OWN = 6,          /* and of seglrc: u32 start >> 24, u16 slope */
    RP_LRC_SLOPE_BITS = 11,  /* of a u16 slope, after the leading one, which is not stored */
};

/* A segment, proved to lie inside its bytes. */
typedef struct rp__lrc_view {
    const uint8_t *lows, *ranks, *highs;
    uint32_t width, high_width, n_exceptions;
    uint32_t count;    /* 1 to RP_BLOCK_MAX */
    uint64_t a, start; /* of the line */
} rp__lrc_view;

/* Segment b of a list. */
typedef rp_status rp__lrc_open_fn(const rp__list *list, uint32_t b, rp__lrc_view *v);
/* Docids of a segment; RP_DAMAGED unless they rise and are above base (UINT32_MAX: any). May write
 * RP_BLOCK_ROOM. */
typedef rp_status rp__lrc_docids_fn(const rp__lrc_view *v, uint32_t base, uint32_t *out);

/* The a of a u16 slope: 12 bits, the first of them set, from 1 to 2^32. A segment needs no more: over
 * its 256 slots the line is off by less than a 16th of the mean gap. */
static inline uint64_t rp__lrc_slope(uint32_t code)
{
    uint64_t top = 1U << RP_LRC_SLOPE_BITS;
    return (top + code % top) << (RP_LINE_SHIFT - RP_LRC_SLOPE_BITS + code / top);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The residuals of v->count postings. */
static inline rp_status rp__lrc_open_residuals(const uint8_t *in, size_t in_bytes, rp__lrc_view *v)
{
    if (v->count == 0 || in_bytes < 1 || (in[0] & RP_LRC_WIDTH) > 32)
        return RP_DAMAGED;
    size_t head = in[0] & RP_LRC_EXCEPTIONS ? 3 : 1;
    v->width = in[0] & RP_LRC_WIDTH;
    size_t lows = rp__lowbits_bytes(v->count, v->width);
    if (in_bytes < head + lows)
        return RP_DAMAGED;
    v->n_exceptions = v->high_width = 0;
    v->lows = in + head;
    v->ranks = v->highs = v->lows + lows;
    if (head == 1)
        return RP_OK;
    v->n_exceptions = in[1] + 1U;
    v->high_width = in[2];
    v->highs += v->n_exceptions;
    if (v->high_width == 0 || v->width + v->high_width > 32 ||
        in_bytes - head - lows <
            v->n_exceptions + rp__lowbits_bytes(v->n_exceptions, v->high_width))
        return RP_DAMAGED;
    return RP_OK;
}

/* Segment b behind `head` bytes of the row's own, which *in shows. */
static inline rp_status rp__lrc_open_block(const rp__list *list, uint32_t b, size_t head,
                                           const uint8_t **in, rp__lrc_view *v)
{
    size_t in_bytes;
    v->count = rp__list_count(list, b);
    if (rp__list_bytes(list, b, in, &in_bytes) || in_bytes < head)
        return RP_DAMAGED;
    return rp__lrc_open_residuals(*in + head, in_bytes - head, v);
}

/* The line of a whole list, which is the last of its bytes, from the first posting of block b on. */
static inline rp_status rp__lrc_open_line(const rp__list *list, uint32_t b, rp__lrc_view *v)
{
    if (list->docs_bytes < RP_LRC_LINE)
        return RP_DAMAGED;
    const uint8_t *line = list->docs + list->docs_bytes - RP_LRC_LINE;
    v->a = rp__load64(line);
    v->start = v->a * rp__list_begin(list, b) + ((uint64_t)rp__load32(line + 8) << RP_LINE_SHIFT);
    return RP_OK;
}

/* The rows' own: a segment of lrc is its residuals; of lrcseg a u32, -M, comes before them, on which the
 * line of the list is moved; of seglrc and hslrc a u32, the line's value at slot 0, and its slope. */
static inline rp_status rp__lrc_open(const rp__list *list, uint32_t b, rp__lrc_view *v)
{
    const uint8_t *in;
    return rp__lrc_open_block(list, b, 0, &in, v) ? RP_DAMAGED : rp__lrc_open_line(list, b, v);
}

static inline rp_status rp__lrcseg_open(const rp__list *list, uint32_t b, rp__lrc_view *v)
{
    const uint8_t *in;
    if (rp__lrc_open_block(list, b, RP_LRC_MOVED, &in, v) || rp__lrc_open_line(list, b, v))
        return RP_DAMAGED;
    v->start += (uint64_t)rp__load32(in) << RP_LINE_SHIFT;
    return RP_OK;
}

static inline rp_status rp__seglrc_open(const rp__list *list, uint32_t b, rp__lrc_view *v)
{
    const uint8_t *in;
    if (rp__lrc_open_block(list, b, RP_LRC_OWN, &in, v))
        return RP_DAMAGED;
    v->start = (uint64_t)rp__load32(in) << RP_LINE_SHIFT;
    v->a = rp__lrc_slope((uint32_t)in[4] | (uint32_t)in[5] << 8);
    return RP_OK;
}

/* ---- Docids ---------------------------------------------------------------------------------- */

/* The point of the line below slot i. */
static inline uint32_t rp__lrc_point(const rp__lrc_view *v, uint32_t i)
{
    return (uint32_t)((v->a * i + v->start) >> RP_LINE_SHIFT);
}

/* Slot i alone. */
static inline uint32_t rp__lrc_slot(const rp__lrc_view *v, uint32_t i)
{
    uint32_t docid = rp__lrc_point(v, i) + rp__lowbits_at(v->lows, v->width, i);
    const uint8_t *rank = v->n_exceptions ? memchr(v->ranks, (int)i, v->n_exceptions) : NULL;
    if (rank)
        docid += rp__lowbits_at(v->highs, v->high_width, (uint64_t)(rank - v->ranks)) << v->width;
    return docid;
}

/* Adds the high parts to docids made of low parts, and checks all. */
static inline rp_status rp__lrc_patch(const rp__lrc_view *v, uint32_t base, uint32_t *out)
{
    uint32_t above = 0; /* the least rank that may follow */
    bool is_bad = false;
    for (uint32_t k = 0; k < v->n_exceptions; k++) {
        uint32_t rank = v->ranks[k];
        is_bad |= rank < above;
        above = rank + 1;
        out[rank] += rp__lowbits_at(v->highs, v->high_width, k) << v->width;
    }
    if (is_bad || above > v->count)
        return RP_DAMAGED;
    return rp__gaps_rising(out, v->count, base);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static inline rp_status rp__lrc_block_with(const rp__list *list, uint32_t b, uint32_t *out,
                                           rp__lrc_open_fn *open, rp__lrc_docids_fn *docids)
{
    rp__lrc_view v;
    if (open(list, b, &v))
        return RP_DAMAGED;
    return docids(&v, b ? list->last[b - 1] : UINT32_MAX, out);
}

static inline rp_status rp__lrc_decode_with(const rp__list *list, uint32_t *out,
                                            rp__lrc_open_fn *open, rp__lrc_docids_fn *docids)
{
    uint32_t base = UINT32_MAX;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        rp__lrc_view v;
        if (open(list, b, &v) || docids(&v, base, out))
            return RP_DAMAGED;
        out += v.count;
        base = out[-1];
        if (list->last && base != list->last[b])
            return RP_DAMAGED;
    }
    return base < list->universe ? RP_OK : RP_DAMAGED;
}

/* Posting i, which lies in block b where the directory is sound. */
static inline rp_status rp__lrc_at_with(const rp__list *list, uint32_t i, uint32_t b, uint32_t *out,
                                        rp__lrc_open_fn *open)
{
    rp__lrc_view v;
    if (i >= list->n || b >= list->n_blocks || open(list, b, &v) ||
        i - rp__list_begin(list, b) >= v.count)
        return RP_DAMAGED;
    *out = rp__lrc_slot(&v, i - rp__list_begin(list, b));
    return RP_OK;
}

/* The first slot of v that is at least target, else v->count. */
uint32_t rp__lrc_search(const rp__lrc_view *v, uint32_t last, uint32_t target);
/* The first block from `from` on, before `to`, whose last docid is at least target, else `to`. */
uint32_t rp__lrc_block_geq(const rp__list *list, uint32_t from, uint32_t to, uint32_t target);
/* The same of all blocks, by a guess: docids are taken to grow evenly. */
uint32_t rp__lrc_block_near(const rp__list *list, uint32_t target);

/* The first docid that is at least target: in block b, the first that may hold it. */
static inline rp_status rp__lrc_find_with(const rp__list *list, uint32_t b, uint32_t target,
                                          uint32_t *rank, uint32_t *docid, rp__lrc_open_fn *open)
{
    rp__lrc_view v;
    *rank = list->n;
    *docid = RP_NO_DOC;
    if (b >= list->n_blocks)
        return RP_OK;
    if (open(list, b, &v))
        return RP_DAMAGED;
    uint32_t slot = rp__lrc_search(&v, list->last ? list->last[b] : UINT32_MAX, target);
    if (slot < v.count) {
        *rank = rp__list_begin(list, b) + slot;
        *docid = rp__lrc_slot(&v, slot);
    }
    return RP_OK;
}

/* The functions of a row for an instruction set. */
#define RP_LRC_ROW(name, open, docids)                                                             \
    rp_status name##_block(const rp__list *list, uint32_t b, uint32_t *out)                        \
    {                                                                                              \
        return rp__lrc_block_with(list, b, out, open, docids);                                     \
    }                                                                                              \
    rp_status name##_decode(const rp__list *list, uint32_t *out)                                   \
    {                                                                                              \
        return rp__lrc_decode_with(list, out, open, docids);                                       \
    }

rp__lrc_docids_fn rp__lrc_docids;
#if defined(__x86_64__)
rp__lrc_docids_fn rp__lrc_avx2_docids;
#endif

/* ---- Encoding -------------------------------------------------------------------------------- */

/* The line's c as it is stored: without its fraction. */
static inline rp__line rp__lrc_line_of(const uint32_t *docids, size_t n)
{
    rp__line line = rp__line_fit(docids, n);
    line.c -= line.c & ((1 << RP_LINE_SHIFT) - 1);
    return line;
}

/* The least of docids[i] - f(first + i): -M of the segment. */
int64_t rp__lrc_least(rp__line line, size_t first, const uint32_t *docids, size_t n);
/* Writes the residuals docids[i] - f(first + i) - least of up to RP_BLOCK_MAX docids; returns the byte
 * after. */
uint8_t *rp__lrc_put_residuals(const rp__codec_options *options, rp__line line, int64_t least,
                               size_t first, const uint32_t *docids, size_t n, uint8_t *out);
uint8_t *rp__lrc_put_line(rp__line line, int64_t least, uint8_t *out);

#endif
