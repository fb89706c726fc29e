/* qs.h: what all rows of the docid codec qs share. Interior of the room.
 *
 * A whole list in Elias-Fano's way. Byte 0 is the number of low bits l, 0 to 31; bytes 1 to 3 are
 * zero. Then come, each padded with zeros to 4 bytes:
 *   hints  u32 for k = 1, 2, ... while k * RP_QS_HINT <= u >> l, u the last docid: how many docids
 *          are below k * RP_QS_HINT << l. A short list has none.
 *   low    l bits of each docid, in order.
 *   high   the gaps of d >> l in unary: that many ones, then a zero.
 * Block b of RP_BLOCK docids has its high parts from bit RP_BLOCK * b + (last[b-1] >> l) on: so many
 * zeros and ones lie before it. */
#ifndef RP_CODEC_QS_H
#define RP_CODEC_QS_H

#include "codec/list.h"
#include "codec/lowbits.h"
#include "codec/unary.h"

enum { RP_QS_HINT = 128, RP_QS_WIDTH_MAX = 31, RP_QS_HEAD = 4 };

typedef struct rp__qs_parts {
    uint32_t l;
    uint64_t n_hints, bits; /* bits of the high part's bytes */
    const uint8_t *hints, *low, *high;
} rp__qs_parts;

/* Finds the parts and checks that they lie inside. */
static inline rp_status rp__qs_open(const rp__list *list, rp__qs_parts *p)
{
    if (list->docs_bytes < RP_QS_HEAD || list->docs[0] > RP_QS_WIDTH_MAX)
        return RP_DAMAGED;
    p->l = list->docs[0];
    p->n_hints = list->last ? (list->last[list->n_blocks - 1] >> p->l) / RP_QS_HINT : 0;
    uint64_t low = RP_QS_HEAD + p->n_hints * sizeof(uint32_t);
    uint64_t high = low + rp__bits_align(rp__lowbits_bytes(list->n, p->l), sizeof(uint32_t));
    if (high > list->docs_bytes)
        return RP_DAMAGED;
    p->hints = list->docs + RP_QS_HEAD;
    p->low = list->docs + low;
    p->high = list->docs + high;
    p->bits = 8 * (list->docs_bytes - high);
    return RP_OK;
}

/* The bits of high parts of block b: from its first one's to the bit after its last end. */
static inline rp_status rp__qs_block_bits(const rp__list *list, const rp__qs_parts *p, uint32_t b,
                                          uint64_t *from, uint64_t *to)
{
    uint64_t before = (uint64_t)b * RP_BLOCK;
    *from = before + (b ? list->last[b - 1] >> p->l : 0);
    *to = p->bits;
    if (list->last)
        *to = before + rp__list_count(list, b) + (list->last[b] >> p->l);
    return *from <= *to && *to <= p->bits ? RP_OK : RP_DAMAGED;
}

/* rp__unary_end or one like it. */
typedef uint64_t rp__qs_end_fn(const uint8_t *bits, uint64_t flip, uint64_t from, uint64_t to,
                               uint64_t i);

/* The i-th docid: a row's `at`, by its way of finding ends. */
static inline rp_status rp__qs_at_by(const rp__list *list, uint32_t i, uint32_t *out,
                                     rp__qs_end_fn *end_of)
{
    rp__qs_parts p;
    uint64_t from, to;
    if (i >= list->n || rp__qs_open(list, &p) ||
        rp__qs_block_bits(list, &p, i / RP_BLOCK, &from, &to))
        return RP_DAMAGED;
    uint64_t end = end_of(p.high, RP_UNARY_ENDS_ARE_ZEROS, from, to, i % RP_BLOCK);
    if (end >= to)
        return RP_DAMAGED;
    *out = (uint32_t)((end - i) << p.l) | rp__lowbits_at(p.low, p.l, i);
    return RP_OK;
}

/* The first rank from `i` on, of `count`, whose low part is at least this. */
static inline uint64_t rp__qs_low_geq(const rp__qs_parts *p, uint64_t i, uint64_t count,
                                      uint32_t low)
{
    while (count > 0) {
        uint64_t half = count / 2;
        bool less = rp__lowbits_at(p->low, p->l, i + half) < low;
        i = less ? i + half + 1 : i;
        count = less ? count - half - 1 : half;
    }
    return i;
}

/* The first docid of at least target: a row's `find`. A hint leads near the ones that count up to
 * target's high part; the docids of that high part are searched by their low parts; where all are
 * less, the next docid is it. */
static inline rp_status rp__qs_find_by(const rp__list *list, uint32_t target, uint32_t *rank,
                                       uint32_t *docid, rp__qs_end_fn *end_of)
{
    rp__qs_parts p;
    *rank = list->n;
    *docid = RP_NO_DOC;
    if (rp__qs_open(list, &p))
        return RP_DAMAGED;
    uint64_t high = target >> p.l, k = high / RP_QS_HINT, at = 0;
    if (k > p.n_hints && list->last)
        return RP_OK;
    if (k > p.n_hints)
        k = p.n_hints;
    if (k > 0)
        at = k * RP_QS_HINT + rp__load32(p.hints + (k - 1) * sizeof(uint32_t));
    if (high > k * RP_QS_HINT)
        at = end_of(p.high, RP_UNARY_ENDS_ARE_ONES, at, p.bits, high - k * RP_QS_HINT - 1) + 1;
    if (at >= p.bits || at - high >= list->n)
        return RP_OK;
    uint64_t next = end_of(p.high, RP_UNARY_ENDS_ARE_ONES, at, p.bits, 0), i = at - high;
    uint64_t of = next - high < list->n ? next - high : list->n; /* the rank after the high part's */
    i = rp__qs_low_geq(&p, i, of - i, target & (uint32_t)((1ULL << p.l) - 1));
    if (i == list->n)
        return RP_OK;
    if (i == of)
        high = end_of(p.high, RP_UNARY_ENDS_ARE_ZEROS, next, p.bits, 0) - i;
    *rank = (uint32_t)i;
    *docid = (uint32_t)(high << p.l) | rp__lowbits_at(p.low, p.l, i);
    return RP_OK;
}

#endif
