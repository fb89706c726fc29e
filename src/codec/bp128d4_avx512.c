/* bp128d4_avx512.c: the docid codec bp128d4 with AVX-512 VBMI: sixteen values at a time as bp128's row
 * unpacks them, which are four rows of four lanes: two additions sum them.
 *
 * Docids are compared with their neighbours, as in bp128d4_avx2.c. Blocks of more than
 * RP_BITPACK_AVX2_MAX bits go the plain way, for the reason given there. */
#include "base/cpu.h"
#include "codec/bp128d4.h"
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx512.h"

static inline __attribute__((always_inline)) rp_status
docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out, size_t n)
{
    uint32_t w;
    if (n != RP_BLOCK)
        return rp__bitpack_avx512_code.decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_BITPACK_AVX2_MAX)
        return rp__bp128d4_docids(in, in_bytes, base, out, n);
    const __m512i bytes = _mm512_load_si512(rp__bitpack_avx512_wide[w].bytes),
                  starts = _mm512_load_si512(rp__bitpack_avx512_wide[w].starts),
                  mask = _mm512_set1_epi32((int)((1U << w) - 1));
    __m512i before = _mm512_add_epi32(_mm512_set1_epi32((int)base),
                                      _mm512_broadcast_i32x4(_mm_set_epi32(0, -1, -2, -3)));
    __m512i last = before, least = _mm512_set1_epi32(1);
    const uint8_t *p = in + 1;
    for (size_t i = 0; i < RP_BLOCK; i += 16, p += 2 * (size_t)w) {
        __m512i x = rp__bitpack_avx512_unpack(p, bytes, starts, mask);
        x = _mm512_add_epi32(x, _mm512_maskz_shuffle_i32x4(0xFFF0, x, x, 0x90)); /* 2 1 0 - */
        x = _mm512_add_epi32(x, _mm512_maskz_shuffle_i32x4(0xFF00, x, x, 0x40)); /* 1 0 - - */
        __m512i sums = _mm512_shuffle_i32x4(x, x, 0xFF);
        x = _mm512_add_epi32(x, before);
        before = _mm512_add_epi32(before, sums);
        __m512i one_before = _mm512_alignr_epi32(x, last, 15);
        least = _mm512_min_epi32(least, _mm512_sub_epi32(x, one_before));
        last = x;
        _mm512_storeu_si512(out + i, x);
    }
    bool rises = _mm512_cmpgt_epi32_mask(least, _mm512_setzero_si512()) == 0xFFFF;
    return rises && out[RP_BLOCK - 1] >= (uint32_t)(base + 1) ? RP_OK : RP_DAMAGED;
}

rp_status rp__bp128d4_avx512_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__blocks_block_by(list, b, out, docids);
}

rp_status rp__bp128d4_avx512_decode(const rp__list *list, uint32_t *out)
{
    return rp__blocks_decode_by(list, out, docids);
}
#endif
