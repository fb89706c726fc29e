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
#include "codec/heads_avx512.h"
#include "codec/lanes_avx512.h"

#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Two rows: each qword gets the 4 bytes that hold two values of a row and the 4 of the row after it,
 * 2w bytes on; then, for each byte of its 16-bit lanes, the bit in them at which it starts. */
typedef struct pair_table {
    _Alignas(64) uint8_t bytes[64];
    uint8_t starts[64];
    uint16_t masks[32];
} pair_table;

#define BYTES4(byte) (byte), (byte) + 1, (byte) + 2, (byte) + 3
#define BYTES(w, q)  BYTES4(2 * (q) * (w) / 8), BYTES4(2 * (q) * (w) / 8 + 2 * (w))
#define HALF(bit)    (bit), (bit) + 8
#define START(w, q)  (2 * (q) * (w) % 8)
#define STARTS(w, q)                                                                               \
    HALF(START(w, q)), HALF(START(w, q) + 32), HALF(START(w, q) + (w)), HALF(START(w, q) + (w) + 32)
#define EACH_QWORD(DO, w)                                                                          \
    DO(w, 0), DO(w, 1), DO(w, 2), DO(w, 3), DO(w, 4), DO(w, 5), DO(w, 6), DO(w, 7)
#define MASKS(w, q) (1 << (w)) - 1, (1 << (w)) - 1, (1 << (w)) - 1, (1 << (w)) - 1
#define ROW(w)                                                                                     \
    {                                                                                              \
        {EACH_QWORD(BYTES, w)}, {EACH_QWORD(STARTS, w)},                                           \
        {                                                                                          \
            EACH_QWORD(MASKS, w)                                                                   \
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

/* What stays in registers from block to block: of a word both halves, or the second one, by 1 and
 * -1; how the sums of lanes go on. */
typedef struct sums {
    __m512i both, second, minus, third, seventh, twice;
    __mmask16 threes, sevenths;
} sums;

/* The empty statement hides constants from compilers, which would make them again for each block,
 * and two steps of the multiplication. */
ALWAYS sums sums_start(void)
{
    sums c = {
        .both = _mm512_set1_epi32(0x00010001),
        .second = _mm512_set1_epi32(0x00010000),
        .minus = _mm512_set1_epi32(-1),
        .third = _mm512_set_epi32(11, 11, 11, 11, 0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0),
        .seventh = _mm512_set1_epi32(7),
        .twice = _mm512_set1_epi64(0x0000000100000001),
        .threes = 0xF0F0,
        .sevenths = 0xFF00,
    };
    __asm__(""
            : "+v"(c.both), "+v"(c.second), "+v"(c.minus), "+v"(c.third), "+v"(c.seventh),
              "+v"(c.twice), "+Yk"(c.threes), "+Yk"(c.sevenths));
    return c;
}

/* Eight rows of up to PAIR_MAX bits, inverted, as pairs. */
typedef struct row_pairs {
    __m512i of[4];
} row_pairs;

ALWAYS row_pairs unpack_pairs(const uint8_t *p, uint32_t w)
{
    const __m512i bytes = _mm512_load_si512(pairs[w].bytes);
    const __m512i starts = _mm512_load_si512(pairs[w].starts);
    const __m512i mask = _mm512_load_si512(pairs[w].masks);
    row_pairs v;
#define UNPACK_PAIR(k)                                                                             \
    v.of[k] = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(p + 4 * (k) * (size_t)w));         \
    v.of[k] = _mm512_multishift_epi64_epi8(starts, v.of[k]);                                       \
    v.of[k] = _mm512_ternarylogic_epi32(v.of[k], mask, mask, NAND);
    EACH_PAIR(UNPACK_PAIR)
    return v;
}

/* The last row: where each lane ends, which is how far it and those before it go. */
ALWAYS __m512i sum_lanes(const sums *c, const row_pairs *v, __m512i base)
{
    __m512i low = _mm512_add_epi16(v->of[0], v->of[1]), high = _mm512_add_epi16(v->of[2], v->of[3]);
    __m512i x = _mm512_madd_epi16(_mm512_add_epi16(low, high), c->minus);
    x = _mm512_mullo_epi64(x, c->twice);
    x = _mm512_add_epi32(x, _mm512_maskz_shuffle_epi32(0xCCCC, x, _MM_PERM_BBBB));
    x = _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(c->threes, c->third, x));
    x = _mm512_add_epi32(x, _mm512_maskz_permutexvar_epi32(c->sevenths, c->seventh, x));
    return _mm512_add_epi32(x, base);
}

