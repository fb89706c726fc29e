/* newpfd_avx512.c: the block code newpfd with AVX-512: the kernels of patch_avx512.h.
 *
 * Whole lists: up to four exceptions have eight numbers, which are two words of Simple16 unless they
 * are large; of sixteen blocks, the same number of each is cut out at once. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/newpfd.h"

#if defined(__x86_64__)
#include "codec/patch_list_avx512.h"

static rp_status read_block(const uint8_t *in, size_t in_bytes, size_t n, rp__patch *p)
{
    return rp__newpfd_open_by(rp__simple16_avx512_read, in, in_bytes, n, p);
}

RP_PATCH_ROW(read_block, rp__patch_avx512_decode, rp__patch_avx512_docids)
RP_PATCH_ROW_AT(read_block)
/* Of each cut of Simple16 the first 8 values, in 8 bytes each: where they begin, and their width. */
#define AT8(w) 0, (w), 2 * (w), 3 * (w), 4 * (w), 5 * (w), 6 * (w), 7 * (w)
#define OF8(w) (w), (w), (w), (w), (w), (w), (w), (w)
static const _Alignas(64) uint8_t shifts_of[128] = {
    AT8(1), 0,  2,  4,      6,      8,      10, 12, 14, AT8(1), AT8(2), 0, 4, 7, 10, 13,
    16,     19, 22, AT8(3), AT8(4), 0,      5,  10, 15, 20,     24,     0, 0, 0, 4,  8,
    13,     18, 23, 0,      0,      0,      6,  12, 18, 23,     0,      0, 0, 0, 5,  10,
    16,     22, 0,  0,      0,      AT8(7), 0,  10, 19, 0,      0,      0, 0, 0, 0,  14,
};
static const _Alignas(64) uint8_t widths_of[128] = {
    OF8(1), 2,      2,      2, 2, 2, 2, 2, 1,  OF8(1), OF8(2), 4, 3, 3, 3, 3, 3,  3,
    3,      OF8(3), OF8(4), 5, 5, 5, 5, 4, 4,  0,      0,      4, 4, 5, 5, 5, 5,  0,
    0,      6,      6,      6, 5, 5, 0, 0, 0,  5,      5,      6, 6, 6, 0, 0, 0,  OF8(7),
    10,     9,      9,      0, 0, 0, 0, 0, 14, 14,     0,      0, 0, 0, 0, 0, 28,
};

/* Two words of each of sixteen blocks, and how many values the first one has, and both. */
typedef struct words {
    __m512i one, two, first, both;
} words;

RP_PATCH_INLINE words words_of(__mmask16 live, const uint8_t *docs, __m512i at)
{
    const __m512i counts = _mm512_set_epi32(1, 1, 2, 3, 4, 5, 5, 6, 6, 7, 9, 9, 14, 21, 21, 28);
    words w = {.one = rp__heads_gather(live, docs, at),
               .two = rp__heads_gather(live, docs, _mm512_add_epi32(at, _mm512_set1_epi32(4)))};
    w.first = _mm512_permutexvar_epi32(_mm512_srli_epi32(w.one, RP_SIMPLE16_BITS), counts);
    w.both = _mm512_permutexvar_epi32(_mm512_srli_epi32(w.two, RP_SIMPLE16_BITS), counts);
    w.both = _mm512_add_epi32(w.both, w.first);
    return w;
}

/* Value i of each block's words; *bad: it is large, or not among the first 8 of its word. */
RP_PATCH_INLINE __m512i value_at(const words *w, __mmask16 live, __m512i i, __mmask16 *bad)
{
    const __mmask64 lowest = 0x1111111111111111;
    const uint8_t *shifts = shifts_of, *widths = widths_of;
    __mmask16 past = _mm512_cmpge_epu32_mask(i, w->first);
    __m512i word = _mm512_mask_mov_epi32(w->one, past, w->two);
    __m512i slot = _mm512_mask_sub_epi32(i, past, i, w->first);
    __m512i selector = _mm512_srli_epi32(word, RP_SIMPLE16_BITS);
    *bad |= _mm512_mask_cmpgt_epu32_mask(live, slot, _mm512_set1_epi32(7));
    *bad |= _mm512_mask_cmpeq_epi32_mask(live, selector, _mm512_set1_epi32(RP_SIMPLE16_LARGE));
    slot = _mm512_add_epi32(slot, _mm512_slli_epi32(selector, 3));
    __m512i shift = _mm512_maskz_permutex2var_epi8(lowest, _mm512_load_si512(shifts), slot,
                                                   _mm512_load_si512(shifts + 64));
    __m512i width = _mm512_maskz_permutex2var_epi8(lowest, _mm512_load_si512(widths), slot,
                                                   _mm512_load_si512(widths + 64));
    return rp__patch_low_bits(_mm512_srlv_epi32(word, shift), width);
}

