/* bitset_avx2.c: sets of documents as bits and bytes, with AVX2. */
#include "backend/cpu/bitset.h"

#include <immintrin.h>
#include <string.h>

#include "base/bits.h"
#include "base/cpu.h"

enum { WORDS = 4 }; /* of a vector */

static __m256i load(const void *at)
{
    return _mm256_loadu_si256(at);
}

static void unite(uint64_t *set, const uint8_t *words, uint32_t n)
{
    uint32_t i = 0;
    for (; i + WORDS <= n; i += WORDS)
        _mm256_storeu_si256((__m256i *)(void *)(set + i),
                            _mm256_or_si256(load(set + i), load(words + 8 * (size_t)i)));
    for (; i < n; i++)
        set[i] |= rp__load64(words + 8 * (size_t)i);
}

/* Bits of the 32 bytes that are not 0. */
static uint32_t mask_of(const uint8_t *marks)
{
    __m256i is_zero = _mm256_cmpeq_epi8(load(marks), _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_epi8(is_zero);
}

static uint64_t drain(uint64_t *set, uint8_t *marks, uint32_t n)
{
    uint64_t count = 0;
    if (!marks)
        return rp__bitset_drain_bits(set, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *at = marks + 64 * (size_t)i;
        count += rp__bits_count64(set[i] | mask_of(at) | (uint64_t)mask_of(at + 32) << 32);
    }
    memset(set, 0, n * sizeof *set);
    memset(marks, 0, 64 * (size_t)n);
    return count;
}

const rp__bitset_kernel rp__bitset_avx2_row = {RP_CPU_AVX2, unite, rp__bitset_meet, drain};
