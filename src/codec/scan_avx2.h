/* scan_avx2.h: running sums inside an AVX2 register, inline. Interior of the room. */
#ifndef RP_CODEC_SCAN_AVX2_H
#define RP_CODEC_SCAN_AVX2_H

#include <immintrin.h>

/* Eight running sums: inside each half by two shifts, then the low half's total into the high
 * one. */
static inline __m256i rp__scan_avx2_words(__m256i x)
{
    const __m256i third = _mm256_set1_epi32(3);
    const __m256i high = _mm256_set_epi32(-1, -1, -1, -1, 0, 0, 0, 0);
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    return _mm256_add_epi32(x, _mm256_and_si256(_mm256_permutevar8x32_epi32(x, third), high));
}

#endif
