/* lrc_avx512.h: the kernel of the regression family with AVX-512 VBMI, inline. Interior of the room; for
 * files built with AVX-512 alone.
 *
 * The line runs in 32-bit lanes, its whole part and its 24 bits of fraction apart: over the 256 slots of a
 * segment the fraction's lane stays below 2^32. Width 31 goes the plain way, as in bitpack_avx512.c. Loads
 * start inside the segment, so they end within RP_PAD after it. */
#ifndef RP_CODEC_LRC_AVX512_H
#define RP_CODEC_LRC_AVX512_H

#include "codec/bitpack_avx512.h"
#include "codec/lrc.h"

#define RP_LRC_FRACTION ((1U << RP_LINE_SHIFT) - 1)

#define RP_LRC_INLINE static inline __attribute__((always_inline))

/* A segment on its way to docids, 16 slots at a time. */
typedef struct rp__lrc_avx512 {
    __m512i bytes, starts, mask;                   /* of the lows */
    __m512i whole, part, whole_step, part_step;    /* of the line */
    __m512i before;                                /* the docids before, the last of them highest */
} rp__lrc_avx512;

RP_LRC_INLINE rp__lrc_avx512 rp__lrc_avx512_start(const rp__lrc_view *v)
{
    const __m512i rank = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_wide[v->width];
    const uint32_t fraction = (1U << RP_LINE_SHIFT) - 1;
    __m512i whole = _mm512_set1_epi32((int)(uint32_t)(v->a >> RP_LINE_SHIFT));
    __m512i part = _mm512_set1_epi32((int)((uint32_t)v->a & fraction));
    __m512i whole_start = _mm512_set1_epi32((int)(uint32_t)(v->start >> RP_LINE_SHIFT));
    __m512i part_start = _mm512_set1_epi32((int)((uint32_t)v->start & fraction));
    return (rp__lrc_avx512){
        .bytes = _mm512_load_si512(t->bytes),
        .starts = _mm512_load_si512(t->starts),
        .mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << v->width) - 1)),
        .whole = _mm512_add_epi32(whole_start, _mm512_mullo_epi32(rank, whole)),
        .part = _mm512_add_epi32(part_start, _mm512_mullo_epi32(rank, part)),
        .whole_step = _mm512_slli_epi32(whole, 4),
        .part_step = _mm512_slli_epi32(part, 4),
        .before = _mm512_setzero_si512(),
    };
}

/* The next 16 docids; which of them are not above the one before. */
RP_LRC_INLINE uint32_t rp__lrc_avx512_next(rp__lrc_avx512 *s, const uint8_t *p, uint32_t *out)
{
    __m512i x = rp__bitpack_avx512_unpack(p, s->bytes, s->starts, s->mask);
    x = _mm512_add_epi32(x, s->whole);
    x = _mm512_add_epi32(x, _mm512_srli_epi32(s->part, RP_LINE_SHIFT));
    _mm512_storeu_si512(out, x);
    uint32_t falls = _mm512_cmple_epu32_mask(x, _mm512_alignr_epi32(x, s->before, 15));
    s->before = x;
    s->whole = _mm512_add_epi32(s->whole, s->whole_step);
    s->part = _mm512_add_epi32(s->part, s->part_step);
    return falls;
}

RP_LRC_INLINE rp_status rp__lrc_avx512_docids(const rp__lrc_view *v, uint32_t base, uint32_t *out)
{
    if (v->width == RP_BITPACK_AVX512_PLAIN)
        return rp__lrc_docids(v, base, out);
    rp__lrc_avx512 s = rp__lrc_avx512_start(v);
    const uint8_t *p = v->lows;
    uint32_t full = v->count / 16, rest = v->count % 16, falls = 0, others = 0;
    /* nothing is left of slot 0 */
    if (full)
        falls = rp__lrc_avx512_next(&s, p, out) & ~1U;
    for (uint32_t k = 1; k < full; k++)
        others |= rp__lrc_avx512_next(&s, p + 2 * k * v->width, out + 16 * k);
    if (rest)
        falls |= rp__lrc_avx512_next(&s, p + 2 * full * v->width, out + 16 * full) &
                 ((1U << rest) - 1) & (full ? ~0U : ~1U);
    if (v->n_exceptions)
        return rp__lrc_patch(v, base, out);
    return (falls | others) || out[0] < (uint32_t)(base + 1) ? RP_DAMAGED : RP_OK;
}

#endif