/* The others, from the last one up. */
ALWAYS void sum_rows(const sums *c, const row_pairs *v, __m512i last, __m512i row[8])
{
    row[7] = last;
#define SUM_PAIR(k)                                                                                \
    row[2 * (k)] = _mm512_dpwssd_epi32(row[2 * (k) + 1], v->of[k], c->second);                     \
    row[2 * (k)-1] = _mm512_dpwssd_epi32(row[2 * (k) + 1], v->of[k], c->both);
    SUM_PAIR(3)
    SUM_PAIR(2)
    SUM_PAIR(1)
    row[0] = _mm512_dpwssd_epi32(row[1], v->of[0], c->second);
}

ALWAYS void sum_pairs(const uint8_t *p, uint32_t w, uint32_t base, __m512i row[8])
{
    const sums c = sums_start();
    row_pairs v = unpack_pairs(p, w);
    sum_rows(&c, &v, sum_lanes(&c, &v, _mm512_set1_epi32((int)base)), row);
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

ALWAYS row_pairs unpack_block(const rp__list *list, uint32_t b)
{
    const uint8_t *in = list->docs + rp__list_offset(list, b);
    return unpack_pairs(in + 1, in[0]);
}

/* How many full blocks of up to PAIR_MAX bits follow each other from b on, before `end`. */
static uint32_t count_narrow(const rp__list *list, uint32_t b, uint32_t end)
{
    uint32_t from = b, full = list->n / RP_BLOCK, ok = 0xFFFF;
    if (!rp__list_has_offsets(list) || list->docs_bytes > INT32_MAX)
        return 0;
    for (end = full < end ? full : end; ok == 0xFFFF && b < end;) {
        rp__heads h = rp__heads_of(list, b);
        __m512i w = _mm512_and_si512(h.head, _mm512_set1_epi32(255));
        __m512i lows = _mm512_slli_epi32(w, 4); /* RP_BLOCK / 8 * w */
        ok = _mm512_mask_cmple_epu32_mask(h.sound, w, _mm512_set1_epi32(PAIR_MAX));
        ok = _mm512_mask_cmplt_epu32_mask((__mmask16)ok, lows, h.bytes);
        b += rp__bits_lowest64(~(uint64_t)ok);
    }
    return (b < end ? b : end) - from;
}

/* Such blocks from b to `last`. Three are in flight: of one the rows are summed and stored, of the
 * next one the lanes are summed, and the one after it is unpacked, so that no step waits for the one
 * before it. */
static rp_status run_of_narrow(const rp__list *list, uint32_t b, uint32_t last, uint32_t *out)
{
    const sums c = sums_start();
    __m512i base = _mm512_set1_epi32(b ? (int)list->last[b - 1] : -1);
    __mmask16 bad = 0;
    row_pairs now = unpack_block(list, b), next = unpack_block(list, b < last ? b + 1 : last);
    __m512i end = sum_lanes(&c, &now, base);
    for (; b <= last; b++, out += RP_BLOCK) {
        __m512i row[8];
        row_pairs after = unpack_block(list, b + 2 <= last ? b + 2 : last);
        __m512i next_base = _mm512_broadcastd_epi32(_mm_loadu_si32(&list->last[b]));
        __m512i next_end = sum_lanes(&c, &next, next_base);
        sum_rows(&c, &now, end, row);
        store_unordered(row, out);
        bad |= _mm512_cmplt_epu32_mask(end, _mm512_sub_epi32(base, c.minus));
        now = next;
        next = after;
        end = next_end;
        base = next_base;
    }
    return bad ? RP_DAMAGED : RP_OK;
}

rp_status rp__bp128t_avx512_unordered(const rp__list *list, uint32_t b, uint32_t n_blocks,
                                      uint32_t *out)
{
    for (uint32_t end = b + n_blocks, count; b < end; b += count, out += (size_t)count * RP_BLOCK) {
        count = n_blocks == 1 ? 0 : count_narrow(list, b, end); /* one alone is not worth a run */
        if (count ? run_of_narrow(list, b, b + count - 1, out)
                  : rp__bp128t_unordered_with(list, b, 1, out, rows_of))
            return RP_DAMAGED;
        count += count == 0;
    }
    return RP_OK;
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
