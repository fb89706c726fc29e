/* unary_avx2.h: the ends of numbers in unary by AVX2 and BMI2, a byte of them at a time, inline.
 * Interior; for files built for AVX2. */
#ifndef RP_CODEC_UNARY_AVX2_H
#define RP_CODEC_UNARY_AVX2_H

#include <immintrin.h>

#include "codec/unary.h"

/* Ends may be as many as 3 * RP_BLOCK bits, in words of 64; eight are stored at a time. */
enum { RP_UNARY_AVX2_ROOM = 3 * RP_BLOCK + 64 };

extern const uint64_t rp__unary_avx2_places[256]; /* of the bits set in a byte, a byte each */
extern const uint8_t rp__unary_avx2_counts[256];  /* of them */
/* The same of the bits that are not set. */
extern const uint64_t rp__unary_avx2_clear_places[256];
extern const uint8_t rp__unary_avx2_clear_counts[256];
extern const uint8_t rp__unary_avx2_iota[RP_BLOCK]; /* 0, 1, 2, ..., 16-byte aligned */

/* The places of the first n ends (1 to RP_BLOCK), modulo 256. RP_DAMAGED: fewer lie in `limit`
 * bits, of at most rp__unary_limit. No branch but on the number of words. */
static inline __attribute__((always_inline)) rp_status
rp__unary_avx2_ends(const uint8_t *bits, uint64_t flip, uint64_t limit, size_t n,
                    uint8_t ends[RP_UNARY_AVX2_ROOM])
{
    const uint64_t each = 0x0101010101010101;
    const uint64_t *places = flip ? rp__unary_avx2_clear_places : rp__unary_avx2_places;
    const uint8_t *counts = flip ? rp__unary_avx2_clear_counts : rp__unary_avx2_counts;
    size_t i = 0, before_256 = SIZE_MAX;
    for (uint64_t at = 0; at < limit; at += 64) {
        uint64_t base = each * (at % 256);
        before_256 = at == 256 ? i : before_256;
#pragma GCC unroll 8
        for (uint32_t k = 0; k < 8; k++, base += 8 * each) {
            uint8_t byte = bits[at / 8 + k];
            __asm__("" : "+r"(base)); /* one addition each: not a constant each */
            rp__store64(ends + i, places[byte] + base);
            i += counts[byte];
        }
    }
    return i >= n && ends[n - 1] + (n > before_256 ? 256U : 0) < limit ? RP_OK : RP_DAMAGED;
}

/* The sum of all n numbers, which is below 256. */
static inline uint64_t rp__unary_avx2_last(const uint8_t *ends, size_t n)
{
    return (uint8_t)(ends[n - 1] - (n - 1));
}

/* Sums i to i + 15, i a multiple of 16, of the numbers that end there, all below 256, as bytes. */
static inline __m128i rp__unary_avx2_sums(const uint8_t *ends, size_t i)
{
    __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(ends + i));
    return _mm_sub_epi8(at, _mm_load_si128((const __m128i *)(rp__unary_avx2_iota + i)));
}

/* Numbers i to i + 15 as bytes, and zeros for those from n on. */
static inline __m128i rp__unary_avx2_below(__m128i numbers, size_t i, size_t n)
{
    const __m128i iota = _mm_set_epi64x(0x0F0E0D0C0B0A0908, 0x0706050403020100);
    __m128i left = _mm_set1_epi8((char)(n - i < 16 ? n - i : 16));
    return _mm_and_si128(numbers, _mm_cmpgt_epi8(left, iota));
}

/* Whether a byte is over this. */
static inline bool rp__unary_avx2_any_over(__m128i bytes, uint32_t most)
{
    __m128i top = _mm_set1_epi8((char)(most < UINT8_MAX ? most : UINT8_MAX));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(bytes, top), top)) != 0xFFFF;
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

/* How many ends the word at p has. */
static inline uint64_t rp__unary_avx2_count(const uint8_t *p, uint64_t flip)
{
    uint64_t ones = rp__bits_count64(rp__load64(p));
    return flip ? 64 - ones : ones;
}

/* What the functions below say of an end that is not near; no place, nor is the one after it. */
#define RP_UNARY_NOT_NEAR (UINT64_MAX - 1)

/* The place of the end that has `left` before it in the word at p. */
static inline uint64_t rp__unary_avx2_in_word(const uint8_t *bits, const uint8_t *p, uint64_t flip,
                                              uint64_t left)
{
    uint64_t word = rp__load64(p) ^ flip, at = 8 * (uint64_t)(p - bits);
    uint64_t end = at + rp__unary_avx2_select(word, (uint32_t)left % 64);
    return left < rp__bits_count64(word) ? end : RP_UNARY_NOT_NEAR;
}

/* rp__unary_end where the end lies in two words from the byte of `from` on. Which one it is cannot
 * be foreseen, so there is no branch; and none on what the words are. */
static inline uint64_t rp__unary_avx2_next(const uint8_t *bits, uint64_t flip, uint64_t from,
                                           uint64_t i)
{
    const uint8_t *p = bits + from / 8;
    uint64_t ends = rp__unary_avx2_count(p, flip);
    uint64_t left = i + rp__bits_count64(_bzhi_u64(rp__load64(p) ^ flip, from % 8));
    uint64_t is_second = 0 - (uint64_t)(left >= ends);
    return rp__unary_avx2_in_word(bits, p + (is_second & 8), flip, left - (is_second & ends));
}

/* The same of six words: one of two halves, then one of three words. */
static inline uint64_t rp__unary_avx2_near(const uint8_t *bits, uint64_t flip, uint64_t from,
                                           uint64_t i)
{
    const uint8_t *p = bits + from / 8;
    uint64_t left = i + rp__bits_count64(_bzhi_u64(rp__load64(p) ^ flip, from % 8));
    uint64_t half = rp__unary_avx2_count(p, flip) + rp__unary_avx2_count(p + 8, flip) +
                    rp__unary_avx2_count(p + 16, flip);
    uint64_t is_later = 0 - (uint64_t)(left >= half);
    p += is_later & 24;
    left -= is_later & half;
    uint64_t one = rp__unary_avx2_count(p, flip), two = one + rp__unary_avx2_count(p + 8, flip);
    uint64_t is_second = 0 - (uint64_t)(left >= one), is_third = 0 - (uint64_t)(left >= two);
    left -= (is_second & one) + (is_third & (two - one));
    return rp__unary_avx2_in_word(bits, p + (is_second & 8) + (is_third & 8), flip, left);
}

/* rp__unary_end. */
static inline uint64_t rp__unary_avx2_end(const uint8_t *bits, uint64_t flip, uint64_t from,
                                          uint64_t to, uint64_t i)
{
    if (from >= to)
        return to;
    uint64_t end = rp__unary_avx2_near(bits, flip, from, i);
    if (end == RP_UNARY_NOT_NEAR)
        return rp__unary_avx2_far_end(bits, flip, from, to, i);
    return end < to ? end : to;
}

/* rp__unary_end, fast where `from` is 0 and the end lies in the first word. */
static inline uint64_t rp__unary_avx2_first_word_end(const uint8_t *bits, uint64_t flip,
                                                     uint64_t from, uint64_t to, uint64_t i)
{
    const uint64_t word = rp__load64(bits) ^ flip;
    if (from > 0 || i >= rp__bits_count64(word))
        return rp__unary_avx2_far_end(bits, flip, from, to, i);
    const uint64_t end = rp__unary_avx2_select(word, (uint32_t)i);
    return end < to ? end : to;
}

#endif
