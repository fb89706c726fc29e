/* pfd_avx512.c: the block code pfd with AVX-512: the kernels of patch_avx512.c. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/pfd.h"

#if defined(__x86_64__)
#include "codec/patch_list_avx512.h"

RP_PATCH_ROW(rp__pfd_open, rp__patch_avx512_decode, rp__patch_avx512_docids)
RP_PATCH_ROW_AT(rp__pfd_open)

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
    p.ok = rp__heads_at_most(p.ok, code, 2);
    __m512i end = _mm512_add_epi32(p.values, _mm512_mullo_epi32(p.k, p.value_bytes));
    p.ok = rp__heads_hold(&h, p.ok, end);
    return p;
}

/* Follows a link of each live block, from p->at to the next place; `value` is the exception's. */
RP_PATCH_INLINE void follow(rp__patch_batch *t, rp__patch_sums *s, parts *p, __mmask16 live,
                            __m512i value)
{
    __mmask16 near = rp__heads_at_most(live, p->at, RP_BLOCK - 1);
    __m512i bit = _mm512_mullo_epi32(p->at, p->width);
    __m512i link = rp__patch_fields(near, t->docs, p->lows, bit, p->width);
    value = rp__patch_low_bits(value, _mm512_slli_epi32(p->value_bytes, 3));
    rp__patch_sums_add(s, live, p->at, value);
    rp__patch_batch_add(t, near, p->at, _mm512_sub_epi32(value, link));
    p->at = _mm512_add_epi32(p->at, _mm512_add_epi32(link, _mm512_set1_epi32(1)));
}

RP_PATCH_APART uint32_t ready(const rp__list *list, uint32_t b, rp__patch_batch *t)
{
    parts p = parts_of(list, b);
    const __m512i bits = _mm512_slli_epi32(p.value_bytes, 3);
    rp__patch_sums s = {.total = _mm512_setzero_si512()};
    for (int r = 0;; r += 2) {
        __mmask16 live = _mm512_mask_cmpgt_epu32_mask(p.ok, p.k, _mm512_set1_epi32(r));
        __mmask16 next = _mm512_mask_cmpgt_epu32_mask(p.ok, p.k, _mm512_set1_epi32(r + 1));
        if (r >= RP_PATCH_EASY && rp__heads_are_few(live)) {
            p.ok &= (__mmask16)~live;
            break;
        }
        __m512i values = rp__heads_gather(live, t->docs, p.values);
        follow(t, &s, &p, live, values);
        follow(t, &s, &p, next, _mm512_srlv_epi32(values, bits));
        p.values = _mm512_add_epi32(p.values, _mm512_slli_epi32(p.value_bytes, 1));
    }
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
