/* simple16_avx512.c: the block code simple16 with AVX-512: all slots of a word at once, by variable
 * shifts, two registers a word. Encodes nothing of its own. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/simple16.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx512.h"
#include "codec/gaps.h"

static inline __m512i cut_slots(__m512i word, const uint8_t *widths, const uint8_t *shifts)
{
    __m512i w = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)widths));
    __m512i s = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)shifts));
    return _mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), w),
                               _mm512_srlv_epi32(word, s));
}

rp_status rp__simple16_avx512_read(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n,
                                   size_t *used)
{
    const uint8_t *p = in, *end = in + in_bytes;
    for (size_t i = 0; i < n;) {
        if (end - p < 4)
            return RP_DAMAGED;
        uint32_t word = rp__load32(p), selector = word >> RP_SIMPLE16_BITS;
        const rp__simple16_cut *cut = &rp__simple16_cuts[selector];
        __m512i all = _mm512_set1_epi32((int)word);
        p += sizeof word;
        _mm512_storeu_si512(out + i, cut_slots(all, cut->widths, cut->shifts));
        if (selector == RP_SIMPLE16_LARGE) {
            if (word << 4 || end - p < 4)
                return RP_DAMAGED;
            out[i] = rp__load32(p);
            p += sizeof word;
        }
        if (cut->count > 16)
            _mm512_storeu_si512(out + i + 16, cut_slots(all, cut->widths + 16, cut->shifts + 16));
        i += cut->count;
    }
    *used = (size_t)(p - in);
    return RP_OK;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    size_t used;
    return rp__simple16_avx512_read(in, in_bytes, out, n, &used);
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    const __m512i one = _mm512_set1_epi32(1), top = _mm512_set1_epi32(15);
    if (decode(in, in_bytes, out, n))
        return RP_DAMAGED;
    __m512i before = _mm512_set1_epi32((int)base);
    for (size_t i = 0; i < n; i += 16) {
        __m512i gaps = _mm512_add_epi32(_mm512_loadu_si512(out + i), one);
        __m512i sums = rp__bitpack_avx512_scan_words(gaps);
        _mm512_storeu_si512(out + i, _mm512_add_epi32(before, sums));
        before = _mm512_add_epi32(before, _mm512_permutexvar_epi32(top, sums));
    }
    return rp__gaps_rising(out, n, base);
}

const rp__block_code rp__simple16_avx512_code = {
    .name = "simple16",
    .needs = RP_CPU_AVX512,
    .bound = rp__simple16_bound,
    .encode = rp__simple16_encode,
    .decode = decode,
    .decode_docids = decode_docids,
};
#endif
