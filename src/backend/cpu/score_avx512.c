/* score_avx512.c: score.c's loops, sixteen documents at a time.
 *
 * Norms are loaded one by one before, as in score_avx2.c. Lanes past the last posting have frequency 0 and
 * score 0. */
#include "backend/cpu/cpu_run.h"

#include <immintrin.h>

#include "base/cpu.h"

enum { LANES = 16 };

static __mmask16 first_lanes(uint32_t n)
{
    return (__mmask16)(n < LANES ? (1U << n) - 1 : UINT16_MAX);
}

static bool avx512_bm25(float scaled_weight, const float *norms, const uint32_t *tfs, uint32_t n,
                        uint32_t *fixed)
{
    const __m512 weight = _mm512_set1_ps(scaled_weight);
    __m512i all = _mm512_setzero_si512();
    for (uint32_t i = 0; i < n; i += LANES) {
        __mmask16 lanes = first_lanes(n - i);
        __m512i tf = _mm512_maskz_loadu_epi32(lanes, tfs + i);
        __m512 t = _mm512_cvtepi32_ps(tf);
        __m512 norm = _mm512_maskz_loadu_ps(lanes, norms + i);
        __m512 ratio = _mm512_maskz_div_ps(lanes, t, _mm512_add_ps(t, norm));
        _mm512_storeu_si512(fixed + i, _mm512_cvttps_epi32(_mm512_mul_ps(weight, ratio)));
        all = _mm512_or_si512(all, tf);
    }
    return _mm512_movepi32_mask(all) == 0;
}

static uint64_t avx512_at_least(const uint32_t *scores, uint32_t least)
{
    const __m512i limit = _mm512_set1_epi32((int)least);
    uint64_t set = 0;
    for (uint32_t i = 0; i < RP_STRETCH; i += LANES)
        set |= (uint64_t)_mm512_cmpge_epu32_mask(_mm512_loadu_si512(scores + i), limit) << i;
    return set;
}

/* Compression goes through a register: to memory it is slow on Zen 4. */
static uint32_t avx512_select(const uint32_t *scores, uint32_t n, uint32_t least, uint32_t *kept)
{
    const __m512i limit = _mm512_set1_epi32((int)least);
    __m512i at = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i += LANES) {
        __m512i v = _mm512_loadu_si512(scores + i);
        __mmask16 mask = _mm512_mask_cmpge_epu32_mask(first_lanes(n - i), v, limit);
        _mm512_storeu_si512(kept + m, _mm512_maskz_compress_epi32(mask, at));
        m += (uint32_t)__builtin_popcount(mask);
        at = _mm512_add_epi32(at, _mm512_set1_epi32(LANES));
    }
    return m;
}

/* The largest of 64 bytes that are there, of which the others count as 0. */
static uint8_t avx512_max_byte(const uint8_t *bytes, uint32_t n)
{
    enum { WIDE = 64 };
    __m512i all = _mm512_setzero_si512();
    for (uint32_t i = 0; i < n; i += WIDE) {
        const uint64_t lanes = n - i < WIDE ? (UINT64_C(1) << (n - i)) - 1 : UINT64_MAX;
        all = _mm512_max_epu8(all, _mm512_maskz_loadu_epi8(lanes, bytes + i));
    }
    __m256i half = _mm256_max_epu8(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    __m128i v = _mm_max_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    v = _mm_max_epu8(v, _mm_srli_si128(v, 8));
    v = _mm_max_epu8(v, _mm_srli_si128(v, 4));
    v = _mm_max_epu8(v, _mm_srli_si128(v, 2));
    v = _mm_max_epu8(v, _mm_srli_si128(v, 1));
    return (uint8_t)_mm_extract_epi8(v, 0);
}

const rp__score_kernel rp__score_avx512_row = {RP_CPU_AVX512, avx512_bm25, avx512_at_least,
                                               avx512_select, avx512_max_byte};
