/* patch_avx512.h: the kernels of the PForDelta rows with AVX-512 VBMI2, inline: lows are unpacked
 * as bp128's are (bitpack_avx512.h), what exceptions add is added, then an in-order prefix sum in
 * registers. Interior of the room; for files built with AVX-512 alone.
 *
 * High parts of a bitmap are unpacked as bytes, 64 at a time, and put to their places by one
 * expansion. The sum runs in 16-bit lanes where the block's own numbers prove that 16 gaps stay
 * under 2^16. Width 31 goes the plain way, as in bitpack_avx512.c. Loads start inside the block, so
 * they end within RP_PAD after it. */
#ifndef RP_CODEC_PATCH_AVX512_H
#define RP_CODEC_PATCH_AVX512_H

#include "codec/bitpack_avx512.h"
#include "codec/patch.h"

enum { RP_PATCH_AND_OR = 0xEA }; /* (a & b) | c, for ternarylogic */
#define RP_PATCH_INLINE static inline __attribute__((always_inline))

/* 64 values of up to 8 bits as bytes: eight to a qword. */
extern const rp__bitpack_avx512_table rp__patch_avx512_by_bytes[9];
/* Where the lanes of 32 and of 16 values take theirs from: from 64 bytes, or two registers of
 * words. */
extern const uint8_t rp__patch_avx512_bytes_to_halves[64], rp__patch_avx512_bytes_to_words[64];
extern const uint16_t rp__patch_avx512_words_to_halves[32];

/* What stays in registers from block to block. */
typedef struct rp__patch_avx512 {
    rp__bitpack_avx512_halves halves;
    __m512i one16, order, place16, half, place32, quarter;
    __mmask64 low_bytes16, low_bytes32;
} rp__patch_avx512;

RP_PATCH_INLINE rp__patch_avx512 rp__patch_avx512_start(void)
{
    rp__patch_avx512 c = {
        .halves = rp__bitpack_avx512_halves_start(),
        .one16 = _mm512_set1_epi16(1),
        .order = _mm512_load_si512(rp__patch_avx512_words_to_halves),
        .place16 = _mm512_load_si512(rp__patch_avx512_bytes_to_halves),
        .half = _mm512_set1_epi8(32),
        .place32 = _mm512_load_si512(rp__patch_avx512_bytes_to_words),
        .quarter = _mm512_set1_epi8(16),
        .low_bytes16 = 0x5555555555555555,
        .low_bytes32 = 0x1111111111111111,
    };
    __asm__("" : "+v"(c.one16), "+v"(c.half), "+Yk"(c.low_bytes16), "+Yk"(c.low_bytes32));
    return c;
}

/* High parts on their way to values. */
typedef struct rp__patch_avx512_highs {
    __m512i bytes, starts, mask;
    size_t bit;
} rp__patch_avx512_highs;

RP_PATCH_INLINE rp__patch_avx512_highs rp__patch_avx512_highs_of(const rp__patch *p)
{
    return (rp__patch_avx512_highs){
        .bytes = _mm512_load_si512(rp__patch_avx512_by_bytes[p->high_width].bytes),
        .starts = _mm512_load_si512(rp__patch_avx512_by_bytes[p->high_width].starts),
        .mask = _mm512_set1_epi8((char)((1U << p->high_width) - 1)),
    };
}

/* Those of the next 64 values, in their places. */
RP_PATCH_INLINE __m512i rp__patch_avx512_highs_next(rp__patch_avx512_highs *h, const rp__patch *p,
                                                    uint64_t marks)
{
    __m512i starts = _mm512_add_epi8(h->starts, _mm512_set1_epi8((char)(h->bit % 8)));
    __m512i next = rp__bitpack_avx512_unpack(p->highs + h->bit / 8, h->bytes, starts, h->mask);
    h->bit += (size_t)rp__bits_count64(marks) * p->high_width;
    return _mm512_maskz_expand_epi8(marks, next);
}

