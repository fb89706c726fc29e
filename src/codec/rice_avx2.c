/* rice_avx2.c: the block code rice with AVX2: the remainders are a block of bp128 and are decoded as
 * such, prefix sums included; the sums of quotients come from the places of their ends without a
 * scan and are added.
 *
 * Encodes nothing of its own. Loads end within RP_PAD after the block. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/rice.h"

#if defined(__x86_64__)
#include "codec/unary_avx2.h"

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp__rice_parts parts;
    uint8_t ends[RP_UNARY_AVX2_ROOM] = {0};
    if (n - 1 >= RP_BLOCK)
        return rp__rice_decode(in, in_bytes, out, n);
    if (rp__rice_open(in, in_bytes, n, &parts) ||
        rp__bitpack_avx2_code.decode(in, in_bytes, out, n) ||
        rp__unary_avx2_ends(parts.unary, RP_UNARY_ENDS_ARE_ZEROS, parts.limit, n, ends))
        return RP_DAMAGED;
    uint64_t any = 0, before = UINT64_MAX;
    for (size_t i = 0; i < n; before = ends[i++]) {
        uint64_t high = (uint64_t)(uint8_t)(ends[i] - before - 1) << parts.b;
        any |= high;
        out[i] |= (uint32_t)high;
    }
    return any > UINT32_MAX ? RP_DAMAGED : RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    rp__rice_parts parts;
    uint8_t ends[RP_UNARY_AVX2_ROOM] = {0};
    if (n - 1 >= RP_BLOCK)
        return rp__rice_decode_docids(in, in_bytes, base, out, n);
    if (rp__rice_open(in, in_bytes, n, &parts) ||
        rp__unary_avx2_ends(parts.unary, RP_UNARY_ENDS_ARE_ZEROS, parts.limit, n, ends) ||
        rp__bitpack_avx2_code.decode_docids(in, in_bytes, base, out, n) ||
        !rp__rice_fits(out[n - 1], (uint8_t)(ends[n - 1] - (n - 1)), parts.b))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i += 8) {
        __m256i high = rp__unary_avx2_sums(ends, i), *at = (__m256i *)(void *)(out + i);
        high = _mm256_sll_epi32(high, _mm_cvtsi32_si128((int)parts.b));
        _mm256_storeu_si256(at, _mm256_add_epi32(high, _mm256_loadu_si256(at)));
    }
    return RP_OK;
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
