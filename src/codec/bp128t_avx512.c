/* bp128t_avx512.c: the block code bp128t with AVX-512: a row of 16 values a register, so that the
 * running sums are one subtraction a row and one scan a block; in order, the rows are then transposed
 * in registers.
 *
 * Full blocks of up to 24 bits are done here, others the way of bp128, or the plain one. */
#include "base/cpu.h"
#include "codec/bp128t.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"

#if defined(__x86_64__)
#include "codec/lanes_avx512.h"
#include "codec/bitpack_avx512.h"

#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

/* Values of a row, inverted: ~v is -v - 1, so subtracting it adds the gap v + 1. */
static inline __m512i inverted_row(const uint8_t *p, rp__lanes at)
{
    const int nand = 0x3F;
    __m512i windows = _mm512_permutexvar_epi8(at.bytes, _mm512_loadu_si512(p));
    __m512i x = _mm512_srlv_epi32(windows, at.shifts);
    return _mm512_ternarylogic_epi32(x, at.mask, at.mask, nand);
}

/* All docids of a full block, as rows. Inlined without choice, so that rows stay in registers. */
static inline __attribute__((always_inline)) void sum_rows(const uint8_t *p, uint32_t w,
                                                           uint32_t base, __m512i row[8])
{
    rp__lanes at = rp__lanes_avx512_wide(0, w, w);
    __m512i sum = _mm512_setzero_si512();
#define SUM_ROW(r)                                                                                 \
    sum = _mm512_sub_epi32(sum, inverted_row(p + 2 * (r) * (size_t)w, at));                        \
    row[r] = sum;
    EACH_ROW(SUM_ROW)
    __m512i before = _mm512_sub_epi32(rp__bitpack_avx512_scan_words(sum), sum);
    before = _mm512_add_epi32(before, _mm512_set1_epi32((int)base));
#define ADD_BEFORE(r) row[r] = _mm512_add_epi32(row[r], before);
    EACH_ROW(ADD_BEFORE)
}

/* Four registers of four 128-bit parts: part q of each into register q. */
static inline void store_parts(__m512i a, __m512i b, __m512i c, __m512i d, uint32_t *out)
{
    __m512i ab_low = _mm512_shuffle_i32x4(a, b, 0x44), ab_high = _mm512_shuffle_i32x4(a, b, 0xEE);
    __m512i cd_low = _mm512_shuffle_i32x4(c, d, 0x44), cd_high = _mm512_shuffle_i32x4(c, d, 0xEE);
    _mm512_storeu_si512(out, _mm512_shuffle_i32x4(ab_low, cd_low, 0x88));
    _mm512_storeu_si512(out + 32, _mm512_shuffle_i32x4(ab_low, cd_low, 0xDD));
    _mm512_storeu_si512(out + 64, _mm512_shuffle_i32x4(ab_high, cd_high, 0x88));
    _mm512_storeu_si512(out + 96, _mm512_shuffle_i32x4(ab_high, cd_high, 0xDD));
}

/* Lane l of rows 0 to 7 to out[8l] on. First fours of rows: part q of four[k] is lane 4q + k of rows
 * 0 to 3, or of rows 4 to 7; then lanes in their order. */
static inline __attribute__((always_inline)) void store_in_order(const __m512i row[8],
                                                                 uint32_t *out)
{
    __m512i four[8];
    for (int h = 0; h < 8; h += 4) {
        __m512i low01 = _mm512_unpacklo_epi32(row[h], row[h + 1]);
        __m512i high01 = _mm512_unpackhi_epi32(row[h], row[h + 1]);
        __m512i low23 = _mm512_unpacklo_epi32(row[h + 2], row[h + 3]);
        __m512i high23 = _mm512_unpackhi_epi32(row[h + 2], row[h + 3]);
        four[h] = _mm512_unpacklo_epi64(low01, low23);
        four[h + 1] = _mm512_unpackhi_epi64(low01, low23);
        four[h + 2] = _mm512_unpacklo_epi64(high01, high23);
        four[h + 3] = _mm512_unpackhi_epi64(high01, high23);
    }
    store_parts(four[0], four[4], four[1], four[5], out);
    store_parts(four[2], four[6], four[3], four[7], out + 16);
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    if (n != RP_BLOCK)
        return rp__bitpack_avx512_code.decode(in, in_bytes, out, n);
    return rp__bp128t_decode(in, in_bytes, out, n);
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    uint32_t w;
    if (n != RP_BLOCK)
        return rp__bitpack_avx512_code.decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_LANES_WIDE_MAX)
        return rp__bp128t_decode_docids(in, in_bytes, base, out, n);
    __m512i row[8];
    sum_rows(in + 1, w, base, row);
    store_in_order(row, out);
    return rp__gaps_check(out, n, base, w);
}

static rp_status decode_unordered(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                                  size_t n)
{
    uint32_t w;
    if (n != RP_BLOCK)
        return rp__bitpack_avx512_code.decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_LANES_WIDE_MAX)
        return rp__bp128t_decode_unordered(in, in_bytes, base, out, n);
    __m512i row[8];
    sum_rows(in + 1, w, base, row);
#define STORE_ROW(r) _mm512_storeu_si512(out + 16 * (r), row[r]);
    EACH_ROW(STORE_ROW)
    return rp__gaps_check(out, n, base, w); /* the last slot is the last rank */
}

const rp__block_code rp__bp128t_avx512_code = {
    .name = "bp128t",
    .needs = RP_CPU_AVX512,
    .bound = rp__bitpack_bound,
    .encode = rp__bp128t_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__bp128t_at,
    .decode_unordered = decode_unordered,
    .ranks = rp__bp128t_ranks,
};
#endif
