/* scan_avx512.h: running sums inside an AVX-512 register, inline. Interior of the room. */
#ifndef RP_CODEC_SCAN_AVX512_H
#define RP_CODEC_SCAN_AVX512_H

#include <immintrin.h>
#include <stdint.h>

/* 16 running sums of 32-bit lanes: pairs by a shift, then pairs of pairs by broadcasts. */
static inline __m512i rp__scan_avx512_words(__m512i x)
{
    const __m512i third = _mm512_set_epi32(11, 11, 11, 11, 0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0);
    const __m512i seventh = _mm512_set1_epi32(7);
    x = _mm512_add_epi32(x, _mm512_slli_epi64(x, 32));
    x = _mm512_add_epi32(x, _mm512_maskz_shuffle_epi32(0xCCCC, x, _MM_PERM_BBBB));
    x = _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xF0F0, third, x));
    return _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xFF00, seventh, x));
}

/* Which word of the register each word takes to add: the top of the qword two before (even and odd
 * ones go apart), then the top of the qwords of lane 1. */
#define RP_SCAN_FOUR(i) (i), (i), (i), (i)
#define RP_SCAN_PAIR(i) RP_SCAN_FOUR(i), RP_SCAN_FOUR((i) + 4)
#define RP_SCAN_PAIRS(a, b)                                                                        \
    {                                                                                              \
        RP_SCAN_PAIR(a), RP_SCAN_PAIR(a), RP_SCAN_PAIR(b), RP_SCAN_PAIR(b)                         \
    }
static const _Alignas(64) uint16_t rp__scan_avx512_pair[32] = RP_SCAN_PAIRS(3, 19);
static const _Alignas(64) uint16_t rp__scan_avx512_half[32] = RP_SCAN_PAIRS(11, 11);

/* Running sums of 16-bit lanes, of the even qwords and of the odd ones: four by a multiplication,
 * then lanes 1 and 3, then lanes 2 and 3. */
static inline __m512i rp__scan_avx512_halves(__m512i x, __m512i fours)
{
    const __m512i pair = _mm512_load_si512(rp__scan_avx512_pair);
    const __m512i half = _mm512_load_si512(rp__scan_avx512_half);
    x = _mm512_mullo_epi64(x, fours);
    x = _mm512_add_epi16(x, _mm512_maskz_permutexvar_epi16(0xFF00FF00, pair, x));
    return _mm512_add_epi16(x, _mm512_maskz_permutexvar_epi16(0xFFFF0000, half, x));
}

#endif
