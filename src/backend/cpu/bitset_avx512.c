/* bitset_avx512.c: sets of documents as bits and bytes, with AVX-512: 64 bytes are a mask at once. */
#include "backend/cpu/bitset.h"

#include <immintrin.h>

#include "base/bits.h"
#include "base/cpu.h"

enum { WORDS = 8 }; /* of a vector */

static void unite(uint64_t *set, const uint8_t *words, uint32_t n)
{
    uint32_t i = 0;
    for (; i + WORDS <= n; i += WORDS)
        _mm512_storeu_si512(set + i, _mm512_or_si512(_mm512_loadu_si512(set + i),
                                                     _mm512_loadu_si512(words + 8 * (size_t)i)));
    for (; i < n; i++)
        set[i] |= rp__load64(words + 8 * (size_t)i);
}

static uint64_t drain(uint64_t *set, uint8_t *marks, uint32_t n)
{
    uint64_t count = 0;
    if (!marks)
        return rp__bitset_drain_bits(set, n);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *at = marks + 64 * (size_t)i;
        __m512i v = _mm512_loadu_si512(at);
        _mm512_storeu_si512(at, _mm512_setzero_si512());
        count += rp__bits_count64(set[i] | _mm512_test_epi8_mask(v, v));
        set[i] = 0;
    }
    return count;
}

const rp__bitset_kernel rp__bitset_avx512_row = {RP_CPU_AVX512, unite, rp__bitset_meet, drain};
