/* probe_blocks_avx512.c: the probe by blocks, with AVX-512: sixteen docids at a time are sought in the
 * directory of last docids, so that the blocks of a whole batch are known before the first is decoded, and
 * asked for where they lie apart; then each is decoded once.
 *
 * Many docids of a block are searched sixteen at a time; a few one by one: which eighth of the block may
 * hold it, and there all 16 at once. */
#include "backend/cpu/probe_lanes_avx512.h"

#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_place_avx512.h"
#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

enum {
    CROWD = 4, /* from so many docids a block on, of a batch, up to sixteen are searched together */
    DENSE = 32, /* from so many of one block on, it is walked with them */
};

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)hs;
    return list->codec != NULL;
}

/* A bit for each of sixteen slots that is x. By two registers: a comparison into a mask costs more on
 * Zen 4 than both into bytes. */
static inline uint32_t equal(const uint32_t *slots, uint32_t x)
{
    const __m256i v = _mm256_set1_epi32((int)x);
    const __m256i *p = (const __m256i *)(const void *)slots;
    __m256i a = _mm256_cmpeq_epi32(_mm256_loadu_si256(p), v);
    __m256i b = _mm256_cmpeq_epi32(_mm256_loadu_si256(p + 1), v);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(b)) << 8;
}

/* Docids from i on that fall into the block, as `blocks` says; returns the first that does not. */
static inline uint32_t find_few(rp__lanes_search *s, uint32_t i, const uint32_t *blocks,
                                const uint32_t *slots, uint32_t count, uint32_t first)
{
    const uint32_t b = blocks[i], n = s->n, *docids = s->docids;
    uint32_t found = s->found, *kept = s->kept, *ranks = s->ranks;
    for (; i < n && blocks[i] == b; i++) {
        const uint32_t x = docids[i], *p = slots;
        if (count > RP_BLOCK && p[RP_BLOCK - 1] < x)
            p += RP_BLOCK;
        p += RP_LANES * ((p[15] < x) + (p[31] < x) + (p[47] < x) + (p[63] < x) + (p[79] < x) +
                         (p[95] < x) + (p[111] < x));
        uint32_t bits = equal(p, x);
        kept[found] = i;
        if (ranks)
            ranks[found] =
                first + (uint32_t)(p - slots) + (uint32_t)__builtin_ctz(bits | 1U << RP_LANES);
        found += bits != 0;
    }
    s->found = found;
    return i;
}

/* The same, up to sixteen of them at once, in all of the block: no branch depends on how many they are. */
static inline uint32_t find_some(rp__lanes_search *s, uint32_t i, const uint32_t *blocks,
                                 const uint32_t *slots, uint32_t count, uint32_t first)
{
    const __m512i steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const uint32_t n_slots = count > RP_BLOCK ? RP_BLOCK_MAX : RP_BLOCK;
    const __mmask16 lanes = rp__lanes_mask(s->n - i);
    const __m512i v = _mm512_maskz_loadu_epi32(lanes, s->docids + i);
    __mmask16 is_here = _mm512_mask_cmpeq_epi32_mask(lanes, _mm512_loadu_si512(blocks + i),
                                                     _mm512_set1_epi32((int)blocks[i]));
    __mmask16 is_there = 0;
    __m512i ranks = _mm512_setzero_si512(), at;
    for (uint32_t slot = 0; slot < n_slots; slot += RP_SLOTS) {
        __m512i below = rp__lanes_find(v, rp__lanes_load(slots + slot), &at);
        __mmask16 is_equal = _mm512_mask_cmpeq_epi32_mask(is_here, at, v);
        ranks = _mm512_mask_add_epi32(ranks, is_equal, below, _mm512_set1_epi32((int)slot));
        is_there |= is_equal;
    }
    rp__lanes_put(s->kept + s->found, steps, i, is_there);
    if (s->ranks)
        rp__lanes_put(s->ranks + s->found, ranks, first, is_there);
    s->found += rp__lanes_count(is_there);
    return i + rp__lanes_count(is_here);
}

/* All of them: both sides are walked. */
static inline uint32_t find_many(rp__lanes_search *s, uint32_t i, const uint32_t *blocks,
                                 const uint32_t *slots, uint32_t count, uint32_t first)
{
    const __m512i b = _mm512_set1_epi32((int)blocks[i]);
    const uint32_t n = s->n, n_slots = count > RP_BLOCK ? RP_BLOCK_MAX : RP_BLOCK;
    uint32_t end = i, here;
    do {
        __mmask16 is_here = _mm512_mask_cmpeq_epi32_mask(rp__lanes_mask(n - end), b,
                                                         _mm512_loadu_si512(blocks + end));
        here = rp__lanes_count(is_here);
        end += here;
    } while (here == RP_LANES && end < n);
    s->n = end;
    rp__lanes_merge(s, &i, slots, 0, n_slots, first);
    s->n = n;
    return end;
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    rp__lanes_search s = {docids, kept, ranks, n, 0};
    uint32_t blocks[RP_PLACES];
    if (n == 0 || probe->at == list->n_blocks)
        return 0;
    probe->at = rp__probe_place_avx512(list, probe->at, docids, n, blocks);
    const bool is_crowded = n >= CROWD * (probe->at - blocks[0] + 1);
    for (uint32_t i = 0; i < n && blocks[i] < list->n_blocks;) {
        const uint32_t *slots = rp__probe_block_load(probe, blocks[i]);
        if (!slots)
            return 0;
        uint32_t first = rp__list_block_first(list, blocks[i]);
        if (n - i >= DENSE && blocks[i + DENSE - 1] == blocks[i])
            i = find_many(&s, i, blocks, slots, probe->count, first);
        else if (is_crowded)
            i = find_some(&s, i, blocks, slots, probe->count, first);
        else
            i = find_few(&s, i, blocks, slots, probe->count, first);
    }
    return s.found;
}

const rp__probe_row rp__probe_blocks_avx512_row = {"blocks", RP_CPU_AVX512, applies, find};
