/* lrc_avx512.c: the docid codec lrc with AVX-512, and what the kernels of lrc_avx512.h share. */
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/lrc_avx512.h"

#define SLOTS(s)         (s), (s) + 1, (s) + 2, (s) + 3
#define AFTER(top, lane) (top), (lane), (lane) + 1, (lane) + 2
_Alignas(64) const uint16_t rp__lrc_avx512_slots[32] = {
    SLOTS(0), SLOTS(16), SLOTS(4), SLOTS(20), SLOTS(8), SLOTS(24), SLOTS(12), SLOTS(28),
};
_Alignas(64) const uint16_t rp__lrc_avx512_before[32] = {
    AFTER(0, 0),   AFTER(27, 4),  AFTER(3, 8),   AFTER(7, 12),
    AFTER(11, 16), AFTER(15, 20), AFTER(19, 24), AFTER(23, 28),
};

/* The whole part and the 24 bits of fraction go apart in 32-bit lanes: over the 256 slots of a segment
 * the fraction's lane stays below 2^32. */
void rp__lrc_avx512_make_whole(uint64_t a, rp__lrc_points *to)
{
    const __m512i rank = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i a_whole = _mm512_set1_epi32((int)(uint32_t)(a >> RP_LINE_SHIFT));
    __m512i a_part = _mm512_set1_epi32((int)(a & ((1U << RP_LINE_SHIFT) - 1)));
    __m512i whole = _mm512_mullo_epi32(rank, a_whole), part = _mm512_mullo_epi32(rank, a_part);
    a_whole = _mm512_slli_epi32(a_whole, 4);
    a_part = _mm512_slli_epi32(a_part, 4);
    for (uint32_t i = 0; i < RP_BLOCK_MAX; i += 16) {
        __m512i rises = _mm512_add_epi32(whole, _mm512_srli_epi32(part, RP_LINE_SHIFT));
        _mm512_store_si512(to->whole + i, rises);
        whole = _mm512_add_epi32(whole, a_whole);
        part = _mm512_add_epi32(part, a_part);
    }
}

static void make_near(uint64_t a, rp__lrc_points *to)
{
    for (uint32_t g = 0, i = 0; g < RP_LRC_GROUPS; g++) {
        to->first[g] = rp__lrc_rise(a, g * RP_LRC_GROUP);
        for (uint32_t lane = 0; lane < RP_LRC_GROUP; lane++, i++) {
            uint32_t slot = g * RP_LRC_GROUP + rp__lrc_avx512_slots[lane];
            to->near[i] = (uint16_t)(rp__lrc_rise(a, slot) - to->first[g]);
        }
    }
}

void rp__lrc_avx512_make(uint64_t a, rp__lrc_points *to)
{
    rp__lrc_avx512_make_whole(a, to);
    make_near(a, to);
    to->a = a;
    to->narrow_below = rp__lrc_avx512_narrow_below(a);
    to->are_made = true;
}

RP_LRC_INLINE uint32_t wide(const uint8_t *p, uint32_t w, uint32_t from, uint32_t count,
                            const rp__lrc_points *points, uint32_t *out)
{
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_wide[w];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << w) - 1));
    const __m512i start = _mm512_set1_epi32((int)from);
    __m512i x = _mm512_setzero_si512();
    const uint32_t step = 2 * w;
    __mmask16 falls = 0,
              here = 0; /* gcc 12 reads masks that it spilled as wider numbers otherwise */
#pragma GCC unroll 16
    for (uint32_t i = 0; i < count; i += 16, p += step) {
        __m512i before = x;
        x = rp__bitpack_avx512_unpack(p, bytes, starts, mask);
        x = _mm512_add_epi32(x, _mm512_load_si512(points->whole + i));
        x = _mm512_add_epi32(x, start);
        _mm512_storeu_si512(out + i, x);
        falls = (__mmask16)(falls | here);
        here = _mm512_cmple_epu32_mask(x, _mm512_alignr_epi32(x, before, 15));
        if (i == 0)
            here = (__mmask16)(here & ~1U);
    }
    uint32_t last = count % 16 ? here & ((1U << count % 16) - 1) : here;
    return (falls | last) & UINT16_MAX;
}

uint32_t rp__lrc_avx512_wide(const uint8_t *lows, uint32_t width, uint32_t start, uint32_t count,
                             const rp__lrc_points *points, uint32_t *out)
{
    if (count == RP_BLOCK_MAX)
        return wide(lows, width, start, RP_BLOCK_MAX, points, out);
    return wide(lows, width, start, count, points, out);
}

RP_LRC_AVX512_ROW(rp__lrc_avx512, rp__lrc, 0, true, rp__lrc_avx512_of_line)
#endif
