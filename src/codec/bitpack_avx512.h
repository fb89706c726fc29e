/* bitpack_avx512.h: what AVX-512 code does to packed bits and gaps in registers, inline. Interior
 * of the room; for files built with AVX-512 alone. Tables are in bitpack_avx512.c. */
#ifndef RP_CODEC_BITPACK_AVX512_H
#define RP_CODEC_BITPACK_AVX512_H

#include <immintrin.h>

#include "codec/bitpack.h"

/* Per qword of a register: the 8 bytes that hold its values, then, for each byte of the result, the
 * bit in them at which it starts. Bits above the width are cleared by a mask. */
typedef struct rp__bitpack_avx512_table {
    _Alignas(64) uint8_t bytes[64];
    uint8_t starts[64];
} rp__bitpack_avx512_table;

/* NARROW: gaps that can be summed in 16-bit lanes; HALF: values that these hold; PLAIN: the width
 * that goes another way. */
enum { RP_BITPACK_AVX512_NARROW = 11, RP_BITPACK_AVX512_HALF = 15, RP_BITPACK_AVX512_PLAIN = 31 };
enum { RP_BITPACK_AVX512_SLICED = 25 }; /* that may begin at any bit of a byte */

/* 16 values as 32-bit lanes, of every width but RP_BITPACK_AVX512_PLAIN. */
extern const rp__bitpack_avx512_table rp__bitpack_avx512_wide[RP_BITPACK_WIDTH_MAX + 1];
/* 32 values of at most RP_BITPACK_AVX512_HALF bits as 16-bit lanes: 0 to 15 in the even qwords, 16
 * to 31 in the odd ones, so that each half of them widens to 32 bits inside its 128-bit lane. */
extern const rp__bitpack_avx512_table rp__bitpack_avx512_narrow[RP_BITPACK_AVX512_HALF + 1];
/* Which word of the register each word takes to add in rp__bitpack_avx512_put_halves: the top of
 * the qword two before (even and odd ones go apart), then the top of the qwords of lane 1. */
extern const uint16_t rp__bitpack_avx512_from_pair[32], rp__bitpack_avx512_from_half[32];

/* Values with other bits above theirs. */
static inline __m512i rp__bitpack_avx512_fields(const uint8_t *p, __m512i bytes, __m512i starts)
{
    return _mm512_multishift_epi64_epi8(starts,
                                        _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(p)));
}

static inline __m512i rp__bitpack_avx512_unpack(const uint8_t *p, __m512i bytes, __m512i starts,
                                                __m512i mask)
{
    return _mm512_and_si512(rp__bitpack_avx512_fields(p, bytes, starts), mask);
}

/* 16 running sums of 32-bit lanes: pairs by a shift, then pairs of pairs by broadcasts. */
static inline __m512i rp__bitpack_avx512_scan_words(__m512i x)
{
    const __m512i third = _mm512_set_epi32(11, 11, 11, 11, 0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0);
    const __m512i seventh = _mm512_set1_epi32(7);
    x = _mm512_add_epi32(x, _mm512_slli_epi64(x, 32));
    x = _mm512_add_epi32(x, _mm512_maskz_shuffle_epi32(0xCCCC, x, _MM_PERM_BBBB));
    x = _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xF0F0, third, x));
    return _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(0xFF00, seventh, x));
}

/* The same for 16 values (gaps less one) in 32-bit lanes as rp__bitpack_avx512_put_halves does. */
static inline __m512i rp__bitpack_avx512_put_words(__m512i values, __m512i before, uint32_t *out)
{
    const __m512i one = _mm512_set1_epi32(1), top = _mm512_set1_epi32(15);
    __m512i sums = rp__bitpack_avx512_scan_words(_mm512_add_epi32(values, one));
    _mm512_storeu_si512(out, _mm512_add_epi32(before, sums));
    return _mm512_add_epi32(before, _mm512_permutexvar_epi32(top, sums));
}

/* What summing in 16-bit lanes needs in registers. */
typedef struct rp__bitpack_avx512_halves {
    __m512i fours, pair, half, top_even, top_odd;
    __mmask32 pairs, high, low_words;
} rp__bitpack_avx512_halves;

/* The empty statements hide constants from compilers: they would make two shifts and two sums of
 * the multiplication, while the ports that shift are the busy ones, and would load masks again in
 * each round, which is dear. */
static inline rp__bitpack_avx512_halves rp__bitpack_avx512_halves_start(void)
{
    rp__bitpack_avx512_halves c = {
        .fours = _mm512_set1_epi64(0x0001000100010001),
        .pair = _mm512_load_si512(rp__bitpack_avx512_from_pair),
        .half = _mm512_load_si512(rp__bitpack_avx512_from_half),
        .top_even = _mm512_set1_epi32(27),
        .top_odd = _mm512_set1_epi32(31),
        .pairs = 0xFF00FF00,
        .high = 0xFFFF0000,
        .low_words = 0x55555555,
    };
    __asm__("" : "+v"(c.fours), "+Yk"(c.pairs), "+Yk"(c.high), "+Yk"(c.low_words));
    return c;
}

/* Makes 32 docids after `before` (in all lanes) of 32 gaps in 16-bit lanes, the sums of whose
 * halves stay under 2^16; returns the last docid in all lanes. Sums of the even qwords and of the
 * odd ones go apart: four by a multiplication, then lanes 1 and 3, then lanes 2 and 3. */
static inline __m512i rp__bitpack_avx512_put_halves(const rp__bitpack_avx512_halves *c, __m512i x,
                                                    __m512i before, uint32_t *out)
{
    const __m512i zero = _mm512_setzero_si512();
    x = _mm512_mullo_epi64(x, c->fours);
    x = _mm512_add_epi16(x, _mm512_maskz_permutexvar_epi16(c->pairs, c->pair, x));
    x = _mm512_add_epi16(x, _mm512_maskz_permutexvar_epi16(c->high, c->half, x));
    _mm512_storeu_si512(out, _mm512_add_epi32(before, _mm512_unpacklo_epi16(x, zero)));
    __m512i total = _mm512_maskz_permutexvar_epi16(c->low_words, c->top_even, x);
    before = _mm512_add_epi32(before, total);
    _mm512_storeu_si512(out + 16, _mm512_add_epi32(before, _mm512_unpackhi_epi16(x, zero)));
    total = _mm512_maskz_permutexvar_epi16(c->low_words, c->top_odd, x);
    return _mm512_add_epi32(before, total);
}

#endif
