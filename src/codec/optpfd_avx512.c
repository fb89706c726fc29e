/* optpfd_avx512.c: the block code optpfd with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/optpfd.h"

#if defined(__x86_64__)
#include "codec/patch_list_avx512.h"

RP_PATCH_ROW(rp__optpfd_open, rp__patch_avx512_decode, rp__patch_avx512_docids)
/* The number of high parts in each bitmap at `at`, and the bitmaps as marks. */
RP_PATCH_INLINE __m512i take_marks(rp__patch_batch *t, __mmask16 mapped, __m512i at)
{
    _Alignas(64) uint32_t from[RP_PATCH_BATCH], counts[RP_PATCH_BATCH];
    _mm512_store_si512(from, at);
    for (uint32_t i = 0; i < RP_PATCH_BATCH; i++) {
        uint64_t is_mapped = 0ULL - (mapped >> i & 1);
        t->marks[i][0] = rp__load64(t->docs + from[i]) & is_mapped;
        t->marks[i][1] = rp__load64(t->docs + from[i] + 8) & is_mapped;
        counts[i] = rp__bits_count64(t->marks[i][0]) + rp__bits_count64(t->marks[i][1]);
    }
    return _mm512_load_si512(counts);
}

RP_PATCH_APART uint32_t ready(const rp__list *list, uint32_t b, rp__patch_batch *t)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi32(1),
                  seven = _mm512_set1_epi32(7);
    const __m512i bitmap_bytes = _mm512_set1_epi32(RP_BLOCK / 8);
    rp__heads h = rp__heads_of(list, b);
    __m512i width = _mm512_and_si512(h.head, _mm512_set1_epi32(63));
    __m512i mode = _mm512_and_si512(_mm512_srli_epi32(h.head, 6), _mm512_set1_epi32(3));
    __mmask16 listed = _mm512_cmpeq_epi32_mask(mode, one);
    __mmask16 mapped = _mm512_cmpeq_epi32_mask(mode, _mm512_set1_epi32(RP_OPTPFD_BITMAP));
    __mmask16 has_high = listed | mapped;
    __mmask16 has_far = _mm512_mask_test_epi32_mask(has_high, h.head, _mm512_set1_epi32(8 << 8)) |
                        _mm512_cmpeq_epi32_mask(mode, _mm512_set1_epi32(RP_OPTPFD_FAR));
    __m512i high = _mm512_srli_epi32(h.head, 8);
    __m512i hw = _mm512_maskz_add_epi32(has_high, _mm512_and_si512(high, seven), one);
    __m512i k = _mm512_maskz_add_epi32(
        listed, _mm512_and_si512(_mm512_srli_epi32(high, 4), _mm512_set1_epi32(15)), one);
    __m512i far = _mm512_mask_srli_epi32(high, has_high, high, 8);
    __m512i f = _mm512_maskz_add_epi32(has_far, _mm512_and_si512(far, seven), one);
    __m512i fw = _mm512_maskz_add_epi32(
        has_far, _mm512_and_si512(_mm512_srli_epi32(far, 3), _mm512_set1_epi32(31)), one);
    __m512i lows = _mm512_add_epi32(h.from, one);
    lows = _mm512_mask_add_epi32(lows, has_high, lows, one);
    lows = _mm512_mask_add_epi32(lows, has_far, lows, one);
    __m512i at = _mm512_add_epi32(lows, _mm512_slli_epi32(width, 4));
    __mmask16 ok =
        _mm512_mask_cmple_epu32_mask(h.sound, width, _mm512_set1_epi32(RP_BITPACK_AVX512_NARROW));
    ok = _mm512_mask_cmple_epu32_mask(ok, _mm512_sub_epi32(at, h.from), h.bytes);
    __m512i n_marks = take_marks(t, ok & mapped, _mm512_maskz_mov_epi32(ok, at));
    at = _mm512_mask_add_epi32(at, mapped, at, bitmap_bytes);
    __m512i high_bits = _mm512_mullo_epi32(n_marks, hw);
    __m512i far_at = _mm512_mask_mov_epi32(
        _mm512_add_epi32(at, _mm512_srli_epi32(_mm512_add_epi32(high_bits, seven), 3)), listed, at);
    __m512i n = _mm512_mask_mov_epi32(f, listed, k), parts = _mm512_mask_mov_epi32(fw, listed, hw);
    __m512i far_bits = _mm512_mullo_epi32(n, _mm512_add_epi32(parts, seven));
    __m512i end = _mm512_add_epi32(far_at, _mm512_srli_epi32(_mm512_add_epi32(far_bits, seven), 3));
    ok = _mm512_mask_cmple_epu32_mask(ok, _mm512_sub_epi32(end, h.from), h.bytes);
    /* Either high parts are listed, or there are far ones, or none. */
    ok &= (__mmask16) ~(listed & has_far);
    ok = _mm512_mask_cmple_epu32_mask(ok, n, _mm512_set1_epi32(RP_PATCH_EASY));
    rp__patch_sums s = {.total = zero};
    __m512i marked = _mm512_maskz_mov_epi32(mapped, hw), shifts = _mm512_add_epi32(width, marked);
    rp__patch_batch_place(t, &s, far_at, _mm512_mullo_epi32(n, seven),
                          _mm512_maskz_mov_epi32(ok, n), seven, parts, shifts);
    _mm512_store_si512(t->lows, _mm512_maskz_mov_epi32(ok, lows));
    _mm512_store_si512(t->widths, _mm512_maskz_mov_epi32(ok, width));
    _mm512_store_si512(t->highs, _mm512_maskz_mov_epi32(ok, at));
    _mm512_store_si512(t->high_widths, _mm512_maskz_mov_epi32(ok, marked));
    return ok & rp__patch_sums_fit(&s, shifts);
}

RP_PATCH_AVX512_LIST(rp__optpfd_avx512_list, ready, rp__optpfd_open, true)

const rp__block_code rp__optpfd_avx512_code = {
    .name = "optpfd",
    .needs = RP_CPU_AVX512,
    .bound = rp__optpfd_bound,
    .encode = rp__optpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
