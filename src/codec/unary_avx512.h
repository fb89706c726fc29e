/* unary_avx512.h: running sums of numbers in unary by VBMI2: one compression turns 64 bits into the
 * places of those that are set, inline. Interior; for files built for AVX-512. */
#ifndef RP_CODEC_UNARY_AVX512_H
#define RP_CODEC_UNARY_AVX512_H

#include <immintrin.h>

#include "codec/unary.h"

enum {
    RP_UNARY_AVX512_WORDS = 6,     /* of 64 bits, that hold 3 * RP_BLOCK - 1 */
    RP_UNARY_AVX512_WORDS_MAX = 7, /* that are worked on where sums may pass 255 */
};

/* Where up to RP_BLOCK numbers end, modulo 256; places past n are anything. */
typedef struct rp__unary_avx512 {
    _Alignas(64) uint8_t ends[64 * (RP_UNARY_AVX512_WORDS_MAX + 1)];
} rp__unary_avx512;

#define RP_UNARY_8(i) (i), (i) + 1, (i) + 2, (i) + 3, (i) + 4, (i) + 5, (i) + 6, (i) + 7
#define RP_UNARY_64(i)                                                                             \
    RP_UNARY_8(i), RP_UNARY_8((i) + 8), RP_UNARY_8((i) + 16), RP_UNARY_8((i) + 24),                \
        RP_UNARY_8((i) + 32), RP_UNARY_8((i) + 40), RP_UNARY_8((i) + 48), RP_UNARY_8((i) + 56)

static const _Alignas(64) uint8_t rp__unary_iota[128] = {RP_UNARY_64(0), RP_UNARY_64(64)};

/* The bits, of which `limit` count; ends as ones, what does not count as zeros. */
static inline __m512i rp__unary_avx512_ones(__m512i bits, uint64_t flip, uint64_t limit)
{
    const __m512i from = _mm512_set_epi64(448, 384, 320, 256, 192, 128, 64, 0);
    const __m512i zero = _mm512_setzero_si512(), all = _mm512_set1_epi64(-1);
    __m512i left = _mm512_sub_epi64(_mm512_set1_epi64((long long)limit), from);
    __m512i past = _mm512_sllv_epi64(all, _mm512_max_epi64(left, zero)); /* 0 from 64 on */
    return _mm512_andnot_si512(past, _mm512_xor_si512(bits, _mm512_set1_epi64((long long)flip)));
}

/* Where the n numbers (1 to RP_BLOCK) end that lie in the first n_words words of ones. RP_DAMAGED:
 * fewer do. All words are worked on, needed or not: no branch is missed. */
static inline rp_status rp__unary_avx512_ends(__m512i ones, size_t n_words, size_t n,
                                              rp__unary_avx512 *out)
{
    __m512i places = _mm512_load_si512(rp__unary_iota);
    _Alignas(64) uint64_t words[8];
    uint64_t i = 0;
    _mm512_store_si512(words, ones);
#pragma GCC unroll 7
    for (size_t k = 0; k < n_words; k++) {
        _mm512_storeu_si512(out->ends + i, _mm512_maskz_compress_epi8(words[k], places));
        i += (uint64_t)_mm_popcnt_u64(words[k]);
        places = _mm512_add_epi8(places, _mm512_set1_epi8(64));
    }
    return i >= n ? RP_OK : RP_DAMAGED;
}

/* The sum of all n, modulo 256. */
static inline uint64_t rp__unary_avx512_last(const rp__unary_avx512 *u, size_t n)
{
    return (uint8_t)(u->ends[n - 1] - (n - 1));
}

/* The same of bits that start at a byte, of which `limit` count, at most 64 *
 * RP_UNARY_AVX512_WORDS. */
static inline rp_status rp__unary_avx512_open(const uint8_t *bits, uint64_t flip, uint64_t limit,
                                              size_t n, rp__unary_avx512 *out)
{
    __m512i ones = rp__unary_avx512_ones(_mm512_loadu_si512(bits), flip, limit);
    return rp__unary_avx512_ends(ones, RP_UNARY_AVX512_WORDS, n, out);
}

/* The same with more instructions, but none between a word in memory and its places: sooner done
 * where nothing else is to do meanwhile. */
