/* bitpack_avx512.c: the block code bp128 with AVX-512 VBMI: bytes to lanes by one permutation,
 * bits to values by one multishift, by a table a width; then an in-order prefix sum in
 * registers.
 *
 * Docids of up to 11 bits are summed as 16-bit lanes, 32 to a register: 16 gaps of at most 2^11
 * stay under 2^16. Width 31 goes the plain way: its pairs straddle nine bytes. Encodes as the row
 * of AVX2 does. Loads start inside the block, so they end within RP_PAD after it. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx512.h"

#define BYTES(bit)                                                                                 \
    (bit) / 8, (bit) / 8 + 1, (bit) / 8 + 2, (bit) / 8 + 3, (bit) / 8 + 4, (bit) / 8 + 5,          \
        (bit) / 8 + 6, (bit) / 8 + 7
#define START(bit, w, value, byte) ((bit) % 8 + (value) * (w) + 8 * (byte)) % 64
#define HALF(bit, w, v)            START(bit, w, v, 0), START(bit, w, v, 1)
#define WORD(bit, w, v)            HALF(bit, w, v), START(bit, w, v, 2), START(bit, w, v, 3)
#define STARTS4(bit, w)            HALF(bit, w, 0), HALF(bit, w, 1), HALF(bit, w, 2), HALF(bit, w, 3)
#define STARTS2(bit, w)            WORD(bit, w, 0), WORD(bit, w, 1)

/* A qword holds 2 values of 32 bits in order, or 4 of 16: values 0 to 15 in the even qwords, 16 to
 * 31 in the odd ones, so that each half of them widens to 32 bits inside its 128-bit lane. */
#define ROW4(w)                                                                                    \
    {                                                                                              \
        {BYTES(0),       BYTES(16 * (w)), BYTES(4 * (w)),  BYTES(20 * (w)),                        \
         BYTES(8 * (w)), BYTES(24 * (w)), BYTES(12 * (w)), BYTES(28 * (w))},                       \
        {                                                                                          \
            STARTS4(0, w), STARTS4(16 * (w), w), STARTS4(4 * (w), w), STARTS4(20 * (w), w),        \
                STARTS4(8 * (w), w), STARTS4(24 * (w), w), STARTS4(12 * (w), w),                   \
                STARTS4(28 * (w), w)                                                               \
        }                                                                                          \
    }
#define ROW2(w)                                                                                    \
    {                                                                                              \
        {BYTES(0),       BYTES(2 * (w)),  BYTES(4 * (w)),  BYTES(6 * (w)),                         \
         BYTES(8 * (w)), BYTES(10 * (w)), BYTES(12 * (w)), BYTES(14 * (w))},                       \
        {                                                                                          \
            STARTS2(0, w), STARTS2(2 * (w), w), STARTS2(4 * (w), w), STARTS2(6 * (w), w),          \
                STARTS2(8 * (w), w), STARTS2(10 * (w), w), STARTS2(12 * (w), w),                   \
                STARTS2(14 * (w), w)                                                               \
        }                                                                                          \
    }

const rp__bitpack_avx512_table rp__bitpack_avx512_narrow[RP_BITPACK_AVX512_HALF + 1] = {
    ROW4(0), ROW4(1), ROW4(2),  ROW4(3),  ROW4(4),  ROW4(5),  ROW4(6),  ROW4(7),
    ROW4(8), ROW4(9), ROW4(10), ROW4(11), ROW4(12), ROW4(13), ROW4(14), ROW4(15),
};

const rp__bitpack_avx512_table rp__bitpack_avx512_wide[RP_BITPACK_WIDTH_MAX + 1] = {
    ROW2(0),  ROW2(1),  ROW2(2),  ROW2(3),  ROW2(4),  ROW2(5),  ROW2(6),  ROW2(7),  ROW2(8),
    ROW2(9),  ROW2(10), ROW2(11), ROW2(12), ROW2(13), ROW2(14), ROW2(15), ROW2(16), ROW2(17),
    ROW2(18), ROW2(19), ROW2(20), ROW2(21), ROW2(22), ROW2(23), ROW2(24), ROW2(25), ROW2(26),
    ROW2(27), ROW2(28), ROW2(29), ROW2(30), ROW2(31), ROW2(32),
};

