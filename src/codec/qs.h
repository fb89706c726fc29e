/* qs.h: what all rows of the docid codec qs share. Interior of the room.
 *
 * A whole list in Elias-Fano's way. Byte 0 is the number of low bits l, 0 to 31; bytes 1 to 3 are
 * zero. Then come, each padded with zeros to 4 bytes:
 *   hints  5 bytes for k = 0, 1, ... while k * RP_QS_HINT <= u >> l, u the last docid. A u32: how
 *          many docids are below k * RP_QS_HINT << l. A u8: how many more are below (k * RP_QS_HINT
 *          + RP_QS_HALF) << l, or RP_QS_MANY where they are as many or more. A short list has none.
 *   low    l bits of each docid, in order.
 *   high   the gaps of d >> l in unary: that many ones, then a zero.
 * Block b of RP_BLOCK docids has its high parts from bit RP_BLOCK * b + (last[b-1] >> l) on: so
 * many zeros and ones lie before it. */
#ifndef RP_CODEC_QS_H
#define RP_CODEC_QS_H

#include "codec/list.h"
#include "codec/lowbits.h"
#include "codec/unary.h"

enum {
    RP_QS_HEAD = 4,
    RP_QS_WIDTH_MAX = 31,
    RP_QS_HINT = 128, /* high parts between hints */
    RP_QS_HALF = 64,  /* of them, before the second number of a hint */
    RP_QS_HINT_BYTES = 5,
    RP_QS_MANY = 255,
    RP_QS_FEW = 3, /* docids of one high part that are compared without a branch */
};

/* Where the high parts of block b start. */
static inline uint64_t rp__qs_block_bit(const rp__list *list, uint32_t b)
{
    return (uint64_t)b * RP_BLOCK + (b ? list->last[b - 1] >> list->view.width : 0);
}

/* That, and the bit after its last end. */
static inline rp_status rp__qs_block_bits(const rp__list *list, uint32_t b, uint64_t *from,
                                          uint64_t *to)
{
    const rp__list_view *v = &list->view;
    *from = rp__qs_block_bit(list, b);
    *to = v->high_bits;
    if (list->last)
        *to = (uint64_t)b * RP_BLOCK + rp__list_count(list, b) + (list->last[b] >> v->width);
    return *from <= *to && *to <= v->high_bits ? RP_OK : RP_DAMAGED;
}

/* The i-th docid: a row's `at`, by its way of finding ends. */
static inline rp_status rp__qs_at_by(const rp__list *list, uint32_t i, uint32_t *out,
                                     rp__unary_end_fn *end_of)
{
    const rp__list_view *v = &list->view;
    if (i >= list->n)
        return RP_DAMAGED;
    uint64_t from = rp__qs_block_bit(list, i / RP_BLOCK);
    uint64_t end = end_of(v->high, RP_UNARY_ENDS_ARE_ZEROS, from, v->high_bits, i % RP_BLOCK);
    if (end >= v->high_bits)
        return RP_DAMAGED;
    *out = (uint32_t)((end - i) << v->width) | rp__lowbits_at(v->low, v->width, i);
    return RP_OK;
}

/* How many of the first `count` low parts from rank i on are less than this; count is at most
 * RP_QS_FEW. No branch. */
static inline uint64_t rp__qs_few_less(const rp__list_view *v, uint64_t i, uint64_t count,
                                       uint32_t low)
{
    uint64_t less = 0;
    for (uint64_t k = 0; k < RP_QS_FEW; k++)
        less += (rp__lowbits_at(v->low, v->width, i + k) < low) & (k < count);
    return less;
}

/* The first rank from `i` on, of `count`, whose low part is at least this. */
static inline uint64_t rp__qs_low_geq(const rp__list_view *v, uint64_t i, uint64_t count,
                                      uint32_t low)
{
    while (count > RP_QS_FEW) {
        uint64_t half = count / 2;
        bool is_less = rp__lowbits_at(v->low, v->width, i + half) < low;
        i = is_less ? i + half + 1 : i;
        count = is_less ? count - half - 1 : half;
    }
    return i + rp__qs_few_less(v, i, count, low);
}

/* Where a search for a target stands: the bit after as many ones as its high part counts, which
 * is where the docids of that high part start, and the rank of the first of them. */
typedef struct rp__qs_place {
    uint64_t bit, rank, high;
    uint32_t low; /* the target's low part */
} rp__qs_place;

/* The nearest hint before a high part: how many docids are below the high part it stands for, and
 * returns that high part. There is a hint for it. */
static inline uint64_t rp__qs_hint(const rp__list_view *v, uint64_t high, uint64_t *before)
{
    const uint8_t *hint = v->hints + high / RP_QS_HINT * RP_QS_HINT_BYTES;
    uint64_t is_half = 0 - (uint64_t)(high % RP_QS_HINT >= RP_QS_HALF && hint[4] != RP_QS_MANY);
    *before = rp__load32(hint) + (hint[4] & is_half);
    return high / RP_QS_HINT * RP_QS_HINT + (RP_QS_HALF & is_half);
}

/* Finds it from the nearest hint before. False: no docid is as large as the target. */
static inline bool rp__qs_seek(const rp__list *list, uint32_t target, rp__qs_place *place,
                               rp__unary_end_fn *end_of)
{
    const rp__list_view *v = &list->view;
    uint64_t high = target >> v->width, from = 0, before = 0;
    if (high / RP_QS_HINT < v->n_hints)
        from = rp__qs_hint(v, high, &before);
    else if (list->last) /* a short list has no hints */
        return false;
    uint64_t bit = from + before;
    if (high > from)
        bit = 1 + end_of(v->high, RP_UNARY_ENDS_ARE_ONES, bit, v->high_bits, high - from - 1);
    *place = (rp__qs_place){bit, bit - high, high, target & (uint32_t)((1ULL << v->width) - 1)};
    return bit < v->high_bits && bit - high < list->n;
}

/* What a row's `find` gave, for `seek` in block b. */
static inline rp_status rp__qs_slot(uint32_t b, uint32_t rank, uint32_t *slot)
{
    *slot = rank % RP_BLOCK;
    return rank / RP_BLOCK == b ? RP_OK : RP_DAMAGED;
}

/* The docids of the place's high part are searched by their low parts; where all are less, the next
 * docid is it. */
static inline void rp__qs_search(const rp__list *list, const rp__qs_place *place, uint32_t *rank,
                                 uint32_t *docid, rp__unary_end_fn *end_of)
{
    const rp__list_view *v = &list->view;
    uint64_t next = end_of(v->high, RP_UNARY_ENDS_ARE_ONES, place->bit, v->high_bits, 0);
    uint64_t end = next - place->high < list->n ? next - place->high : list->n, high = place->high;
    uint64_t i = rp__qs_low_geq(v, place->rank, end - place->rank, place->low);
    if (i == list->n)
        return;
    if (i == end)
        high = end_of(v->high, RP_UNARY_ENDS_ARE_ZEROS, next, v->high_bits, 0) - i;
    *rank = (uint32_t)i;
    *docid = (uint32_t)(high << v->width) | rp__lowbits_at(v->low, v->width, i);
}

#endif