/* Docids whose gaps, any 16 of them, stay under 2^16. */
RP_PATCH_INLINE void rp__patch_avx512_narrow(const rp__patch_avx512 *c, const rp__patch *p,
                                             bool has_marks, uint32_t base, uint32_t *out, size_t n)
{
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_narrow[p->width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi16((short)((1 << p->width) - 1));
    const __m128i shift = _mm_cvtsi32_si128((int)p->width);
    __m512i before = _mm512_set1_epi32((int)base), high = c->place16, place = c->place16;
    const uint8_t *low = p->lows;
    rp__patch_avx512_highs h = rp__patch_avx512_highs_of(p);
    for (size_t i = 0; i < n; i += 32, low += 4 * p->width) {
        __m512i x = rp__bitpack_avx512_fields(low, bytes, starts);
        __m512i add = _mm512_permutex2var_epi16(_mm512_load_si512(p->adds + i), c->order,
                                                _mm512_load_si512(p->adds + i + 16));
        if (has_marks) {
            high = i % 64 ? high : rp__patch_avx512_highs_next(&h, p, p->marks[i / 64]);
            place = i % 64 ? _mm512_add_epi8(place, c->half) : c->place16;
            __m512i e = _mm512_maskz_permutexvar_epi8(c->low_bytes16, place, high);
            x = _mm512_ternarylogic_epi32(x, mask, _mm512_sll_epi16(e, shift), RP_PATCH_AND_OR);
        } else {
            x = _mm512_and_si512(x, mask);
        }
        x = _mm512_add_epi16(x, _mm512_add_epi16(add, c->one16));
        before = rp__bitpack_avx512_put_halves(&c->halves, x, before, out + i);
    }
}

/* Docids, or, without `sums`, values. */
RP_PATCH_INLINE void rp__patch_avx512_wide(const rp__patch_avx512 *c, const rp__patch *p,
                                           bool has_marks, bool sums, uint32_t base, uint32_t *out,
                                           size_t n)
{
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_wide[p->width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << p->width) - 1));
    const __m128i shift = _mm_cvtsi32_si128((int)p->width);
    __m512i before = _mm512_set1_epi32((int)base), high = c->place32, place = c->place32;
    const uint8_t *low = p->lows;
    rp__patch_avx512_highs h = rp__patch_avx512_highs_of(p);
    for (size_t i = 0; i < n; i += 16, low += 2 * p->width) {
        __m512i x = rp__bitpack_avx512_fields(low, bytes, starts);
        if (has_marks) {
            high = i % 64 ? high : rp__patch_avx512_highs_next(&h, p, p->marks[i / 64]);
            place = i % 64 ? _mm512_add_epi8(place, c->quarter) : c->place32;
            __m512i e = _mm512_maskz_permutexvar_epi8(c->low_bytes32, place, high);
            x = _mm512_ternarylogic_epi32(x, mask, _mm512_sll_epi32(e, shift), RP_PATCH_AND_OR);
        } else {
            x = _mm512_and_si512(x, mask);
        }
        x = _mm512_add_epi32(x, _mm512_load_si512(p->adds + i));
        if (sums)
            before = rp__bitpack_avx512_put_words(x, before, out + i);
        else
            _mm512_storeu_si512(out + i, x);
    }
}

RP_PATCH_INLINE bool rp__patch_avx512_is_narrow(const rp__patch *p)
{
    return p->width <= RP_BITPACK_AVX512_NARROW &&
           (16ULL << (p->width + p->high_width)) + p->total < 1 << 16;
}

RP_PATCH_INLINE rp_status rp__patch_avx512_run(const rp__patch_avx512 *c, const rp__patch *p,
                                               uint32_t base, uint32_t *out, size_t n)
{
    bool is_narrow = rp__patch_avx512_is_narrow(p);
    if (is_narrow && p->high_width)
        rp__patch_avx512_narrow(c, p, true, base, out, n);
    else if (is_narrow)
        rp__patch_avx512_narrow(c, p, false, base, out, n);
    else if (p->width == RP_BITPACK_AVX512_PLAIN)
        return rp__patch_docids(p, base, out, n);
    else if (p->high_width)
        rp__patch_avx512_wide(c, p, true, true, base, out, n);
    else
        rp__patch_avx512_wide(c, p, false, true, base, out, n);
    return rp__patch_check(p, base, out, n);
}

#endif