static void decode_wide(const uint8_t *p, uint32_t w, uint32_t *out, size_t n)
{
    __m512i bytes = _mm512_load_si512(rp__bitpack_avx512_wide[w].bytes),
            starts = _mm512_load_si512(rp__bitpack_avx512_wide[w].starts);
    __m512i mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << w) - 1));
    for (size_t i = 0; i < n; i += 16, p += 2 * w)
        _mm512_storeu_si512(out + i, rp__bitpack_avx512_unpack(p, bytes, starts, mask));
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    uint32_t w;
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w == RP_BITPACK_AVX512_PLAIN)
        return rp__bitpack_decode(in, in_bytes, out, n);
    decode_wide(in + 1, w, out, n);
    return RP_OK;
}

/* From bit `phase` of *p on, below 8: what the table says, so many bits later. A pair of values still
 * lies within its eight bytes if that is 0, or w at most RP_BITPACK_AVX512_SLICED. */
static void docids_wide(const uint8_t *p, uint32_t phase, uint32_t w, uint32_t base, uint32_t *out,
                        size_t n)
{
    __m512i bytes = _mm512_load_si512(rp__bitpack_avx512_wide[w].bytes);
    __m512i starts = _mm512_add_epi8(_mm512_load_si512(rp__bitpack_avx512_wide[w].starts),
                                     _mm512_set1_epi8((char)phase));
    const __m512i mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << w) - 1));
    __m512i before = _mm512_set1_epi32((int)base);
    for (size_t i = 0; i < n; i += 16, p += 2 * w) {
        __m512i x = rp__bitpack_avx512_unpack(p, bytes, starts, mask);
        before = rp__bitpack_avx512_put_words(x, before, out + i);
    }
}

static rp_status slice(const uint8_t *in, size_t in_bytes, size_t i, size_t n, uint32_t base,
                       uint32_t *out)
{
    uint32_t w;
    if (rp__bitpack_open(in, in_bytes, i + n, &w))
        return RP_DAMAGED;
    if (w > RP_BITPACK_AVX512_SLICED)
        return rp__bitpack_slice(in, in_bytes, i, n, base, out);
    docids_wide(in + 1 + i * w / 8, i * w % 8, w, base, out, n);
    return rp__gaps_check(out, n, base, w);
}

#define FOUR(i) (i), (i), (i), (i)
#define PAIR(i) FOUR(i), FOUR((i) + 4)
#define PAIRS(a, b)                                                                                \
    {                                                                                              \
        PAIR(a), PAIR(a), PAIR(b), PAIR(b)                                                         \
    }
_Alignas(64) const uint16_t rp__bitpack_avx512_from_pair[32] = PAIRS(3, 19);
_Alignas(64) const uint16_t rp__bitpack_avx512_from_half[32] = PAIRS(11, 11);

static void docids_narrow(const uint8_t *p, uint32_t w, uint32_t base, uint32_t *out, size_t n)
{
    __m512i bytes = _mm512_load_si512(rp__bitpack_avx512_narrow[w].bytes);
    __m512i starts = _mm512_load_si512(rp__bitpack_avx512_narrow[w].starts);
    const __m512i mask = _mm512_set1_epi16((short)((1 << w) - 1)), one = _mm512_set1_epi16(1);
    const rp__bitpack_avx512_halves c = rp__bitpack_avx512_halves_start();
    __m512i before = _mm512_set1_epi32((int)base);
    for (size_t i = 0; i < n; i += 32, p += 4 * w) {
        __m512i x = _mm512_add_epi16(rp__bitpack_avx512_unpack(p, bytes, starts, mask), one);
        before = rp__bitpack_avx512_put_halves(&c, x, before, out + i);
    }
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    uint32_t w;
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w <= RP_BITPACK_AVX512_NARROW)
        docids_narrow(in + 1, w, base, out, n);
    else if (w != RP_BITPACK_AVX512_PLAIN)
        docids_wide(in + 1, 0, w, base, out, n);
    else
        return rp__bitpack_decode_docids(in, in_bytes, base, out, n);
    return rp__gaps_check(out, n, base, w);
}

const rp__block_code rp__bitpack_avx512_code = {
    .name = "bp128",
    .needs = RP_CPU_AVX512,
    .bound = rp__bitpack_bound,
    .encode = rp__bitpack_avx2_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__bitpack_at,
    .slice = slice,
};
#endif
