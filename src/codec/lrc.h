/* lrc.h: what the codecs of the regression family share: lrc, lrcseg, seglrc, hslrc256, hslrc128.
 * Interior of the room.
 *
 * A docid is a point of a line plus a residual of at least 0: slot i of a segment of 1 to 256
 * postings has start + (a * i >> 24) + residual(i), modulo 2^32, and nothing else is needed for it:
 * no docid waits for another. That is f(i) = (a * i + c) >> 24 with a c of the segment that has no
 * fraction. M, which makes the residuals start at 0, is part of `start`. The rows differ in where a
 * and start come from (a row's `open`) and in how the list is cut.
 *
 * Residuals are ParaPFor's: byte 0 has the width b (0 to 32) in bits 0 to 6, and in bit 7 whether
 * there are exceptions. With them follow a byte with their number less one and a byte with hb, the
 * bits of their high parts (at least 1, b + hb at most 32). Then the b low bits of each residual,
 * up to a full byte; then the ranks of the exceptions, rising, a byte each; then their residuals >>
 * b in hb bits each, up to a full byte. (ib of the paper is always 8.)
 *
 * Functions named *_with are members of rows but for what a row or an instruction set gives them,
 * which is called directly, not by pointer. */
#ifndef RP_CODEC_LRC_H
#define RP_CODEC_LRC_H

#include "codec/gaps.h"
#include "codec/line.h"
#include "codec/list.h"
#include "codec/lowbits.h"

enum {
    RP_LRC_WIDTH = 127,      /* bits of byte 0 */
    RP_LRC_EXCEPTIONS = 128, /* bit of byte 0 */
    RP_LRC_LINE = 12,        /* bytes of the line of a whole list: u64 a, u32 start */
    RP_LRC_MOVED = 4,        /* bytes before the residuals of lrcseg */
    RP_LRC_OWN = 6,          /* and of seglrc: u32 start, u16 slope */
    RP_LRC_SLOPE_BITS = 10,  /* of a u16 slope */
    RP_LRC_SLOPE_UNIT = 19,  /* log2 of the a that is its unit */
};

/* A segment, proved to lie inside its bytes. */
typedef struct rp__lrc_view {
    const uint8_t *lows, *ranks, *highs;
    uint32_t width, high_width, n_exceptions;
    uint32_t count; /* 1 to RP_BLOCK_MAX */
    uint32_t start; /* of the line */
    uint64_t a;
} rp__lrc_view;

/* Segment b of a list. */
typedef rp_status rp__lrc_open_fn(const rp__list *list, uint32_t b, rp__lrc_view *v);
/* Docids of a segment; RP_DAMAGED unless they rise and are above base (UINT32_MAX: any). May write
 * RP_BLOCK_CAPACITY. */
typedef rp_status rp__lrc_docids_fn(const rp__lrc_view *v, uint32_t base, uint32_t *out);

#define RP_LRC_INLINE static inline __attribute__((always_inline))

/* The a of a u16 slope. Below 2^10 it counts 32nds; from there on its 10 low bits, with a one
 * before them, are shifted by the others. So 32 slots are a whole number apart from the next 32. A
 * segment needs no more: over its 256 slots the line is off by less than 4, or less than an 8th of
 * the mean gap. */
static inline uint64_t rp__lrc_slope(uint32_t code)
{
    uint64_t top = 1U << RP_LRC_SLOPE_BITS, low = code % top, shift = code / top % 32;
    return shift ? (top + low) << (RP_LRC_SLOPE_UNIT + shift - 1) : low << RP_LRC_SLOPE_UNIT;
}

