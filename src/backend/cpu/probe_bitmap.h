/* backend/cpu/probe_bitmap.h: interior of cpu: the probe of a list that is bits, inline, for rows
 * that are compiled for more and less instructions: what counts bits is one of them.
 *
 * One test a docid; where they lie apart, all words are asked for before, so that they come from
 * afar together. Ranks are counted for what was found alone. */
#ifndef RP_BACKEND_CPU_PROBE_BITMAP_H
#define RP_BACKEND_CPU_PROBE_BITMAP_H

#include "backend/cpu/probe_block.h"
#include "base/bits.h"

enum { RP_BITMAP_HINT = 8 }; /* words of a hint */

bool rp__probe_bitmap_applies(const rp__list *list, const rp__aux *hs);

/* How many bits are set before one. All words of its hint are counted, those from its own on as
 * zeros: that is faster than to stop. They may end past the bits, within what follows them. */
static inline uint32_t rp__probe_bitmap_rank(const rp__bitmap_view *v, uint32_t bit)
{
    static const uint64_t masks[2 * RP_BITMAP_HINT] = {~0ULL, ~0ULL, ~0ULL, ~0ULL,
                                                       ~0ULL, ~0ULL, ~0ULL, ~0ULL};
    const uint32_t word = bit / 64, before = word % RP_BITMAP_HINT;
    const uint8_t *words = v->words + 8 * (size_t)(word - before);
    const uint64_t *mask = masks + RP_BITMAP_HINT - before, below = (1ULL << bit % 64) - 1;
    uint32_t rank = rp__load32(v->hints + 4 * (size_t)(word / RP_BITMAP_HINT));
    rank += rp__bits_count64(rp__load64(words + 8 * before) & below);
    for (uint32_t w = 0; w < RP_BITMAP_HINT; w++)
        rank += rp__bits_count64(rp__load64(words + 8 * w) & mask[w]);
    return rank;
}

/* The ranks of docids[kept[i]], whose bits are set. Returns n; 0: RP_DAMAGED. */
static inline uint32_t rp__probe_bitmap_ranks(rp__probe *probe, const rp__bitmap_view *v,
                                              const uint32_t *docids, const uint32_t *kept,
                                              uint32_t n, uint32_t *ranks)
{
    for (uint32_t i = 0; i < n; i++) {
        ranks[i] = rp__probe_bitmap_rank(v, docids[kept[i]] - v->base);
        if (ranks[i] >= probe->list->n)
            return rp__probe_block_damaged(probe);
    }
    return n;
}

static inline void rp__probe_bitmap_prefetch(const rp__bitmap_view *v, const uint32_t *docids,
                                             uint32_t n, bool has_ranks)
{
    const uint64_t near = 2048; /* docids to the next one that the processor foresees by itself */
    if (n == 0 || docids[n - 1] - docids[0] < near * n)
        return;
    for (uint32_t i = 0; i < n; i++) { /* of a docid outside, anywhere */
        __builtin_prefetch(v->words + (docids[i] - v->base) / 8);
        if (has_ranks)
            __builtin_prefetch(v->hints + (docids[i] - v->base) / (64 * RP_BITMAP_HINT) * 4);
    }
}

static inline uint32_t rp__probe_bitmap_find(rp__probe *probe, const uint32_t *docids, uint32_t n,
                                             uint32_t *kept, uint32_t *ranks)
{
    rp__bitmap_view v;
    if (!rp__bitmap_bits(probe->list, &v) || v.n_words == 0)
        return rp__probe_block_damaged(probe);
    const uint64_t n_bits = 64ULL * v.n_words;
    uint32_t found = 0;
    rp__probe_bitmap_prefetch(&v, docids, n, ranks != NULL);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = docids[i] - v.base; /* of a docid below base: far past the last */
        bool is_inside = bit < n_bits;
        uint64_t word = rp__load64(v.words + (is_inside ? bit / 64 * 8 : 0));
        kept[found] = i;
        found += (uint32_t)(word >> bit % 64) & is_inside;
    }
    return ranks ? rp__probe_bitmap_ranks(probe, &v, docids, kept, found, ranks) : found;
}

#endif
