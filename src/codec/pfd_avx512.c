/* pfd_avx512.c: the block code pfd with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/pfd.h"

#if defined(__x86_64__)
#include "codec/patch_list_avx512.h"

RP_PATCH_ROW(rp__pfd_open, rp__patch_avx512_decode, rp__patch_avx512_docids)

/* The links of all blocks are followed at once. */
RP_PATCH_APART uint32_t ready(const rp__list *list, uint32_t b, rp__patch_batch *t)
{
    const __m512i one = _mm512_set1_epi32(1), byte = _mm512_set1_epi32(255);
    rp__heads h = rp__heads_of(list, b);
    __m512i width = _mm512_and_si512(h.head, _mm512_set1_epi32(63));
    __m512i code = _mm512_and_si512(_mm512_srli_epi32(h.head, 6), _mm512_set1_epi32(3));
    __mmask16 has = _mm512_test_epi32_mask(code, code);
    __m512i k = _mm512_and_si512(_mm512_srli_epi32(h.head, 8), byte);
    k = _mm512_maskz_add_epi32(has, k, one);
    __m512i at = _mm512_and_si512(_mm512_srli_epi32(h.head, 16), byte);
    __m512i value_bytes = _mm512_srli_epi32(_mm512_sllv_epi32(one, code), 1);
    __m512i value_bits = _mm512_slli_epi32(value_bytes, 3);
    __m512i head = _mm512_mask_mov_epi32(one, has, _mm512_set1_epi32(3));
    __m512i lows = _mm512_add_epi32(h.from, head);
    __m512i values = _mm512_add_epi32(lows, _mm512_slli_epi32(width, 4));
    __m512i end = _mm512_add_epi32(values, _mm512_mullo_epi32(k, value_bytes));
    __mmask16 ok =
        _mm512_mask_cmple_epu32_mask(h.sound, width, _mm512_set1_epi32(RP_BITPACK_AVX512_NARROW));
    ok = _mm512_mask_cmplt_epu32_mask(ok, code, _mm512_set1_epi32(3));
    ok = _mm512_mask_cmple_epu32_mask(ok, _mm512_sub_epi32(end, h.from), h.bytes);
    ok = _mm512_mask_cmple_epu32_mask(ok, k, _mm512_set1_epi32(RP_PATCH_EASY));
    rp__patch_sums s = {.total = _mm512_setzero_si512()};
    const __mmask16 any = _mm512_mask_test_epi32_mask(ok, k, k),
                    more = _mm512_mask_cmpgt_epu32_mask(ok, k, _mm512_set1_epi32(2));
    const __m512i two[2] = {
        rp__heads_gather(any, list->docs, values),
        rp__heads_gather(more, list->docs,
                         _mm512_add_epi32(values, _mm512_slli_epi32(value_bytes, 1)))};
#define FOLLOW(r)                                                                                  \
    __mmask16 live##r = _mm512_mask_cmpgt_epu32_mask(ok, k, _mm512_set1_epi32(r));                 \
    __mmask16 near##r = _mm512_mask_cmplt_epu32_mask(live##r, at, _mm512_set1_epi32(RP_BLOCK));    \
    __m512i link##r =                                                                              \
        rp__patch_fields(near##r, list->docs, lows, _mm512_mullo_epi32(at, width), width);         \
    __m512i value##r = rp__patch_low_bits(                                                         \
        (r) % 2 ? _mm512_srlv_epi32(two[(r) / 2], value_bits) : two[(r) / 2], value_bits);         \
    rp__patch_sums_add(&s, live##r, at, value##r);                                                 \
    rp__patch_batch_add(t, near##r, at, _mm512_sub_epi32(value##r, link##r));                      \
    at = _mm512_add_epi32(at, _mm512_add_epi32(link##r, one));
    RP_PATCH_EACH(FOLLOW)
    _mm512_store_si512(t->lows, _mm512_maskz_mov_epi32(ok, lows));
    _mm512_store_si512(t->widths, _mm512_maskz_mov_epi32(ok, width));
    return ok & rp__patch_sums_fit(&s, width);
}

RP_PATCH_AVX512_LIST(rp__pfd_avx512_list, ready, rp__pfd_open, false)

const rp__block_code rp__pfd_avx512_code = {
    .name = "pfd",
    .needs = RP_CPU_AVX512,
    .bound = rp__pfd_bound,
    .encode = rp__pfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
