/* ef128_avx2.c: the block code ef128 with AVX2: high parts come from the places of their ends, low
 * parts are unpacked as bp128's are; no value waits for another.
 *
 * Blocks of other forms, of more than RP_BLOCK values or of wide ones go the plain way. Encodes nothing of its
 * own. Loads end within RP_PAD after the block. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/ef128.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx2.h"
#include "codec/blocks.h"
#include "codec/unary_avx2.h"

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* A block whose high parts are found, or one for the plain row. */
typedef struct block {
    rp__ef128_parts parts;
    bool is_plain;
    uint8_t ends[RP_UNARY_AVX2_ROOM];
} block;

/* n is 1 to RP_BLOCK, or the block is plain. */
static inline __attribute__((always_inline)) rp_status begin(block *b, const uint8_t *in,
                                                             size_t in_bytes, size_t n)
{
    b->is_plain = rp__ef128_is_plain(in, in_bytes, n) || in[0] > RP_BITPACK_AVX2_MAX;
    if (b->is_plain)
        return RP_OK;
    if (rp__ef128_open(in, in_bytes, n, &b->parts) ||
        rp__unary_avx2_ends(b->parts.unary, RP_UNARY_ENDS_ARE_ONES, b->parts.limit, n, b->ends))
        return RP_DAMAGED;
    b->is_plain = (rp__unary_avx2_last(b->ends, n) + 1) << b->parts.l > 1ULL << 31;
    return RP_OK;
}

/* Eight sums of high and low parts; *values are what they grow by. */
static inline __m256i eight_sums(__m128i high, __m256i low, __m128i shift, __m256i *before,
                                 __m256i *values)
{
    __m256i now = _mm256_sll_epi32(_mm256_cvtepu8_epi32(high), shift);
    now = _mm256_or_si256(now, low);
    __m256i middle = _mm256_permute2x128_si256(*before, now, 0x21);
    *values = _mm256_sub_epi32(now, _mm256_alignr_epi8(now, middle, 12));
    *before = now;
    return now;
}

/* Lanes i to i + 7 that are below n. */
static inline __m256i lanes_below(size_t i, size_t n)
{
    const __m256i iota = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n - (int)i), iota);
}

/* The n values, or the docids above base, of a block that is not plain: all its sums are below 2^31,
 * so bit 31 of a difference says that they fall, which is returned. */
static inline __attribute__((always_inline)) bool put_block(const block *b, const uint8_t *low,
                                                            bool is_docids, uint32_t base,
                                                            uint32_t *out, size_t n)
{
    const __m256i iota = _mm256_set_epi32(8, 7, 6, 5, 4, 3, 2, 1), step = _mm256_set1_epi32(8);
    const rp__bitpack_avx2 u = rp__bitpack_avx2_start(b->parts.l);
    const __m128i shift = _mm_cvtsi32_si128((int)b->parts.l);
    __m256i first = _mm256_add_epi32(_mm256_set1_epi32((int)base), iota), values;
    __m256i before = _mm256_setzero_si256(), falls = before;
    for (size_t i = 0; i < n; i += 16) {
        __m128i high = rp__unary_avx2_sums(b->ends, i);
#pragma GCC unroll 2
        for (size_t k = 0; k < 16; k += 8, low += u.w, high = _mm_srli_si128(high, 8)) {
            __m256i now =
                eight_sums(high, rp__bitpack_avx2_eight(&u, low), shift, &before, &values);
            rp__bitpack_avx2_store(out + i + k, is_docids ? _mm256_add_epi32(now, first) : values);
            first = _mm256_add_epi32(first, step);
            if (n % 16)
                values = _mm256_and_si256(values, lanes_below(i + k, n));
            falls = _mm256_or_si256(falls, values);
        }
    }
    return _mm256_movemask_ps(_mm256_castsi256_ps(falls)) != 0;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    block b;
    if (begin(&b, in, in_bytes, n))
        return RP_DAMAGED;
    if (b.is_plain)
        return rp__ef128_decode(in, in_bytes, out, n);
    bool falls = n == RP_BLOCK ? put_block(&b, in + 1, false, 0, out, RP_BLOCK)
                               : put_block(&b, in + 1, false, 0, out, n);
    return falls ? RP_DAMAGED : RP_OK;
}

static inline __attribute__((always_inline)) rp_status
finish(const block *b, const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out, size_t n)
{
    if (b->is_plain)
        return rp__ef128_decode_docids(in, in_bytes, base, out, n);
    bool falls = n == RP_BLOCK ? put_block(b, in + 1, true, base, out, RP_BLOCK)
                               : put_block(b, in + 1, true, base, out, n);
    return falls || !rp__ef128_fits(base, n, out[n - 1] - base - (uint32_t)n) ? RP_DAMAGED : RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    block b;
    return begin(&b, in, in_bytes, n) ? RP_DAMAGED : finish(&b, in, in_bytes, base, out, n);
}

/* ---- Whole lists ----------------------------------------------------------------------------- */

static inline rp_status begin_of_list(const rp__list *list, uint32_t b, rp__blocks_part *at,
                                      block *to)
{
    if (rp__blocks_open(list, b, at))
        return RP_DAMAGED;
    return begin(to, at->in, at->in_bytes, at->count);
}

/* The high parts of a block are found before the block in front is finished: loads of them, which
 * span several stores, would have to wait otherwise. */
rp_status rp__ef128_avx2_list(const rp__list *list, uint32_t *out)
{
    block blocks[2];
    rp__blocks_part at[2];
    if (begin_of_list(list, 0, &at[0], &blocks[0]))
        return RP_DAMAGED;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        const rp__blocks_part *now = &at[b % 2];
        uint32_t next = (b + 1) % 2;
        if (b + 1 < list->n_blocks && begin_of_list(list, b + 1, &at[next], &blocks[next]))
            return RP_DAMAGED;
        if (finish(&blocks[b % 2], now->in, now->in_bytes, now->base, out, now->count))
            return RP_DAMAGED;
        out += now->count;
        if (!rp__blocks_ends_so(list, b, out[-1]))
            return RP_DAMAGED;
    }
    return rp__blocks_end(list);
}

/* ---- One value, one docid ---------------------------------------------------------------------- */

rp_status rp__ef128_avx2_at(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)
{
    return rp__ef128_at_by(in, in_bytes, n, i, out, rp__unary_avx2_end);
}

rp_status rp__ef128_avx2_docid(const rp__list *list, uint32_t i, uint32_t *out)
{
    return rp__ef128_docid_by(list, i, out, rp__unary_avx2_end);
}

rp_status rp__ef128_avx2_seek(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                              uint32_t *docid)
{
    return rp__ef128_seek_by(list, b, target, slot, docid, rp__unary_avx2_end);
}

const rp__block_code rp__ef128_avx2_code = {
    .name = "ef128",
    .needs = RP_CPU_AVX2,
    .bound = rp__ef128_bound,
    .encode = rp__ef128_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__ef128_avx2_at,
};
#endif
