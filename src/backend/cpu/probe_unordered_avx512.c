/* probe_unordered_avx512.c: the probe of blocks decoded in an order of their own, with AVX-512: each docid is
 * compared with all postings of its block. */
#include "backend/cpu/probe_unordered.h"

#include <immintrin.h>

#include "backend/cpu/probe_place_avx512.h"
#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

enum { LANES = 8, HALF = RP_BLOCK / 2 };

/* A bit for each of eight slots that is x. */
static inline uint64_t equal(const uint32_t *slots, __m256i x)
{
    const __m256i *p = (const __m256i *)(const void *)slots;
    __m256i v = _mm256_cmpeq_epi32(_mm256_load_si256(p), x);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

/* Whether x is in any of the slots. */
static inline bool is_any(const uint32_t *slots, __m256i x)
{
    const __m256i *p = (const __m256i *)(const void *)slots;
    __m256i any = _mm256_setzero_si256();
    for (uint32_t k = 0; k < RP_BLOCK / LANES; k += 2) {
        __m256i a = _mm256_cmpeq_epi32(_mm256_load_si256(p + k), x);
        __m256i b = _mm256_cmpeq_epi32(_mm256_load_si256(p + k + 1), x);
        any = _mm256_ternarylogic_epi32(any, a, b, 0xFE); /* or */
    }
    return !_mm256_testz_si256(any, any);
}

/* Which one. */
static inline uint32_t slot_of(const uint32_t *slots, __m256i x)
{
    uint64_t low = 0, high = 0;
    for (uint32_t k = 0; k < HALF; k += LANES) {
        low |= equal(slots + k, x) << k;
        high |= equal(slots + HALF + k, x) << k;
    }
    return low ? (uint32_t)__builtin_ctzll(low) : HALF + (uint32_t)__builtin_ctzll(high);
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
        __m256i x = _mm256_set1_epi32((int)docids[i]);
        bool is_there = is_any(probe->docs, x);
        kept[found] = i;
        if (ranks && is_there)
            ranks[found] = rp__probe_unordered_rank(probe, slot_of(probe->docs, x));
        found += is_there;
    }
    return found;
}

const rp__probe_row rp__probe_unordered_avx512_row = {"unordered", RP_CPU_AVX512,
                                                      rp__probe_unordered_applies, find};
