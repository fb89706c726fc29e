/* unary_avx2.h: the ends of numbers in unary by BMI2: a byte of them at a time, inline. Interior;
 * for files built for AVX2. */
#ifndef RP_CODEC_UNARY_AVX2_H
#define RP_CODEC_UNARY_AVX2_H

#include <immintrin.h>

#include "codec/unary.h"

enum { RP_UNARY_AVX2_ROOM = RP_BLOCK + 32 };

/* The places of the first n ends (1 to RP_BLOCK), modulo 256. RP_DAMAGED: fewer lie in `limit` bits,
 * of at most rp__unary_limit. */
static inline rp_status rp__unary_avx2_ends(const uint8_t *bits, uint64_t flip, uint64_t limit,
                                            size_t n, uint8_t ends[RP_UNARY_AVX2_ROOM])
{
    const uint64_t each = 0x0101010101010101;
    size_t i = 0, byte = 0;
    for (; i < n && 8 * byte < limit; byte++) {
        uint64_t places = 0x0706050403020100 + each * (8 * byte % 256);
        uint64_t mask = _pdep_u64((uint8_t)(bits[byte] ^ flip), each) * 0xFF;
        rp__store64(ends + i, _pext_u64(places, mask));
        i += rp__bits_count64(mask) / 8;
    }
    return i >= n && 8 * (byte - 1) + ends[n - 1] % 8 < limit ? RP_OK : RP_DAMAGED;
}

/* Sums i to i + 7 of the numbers that end there, of which all are below 256. */
static inline __m256i rp__unary_avx2_sums(const uint8_t *ends, size_t i)
{
    const __m128i iota = _mm_set_epi64x(0, 0x0706050403020100);
    __m128i at = _mm_loadl_epi64((const __m128i *)(const void *)(ends + i));
    at = _mm_sub_epi8(_mm_sub_epi8(at, iota), _mm_set1_epi8((char)i));
    return _mm256_cvtepu8_epi32(at);
}

/* The place of bit i that is set. */
static inline uint32_t rp__unary_avx2_select(uint64_t word, uint32_t i)
{
    return (uint32_t)_tzcnt_u64(_pdep_u64(1ULL << i, word));
}

/* rp__unary_end, a word at a time. */
static inline uint64_t rp__unary_avx2_far_end(const uint8_t *bits, uint64_t flip, uint64_t from,
                                              uint64_t to, uint64_t i)
{
    uint64_t keep = UINT64_MAX << from % 8;
    for (uint64_t at = from / 8 * 8; at < to; at += 64, keep = UINT64_MAX) {
        uint64_t word = (rp__load64(bits + at / 8) ^ flip) & keep;
        uint32_t ends = rp__bits_count64(word);
        if (i < ends) {
            uint64_t end = at + rp__unary_avx2_select(word, (uint32_t)i);
            return end < to ? end : to;
        }
        i -= ends;
    }
    return to;
}

/* rp__unary_end. Counts the ends of all of the first words and takes the right one, without a
 * branch: which word it is cannot be foreseen. */
static inline uint64_t rp__unary_avx2_end(const uint8_t *bits, uint64_t flip, uint64_t from,
                                          uint64_t to, uint64_t i)
{
    enum { NEAR = 6 }; /* words; with the byte that `from` lies in they end within RP_PAD */
    if (from >= to)
        return to;
    const uint8_t *p = bits + from / 8;
    uint64_t keep = UINT64_MAX << from % 8, before[NEAR], later = 0;
    before[0] = 0;
    uint64_t ends = rp__bits_count64((rp__load64(p) ^ flip) & keep);
#pragma GCC unroll 5
    for (size_t k = 1; k < NEAR; k++) {
        before[k] = ends;
        later += i >= ends;
        ends += rp__bits_count64(rp__load64(p + 8 * k) ^ flip);
    }
    if (i >= ends)
        return rp__unary_avx2_far_end(bits, flip, from, to, i);
    uint64_t word = (rp__load64(p + 8 * later) ^ flip) & (keep | (0 - (uint64_t)(later > 0)));
    uint64_t end = from / 8 * 8 + 64 * later;
    end += rp__unary_avx2_select(word, (uint32_t)(i - before[later]));
    return end < to ? end : to;
}

#endif
