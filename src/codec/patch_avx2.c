/* patch_avx2.c: the kernels of the PForDelta rows with AVX2: lows are unpacked as bp128's are, what
 * exceptions add is added, then an in-order prefix sum in registers.
 *
 * High parts of a bitmap are added one by one. Widths over RP_BITPACK_AVX2_MAX go the plain way. */
#include "codec/patch.h"

#if defined(__x86_64__)
#include "codec/bitpack.h"
#include "codec/scan_avx2.h"

void rp__patch_avx2_decode(const rp__patch *p, uint32_t *out, size_t n)
{
    if (p->width > RP_BITPACK_AVX2_MAX) {
        rp__patch_decode(p, out, n);
        return;
    }
    rp__bitpack_avx2_unpack(p->lows, p->width, out, n);
    for (size_t i = 0; i < n; i += 8) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(out + i));
        x = _mm256_add_epi32(x, _mm256_load_si256((const __m256i *)(p->adds + i)));
        _mm256_storeu_si256((__m256i *)(out + i), x);
    }
    rp__patch_add_marked(p, out, n);
}

rp_status rp__patch_avx2_docids(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    const __m256i one = _mm256_set1_epi32(1), top = _mm256_set1_epi32(7);
    if (p->width > RP_BITPACK_AVX2_MAX)
        return rp__patch_docids(p, base, out, n);
    rp__bitpack_avx2_unpack(p->lows, p->width, out, n);
    rp__patch_add_marked(p, out, n);
    __m256i before = _mm256_set1_epi32((int)base);
    for (size_t i = 0; i < n; i += 8) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(out + i));
        x = _mm256_add_epi32(x, _mm256_load_si256((const __m256i *)(p->adds + i)));
        x = rp__scan_avx2_words(_mm256_add_epi32(x, one));
        _mm256_storeu_si256((__m256i *)(out + i), _mm256_add_epi32(before, x));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(x, top));
    }
    return rp__patch_check(p, base, out, n);
}
#endif
