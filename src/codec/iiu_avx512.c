/* iiu_avx512.c: the docid codec iiu with AVX-512 VBMI: the bytes of 16 or 32 fields to their lanes by
 * one permutation, then shifts; then an in-order prefix sum in registers.
 *
 * Fields lie gap + tf bits apart, so 16 of them are a whole number of bytes apart from the next 16:
 * the permutation and the shifts, made once a block from its widths and the bit it starts at, serve
 * all of it. Gaps of up to 12 bits are summed as 16-bit lanes: 16 of them stay under 2^16. What does
 * not fit those windows goes the plain way. Loads start inside the payload, so they end within
 * RP_PAD after it. */
#include "codec/codec_table.h"
#include "codec/iiu.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx512.h"
#include "codec/lanes_avx512.h"

/* The lanes of rp__lanes_avx512_narrow that hold the fields set in `fields`. */
static inline uint32_t narrow_mask(uint32_t fields)
{
    return _pdep_u32(fields, 0x0F0F0F0F) | _pdep_u32(fields >> 16, 0xF0F0F0F0);
}

/* The first `left` bits of a mask, all where there are no more. */
static inline uint32_t first_bits(uint32_t mask, uint32_t left)
{
    return left < 32 ? mask & ((1U << left) - 1) : mask;
}

/* Running sums; not 0: a gap but the first is. */
static uint32_t narrow_docids(const rp__iiu_view *v, uint32_t *out)
{
    uint32_t pair = v->gap + v->tf, zeros = 0, but_first = ~1U;
    rp__lanes at = rp__lanes_avx512_narrow(v->phase, pair, v->gap);
    const rp__bitpack_avx512_halves c = rp__bitpack_avx512_halves_start();
    __m512i before = _mm512_set1_epi32((int)v->skip);
    const uint8_t *p = v->bits;
    for (uint32_t i = 0; i < v->count; i += 32, p += 4 * pair) {
        __m512i x = rp__lanes_avx512_narrow_fields(p, at);
        uint32_t live = first_bits(but_first, v->count - i);
        zeros |= _mm512_testn_epi16_mask(x, x) & narrow_mask(live);
        but_first = ~0U;
        before = rp__bitpack_avx512_put_halves(&c, x, before, out + i);
    }
    return zeros;
}

static uint32_t wide_docids(const rp__iiu_view *v, uint32_t *out)
{
    uint32_t pair = v->gap + v->tf, zeros = 0, but_first = ~1U;
    rp__lanes at = rp__lanes_avx512_wide(v->phase, pair, v->gap);
    const __m512i top = _mm512_set1_epi32(15);
    __m512i before = _mm512_set1_epi32((int)v->skip);
    const uint8_t *p = v->bits;
    for (uint32_t i = 0; i < v->count; i += 16, p += 2 * pair) {
        __m512i x = rp__lanes_avx512_wide_fields(p, at);
        zeros |= _mm512_testn_epi32_mask(x, x) & first_bits(but_first, v->count - i);
        but_first = ~0U;
        x = rp__bitpack_avx512_scan_words(x);
        _mm512_storeu_si512(out + i, _mm512_add_epi32(before, x));
        before = _mm512_add_epi32(before, _mm512_permutexvar_epi32(top, x));
    }
    return zeros;
}

static inline rp_status docids(const rp__iiu_view *v, uint32_t *out)
{
    uint32_t zeros;
    if (v->gap <= RP_LANES_NARROW_MAX && v->gap + v->tf <= RP_LANES_NARROW_PAIR_MAX)
        zeros = narrow_docids(v, out);
    else if (v->gap <= RP_LANES_WIDE_MAX && v->gap + v->tf <= RP_LANES_WIDE_PAIR_MAX)
        zeros = wide_docids(v, out);
    else
        return rp__iiu_plain_docids(v, out);
    return zeros || out[v->count - 1] < v->skip ? RP_DAMAGED : RP_OK;
}

static inline rp_status freqs(const rp__iiu_view *v, uint32_t from, uint32_t count, uint32_t *out)
{
    uint32_t pair = v->gap + v->tf, bit = v->phase + from * pair + v->gap, zeros = 0;
    if (v->tf > RP_LANES_WIDE_MAX || pair > RP_LANES_WIDE_PAIR_MAX)
        return rp__iiu_plain_freqs(v, from, count, out);
    rp__lanes at = rp__lanes_avx512_wide(bit % 8, pair, v->tf);
    const uint8_t *p = v->bits + bit / 8;
    for (uint32_t i = 0; i < count; i += 16, p += 2 * pair) {
        __m512i x = rp__lanes_avx512_wide_fields(p, at);
        zeros |= _mm512_testn_epi32_mask(x, x) & first_bits(~0U, count - i);
        _mm512_storeu_si512(out + i, x);
    }
    return zeros ? RP_DAMAGED : RP_OK;
}

rp_status rp__iiu_avx512_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__iiu_block_with(list, b, out, docids);
}

rp_status rp__iiu_avx512_decode(const rp__list *list, uint32_t *out)
{
    return rp__iiu_decode_with(list, out, docids);
}

rp_status rp__iiu_avx512_tfs(const rp__list *list, uint32_t f, uint32_t *out)
{
    return rp__iiu_tfs_with(list, f, out, freqs);
}
#endif
