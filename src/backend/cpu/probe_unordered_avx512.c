/* probe_unordered_avx512.c: the probe of blocks decoded in an order of their own, with AVX-512: each docid is
 * compared with all postings of its block. */
#include "backend/cpu/probe_unordered.h"

#include <immintrin.h>

#include "backend/cpu/probe_place_avx512.h"
#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

enum { LANES = 16, HALF = 4 * LANES };

/* A bit for each of HALF slots that is x. */
static inline uint64_t equal(const uint32_t *slots, __m512i x)
{
    __mmask16 a = _mm512_cmpeq_epi32_mask(_mm512_load_si512(slots), x);
    __mmask16 b = _mm512_cmpeq_epi32_mask(_mm512_load_si512(slots + LANES), x);
    __mmask16 c = _mm512_cmpeq_epi32_mask(_mm512_load_si512(slots + 2 * LANES), x);
    __mmask16 d = _mm512_cmpeq_epi32_mask(_mm512_load_si512(slots + 3 * LANES), x);
    return _mm512_kunpackd(_mm512_kunpackw(d, c), _mm512_kunpackw(b, a));
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    uint32_t blocks[RP_PLACES], found = 0;
    if (n == 0 || probe->at == list->n_blocks)
        return 0;
    probe->at = rp__probe_place_avx512(list, probe->at, docids, n, blocks);
    for (uint32_t i = 0; i < n && blocks[i] < list->n_blocks; i++) {
        if ((probe->count == 0 || probe->block != blocks[i]) &&
            !rp__probe_unordered_fill(probe, blocks[i]))
            return 0;
        __m512i x = _mm512_set1_epi32((int)docids[i]);
        uint64_t low = equal(probe->docs, x), high = equal(probe->docs + HALF, x);
        kept[found] = i;
        if (ranks) {
            uint32_t slot = low    ? (uint32_t)__builtin_ctzll(low)
                            : high ? HALF + (uint32_t)__builtin_ctzll(high)
                                   : 0;
            ranks[found] = rp__probe_unordered_rank(probe, slot);
        }
        found += (low | high) != 0;
    }
    return found;
}

const rp__probe_row rp__probe_unordered_avx512_row = {"unordered", RP_CPU_AVX512,
                                                      rp__probe_unordered_applies, find};
