/* iiu_avx512.c: the docid codec iiu with AVX-512 VBMI: the bytes of 16 or 32 fields to their lanes by
 * one permutation, then shifts; then an in-order prefix sum in registers.
 *
 * Fields lie gap + tf bits apart, so 16 of them are a whole number of bytes apart from the next 16:
 * the permutation and the shifts, which its widths and the bit it starts at give, serve a whole block. Gaps of up to 12 bits are summed as 16-bit lanes: 16 of them stay under 2^16. What does
 * not fit those windows goes the plain way. Loads start inside the payload, so they end within
 * RP_PAD after it. */
#include "codec/codec_table.h"
#include "codec/iiu.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx512.h"
#include "codec/lanes_avx512.h"

#define ALWAYS                                                                                     \
    static inline __attribute__((always_inline)) /* so that constants stay in registers */

enum {
    NARROW_MAX = 12, /* four fields, with their phase, in 64 bits: 7 + 3 * 15 + 12 */
    NARROW_PAIR_MAX = 15,
    AHEAD = 1024, /* bytes that are asked for before they are needed: a few blocks */
};

/* Thirty-two gaps, `pair` bits apart, in the order that rp__bitpack_avx512_put_halves sums: four to a
 * qword, from 8 bytes; for each byte of the result the bit in them at which it starts. Both are for
 * a block that begins with a byte; with a phase, `carries` has the qwords whose bytes are one
 * further on. */
typedef struct pair_table {
    _Alignas(64) uint8_t bytes[64];
    uint8_t starts[64];
} pair_table;

#define BYTES(bit)                                                                                 \
    (bit) / 8, (bit) / 8 + 1, (bit) / 8 + 2, (bit) / 8 + 3, (bit) / 8 + 4, (bit) / 8 + 5,          \
        (bit) / 8 + 6, (bit) / 8 + 7
#define START(bit, pair, i) (bit) % 8 + (i) * (pair), (bit) % 8 + (i) * (pair) + 8
#define STARTS(bit, pair)                                                                          \
    START(bit, pair, 0), START(bit, pair, 1), START(bit, pair, 2), START(bit, pair, 3)
#define ROW(pair)                                                                                  \
    {                                                                                              \
        {BYTES(0),          BYTES(16 * (pair)), BYTES(4 * (pair)),  BYTES(20 * (pair)),            \
         BYTES(8 * (pair)), BYTES(24 * (pair)), BYTES(12 * (pair)), BYTES(28 * (pair))},           \
        {                                                                                          \
            STARTS(0, pair), STARTS(16 * (pair), pair), STARTS(4 * (pair), pair),                  \
                STARTS(20 * (pair), pair), STARTS(8 * (pair), pair), STARTS(24 * (pair), pair),    \
                STARTS(12 * (pair), pair), STARTS(28 * (pair), pair)                               \
        }                                                                                          \
    }
static const pair_table tables[NARROW_PAIR_MAX + 1] = {
    ROW(0), ROW(1), ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),
    ROW(8), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15),
};

/* Only ranks that are 4 more than a multiple of 8, of odd pairs, begin inside a byte: at bit 4. */
static inline __mmask8 carries_of(uint32_t pair, uint32_t phase)
{
    return (__mmask8)((pair & phase >> 2 & 1) * 0xCC);
}

/* The lanes that hold the first n of them, n from 1 to 32. */
static inline uint32_t narrow_mask(uint32_t n)
{
    uint32_t fields = UINT32_MAX >> (32 - n);
    return _pdep_u32(fields, 0x0F0F0F0F) | _pdep_u32(fields >> 16, 0xF0F0F0F0);
}

/* The first `left` bits of a mask, all where there are no more. */
static inline uint32_t first_bits(uint32_t mask, uint32_t left)
{
    return left < 32 ? mask & ((1U << left) - 1) : mask;
}

