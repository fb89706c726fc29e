/* ef128_avx2.c: the block code ef128 with AVX2: high parts come from the places of their ends, low
 * parts are a block of bp128; no value waits for another.
 *
 * Blocks of other forms, and of more than RP_BLOCK values, go the plain way. Encodes nothing of its
 * own. Loads end within RP_PAD after the block. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/ef128.h"
#include "codec/gaps.h"

#if defined(__x86_64__)
#include "codec/unary_avx2.h"

/* The running sums; n is 1 to RP_BLOCK. That they do not fall is not yet known. */
static rp_status decode_sums(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp__ef128_parts parts;
    uint8_t ends[RP_UNARY_AVX2_ROOM] = {0};
    if (rp__ef128_open(in, in_bytes, n, &parts) ||
        rp__unary_avx2_ends(parts.unary, RP_UNARY_ENDS_ARE_ONES, parts.limit, n, ends))
        return RP_DAMAGED;
    uint64_t high = (uint8_t)(ends[n - 1] - (n - 1));
    if (high << parts.l > UINT32_MAX || rp__bitpack_avx2_code.decode(in, in_bytes, out, n))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i += 8) {
        __m256i sums = rp__unary_avx2_sums(ends, i), *at = (__m256i *)(void *)(out + i);
        sums = _mm256_sll_epi32(sums, _mm_cvtsi32_si128((int)parts.l));
        _mm256_storeu_si256(at, _mm256_or_si256(sums, _mm256_loadu_si256(at)));
    }
    return RP_OK;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    if (rp__ef128_is_plain(in, in_bytes, n))
        return rp__ef128_decode(in, in_bytes, out, n);
    if (decode_sums(in, in_bytes, out, n))
        return RP_DAMAGED;
    uint32_t falls = 0;
    for (size_t i = n; i > 1; i--) {
        falls |= out[i - 1] < out[i - 2];
        out[i - 1] -= out[i - 2];
    }
    return falls ? RP_DAMAGED : RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    if (rp__ef128_is_plain(in, in_bytes, n))
        return rp__ef128_decode_docids(in, in_bytes, base, out, n);
    if (decode_sums(in, in_bytes, out, n) || !rp__ef128_fits(base, n, out[n - 1]))
        return RP_DAMAGED;
    const __m256i iota = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), step = _mm256_set1_epi32(8);
    __m256i first = _mm256_add_epi32(_mm256_set1_epi32((int)(base + 1)), iota);
    for (size_t i = 0; i < n; i += 8, first = _mm256_add_epi32(first, step)) {
        __m256i *at = (__m256i *)(void *)(out + i);
        _mm256_storeu_si256(at, _mm256_add_epi32(first, _mm256_loadu_si256(at)));
    }
    return rp__gaps_rising(out, n, base);
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
    .at = rp__ef128_at,
};
#endif
