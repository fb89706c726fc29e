/* parapfor_avx512.c: the block code parapfor with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/parapfor.h"

#if defined(__x86_64__)
#include "codec/patch_list_avx512.h"

RP_PATCH_ROW(rp__parapfor_open, rp__patch_avx512_decode, rp__patch_avx512_docids)
RP_PATCH_APART uint32_t ready(const rp__list *list, uint32_t b, rp__patch_batch *t)
{
    const __m512i byte = _mm512_set1_epi32(255), seven = _mm512_set1_epi32(7);
    rp__heads h = rp__heads_of(list, b);
    __m512i width = _mm512_and_si512(h.head, byte);
    __m512i ib = _mm512_and_si512(_mm512_srli_epi32(h.head, 8), byte);
    __m512i hb = _mm512_and_si512(_mm512_srli_epi32(h.head, 16), byte),
            en = _mm512_srli_epi32(h.head, 24);
    __m512i lows = _mm512_add_epi32(h.from, _mm512_set1_epi32(RP_PARAPFOR_HEAD));
    __m512i at = _mm512_add_epi32(lows, _mm512_slli_epi32(width, 4));
    __m512i bits = _mm512_andnot_si512(seven, _mm512_add_epi32(_mm512_mullo_epi32(en, ib), seven));
    __m512i end = _mm512_add_epi32(_mm512_mullo_epi32(en, hb), seven);
    end = _mm512_add_epi32(at, _mm512_srli_epi32(_mm512_add_epi32(bits, end), 3));
    __mmask16 ok =
        _mm512_mask_cmple_epu32_mask(h.sound, width, _mm512_set1_epi32(RP_BITPACK_AVX512_NARROW));
    ok = _mm512_mask_cmple_epu32_mask(ok, ib, _mm512_set1_epi32(8));
    ok = _mm512_mask_cmple_epu32_mask(ok, hb, _mm512_set1_epi32(16));
    ok &= _mm512_test_epi32_mask(hb, hb) | _mm512_testn_epi32_mask(en, en);
    ok = _mm512_mask_cmple_epu32_mask(ok, _mm512_sub_epi32(end, h.from), h.bytes);
    ok = _mm512_mask_cmple_epu32_mask(ok, en, _mm512_set1_epi32(RP_PATCH_EASY));
    rp__patch_sums s = {.total = _mm512_setzero_si512()};
    rp__patch_batch_place(t, &s, at, bits, _mm512_maskz_mov_epi32(ok, en), ib, hb, width);
    _mm512_store_si512(t->lows, _mm512_maskz_mov_epi32(ok, lows));
    _mm512_store_si512(t->widths, _mm512_maskz_mov_epi32(ok, width));
    return ok & rp__patch_sums_fit(&s, width);
}

RP_PATCH_AVX512_LIST(rp__parapfor_avx512_list, ready, rp__parapfor_open, false)

const rp__block_code rp__parapfor_avx512_code = {
    .name = "parapfor",
    .needs = RP_CPU_AVX512,
    .bound = rp__parapfor_bound,
    .encode = rp__parapfor_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