static inline rp_status rp__unary_avx512_open_now(const uint8_t *bits, uint64_t flip,
                                                  uint64_t limit, size_t n, rp__unary_avx512 *out)
{
    __m512i places = _mm512_load_si512(rp__unary_iota);
    uint64_t i = 0;
#pragma GCC unroll 6
    for (size_t k = 0; k < RP_UNARY_AVX512_WORDS; k++) {
        uint64_t left = limit > 64 * k ? limit - 64 * k : 0;
        uint64_t word = _bzhi_u64(rp__load64(bits + 8 * k) ^ flip, left < 64 ? left : 64);
        _mm512_storeu_si512(out->ends + i, _mm512_maskz_compress_epi8(word, places));
        i += (uint64_t)_mm_popcnt_u64(word);
        places = _mm512_add_epi8(places, _mm512_set1_epi8(64));
    }
    return i >= n ? RP_OK : RP_DAMAGED;
}

/* Sums i to i + 15, modulo 256; i is a multiple of 16. */
static inline __m512i rp__unary_avx512_part(const rp__unary_avx512 *u, size_t i)
{
    __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(u->ends + i));
    __m128i iota = _mm_load_si128((const __m128i *)(const void *)(rp__unary_iota + i));
    return _mm512_cvtepu8_epi32(_mm_sub_epi8(at, iota));
}

/* Sums i to i + 63, modulo 256, as bytes; i is a multiple of 64. */
static inline __m512i rp__unary_avx512_bytes(const rp__unary_avx512 *u, size_t i)
{
    return _mm512_sub_epi8(_mm512_load_si512(u->ends + i), _mm512_load_si512(rp__unary_iota + i));
}

/* The same by two loads. What was just stored is there the sooner, the fewer stores a load
 * spans. */
static inline __m512i rp__unary_avx512_bytes_now(const rp__unary_avx512 *u, size_t i)
{
    __m256i a = _mm256_load_si256((const __m256i *)(const void *)(u->ends + i));
    __m256i b = _mm256_load_si256((const __m256i *)(const void *)(u->ends + i + 32));
    __m512i ends = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    return _mm512_sub_epi8(ends, _mm512_load_si512(rp__unary_iota + i));
}

/* The ones of each word. */
static inline __m512i rp__unary_avx512_count(__m512i v)
{
    const __m512i low = _mm512_set1_epi8(15), ones_of = _mm512_broadcast_i32x4(_mm_setr_epi8(
                                                  0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    __m512i a = _mm512_shuffle_epi8(ones_of, _mm512_and_si512(v, low));
    __m512i b = _mm512_shuffle_epi8(ones_of, _mm512_and_si512(_mm512_srli_epi16(v, 4), low));
    return _mm512_sad_epu8(_mm512_add_epi8(a, b), _mm512_setzero_si512());
}

/* rp__unary_end, i below RP_BLOCK, where the end lies in eight words from the byte of `from` on;
 * UINT64_MAX if not. Running sums are bytes: up to the word that is searched for they are below
 * 256, and what later ones carry goes upwards. */
static inline uint64_t rp__unary_avx512_near(const uint8_t *bits, uint64_t flip, uint64_t from,
                                             uint64_t i)
{
    const uint8_t *p = bits + from / 8;
    uint64_t skipped = _bzhi_u64(rp__load64(p) ^ flip, (uint32_t)from % 8);
    uint64_t left = i + (uint64_t)_mm_popcnt_u64(skipped);
    __m512i ends = rp__unary_avx512_count(_mm512_loadu_si512(p));
    if (flip)
        ends = _mm512_sub_epi64(_mm512_set1_epi64(64), ends);
    uint64_t sums = (uint64_t)_mm_cvtsi128_si64(_mm512_cvtepi64_epi8(ends)) * 0x0101010101010101;
    __m128i sum = _mm_cvtsi64_si128((long long)sums);
    uint64_t k = _tzcnt_u32(_mm_cmpgt_epu8_mask(sum, _mm_set1_epi8((char)left)));
    if (k >= 8)
        return UINT64_MAX;
    left -= sums << 8 >> 8 * k & 255;
    uint64_t word = rp__load64(p + 8 * k) ^ flip;
    return from / 8 * 8 + 64 * k + _tzcnt_u64(_pdep_u64(1ULL << left % 64, word));
}

#endif
