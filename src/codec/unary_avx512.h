/* unary_avx512.h: the ends of numbers in unary by VBMI2: 64 bits of them become the places of those
 * that are set by one compression, inline. Interior; for files built for AVX-512. */
#ifndef RP_CODEC_UNARY_AVX512_H
#define RP_CODEC_UNARY_AVX512_H

#include <immintrin.h>

#include "codec/unary.h"

enum {
    RP_UNARY_AVX512_WORDS = 6, /* that hold 3 * RP_BLOCK - 1 bits */
    RP_UNARY_AVX512_ROOM = 64 * (RP_UNARY_AVX512_WORDS + 1),
};

static inline __m512i rp__unary_avx512_iota(void)
{
    const __m128i low = _mm_set_epi64x(0x0F0E0D0C0B0A0908, 0x0706050403020100);
    __m512i all = _mm512_broadcast_i32x4(low);
    return _mm512_add_epi8(all, _mm512_set_epi32(0x30303030, 0x30303030, 0x30303030, 0x30303030,
                                                 0x20202020, 0x20202020, 0x20202020, 0x20202020,
                                                 0x10101010, 0x10101010, 0x10101010, 0x10101010, 0,
                                                 0, 0, 0));
}

/* The places of the first n ends (1 to RP_BLOCK) that lie in these words, modulo 256. RP_DAMAGED:
 * fewer lie in the first `limit` bits. All words are worked on, needed or not: no branch is missed. */
static inline rp_status rp__unary_avx512_ends(const uint64_t words[RP_UNARY_AVX512_WORDS],
                                              uint64_t limit, size_t n,
                                              uint8_t ends[RP_UNARY_AVX512_ROOM])
{
    __m512i places = rp__unary_avx512_iota();
    uint64_t i = 0, last = 0; /* last: the word that holds end n - 1 */
    for (uint64_t k = 0; k < RP_UNARY_AVX512_WORDS; k++) {
        _mm512_storeu_si512(ends + i, _mm512_maskz_compress_epi8(words[k], places));
        last = i < n ? k : last;
        i += (uint64_t)_mm_popcnt_u64(words[k]);
        places = _mm512_add_epi8(places, _mm512_set1_epi8(64));
    }
    return i >= n && 64 * last + ends[n - 1] % 64 < limit ? RP_OK : RP_DAMAGED;
}

/* The same of bits that start at a byte. */
static inline rp_status rp__unary_avx512_bytes(const uint8_t *bits, uint64_t flip, uint64_t limit,
                                               size_t n, uint8_t ends[RP_UNARY_AVX512_ROOM])
{
    uint64_t words[RP_UNARY_AVX512_WORDS];
    for (size_t k = 0; k < RP_UNARY_AVX512_WORDS; k++)
        words[k] = rp__load64(bits + 8 * k) ^ flip;
    return rp__unary_avx512_ends(words, limit, n, ends);
}

/* Sums i to i + 15 of the numbers that end there, of which all are below 256. */
static inline __m512i rp__unary_avx512_sums(const uint8_t *ends, size_t i)
{
    const __m128i iota = _mm_set_epi64x(0x0F0E0D0C0B0A0908, 0x0706050403020100);
    __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(ends + i));
    at = _mm_sub_epi8(_mm_sub_epi8(at, iota), _mm_set1_epi8((char)i));
    return _mm512_cvtepu8_epi32(at);
}

#endif
