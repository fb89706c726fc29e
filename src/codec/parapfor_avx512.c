/* parapfor_avx512.c: the block code parapfor with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/parapfor.h"

#if defined(__x86_64__)
#include "codec/patch_list_avx512.h"

RP_PATCH_ROW(rp__parapfor_open, rp__patch_avx512_decode, rp__patch_avx512_docids)
RP_PATCH_ROW_AT(rp__parapfor_open)
RP_PATCH_APART uint32_t ready(const rp__list *list, uint32_t b, rp__patch_batch *t)
{
    rp__heads h = rp__heads_of(list, b);
    __m512i width = rp__heads_bits(h.head, 0, 8), ib = rp__heads_bits(h.head, 8, 8);
    __m512i hb = rp__heads_bits(h.head, 16, 8), en = rp__heads_bits(h.head, 24, 8);
    __m512i lows = _mm512_add_epi32(h.from, _mm512_set1_epi32(RP_PARAPFOR_HEAD));
    __m512i at = rp__patch_after_lows(lows, width);
    __m512i indices = rp__patch_bytes_of(_mm512_mullo_epi32(en, ib));
    __m512i highs = rp__patch_bytes_of(_mm512_mullo_epi32(en, hb));
    __mmask16 ok = rp__heads_at_most(h.sound, width, RP_BITPACK_AVX512_NARROW);
    ok = rp__heads_at_most(ok, ib, 8);
    ok &= _mm512_test_epi32_mask(hb, hb) | _mm512_testn_epi32_mask(en, en);
    ok = rp__heads_hold(&h, ok, _mm512_add_epi32(at, _mm512_add_epi32(indices, highs)));
    rp__patch_sums s = {.total = _mm512_setzero_si512()};
    rp__patch_batch_place(t, &s, at, _mm512_slli_epi32(indices, 3), _mm512_maskz_mov_epi32(ok, en),
                          ib, hb, width);
    rp__patch_batch_lows(t, ok, lows, width);
    return rp__patch_sums_fit(&s, ok, width);
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
