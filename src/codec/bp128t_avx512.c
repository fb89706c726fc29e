/* bp128t_avx512.c: the block code bp128t with AVX-512: a row of 16 docids a register, from the one
 * above by one addition, and one scan a block for what lies before each lane; in order, the rows are
 * then transposed in registers.
 *
 * Up to 12 bits, two rows come out of the bytes at a time, as the halves of 32-bit lanes, and a
 * multiplication of pairs sums them; up to 24, a row at a time. Wider blocks go the plain way, blocks
 * that are not full the way of bp128. */
#include "base/cpu.h"
#include "codec/bp128t.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx512.h"
#include "codec/lanes_avx512.h"

#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Two rows: each qword gets the 4 bytes that hold two values of a row and the 4 of the row after it,
 * 2w bytes on; then, for each byte of its 16-bit lanes, the bit in them at which it starts. */
typedef struct pair_table {
    _Alignas(64) uint8_t bytes[64];
    uint8_t starts[64];
} pair_table;

#define BYTES4(byte) (byte), (byte) + 1, (byte) + 2, (byte) + 3
#define BYTES(w, q)  BYTES4(2 * (q) * (w) / 8), BYTES4(2 * (q) * (w) / 8 + 2 * (w))
#define HALF(bit)    (bit), (bit) + 8
#define START(w, q)  (2 * (q) * (w) % 8)
#define STARTS(w, q)                                                                               \
    HALF(START(w, q)), HALF(START(w, q) + 32), HALF(START(w, q) + (w)), HALF(START(w, q) + (w) + 32)
#define EACH_QWORD(DO, w)                                                                          \
    DO(w, 0), DO(w, 1), DO(w, 2), DO(w, 3), DO(w, 4), DO(w, 5), DO(w, 6), DO(w, 7)
#define ROW(w)                                                                                     \
    {                                                                                              \
        {EACH_QWORD(BYTES, w)},                                                                    \
        {                                                                                          \
            EACH_QWORD(STARTS, w)                                                                  \
        }                                                                                          \
    }

enum { PAIR_MAX = 12 }; /* two values and their phase in 32 bits: 7 + 24 */

static const pair_table pairs[PAIR_MAX + 1] = {
    ROW(0), ROW(1), ROW(2), ROW(3),  ROW(4),  ROW(5),  ROW(6),
    ROW(7), ROW(8), ROW(9), ROW(10), ROW(11), ROW(12),
};

#define EACH_ROW(DO)  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define EACH_PAIR(DO) DO(0) DO(1) DO(2) DO(3)
#define ALWAYS        static inline __attribute__((always_inline)) /* so that rows stay in registers */

enum { NAND = 0x3F }; /* ~v is -v - 1: what takes it away adds the gap v + 1 */

/* The docid before each lane, given how far each lane goes. */
ALWAYS __m512i before_lanes(__m512i totals, uint32_t base)
{
    __m512i before = _mm512_sub_epi32(rp__bitpack_avx512_scan_words(totals), totals);
    return _mm512_add_epi32(before, _mm512_set1_epi32((int)base));
}

ALWAYS void sum_pairs(const uint8_t *p, uint32_t w, uint32_t base, __m512i row[8])
{
    const __m512i bytes = _mm512_load_si512(pairs[w].bytes);
    const __m512i starts = _mm512_load_si512(pairs[w].starts);
    const __m512i mask = _mm512_set1_epi16((short)((1U << w) - 1));
    const __m512i first = _mm512_set1_epi32(0xFFFF), both = _mm512_set1_epi32(-1); /* times -1 */
    __m512i pair[4];
#define UNPACK_PAIR(k)                                                                             \
    pair[k] = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(p + 4 * (k) * (size_t)w));         \
    pair[k] = _mm512_multishift_epi64_epi8(starts, pair[k]);                                       \
    pair[k] = _mm512_ternarylogic_epi32(pair[k], mask, mask, NAND);
    EACH_PAIR(UNPACK_PAIR)
    __m512i halves =
        _mm512_add_epi16(_mm512_add_epi16(pair[0], pair[1]), _mm512_add_epi16(pair[2], pair[3]));
    __m512i sum = before_lanes(_mm512_madd_epi16(halves, both), base);
#define SUM_PAIR(k)                                                                                \
    row[2 * (k)] = _mm512_add_epi32(sum, _mm512_madd_epi16(pair[k], first));                       \
    sum = _mm512_add_epi32(sum, _mm512_madd_epi16(pair[k], both));                                 \
    row[2 * (k) + 1] = sum;
    EACH_PAIR(SUM_PAIR)
}

ALWAYS __m512i inverted_row(const uint8_t *p, rp__lanes at)
{
    __m512i windows = _mm512_permutexvar_epi8(at.bytes, _mm512_loadu_si512(p));
    __m512i x = _mm512_srlv_epi32(windows, at.shifts);
    return _mm512_ternarylogic_epi32(x, at.mask, at.mask, NAND);
}

