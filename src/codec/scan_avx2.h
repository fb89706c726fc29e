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

/* Eight docids of such gaps. *before is the docid before them in each lane, and becomes the last of
 * them, without waiting for more than one addition. */
static inline __m256i rp__scan_avx2_docids(__m256i gaps, __m256i *before)
{
    const __m256i high = _mm256_set_epi32(-1, -1, -1, -1, 0, 0, 0, 0);
    __m256i x = _mm256_add_epi32(gaps, _mm256_slli_si256(gaps, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    __m256i ends = _mm256_shuffle_epi32(x, 0xFF);
    __m256i other = _mm256_permute2x128_si256(ends, ends, 0x01);
    x = _mm256_add_epi32(x, _mm256_add_epi32(_mm256_and_si256(other, high), *before));
    *before = _mm256_add_epi32(*before, _mm256_add_epi32(ends, other));
    return x;
}

#endif
