/* rice_avx512.c: the block code rice with AVX-512: the remainders are a block of bp128 and are
 * decoded as such, prefix sums included; the sums of quotients come from the places of their ends
 * without a scan and are added.
 *
 * Encodes nothing of its own. Loads end within RP_PAD after the block. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/rice.h"

#if defined(__x86_64__)
#include "codec/unary_avx512.h"

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp__rice_parts parts;
    rp__unary_avx512 sums;
    if (n - 1 >= RP_BLOCK)
        return rp__rice_decode(in, in_bytes, out, n);
    if (rp__rice_open(in, in_bytes, n, &parts) ||
        rp__bitpack_avx512_code.decode(in, in_bytes, out, n) ||
        rp__unary_avx512_open(parts.unary, RP_UNARY_ENDS_ARE_ZEROS, parts.limit, n, &sums))
        return RP_DAMAGED;
    const __m512i b = _mm512_set1_epi32((int)parts.b);
    const __m512i top = _mm512_set1_epi32((int)(UINT32_MAX >> parts.b));
    __m512i before = _mm512_setzero_si512();
    __mmask16 over = 0;
    for (size_t i = 0; i < n; i += 16) {
        __m512i now = rp__unary_avx512_part(&sums, i);
        __m512i q = _mm512_sub_epi32(now, _mm512_alignr_epi32(now, before, 15));
        __mmask16 here = (__mmask16)(n - i < 16 ? (1U << (n - i)) - 1 : 0xFFFF);
        over |= _mm512_mask_cmpgt_epu32_mask(here, q, top);
        q = _mm512_sllv_epi32(q, b);
        _mm512_storeu_si512(out + i, _mm512_or_si512(q, _mm512_loadu_si512(out + i)));
        before = now;
    }
    return over ? RP_DAMAGED : RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    rp__rice_parts parts;
    rp__unary_avx512 sums;
    if (n - 1 >= RP_BLOCK)
        return rp__rice_decode_docids(in, in_bytes, base, out, n);
    if (rp__rice_open(in, in_bytes, n, &parts) ||
        rp__unary_avx512_open(parts.unary, RP_UNARY_ENDS_ARE_ZEROS, parts.limit, n, &sums) ||
        rp__bitpack_avx512_code.decode_docids(in, in_bytes, base, out, n) ||
        !rp__rice_fits(out[n - 1], rp__unary_avx512_last(&sums, n), parts.b))
        return RP_DAMAGED;
    const __m512i b = _mm512_set1_epi32((int)parts.b);
    for (size_t i = 0; i < n; i += 16) {
        __m512i high = rp__unary_avx512_part(&sums, i);
        high = _mm512_sllv_epi32(high, b);
        _mm512_storeu_si512(out + i, _mm512_add_epi32(high, _mm512_loadu_si512(out + i)));
    }
    return RP_OK;
}

const rp__block_code rp__rice_avx512_code = {
    .name = "rice",
    .needs = RP_CPU_AVX512,
    .bound = rp__rice_bound,
    .encode = rp__rice_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__rice_at,
};
#endif