ALWAYS void sum_wide(const uint8_t *p, uint32_t w, uint32_t base, __m512i row[8])
{
    rp__lanes at = rp__lanes_avx512_wide(0, w, w);
    __m512i sum = _mm512_setzero_si512();
#define SUM_ROW(r)                                                                                 \
    sum = _mm512_sub_epi32(sum, inverted_row(p + 2 * (r) * (size_t)w, at));                        \
    row[r] = sum;
    EACH_ROW(SUM_ROW)
    __m512i before = before_lanes(sum, base);
#define ADD_BEFORE(r) row[r] = _mm512_add_epi32(row[r], before);
    EACH_ROW(ADD_BEFORE)
}

/* ---- Storing --------------------------------------------------------------------------------- */

ALWAYS void store_unordered(const __m512i row[8], uint32_t *out)
{
#define STORE_ROW(r) _mm512_storeu_si512(out + 16 * (r), row[r]);
    EACH_ROW(STORE_ROW)
}

/* Four registers of four 128-bit parts: part q of each into register q. */
ALWAYS void store_parts(__m512i a, __m512i b, __m512i c, __m512i d, uint32_t *out)
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
ALWAYS void store_in_order(const __m512i row[8], uint32_t *out)
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
    __m512i row[8];
    if (n != RP_BLOCK)
        return rp__bitpack_avx512_code.decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_LANES_WIDE_MAX)
        return rp__bp128t_decode_docids(in, in_bytes, base, out, n);
    if (w <= PAIR_MAX)
        sum_pairs(in + 1, w, base, row);
    else
        sum_wide(in + 1, w, base, row);
    store_in_order(row, out);
    return rp__gaps_check(out, n, base, w);
}

static rp_status rows_of(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out, size_t n)
{
    uint32_t w;
    __m512i row[8];
    if (n != RP_BLOCK)
        return rp__bitpack_avx512_code.decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_LANES_WIDE_MAX)
        return rp__bp128t_plain_rows(in, in_bytes, base, out, n);
    if (w <= PAIR_MAX)
        sum_pairs(in + 1, w, base, row);
    else
        sum_wide(in + 1, w, base, row);
    store_unordered(row, out);
    return rp__gaps_check(out, n, base, w); /* the last slot is the last rank */
}

/* A full block of up to PAIR_MAX bits. */
typedef struct narrow_block {
    const uint8_t *in;
    uint32_t w, base;
} narrow_block;

ALWAYS bool is_narrow(const rp__list *list, uint32_t b, narrow_block *out)
{
    size_t in_bytes;
    out->base = b ? list->last[b - 1] : UINT32_MAX;
    return rp__list_bytes(list, b, &out->in, &in_bytes) == RP_OK &&
           rp__bitpack_open(out->in, in_bytes, RP_BLOCK, &out->w) == RP_OK && out->w <= PAIR_MAX;
}

/* Such blocks from b on, as long as two follow each other and are sound; returns the block after
 * them. Two at a time, as each waits for its own scan; without calls, so that constants stay in
 * registers from block to block. */
static uint32_t run_of_narrow(const rp__list *list, uint32_t b, uint32_t end, uint32_t *out)
{
    uint32_t full = list->n / RP_BLOCK;
    end = full < end ? full : end;
    for (; b + 1 < end; b += 2, out += 2 * RP_BLOCK) {
        narrow_block one, two;
        __m512i rows_one[8], rows_two[8];
        if (!is_narrow(list, b, &one) || !is_narrow(list, b + 1, &two))
            break;
        sum_pairs(one.in + 1, one.w, one.base, rows_one);
        sum_pairs(two.in + 1, two.w, two.base, rows_two);
        store_unordered(rows_one, out);
        store_unordered(rows_two, out + RP_BLOCK);
        if (rp__gaps_check(out, RP_BLOCK, one.base, one.w) ||
            rp__gaps_check(out + RP_BLOCK, RP_BLOCK, two.base, two.w))
            break;
    }
    return b;
}

rp_status rp__bp128t_avx512_unordered(const rp__list *list, uint32_t b, uint32_t n_blocks,
                                      uint32_t *out)
{
    uint32_t end = b + n_blocks;
    for (;;) {
        uint32_t next = run_of_narrow(list, b, end, out);
        out += (size_t)(next - b) * RP_BLOCK;
        b = next;
        if (b == end)
            return RP_OK;
        if (rp__bp128t_unordered_with(list, b, 1, out, rows_of))
            return RP_DAMAGED;
        out += RP_BLOCK;
        b++;
    }
}

const rp__block_code rp__bp128t_avx512_code = {
    .name = "bp128t",
    .needs = RP_CPU_AVX512,
    .bound = rp__bitpack_bound,
    .encode = rp__bp128t_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__bp128t_at,
};
#endif
