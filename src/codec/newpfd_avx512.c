/* newpfd_avx512.c: the block code newpfd with AVX-512: the kernels of patch_avx512.c.
 *
 * Whole lists: up to four exceptions, whose numbers are bytes, are made of two words of Simple16 by
 * a deposit of bits each, and their places by a multiplication, in general registers. */
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

enum { WORDS = 2 };

/* Up to four words of each block, and how many values end with them. */
typedef struct streams {
    __m512i words[WORDS], ends[WORDS];
    __m512i shifts[2], widths[2];
} streams;

RP_PATCH_INLINE streams streams_of(__mmask16 live, const uint8_t *docs, __m512i at)
{
    const __m512i counts = _mm512_set_epi32(64, 1, 2, 3, 4, 5, 5, 6, 6, 7, 9, 9, 14, 21, 21, 28);
    streams s;
    __m512i end = _mm512_setzero_si512();
    for (int i = 0; i < WORDS; i++) {
        s.words[i] = rp__heads_gather(live, docs, at);
        end = _mm512_add_epi32(end,
                               _mm512_permutexvar_epi32(_mm512_srli_epi32(s.words[i], 28), counts));
        s.ends[i] = end;
        at = _mm512_add_epi32(at, _mm512_set1_epi32(4));
    }
    for (int i = 0; i < 2; i++) {
        s.shifts[i] = _mm512_load_si512(shifts_of + 64 * i);
        s.widths[i] = _mm512_load_si512(widths_of + 64 * i);
    }
    return s;
}

/* Value i of each stream; not one that is among the first 8 of its word, or has more than 28 bits:
 * `bad`. */
RP_PATCH_INLINE __m512i value_at(const streams *s, __mmask16 live, __m512i i, __mmask16 *bad)
{
    __m512i word = s->words[0], before = _mm512_setzero_si512();
    for (int k = 1; k < WORDS; k++) {
        __mmask16 past = _mm512_cmpge_epu32_mask(i, s->ends[k - 1]);
        word = _mm512_mask_mov_epi32(word, past, s->words[k]);
        before = _mm512_mask_mov_epi32(before, past, s->ends[k - 1]);
    }
    __m512i slot = _mm512_sub_epi32(i, before), selector = _mm512_srli_epi32(word, 28);
    *bad |= _mm512_mask_cmpgt_epu32_mask(live, slot, _mm512_set1_epi32(7));
    *bad |= _mm512_mask_cmpeq_epi32_mask(live, selector, _mm512_set1_epi32(RP_SIMPLE16_LARGE));
    slot = _mm512_add_epi32(slot, _mm512_slli_epi32(selector, 3));
    __m512i shift =
        _mm512_maskz_permutex2var_epi8(0x1111111111111111, s->shifts[0], slot, s->shifts[1]);
    __m512i width =
        _mm512_maskz_permutex2var_epi8(0x1111111111111111, s->widths[0], slot, s->widths[1]);
    return rp__patch_low_bits(_mm512_srlv_epi32(word, shift), width);
}

RP_PATCH_APART uint32_t ready(const rp__list *list, uint32_t b, rp__patch_batch *t)
{
    const __m512i one = _mm512_set1_epi32(1);
    rp__heads h = rp__heads_of(list, b);
    __m512i width = _mm512_and_si512(h.head, _mm512_set1_epi32(63));
    __mmask16 has = _mm512_test_epi32_mask(h.head, _mm512_set1_epi32(64));
    __m512i k = _mm512_and_si512(_mm512_srli_epi32(h.head, 8), _mm512_set1_epi32(255));
    k = _mm512_maskz_add_epi32(has, k, one);
    __m512i lows =
        _mm512_mask_add_epi32(_mm512_add_epi32(h.from, one), has, h.from, _mm512_set1_epi32(2));
    __m512i at = _mm512_add_epi32(lows, _mm512_slli_epi32(width, 4));
    __mmask16 ok =
        _mm512_mask_cmple_epu32_mask(h.sound, width, _mm512_set1_epi32(RP_BITPACK_AVX512_NARROW));
    ok = _mm512_mask_testn_epi32_mask(ok, h.head, _mm512_set1_epi32(128));
    ok = _mm512_mask_cmple_epu32_mask(ok, _mm512_sub_epi32(at, h.from), h.bytes);
    streams st = streams_of(ok & has, list->docs, at);
    __m512i twice = _mm512_slli_epi32(k, 1);
    at = _mm512_mask_add_epi32(at, has, at, _mm512_set1_epi32(4));
    for (int i = 0; i < WORDS - 1; i++)
        at = _mm512_mask_add_epi32(at, _mm512_mask_cmpgt_epu32_mask(has, twice, st.ends[i]), at,
                                   _mm512_set1_epi32(4));
    ok = _mm512_mask_cmple_epu32_mask(ok, _mm512_sub_epi32(at, h.from), h.bytes);
    ok &= (__mmask16)~_mm512_mask_cmpgt_epu32_mask(has, twice, st.ends[WORDS - 1]);
    ok = _mm512_mask_cmple_epu32_mask(ok, k, _mm512_set1_epi32(RP_PATCH_EASY));
    rp__patch_sums s = {.total = _mm512_setzero_si512()};
    __m512i place = s.total;
#define PLACE(i)                                                                                   \
    __mmask16 live##i = _mm512_mask_cmpgt_epu32_mask(ok, k, _mm512_set1_epi32(i));                 \
    place = _mm512_add_epi32(place, value_at(&st, live##i, _mm512_set1_epi32(i), &s.bad));         \
    __m512i high##i = value_at(&st, live##i, _mm512_add_epi32(k, _mm512_set1_epi32(i)), &s.bad);   \
    s.bad |= _mm512_mask_cmpgt_epu32_mask(live##i, high##i, _mm512_set1_epi32(255));               \
    high##i = _mm512_sllv_epi32(_mm512_add_epi32(high##i, one), width);                            \
    rp__patch_sums_add(&s, live##i, place, high##i);                                               \
    rp__patch_batch_add(t, live##i, place, high##i);                                               \
    place = _mm512_add_epi32(place, one);
    RP_PATCH_EACH(PLACE)
    _mm512_store_si512(t->lows, _mm512_maskz_mov_epi32(ok, lows));
    _mm512_store_si512(t->widths, _mm512_maskz_mov_epi32(ok, width));
    return ok & rp__patch_sums_fit(&s, width);
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
