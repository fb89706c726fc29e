/* rice_avx2.c: the block code rice with AVX2: remainders are unpacked and summed as bp128's are; the
 * sums of quotients come from the places of their ends without a scan and are added.
 *
 * Encodes nothing of its own. Loads end within RP_PAD after the block. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"
#include "codec/rice.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx2.h"
#include "codec/blocks.h"
#include "codec/unary_avx2.h"

/* Values of more bits, and blocks of more of them, go the plain way. */
static inline bool is_plain(const uint8_t *in, size_t in_bytes, size_t n)
{
    return n - 1 >= RP_BLOCK || in_bytes == 0 || in[0] > RP_BITPACK_AVX2_MAX;
}

static inline __attribute__((always_inline)) rp_status
begin(const uint8_t *in, size_t in_bytes, size_t n, rp__rice_parts *parts, uint8_t *ends)
{
    if (rp__rice_open(in, in_bytes, n, parts))
        return RP_DAMAGED;
    return rp__unary_avx2_ends(parts->unary, RP_UNARY_ENDS_ARE_ZEROS, parts->limit, n, ends);
}

/* The n values: each with its quotient, the sum less the one before. A quotient that leaves 32 bits
 * is damage. */
static inline __attribute__((always_inline)) rp_status put_values(const rp__rice_parts *parts,
                                                                  const uint8_t *low,
                                                                  const uint8_t *ends,
                                                                  uint32_t *out, size_t n)
{
    const rp__bitpack_avx2 u = rp__bitpack_avx2_start(parts->b);
    const __m128i shift = _mm_cvtsi32_si128((int)parts->b);
    __m128i before = _mm_setzero_si128(), most = before;
    for (size_t i = 0; i < n; i += 16) {
        __m128i sums = rp__unary_avx2_sums(ends, i);
        __m128i q = _mm_sub_epi8(sums, _mm_alignr_epi8(sums, before, 15));
        before = sums;
        most = _mm_max_epu8(most, n % 16 ? rp__unary_avx2_below(q, i, n) : q);
#pragma GCC unroll 2
        for (size_t k = 0; k < 16; k += 8, low += u.w, q = _mm_srli_si128(q, 8)) {
            __m256i high = _mm256_sll_epi32(_mm256_cvtepu8_epi32(q), shift);
            rp__bitpack_avx2_store(out + i + k,
                                   _mm256_or_si256(high, rp__bitpack_avx2_eight(&u, low)));
        }
    }
    return rp__unary_avx2_any_over(most, UINT32_MAX >> parts->b) ? RP_DAMAGED : RP_OK;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp__rice_parts parts;
    uint8_t ends[RP_UNARY_AVX2_ROOM];
    if (is_plain(in, in_bytes, n))
        return rp__rice_decode(in, in_bytes, out, n);
    if (begin(in, in_bytes, n, &parts, ends))
        return RP_DAMAGED;
    return n == RP_BLOCK ? put_values(&parts, in + 1, ends, out, RP_BLOCK)
                         : put_values(&parts, in + 1, ends, out, n);
}

/* Docids of remainders alone become docids. */
static inline __attribute__((always_inline)) void
add_quotients(const rp__rice_parts *parts, const uint8_t *ends, uint32_t *out, size_t n)
{
    const __m128i shift = _mm_cvtsi32_si128((int)parts->b);
    for (size_t i = 0; i < n; i += 16) {
        __m128i q = rp__unary_avx2_sums(ends, i);
#pragma GCC unroll 2
        for (size_t k = 0; k < 16; k += 8, q = _mm_srli_si128(q, 8)) {
            __m256i high = _mm256_sll_epi32(_mm256_cvtepu8_epi32(q), shift);
            __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(out + i + k));
            rp__bitpack_avx2_store(out + i + k, _mm256_add_epi32(high, x));
        }
    }
}

static inline __attribute__((always_inline)) rp_status
docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out, size_t n)
{
    rp__rice_parts parts;
    uint8_t ends[RP_UNARY_AVX2_ROOM];
    if (is_plain(in, in_bytes, n))
        return rp__rice_decode_docids(in, in_bytes, base, out, n);
    if (begin(in, in_bytes, n, &parts, ends))
        return RP_DAMAGED;
    rp__bitpack_avx2_docids(in + 1, parts.b, base, out, n);
    if (rp__gaps_check(out, n, base, parts.b) ||
        !rp__rice_fits(out[n - 1], rp__unary_avx2_last(ends, n), parts.b))
        return RP_DAMAGED;
    add_quotients(&parts, ends, out, n);
    return RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    return n == RP_BLOCK ? docids(in, in_bytes, base, out, RP_BLOCK)
                         : docids(in, in_bytes, base, out, n);
}

