/* score_avx2.c: score.c's loops, eight documents at a time.
 *
 * Norms are loaded one by one before: on an AMD EPYC with AVX-512 two dependent gathers cost
 * more than sixteen loads. Lanes past the last posting have frequency 0 and score 0. */
#include "backend/cpu/cpu_run.h"

#include <immintrin.h>

#include "base/bits.h"
#include "base/cpu.h"

enum { LANES = 8 };

/* All ones in the first n lanes. */
static __m256i first_lanes(uint32_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static bool avx2_bm25(float scaled_weight, const float *norms, const uint32_t *tfs, uint32_t n,
                      uint32_t *fixed)
{
    const __m256 weight = _mm256_set1_ps(scaled_weight);
    __m256i all = _mm256_setzero_si256();
    for (uint32_t i = 0; i < n; i += LANES) {
        __m256i lanes = first_lanes(n - i);
        __m256i tf = _mm256_maskload_epi32((const int *)(const void *)(tfs + i), lanes);
        __m256 norm = _mm256_maskload_ps(norms + i, lanes);
        __m256 t = _mm256_cvtepi32_ps(tf);
        __m256 score = _mm256_mul_ps(weight, _mm256_div_ps(t, _mm256_add_ps(t, norm)));
        _mm256_storeu_si256((__m256i *)(void *)(fixed + i), _mm256_cvttps_epi32(score));
        all = _mm256_or_si256(all, tf);
    }
    return _mm256_movemask_ps(_mm256_castsi256_ps(all)) == 0;
}

static uint64_t avx2_at_least(const uint32_t *scores, uint32_t least)
{
    const __m256i limit = _mm256_set1_epi32((int)least);
    uint64_t set = 0;
    for (uint32_t i = 0; i < RP_STRETCH; i += LANES) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(scores + i));
        __m256i is_at_least = _mm256_cmpeq_epi32(_mm256_max_epu32(v, limit), v);
        set |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(is_at_least)) << i;
    }
    return set;
}

/* The places of eight lanes are bytes of one word, of which those that are selected close up: how many they are
 * cannot be foreseen, so nothing branches on it. */
static uint32_t avx2_select(const uint32_t *scores, uint32_t n, uint32_t least, uint32_t *kept)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), places = UINT64_C(0x0706050403020100);
    const __m256i limit = _mm256_set1_epi32((int)least);
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i += LANES) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(scores + i));
        __m256i is_at_least = _mm256_cmpeq_epi32(_mm256_max_epu32(v, limit), v);
        uint32_t set = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(is_at_least));
        set &= n - i < LANES ? (1U << (n - i)) - 1 : UINT8_MAX;
        const uint64_t closed = _pext_u64(places, _pdep_u64(set, ones) * UINT8_MAX);
        __m256i at = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)closed));
        at = _mm256_add_epi32(at, _mm256_set1_epi32((int)i));
        _mm256_storeu_si256((__m256i *)(void *)(kept + m), at);
        m += (uint32_t)__builtin_popcount(set);
    }
    return m;
}

static uint8_t avx2_max_byte(const uint8_t *bytes, uint32_t n)
{
    enum { WIDE = 32 };
    uint8_t most = 0;
    uint32_t i = 0;
    if (n >= WIDE) {
        __m256i all = _mm256_setzero_si256();
        for (; i + WIDE <= n; i += WIDE)
            all = _mm256_max_epu8(all,
                                  _mm256_loadu_si256((const __m256i *)(const void *)(bytes + i)));
        __m128i v = _mm_max_epu8(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
        v = _mm_max_epu8(v, _mm_srli_si128(v, 8));
        v = _mm_max_epu8(v, _mm_srli_si128(v, 4));
        v = _mm_max_epu8(v, _mm_srli_si128(v, 2));
        v = _mm_max_epu8(v, _mm_srli_si128(v, 1));
        most = (uint8_t)_mm_extract_epi8(v, 0);
    }
    for (; i < n; i++)
        most = bytes[i] > most ? bytes[i] : most;
    return most;
}

const rp__score_kernel rp__score_avx2_row = {RP_CPU_AVX2, avx2_bm25, avx2_at_least, avx2_select,
                                             avx2_max_byte};
