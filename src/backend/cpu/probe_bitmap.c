/* probe_bitmap.c: the probe of a list that is bits, plain: one test a docid, after all its words were asked
 * for at once, so that they come from afar together. Ranks are counted for what was found alone. */
#include "backend/cpu/probe_bitmap.h"

#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"
#include "base/bits.h"

enum { GROUP = 8 }; /* words of a hint */

bool rp__probe_bitmap_applies(const rp__list *list, const rp__aux *hs)
{
    rp__bitmap_view view;
    (void)hs;
    return rp__bitmap_bits(list, &view);
}

uint32_t rp__probe_bitmap_ranks(rp__probe *probe, const rp__bitmap_view *v, const uint32_t *docids,
                                const uint32_t *kept, uint32_t n, uint32_t *ranks)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = docids[kept[i]] - v->base, word = bit / 64, from = word / GROUP * GROUP;
        uint32_t rank = rp__load32(v->hints + 4 * (size_t)(word / GROUP));
        for (uint32_t w = from; w < word; w++)
            rank += rp__bits_count64(rp__load64(v->words + 8 * (size_t)w));
        uint64_t below = (1ULL << bit % 64) - 1;
        rank += rp__bits_count64(rp__load64(v->words + 8 * (size_t)word) & below);
        if (rank >= probe->list->n)
            return rp__probe_block_damaged(probe);
        ranks[i] = rank;
    }
    return n;
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    rp__bitmap_view v;
    if (!rp__bitmap_bits(probe->list, &v) || v.n_words == 0)
        return rp__probe_block_damaged(probe);
    uint64_t n_bits = 64ULL * v.n_words;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(v.words + (docids[i] - v.base) / 8);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = docids[i] - v.base; /* of a docid below base: far past the last */
        bool is_inside = bit < n_bits;
        uint64_t word = rp__load64(v.words + (is_inside ? bit / 64 * 8 : 0));
        kept[found] = i;
        found += (uint32_t)(word >> bit % 64) & is_inside;
    }
    return ranks ? rp__probe_bitmap_ranks(probe, &v, docids, kept, found, ranks) : found;
}

const rp__probe_row rp__probe_bitmap_row = {"bitmap", 0, rp__probe_bitmap_applies, find};
