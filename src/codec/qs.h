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

enum { RP_QS_HINT = 128, RP_QS_WIDTH_MAX = 31, RP_QS_HEAD = 4, RP_QS_FEW = 3 };

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

/* Where the high parts of block b start. */
static inline uint64_t rp__qs_block_bit(const rp__list *list, const rp__qs_parts *p, uint32_t b)
{
    return (uint64_t)b * RP_BLOCK + (b ? list->last[b - 1] >> p->l : 0);
}

/* That, and the bit after its last end. */
static inline rp_status rp__qs_block_bits(const rp__list *list, const rp__qs_parts *p, uint32_t b,
                                          uint64_t *from, uint64_t *to)
{
    *from = rp__qs_block_bit(list, p, b);
    *to = p->bits;
    if (list->last)
        *to = (uint64_t)b * RP_BLOCK + rp__list_count(list, b) + (list->last[b] >> p->l);
    return *from <= *to && *to <= p->bits ? RP_OK : RP_DAMAGED;
}

/* The i-th docid: a row's `at`, by its way of finding ends. */
static inline rp_status rp__qs_at_by(const rp__list *list, uint32_t i, uint32_t *out,
                                     rp__unary_end_fn *end_of)
{
    rp__qs_parts p;
    if (i >= list->n || rp__qs_open(list, &p))
        return RP_DAMAGED;
    uint64_t from = rp__qs_block_bit(list, &p, i / RP_BLOCK);
    uint64_t end = end_of(p.high, RP_UNARY_ENDS_ARE_ZEROS, from, p.bits, i % RP_BLOCK);
    if (end >= p.bits)
        return RP_DAMAGED;
    *out = (uint32_t)((end - i) << p.l) | rp__lowbits_at(p.low, p.l, i);
    return RP_OK;
}

/* How many of the first `count` low parts from rank i on are less than this; count is at most
 * RP_QS_FEW. No branch. */
static inline uint64_t rp__qs_few_less(const rp__qs_parts *p, uint64_t i, uint64_t count,
                                       uint32_t low)
{
    uint64_t less = 0;
    for (uint64_t k = 0; k < RP_QS_FEW; k++)
        less += (rp__lowbits_at(p->low, p->l, i + k) < low) & (k < count);
    return less;
}

/* The first rank from `i` on, of `count`, whose low part is at least this. */
static inline uint64_t rp__qs_low_geq(const rp__qs_parts *p, uint64_t i, uint64_t count,
                                      uint32_t low)
{
    while (count > RP_QS_FEW) {
        uint64_t half = count / 2;
        bool is_less = rp__lowbits_at(p->low, p->l, i + half) < low;
        i = is_less ? i + half + 1 : i;
        count = is_less ? count - half - 1 : half;
    }
    return i + rp__qs_few_less(p, i, count, low);
}

/* Where a search for a target stands: the bit after as many ones as its high part counts, which
 * is where the docids of that high part start, and the rank of the first of them. */
typedef struct rp__qs_place {
    uint64_t bit, rank, high;
    uint32_t low; /* the target's low part */
} rp__qs_place;

/* Finds it from the nearest hint before. False: no docid is as large as the target. */
static inline bool rp__qs_seek(const rp__list *list, const rp__qs_parts *p, uint32_t target,
                               rp__qs_place *place, rp__unary_end_fn *end_of)
{
    uint64_t high = target >> p->l, k = high / RP_QS_HINT, bit = 0;
    if (k > p->n_hints) {
        if (list->last)
            return false;
        k = 0; /* a short list has no hints */
    }
    if (k > 0)
        bit = k * RP_QS_HINT + rp__load32(p->hints + (k - 1) * sizeof(uint32_t));
    if (high > k * RP_QS_HINT)
        bit = end_of(p->high, RP_UNARY_ENDS_ARE_ONES, bit, p->bits, high - k * RP_QS_HINT - 1) + 1;
    *place = (rp__qs_place){bit, bit - high, high, target & (uint32_t)((1ULL << p->l) - 1)};
    return bit < p->bits && bit - high < list->n;
}

/* The docids of the place's high part are searched by their low parts; where all are less, the next
 * docid is it. */
static inline void rp__qs_search(const rp__list *list, const rp__qs_parts *p,
                                 const rp__qs_place *place, uint32_t *rank, uint32_t *docid,
                                 rp__unary_end_fn *end_of)
{
    uint64_t next = end_of(p->high, RP_UNARY_ENDS_ARE_ONES, place->bit, p->bits, 0);
    uint64_t end = next - place->high < list->n ? next - place->high : list->n, high = place->high;
    uint64_t i = rp__qs_low_geq(p, place->rank, end - place->rank, place->low);
    if (i == list->n)
        return;
    if (i == end)
        high = end_of(p->high, RP_UNARY_ENDS_ARE_ZEROS, next, p->bits, 0) - i;
    *rank = (uint32_t)i;
    *docid = (uint32_t)(high << p->l) | rp__lowbits_at(p->low, p->l, i);
}

#endif
