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

enum { DENSE = 12 }; /* from so many docids of a block on, they are searched together */

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)hs;
    return list->codec != NULL;
}

/* Docids from i on that fall into the block, as `blocks` says; returns the first that does not. */
static inline uint32_t find_few(rp__lanes_search *s, uint32_t i, const uint32_t *blocks,
                                const uint32_t *slots, uint32_t count, uint32_t first)
{
    const uint32_t b = blocks[i];
    for (; i < s->n && blocks[i] == b; i++) {
        const uint32_t x = s->docids[i], *p = slots;
        if (count > RP_BLOCK && p[RP_BLOCK - 1] < x)
            p += RP_BLOCK;
        p += RP_LANES * ((p[15] < x) + (p[31] < x) + (p[47] < x) + (p[63] < x) + (p[79] < x) +
                         (p[95] < x) + (p[111] < x));
        uint32_t at = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(p), _mm512_set1_epi32((int)x));
        __asm__("" : "+r"(at)); /* gcc 12 may spill 16 bits of a mask, and load 32 */
        s->kept[s->found] = i;
        if (s->ranks)
            s->ranks[s->found] =
                first + (uint32_t)(p - slots) + (uint32_t)__builtin_ctz(at | 1U << RP_LANES);
        s->found += at != 0;
    }
    return i;
}

static inline uint32_t find_many(rp__lanes_search *s, uint32_t i, const uint32_t *blocks,
                                 const uint32_t *slots, uint32_t count, uint32_t first)
{
    const __m512i b = _mm512_set1_epi32((int)blocks[i]);
    const uint32_t n = s->n, n_slots = count > RP_BLOCK ? RP_BLOCK_MAX : RP_BLOCK;
    uint32_t end = i, is_here;
    do {
        is_here = _mm512_mask_cmpeq_epi32_mask(rp__lanes_mask(n - end), b,
                                               _mm512_loadu_si512(blocks + end));
        end += (uint32_t)__builtin_popcount(is_here);
    } while (is_here == 0xFFFF && end < n);
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
    for (uint32_t i = 0; i < n && blocks[i] < list->n_blocks;) {
        const uint32_t *slots = rp__probe_block_load(probe, blocks[i]);
        if (!slots)
            return 0;
        uint32_t first = rp__list_block_first(list, blocks[i]);
        if (n - i >= DENSE && blocks[i + DENSE - 1] == blocks[i])
            i = find_many(&s, i, blocks, slots, probe->count, first);
        else
            i = find_few(&s, i, blocks, slots, probe->count, first);
    }
    return s.found;
}

const rp__probe_row rp__probe_blocks_avx512_row = {"blocks", RP_CPU_AVX512, applies, find};
