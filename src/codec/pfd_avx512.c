/* pfd_avx512.c: the block code pfd with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/pfd.h"

#if defined(__x86_64__)
#include "codec/patch_list_avx512.h"

RP_PATCH_ROW(rp__pfd_open, rp__patch_avx512_decode, rp__patch_avx512_docids)

/* The parts of sixteen blocks: k exceptions, the first at `at`, with values of value_bytes. */
typedef struct parts {
    __m512i width, k, at, value_bytes, lows, values;
    __mmask16 ok;
} parts;

RP_PATCH_INLINE parts parts_of(const rp__list *list, uint32_t b)
{
    const __m512i one = _mm512_set1_epi32(1);
    rp__heads h = rp__heads_of(list, b);
    __m512i code = rp__heads_bits(h.head, 6, 2);
    __mmask16 has = _mm512_test_epi32_mask(code, code);
    __m512i head = _mm512_mask_mov_epi32(one, has, _mm512_set1_epi32(3));
    parts p = {.width = rp__heads_bits(h.head, 0, 6),
               .k = _mm512_maskz_add_epi32(has, rp__heads_bits(h.head, 8, 8), one),
               .at = rp__heads_bits(h.head, 16, 8),
               .value_bytes = _mm512_srli_epi32(_mm512_sllv_epi32(one, code), 1),
               .lows = _mm512_add_epi32(h.from, head)};
    p.values = rp__patch_after_lows(p.lows, p.width);
    p.ok = rp__heads_at_most(h.sound, p.width, RP_BITPACK_AVX512_NARROW);
    p.ok = rp__heads_at_most(p.ok, p.k, RP_PATCH_EASY);
    p.ok = rp__heads_at_most(p.ok, code, 2);
    __m512i end = _mm512_add_epi32(p.values, _mm512_mullo_epi32(p.k, p.value_bytes));
    p.ok = rp__heads_hold(&h, p.ok, end);
    return p;
}

/* The links of all blocks are followed at once. */
RP_PATCH_APART uint32_t ready(const rp__list *list, uint32_t b, rp__patch_batch *t)
{
    const __m512i one = _mm512_set1_epi32(1);
    parts p = parts_of(list, b);
    const __mmask16 any = _mm512_mask_test_epi32_mask(p.ok, p.k, p.k);
    const __mmask16 more = _mm512_mask_cmpgt_epu32_mask(p.ok, p.k, _mm512_set1_epi32(2));
    const __m512i later = _mm512_add_epi32(p.values, _mm512_slli_epi32(p.value_bytes, 1));
    const __m512i bits = _mm512_slli_epi32(p.value_bytes, 3);
    const __m512i two[2] = {rp__heads_gather(any, t->docs, p.values),
                            rp__heads_gather(more, t->docs, later)};
    rp__patch_sums s = {.total = _mm512_setzero_si512()};
#define FOLLOW(r)                                                                                  \
    __mmask16 live##r = _mm512_mask_cmpgt_epu32_mask(p.ok, p.k, _mm512_set1_epi32(r));             \
    __mmask16 near##r = rp__heads_at_most(live##r, p.at, RP_BLOCK - 1);                            \
    __m512i bit##r = _mm512_mullo_epi32(p.at, p.width);                                            \
    __m512i link##r = rp__patch_fields(near##r, t->docs, p.lows, bit##r, p.width);                 \
    __m512i value##r = (r) % 2 ? _mm512_srlv_epi32(two[(r) / 2], bits) : two[(r) / 2];             \
    value##r = rp__patch_low_bits(value##r, bits);                                                 \
    rp__patch_sums_add(&s, live##r, p.at, value##r);                                               \
    rp__patch_batch_add(t, near##r, p.at, _mm512_sub_epi32(value##r, link##r));                    \
    p.at = _mm512_add_epi32(p.at, _mm512_add_epi32(link##r, one));
    RP_PATCH_EACH(FOLLOW)
    rp__patch_batch_lows(t, p.ok, p.lows, p.width);
    return rp__patch_sums_fit(&s, p.ok, p.width);
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
