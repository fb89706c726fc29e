/* ef128_avx512.c: the block code ef128 with AVX-512: high parts come from the places of their ends,
 * low parts are a block of bp128; no value waits for another.
 *
 * Blocks of other forms, and of more than RP_BLOCK values, go the plain way. Encodes nothing of its
 * own. Loads end within RP_PAD after the block. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/ef128.h"

#if defined(__x86_64__)
#include "codec/unary_avx512.h"

/* Low parts into out, and where the high ones end; n is 1 to RP_BLOCK. */
static inline rp_status decode_parts(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n,
                                     rp__ef128_parts *parts, uint8_t ends[RP_UNARY_AVX512_ROOM])
{
    if (rp__ef128_open(in, in_bytes, n, parts) ||
        rp__unary_avx512_bytes(parts->unary, RP_UNARY_ENDS_ARE_ONES, parts->limit, n, ends))
        return RP_DAMAGED;
    uint64_t high = (uint8_t)(ends[n - 1] - (n - 1));
    if (high << parts->l > UINT32_MAX)
        return RP_DAMAGED;
    return rp__bitpack_avx512_code.decode(in, in_bytes, out, n);
}

/* Lanes i to i + 15 that hold values. */
static inline __mmask16 lanes_of(size_t i, size_t n)
{
    return (__mmask16)(n - i < 16 ? (1U << (n - i)) - 1 : 0xFFFF);
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp__ef128_parts parts;
    uint8_t ends[RP_UNARY_AVX512_ROOM];
    if (rp__ef128_is_plain(in, in_bytes, n))
        return rp__ef128_decode(in, in_bytes, out, n);
    if (decode_parts(in, in_bytes, out, n, &parts, ends))
        return RP_DAMAGED;
    const __m128i l = _mm_cvtsi32_si128((int)parts.l);
    __m512i before = _mm512_setzero_si512();
    __mmask16 falls = 0;
    for (size_t i = 0; i < n; i += 16) {
        __m512i high = _mm512_sll_epi32(rp__unary_avx512_sums(ends, i), l);
        __m512i sums = _mm512_or_si512(high, _mm512_loadu_si512(out + i));
        __m512i left = _mm512_alignr_epi32(sums, before, 15);
        falls |= _mm512_mask_cmplt_epu32_mask(lanes_of(i, n), sums, left);
        _mm512_storeu_si512(out + i, _mm512_sub_epi32(sums, left));
        before = sums;
    }
    return falls ? RP_DAMAGED : RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    rp__ef128_parts parts;
    uint8_t ends[RP_UNARY_AVX512_ROOM];
    if (rp__ef128_is_plain(in, in_bytes, n))
        return rp__ef128_decode_docids(in, in_bytes, base, out, n);
    if (decode_parts(in, in_bytes, out, n, &parts, ends))
        return RP_DAMAGED;
    const __m128i l = _mm_cvtsi32_si128((int)parts.l);
    const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i first = _mm512_add_epi32(_mm512_set1_epi32((int)(base + 1)), iota);
    __m512i before = _mm512_setzero_si512();
    __mmask16 falls = 0;
    for (size_t i = 0; i < n; i += 16) {
        __m512i high = _mm512_sll_epi32(rp__unary_avx512_sums(ends, i), l);
        __m512i sums = _mm512_or_si512(high, _mm512_loadu_si512(out + i));
        __m512i left = _mm512_alignr_epi32(sums, before, 15);
        falls |= _mm512_mask_cmplt_epu32_mask(lanes_of(i, n), sums, left);
        _mm512_storeu_si512(out + i, _mm512_add_epi32(first, sums));
        before = sums;
        first = _mm512_add_epi32(first, _mm512_set1_epi32(16));
    }
    uint32_t sum = out[n - 1] - base - (uint32_t)n;
    return falls || !rp__ef128_fits(base, n, sum) ? RP_DAMAGED : RP_OK;
}

const rp__block_code rp__ef128_avx512_code = {
    .name = "ef128",
    .needs = RP_CPU_AVX512,
    .bound = rp__ef128_bound,
    .encode = rp__ef128_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__ef128_at,
};
#endif
