/* bp128t_avx2.c: the block code bp128t with AVX2: the values by bp128's row, then the lanes of a full
 * block in two halves of eight: each row added to the one above, what lies before each lane added
 * once, and, for the order of the list, eight rows by eight lanes transposed in registers. */
#include "base/cpu.h"
#include "codec/bp128t.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"

#if defined(__x86_64__)
#include "codec/scan_avx2.h"

enum {
    HALF = 8,
    CHECKED_MAX = 24
}; /* gaps_check finds a wrap up to that width, and needs order above */

static inline __m256i load(const uint32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline void store(uint32_t *p, __m256i x)
{
    _mm256_storeu_si256((__m256i *)(void *)p, x);
}

/* Values of a full block, by slot, become docids, by slot. */
static void sum_rows(uint32_t *rows, uint32_t base)
{
    __m256i before = _mm256_set1_epi32((int)base);
    const __m256i one = _mm256_set1_epi32(1), top = _mm256_set1_epi32(7);
    for (size_t h = 0; h < RP_BP128T_LANES; h += HALF) {
        __m256i sum = _mm256_setzero_si256();
        for (size_t r = 0; r < RP_BP128T_ROWS; r++) {
            uint32_t *row = rows + RP_BP128T_LANES * r + h;
            sum = _mm256_add_epi32(_mm256_add_epi32(sum, one), load(row));
            store(row, sum);
        }
        __m256i ends = _mm256_add_epi32(before, rp__scan_avx2_words(sum));
        __m256i starts = _mm256_sub_epi32(ends, sum);
        for (size_t r = 0; r < RP_BP128T_ROWS; r++) {
            uint32_t *row = rows + RP_BP128T_LANES * r + h;
            store(row, _mm256_add_epi32(load(row), starts));
        }
        before = _mm256_permutevar8x32_epi32(ends, top);
    }
}

/* Lanes l and l + 4 of four rows, as the two 128-bit parts of fours[l]. */
static inline void take_fours(const uint32_t *rows, __m256i fours[4])
{
    __m256i a = load(rows), b = load(rows + 16), c = load(rows + 32), d = load(rows + 48);
    __m256i low_ab = _mm256_unpacklo_epi32(a, b), high_ab = _mm256_unpackhi_epi32(a, b);
    __m256i low_cd = _mm256_unpacklo_epi32(c, d), high_cd = _mm256_unpackhi_epi32(c, d);
    fours[0] = _mm256_unpacklo_epi64(low_ab, low_cd);
    fours[1] = _mm256_unpackhi_epi64(low_ab, low_cd);
    fours[2] = _mm256_unpacklo_epi64(high_ab, high_cd);
    fours[3] = _mm256_unpackhi_epi64(high_ab, high_cd);
}

static void transpose(const uint32_t *rows, uint32_t *out)
{
    for (size_t h = 0; h < RP_BP128T_LANES; h += HALF) {
        __m256i upper[4], lower[4];
        take_fours(rows + h, upper);
        take_fours(rows + h + 4 * RP_BP128T_LANES, lower);
        for (size_t l = 0; l < 4; l++) {
            store(out + 8 * (h + l), _mm256_permute2x128_si256(upper[l], lower[l], 0x20));
            store(out + 8 * (h + l + 4), _mm256_permute2x128_si256(upper[l], lower[l], 0x31));
        }
    }
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    uint32_t rows[RP_BLOCK_CAPACITY];
    if (n != RP_BLOCK)
        return rp__bitpack_avx2_code.decode(in, in_bytes, out, n);
    if (rp__bitpack_avx2_code.decode(in, in_bytes, rows, n))
        return RP_DAMAGED;
    transpose(rows, out);
    return RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    uint32_t rows[RP_BLOCK_CAPACITY];
    if (n != RP_BLOCK)
        return rp__bitpack_avx2_code.decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_avx2_code.decode(in, in_bytes, rows, n))
        return RP_DAMAGED;
    sum_rows(rows, base);
    transpose(rows, out);
    return rp__gaps_check(out, n, base, in[0]);
}

static rp_status rows_of(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out, size_t n)
{
    if (n != RP_BLOCK)
        return rp__bitpack_avx2_code.decode_docids(in, in_bytes, base, out, n);
    if (in_bytes > 0 && in[0] > CHECKED_MAX)
        return rp__bp128t_plain_rows(in, in_bytes, base, out, n);
    if (rp__bitpack_avx2_code.decode(in, in_bytes, out, n))
        return RP_DAMAGED;
    sum_rows(out, base);
    return rp__gaps_check(out, n, base, in[0]); /* the last slot is the last rank */
}

rp_status rp__bp128t_avx2_unordered(const rp__list *list, uint32_t b, uint32_t n_blocks,
                                    uint32_t *out)
{
    return rp__bp128t_unordered_with(list, b, n_blocks, out, rows_of);
}

const rp__block_code rp__bp128t_avx2_code = {
    .name = "bp128t",
    .needs = RP_CPU_AVX2,
    .bound = rp__bitpack_bound,
    .encode = rp__bp128t_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__bp128t_at,
};
#endif