/* ---- Whole lists ----------------------------------------------------------------------------- */

/* Two blocks whose quotients are found; both are full and narrow. */
typedef struct two_blocks {
    rp__blocks_part at[2];
    rp__rice_parts parts[2];
    uint8_t ends[2][RP_UNARY_AVX2_ROOM];
} two_blocks;

/* Whether blocks b and b + 1, both full, can be decoded together: their places. */
static inline bool are_two(const rp__list *list, uint32_t b, two_blocks *two)
{
    return rp__blocks_open_two(list, b, two->at) && two->at[0].in[0] <= RP_BITPACK_AVX2_PAIRED &&
           two->at[1].in[0] <= RP_BITPACK_AVX2_PAIRED;
}

/* Docids of remainders and sums of quotients, sixteen of them, together. */
static inline void put_sixteen(uint32_t *out, __m256i low, __m256i high, const uint8_t *ends,
                               size_t i, __m128i shift)
{
    __m128i q = rp__unary_avx2_sums(ends, i);
    __m256i a = _mm256_sll_epi32(_mm256_cvtepu8_epi32(q), shift);
    __m256i b = _mm256_sll_epi32(_mm256_cvtepu8_epi32(_mm_srli_si128(q, 8)), shift);
    rp__bitpack_avx2_store(out + i, _mm256_add_epi32(low, a));
    rp__bitpack_avx2_store(out + i + 8, _mm256_add_epi32(high, b));
}

/* Whether block b ends so, and its sums stayed below 2^32: those of remainders are far below that, and
 * so are the others by what rp__rice_fits says. */
static inline bool ends_so(const rp__list *list, uint32_t b, const two_blocks *two, uint32_t k,
                           uint32_t last)
{
    uint64_t quotients = rp__unary_avx2_last(two->ends[k], RP_BLOCK);
    uint32_t low = last - (uint32_t)(quotients << two->parts[k].b);
    return rp__blocks_ends_so(list, b, last) && low >= (uint32_t)(two->at[k].base + 1) &&
           rp__rice_fits(low, quotients, two->parts[k].b);
}

/* Decodes blocks b and b + 1; returns as rp__blocks_put does. */
static inline uint32_t *put_two(const rp__list *list, uint32_t b, two_blocks *two, uint32_t *out)
{
    for (uint32_t k = 0; k < 2; k++)
        if (begin(two->at[k].in, two->at[k].in_bytes, RP_BLOCK, &two->parts[k], two->ends[k]))
            return NULL;
    rp__bitpack_avx2_two t =
        rp__bitpack_avx2_two_start(two->at[0].in, two->at[0].base, two->at[1].in, two->at[1].base);
    const __m128i shifts[2] = {_mm_cvtsi32_si128((int)t.v), _mm_cvtsi32_si128((int)t.w)};
    for (size_t i = 0; i < RP_BLOCK; i += 16) {
        __m256i a[2], c[2];
        rp__bitpack_avx2_two_next(&t, &a[0], &c[0]);
        rp__bitpack_avx2_two_next(&t, &a[1], &c[1]);
        put_sixteen(out, a[0], a[1], two->ends[0], i, shifts[0]);
        put_sixteen(out + RP_BLOCK, c[0], c[1], two->ends[1], i, shifts[1]);
    }
    if (!ends_so(list, b, two, 0, out[RP_BLOCK - 1]) ||
        !ends_so(list, b + 1, two, 1, out[2 * RP_BLOCK - 1]))
        return NULL;
    return out + 2 * (size_t)RP_BLOCK;
}

/* Of mixed too, whose blocks of rice are like these; what is not decoded by twos goes the way of the
 * list's own code. */
rp_status rp__rice_avx2_list(const rp__list *list, uint32_t *out)
{
    rp__blocks_docids_fn *docids_of_one = list->codec->code->decode_docids;
    const uint32_t n_full = rp__blocks_n_full(list);
    two_blocks two;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        bool has_two = b + 2 <= n_full && are_two(list, b, &two);
        out = has_two ? put_two(list, b, &two, out) : rp__blocks_put(list, b, out, docids_of_one);
        if (!out)
            return RP_DAMAGED;
        b += has_two;
    }
    return rp__blocks_end(list);
}

const rp__block_code rp__rice_avx2_code = {
    .name = "rice",
    .needs = RP_CPU_AVX2,
    .bound = rp__rice_bound,
    .encode = rp__rice_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__rice_at,
};
#endif
