/* lrc_avx2.c: the docid codec lrc with AVX2, and the kernel of the regression family: lows are unpacked
 * as bp128's are, then the line is added, whole part and fraction apart in 32-bit lanes (lrc_avx512.h
 * says why that is exact).
 *
 * Widths over RP_BITPACK_AVX2_MAX go the plain way. */
#include "codec/codec_table.h"
#include "codec/lrc.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "codec/bitpack.h"

rp_status rp__lrc_avx2_docids(const rp__lrc_view *v, uint32_t base, uint32_t *out)
{
    const __m256i rank = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const uint32_t fraction = (1U << RP_LINE_SHIFT) - 1;
    if (v->width > RP_BITPACK_AVX2_MAX)
        return rp__lrc_docids(v, base, out);
    rp__bitpack_avx2_unpack(v->lows, v->width, out, v->count);
    __m256i a_whole = _mm256_set1_epi32((int)(uint32_t)(v->a >> RP_LINE_SHIFT));
    __m256i a_part = _mm256_set1_epi32((int)((uint32_t)v->a & fraction));
    __m256i whole = _mm256_set1_epi32((int)v->start), part = _mm256_mullo_epi32(rank, a_part);
    whole = _mm256_add_epi32(whole, _mm256_mullo_epi32(rank, a_whole));
    a_whole = _mm256_slli_epi32(a_whole, 3);
    a_part = _mm256_slli_epi32(a_part, 3);
    for (uint32_t i = 0; i < v->count; i += 8) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(out + i));
        x = _mm256_add_epi32(x, _mm256_add_epi32(whole, _mm256_srli_epi32(part, RP_LINE_SHIFT)));
        _mm256_storeu_si256((__m256i *)(out + i), x);
        whole = _mm256_add_epi32(whole, a_whole);
        part = _mm256_add_epi32(part, a_part);
    }
    return rp__lrc_patch(v, base, out);
}

RP_LRC_ROW(rp__lrc_avx2, rp__lrc_open, rp__lrc_avx2_docids)
#endif