/* How much a line of this slope has risen after i, modulo 2^32. */
static inline uint32_t rp__lrc_rise(uint64_t a, uint32_t i)
{
    return (uint32_t)(a * i >> RP_LINE_SHIFT);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The exceptions of residuals whose lows are found, in the in_bytes after them. */
rp_status rp__lrc_open_exceptions(const uint8_t *head, size_t in_bytes, rp__lrc_view *v);

/* The residuals of v->count postings. */
RP_LRC_INLINE rp_status rp__lrc_open_residuals(const uint8_t *in, size_t in_bytes, rp__lrc_view *v)
{
    if (v->count == 0 || in_bytes < 1 || (in[0] & RP_LRC_WIDTH) > 32)
        return RP_DAMAGED;
    size_t head = in[0] & RP_LRC_EXCEPTIONS ? 3 : 1;
    v->width = in[0] & RP_LRC_WIDTH;
    size_t lows = rp__lowbits_bytes(v->count, v->width);
    if (in_bytes < head + lows)
        return RP_DAMAGED;
    v->lows = in + head;
    v->n_exceptions = v->high_width = 0;
    return head == 1 ? RP_OK : rp__lrc_open_exceptions(in, in_bytes - head - lows, v);
}

/* Segment b behind `head` bytes of the row's own, which *in shows. */
RP_LRC_INLINE rp_status rp__lrc_open_block(const rp__list *list, uint32_t b, size_t head,
                                           const uint8_t **in, rp__lrc_view *v)
{
    size_t in_bytes;
    v->count = rp__list_count(list, b);
    if (rp__list_bytes(list, b, in, &in_bytes) || in_bytes < head)
        return RP_DAMAGED;
    return rp__lrc_open_residuals(*in + head, in_bytes - head, v);
}

/* Where a row's segment b, whose bytes are at `in`, stands: its start and slope. Of lrc the line of
 * the list alone says so, which is the last of the list's bytes: what it has at the segment's first
 * posting, rounded down, is the start. Of lrcseg a u32, -M of the segment, is added; of seglrc, a
 * u32 is the start, and a u16 the slope. */
RP_LRC_INLINE rp_status rp__lrc_place(const rp__list *list, uint32_t b, const uint8_t *in,
                                      rp__lrc_view *v)
{
    (void)in;
    if (list->docs_bytes < RP_LRC_LINE)
        return RP_DAMAGED;
    const uint8_t *line = list->docs + list->docs_bytes - RP_LRC_LINE;
    v->a = rp__load64(line);
    v->start = rp__load32(line + 8) + rp__lrc_rise(v->a, rp__list_begin(list, b));
    return RP_OK;
}

RP_LRC_INLINE rp_status rp__lrcseg_place(const rp__list *list, uint32_t b, const uint8_t *in,
                                         rp__lrc_view *v)
{
    if (rp__lrc_place(list, b, in, v))
        return RP_DAMAGED;
    v->start += rp__load32(in);
    return RP_OK;
}

RP_LRC_INLINE rp_status rp__seglrc_place(const rp__list *list, uint32_t b, const uint8_t *in,
                                         rp__lrc_view *v)
{
    (void)list;
    (void)b;
    v->start = rp__load32(in);
    v->a = rp__lrc_slope((uint32_t)in[4] | (uint32_t)in[5] << 8);
    return RP_OK;
}

static inline rp_status rp__lrc_open(const rp__list *list, uint32_t b, rp__lrc_view *v)
{
    const uint8_t *in;
    return rp__lrc_open_block(list, b, 0, &in, v) ? RP_DAMAGED : rp__lrc_place(list, b, in, v);
}

static inline rp_status rp__lrcseg_open(const rp__list *list, uint32_t b, rp__lrc_view *v)
{
    const uint8_t *in;
    if (rp__lrc_open_block(list, b, RP_LRC_MOVED, &in, v))
        return RP_DAMAGED;
    return rp__lrcseg_place(list, b, in, v);
}

static inline rp_status rp__seglrc_open(const rp__list *list, uint32_t b, rp__lrc_view *v)
{
    const uint8_t *in;
    if (rp__lrc_open_block(list, b, RP_LRC_OWN, &in, v))
        return RP_DAMAGED;
    return rp__seglrc_place(list, b, in, v);
}

/* ---- Docids ---------------------------------------------------------------------------------- */

/* Slot i alone. */
static inline uint32_t rp__lrc_slot(const rp__lrc_view *v, uint32_t i)
{
    uint32_t docid = v->start + rp__lrc_rise(v->a, i) + rp__lowbits_at(v->lows, v->width, i);
    const uint8_t *rank = v->n_exceptions ? memchr(v->ranks, (int)i, v->n_exceptions) : NULL;
    if (rank)
        docid += rp__lowbits_at(v->highs, v->high_width, (uint64_t)(rank - v->ranks)) << v->width;
    return docid;
}

/* Adds the high parts to docids made of low parts, and checks all. */
rp_status rp__lrc_patch(const rp__lrc_view *v, uint32_t base, uint32_t *out);

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
uint32_t rp__lrc_search(const rp__lrc_view *v, uint32_t target);
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
    uint32_t slot = rp__lrc_search(&v, target);
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

/* A line on its way to bytes: what a segment's slots have, from 0 on. */
typedef struct rp__lrc_segment {
    uint64_t a;
    const uint32_t *docids;
    size_t n; /* 1 to RP_BLOCK_MAX */
} rp__lrc_segment;

/* The least of docids[i] - (a * i >> 24). */
int64_t rp__lrc_least(const rp__lrc_segment *s);
/* Writes the residuals on the line from `start` on, which is at most the least; returns the byte
 * after. */
uint8_t *rp__lrc_put_residuals(const rp__codec_options *options, const rp__lrc_segment *s,
                               int64_t start, uint8_t *out);
/* The slope of the least-squares line of a list, and the line's value at 0, rounded down. */
uint64_t rp__lrc_fit(const uint32_t *docids, size_t n, int64_t *c);
uint8_t *rp__lrc_put_line(uint64_t a, int64_t start, uint8_t *out);
/* Where that line stands at a segment's first posting. */
static inline int64_t rp__lrc_line_at(uint64_t a, int64_t c, size_t first)
{
    return c + (int64_t)(a * first >> RP_LINE_SHIFT);
}

#endif
