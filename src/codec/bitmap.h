/* bitmap.h: what all rows of the docid codec bitmap share. Interior of the room.
 *
 * A u32 base, a u32 n_words, then: n_words u64 in which bit j of word i stands for the docid base +
 * 64i + j; then a u32 for each 8 words: how many docids lie before them. The base is a multiple of
 * 64. Where words of 4 bytes a docid are smaller, the base is 1, n_words 0, and those follow. */
#ifndef RP_CODEC_BITMAP_H
#define RP_CODEC_BITMAP_H

#include <string.h>

#include "base/bits.h"
#include "codec/codec.h"
#include "codec/gaps.h"
#include "codec/list.h"

enum {
    RP_BITMAP_HEAD = 8,
    RP_BITMAP_SPAN = 64,  /* docids of a word */
    RP_BITMAP_GROUP = 8,  /* words of a hint */
    RP_BITMAP_SPARSE = 1, /* the base of a list that is words of 4 bytes */
};

/* The docids of `count` bits from bit `from` on. May write 64 past count. RP_DAMAGED: not so
 * many. */
typedef rp_status (*rp__bitmap_extract)(const rp__bitmap_view *v, uint64_t from, uint32_t count,
                                        uint32_t *out);

static inline rp_status rp__bitmap_open(const rp__list *list, rp__bitmap_view *v)
{
    if (list->docs_bytes < RP_BITMAP_HEAD)
        return RP_DAMAGED;
    uint64_t base = rp__load32(list->docs), n_words = rp__load32(list->docs + 4);
    uint64_t n_hints = (n_words + RP_BITMAP_GROUP - 1) / RP_BITMAP_GROUP;
    *v = (rp__bitmap_view){.words = list->docs + RP_BITMAP_HEAD,
                           .hints = list->docs + RP_BITMAP_HEAD + 8 * n_words,
                           .base = (uint32_t)base,
                           .n_words = (uint32_t)n_words};
    if (base == RP_BITMAP_SPARSE)
        return n_words == 0 && list->docs_bytes - RP_BITMAP_HEAD >= 4 * (uint64_t)list->n
                   ? RP_OK
                   : RP_DAMAGED;
    if (base % RP_BITMAP_SPAN || base + RP_BITMAP_SPAN * n_words > 1ULL << 32 ||
        list->docs_bytes - RP_BITMAP_HEAD < 8 * n_words + 4 * n_hints)
        return RP_DAMAGED;
    return RP_OK;
}

static inline rp_status rp__bitmap_block_with(const rp__list *list, uint32_t b, uint32_t *out,
                                              rp__bitmap_extract extract)
{
    rp__bitmap_view v;
    uint32_t first = rp__list_begin(list, b), count = rp__list_count(list, b);
    /* 0 past the last docid of all: docids do not rise */
    uint32_t from = b ? list->last[b - 1] + 1 : 0;
    if (rp__bitmap_open(list, &v) || (b && from == 0))
        return RP_DAMAGED;
    if (v.base != RP_BITMAP_SPARSE)
        return extract(&v, from > v.base ? from - v.base : 0, count, out);
    memcpy(out, v.words + 4 * (size_t)first, count * sizeof(uint32_t));
    return rp__gaps_rising(out, count, from - 1);
}

static inline rp_status rp__bitmap_decode_with(const rp__list *list, uint32_t *out,
                                               rp__bitmap_extract extract)
{
    rp__bitmap_view v;
    if (rp__bitmap_open(list, &v))
        return RP_DAMAGED;
    if (v.base != RP_BITMAP_SPARSE) {
        if (extract(&v, 0, list->n, out))
            return RP_DAMAGED;
    } else {
        memcpy(out, v.words, list->n * sizeof(uint32_t));
        if (rp__gaps_rising(out, list->n, UINT32_MAX))
            return RP_DAMAGED;
    }
    for (uint32_t b = 0; list->last && b < list->n_blocks; b++)
        if (out[rp__list_begin(list, b + 1) - 1] != list->last[b])
            return RP_DAMAGED;
    return out[list->n - 1] < list->universe ? RP_OK : RP_DAMAGED;
}

#endif