/* The parts of sixteen blocks with k exceptions. */
typedef struct parts {
    __m512i width, k, lows;
    words words;
    __mmask16 ok;
} parts;

RP_PATCH_INLINE parts parts_of(const rp__list *list, uint32_t b)
{
    const __m512i one = _mm512_set1_epi32(1), four = _mm512_set1_epi32(4);
    rp__heads h = rp__heads_of(list, b);
    __mmask16 has = _mm512_test_epi32_mask(h.head, _mm512_set1_epi32(64));
    parts p = {.width = rp__heads_bits(h.head, 0, 6),
               .k = _mm512_maskz_add_epi32(has, rp__heads_bits(h.head, 8, 8), one),
               .lows = _mm512_add_epi32(h.from, one)};
    p.lows = _mm512_mask_add_epi32(p.lows, has, p.lows, one);
    p.ok = rp__heads_at_most(h.sound, p.width, RP_BITPACK_AVX512_NARROW);
    p.ok = rp__heads_at_most(p.ok, p.k, RP_PATCH_EASY);
    p.ok = _mm512_mask_testn_epi32_mask(p.ok, h.head, _mm512_set1_epi32(128));
    __m512i end = rp__patch_after_lows(p.lows, p.width), numbers = _mm512_slli_epi32(p.k, 1);
    p.ok = rp__heads_hold(&h, p.ok, end);
    p.words = words_of(p.ok & has, list->docs, end);
    __mmask16 has_two = _mm512_mask_cmpgt_epu32_mask(has, numbers, p.words.first);
    end = _mm512_mask_add_epi32(end, has, end, four);
    end = _mm512_mask_add_epi32(end, has_two, end, four);
    p.ok = rp__heads_hold(&h, p.ok, end);
    p.ok &= (__mmask16)~_mm512_mask_cmpgt_epu32_mask(has, numbers, p.words.both);
    return p;
}

RP_PATCH_APART uint32_t ready(const rp__list *list, uint32_t b, rp__patch_batch *t)
{
    const __m512i one = _mm512_set1_epi32(1);
    parts p = parts_of(list, b);
    if (rp__heads_are_few(p.ok))
        return 0;
    rp__patch_sums s = {.total = _mm512_setzero_si512()};
    __m512i place = s.total;
#define PLACE(i)                                                                                   \
    __mmask16 live##i = _mm512_mask_cmpgt_epu32_mask(p.ok, p.k, _mm512_set1_epi32(i));             \
    __m512i high##i = _mm512_add_epi32(p.k, _mm512_set1_epi32(i));                                 \
    place = _mm512_add_epi32(place, value_at(&p.words, live##i, _mm512_set1_epi32(i), &s.bad));    \
    high##i = value_at(&p.words, live##i, high##i, &s.bad);                                        \
    s.bad |= _mm512_mask_cmpgt_epu32_mask(live##i, high##i, _mm512_set1_epi32(UINT8_MAX));         \
    high##i = _mm512_sllv_epi32(_mm512_add_epi32(high##i, one), p.width);                          \
    rp__patch_sums_add(&s, live##i, place, high##i);                                               \
    rp__patch_batch_add(t, live##i, place, high##i);                                               \
    place = _mm512_add_epi32(place, one);
    RP_PATCH_EACH(PLACE)
    rp__patch_batch_lows(t, p.ok, p.lows, p.width);
    return rp__patch_sums_fit(&s, p.ok, p.width);
}

RP_PATCH_AVX512_LIST(rp__newpfd_avx512_list, ready, read_block, false)

const rp__block_code rp__newpfd_avx512_code = {
    .name = "newpfd",
    .needs = RP_CPU_AVX512,
    .bound = rp__newpfd_bound,
    .encode = rp__newpfd_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = at,
};
#endif