/* What unpacks the gaps of a block, of at most NARROW_MAX bits, 32 to a register. */
typedef struct narrow_lanes {
    __m512i bytes, starts, mask;
} narrow_lanes;

ALWAYS narrow_lanes narrow_lanes_of(const rp__iiu_view *v)
{
    const __m512i a_byte = _mm512_set1_epi8(1), its_bits = _mm512_set1_epi8(8);
    const pair_table *t = &tables[v->gap + v->tf];
    const __mmask8 carries = carries_of(v->gap + v->tf, v->phase);
    narrow_lanes at = {.bytes = _mm512_load_si512(t->bytes),
                       .starts = _mm512_load_si512(t->starts),
                       .mask = _mm512_set1_epi16((short)((1U << v->gap) - 1))};
    at.starts = _mm512_add_epi8(at.starts, _mm512_set1_epi8((char)v->phase));
    at.bytes = _mm512_mask_add_epi64(at.bytes, carries, at.bytes, a_byte);
    at.starts = _mm512_mask_sub_epi64(at.starts, carries, at.starts, its_bits);
    return at;
}

/* Running sums; not 0: a gap but the first is. */
ALWAYS uint32_t narrow_docids(const rp__bitpack_avx512_halves *c, const rp__iiu_view *v,
                              uint32_t *out)
{
    uint32_t pair = v->gap + v->tf, zeros = 0, here = 0, i = 0;
    const narrow_lanes lanes = narrow_lanes_of(v);
    __m512i before = _mm512_set1_epi32((int)v->skip);
    const uint8_t *p = v->bits;
    for (uintptr_t k = 0; k < 3; k++)
        _mm_prefetch((const char *)((uintptr_t)p + AHEAD + 64 * k), _MM_HINT_T0);
    do {
        __m512i x = rp__bitpack_avx512_unpack(p, lanes.bytes, lanes.starts, lanes.mask);
        zeros |= here;
        here = _mm512_testn_epi16_mask(x, x) & (i ? ~0U : ~1U);
        before = rp__bitpack_avx512_put_halves(c, x, before, out + i);
        i += 32;
        p += 4 * pair;
    } while (i < v->count);
    return zeros | (here & narrow_mask(v->count - i + 32));
}

static __attribute__((noinline)) uint32_t wide_docids(const rp__iiu_view *v, uint32_t *out)
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

ALWAYS rp_status docids_with(const rp__bitpack_avx512_halves *c, const rp__iiu_view *v,
                             uint32_t *out)
{
    uint32_t zeros;
    if (v->gap <= NARROW_MAX && v->gap + v->tf <= NARROW_PAIR_MAX)
        zeros = narrow_docids(c, v, out);
    else if (v->gap <= RP_LANES_WIDE_MAX && v->gap + v->tf <= RP_LANES_WIDE_PAIR_MAX)
        zeros = wide_docids(v, out);
    else
        return rp__iiu_plain_docids(v, out);
    return zeros || out[v->count - 1] < v->skip ? RP_DAMAGED : RP_OK;
}

static inline rp_status docids(const rp__iiu_view *v, uint32_t *out)
{
    const rp__bitpack_avx512_halves c = rp__bitpack_avx512_halves_start();
    return docids_with(&c, v, out);
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
    const rp__bitpack_avx512_halves c = rp__bitpack_avx512_halves_start();
    uint32_t base = UINT32_MAX;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        rp__iiu_view v;
        if (rp__iiu_open(list, b, &v) || docids_with(&c, &v, out) || out[0] < (uint32_t)(base + 1))
            return RP_DAMAGED;
        out += v.count;
        base = out[-1];
        if (list->last && base != list->last[b])
            return RP_DAMAGED;
    }
    return base < list->universe ? RP_OK : RP_DAMAGED;
}

rp_status rp__iiu_avx512_tfs(const rp__list *list, uint32_t f, uint32_t *out)
{
    return rp__iiu_tfs_with(list, f, out, freqs);
}
#endif
