/* optpfd_avx512.c: the block code optpfd with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/optpfd.h"

#if defined(__x86_64__)
#include "codec/patch_list_avx512.h"

RP_PATCH_ROW(rp__optpfd_open, rp__patch_avx512_decode, rp__patch_avx512_docids)
RP_OPTPFD_ROW_AT
/* The heads of sixteen blocks. Listed high parts and far parts are much the same here, of which a block
 * may have one: n parts of `parts` bits above `shift`. */
typedef struct heads {
    __m512i width, lows, high_width, shift, n, parts;
    __mmask16 mapped, ok;
} heads;

RP_PATCH_INLINE heads heads_of(const rp__heads *h)
{
    const __m512i one = _mm512_set1_epi32(1), high = _mm512_srli_epi32(h->head, 8);
    __m512i mode = rp__heads_bits(h->head, 6, 2);
    __mmask16 listed = _mm512_cmpeq_epi32_mask(mode, _mm512_set1_epi32(RP_OPTPFD_LISTED));
    __mmask16 mapped = _mm512_cmpeq_epi32_mask(mode, _mm512_set1_epi32(RP_OPTPFD_BITMAP));
    __mmask16 has_high = listed | mapped;
    __mmask16 has_far = _mm512_cmpeq_epi32_mask(mode, _mm512_set1_epi32(RP_OPTPFD_FAR)) |
                        _mm512_mask_test_epi32_mask(has_high, high, _mm512_set1_epi32(8));
    __m512i far = _mm512_mask_srli_epi32(high, has_high, high, 8);
    __m512i bits = _mm512_maskz_add_epi32(has_high, rp__heads_bits(high, 0, 3), one);
    heads o = {.width = rp__heads_bits(h->head, 0, 6),
               .lows = _mm512_add_epi32(h->from, one),
               .high_width = _mm512_maskz_mov_epi32(mapped, bits),
               .n = _mm512_maskz_add_epi32(has_far, rp__heads_bits(far, 0, 3), one),
               .parts = _mm512_maskz_add_epi32(has_far, rp__heads_bits(far, 3, 5), one),
               .mapped = mapped};
    o.lows = _mm512_mask_add_epi32(o.lows, has_high, o.lows, one);
    o.lows = _mm512_mask_add_epi32(o.lows, has_far, o.lows, one);
    o.n = _mm512_mask_add_epi32(o.n, listed, rp__heads_bits(high, 4, 4), one);
    o.parts = _mm512_mask_mov_epi32(o.parts, listed, bits);
    o.shift = _mm512_add_epi32(o.width, o.high_width);
    o.ok = rp__heads_at_most(h->sound, o.width, RP_BITPACK_AVX512_NARROW);
    o.ok = rp__heads_at_most(o.ok, o.n, RP_PATCH_EASY) & (__mmask16) ~(listed & has_far);
    return o;
}

/* The number of high parts in each bitmap at `at`, and the bitmaps as marks. */
RP_PATCH_INLINE __m512i take_marks(rp__patch_batch *t, __mmask16 mapped, __m512i at)
{
    _Alignas(64) uint32_t from[RP_PATCH_BATCH], counts[RP_PATCH_BATCH];
    _mm512_store_si512(from, _mm512_maskz_mov_epi32(mapped, at));
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
    const __m512i at_width = _mm512_set1_epi32(7); /* of RP_BLOCK - 1 */
    rp__heads h = rp__heads_of(list, b);
    heads o = heads_of(&h);
    __m512i at = rp__patch_after_lows(o.lows, o.width);
    o.ok = rp__heads_hold(&h, o.ok, at);
    __m512i marked = take_marks(t, o.ok & o.mapped, at);
    at = _mm512_mask_add_epi32(at, o.mapped, at, _mm512_set1_epi32(RP_BLOCK / 8));
    _mm512_store_si512(t->highs, _mm512_maskz_mov_epi32(o.ok, at));
    _mm512_store_si512(t->high_widths, _mm512_maskz_mov_epi32(o.ok, o.high_width));
    at = _mm512_add_epi32(at, rp__patch_bytes_of(_mm512_mullo_epi32(marked, o.high_width)));
    __m512i bits = _mm512_mullo_epi32(o.n, _mm512_add_epi32(at_width, o.parts));
    o.ok = rp__heads_hold(&h, o.ok, _mm512_add_epi32(at, rp__patch_bytes_of(bits)));
    rp__patch_sums s = {.total = _mm512_setzero_si512()};
    rp__patch_batch_place(t, &s, at, _mm512_mullo_epi32(o.n, at_width),
                          _mm512_maskz_mov_epi32(o.ok, o.n), at_width, o.parts, o.shift);
    rp__patch_batch_lows(t, o.ok, o.lows, o.width);
    return rp__patch_sums_fit(&s, o.ok, o.shift);
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
