/* lrc_avx512.h: the kernels of the regression family with AVX-512 VBMI, inline. Interior of the
 * room; for files built with AVX-512 alone. Tables are in lrc_avx512.c.
 *
 * A docid is its segment's start, what the line has risen by at its slot, and a residual. Where the
 * last two, counted from the first slot of 32, stay below 2^16, 32 docids are made and compared at
 * a time in 16-bit lanes, then widened (bitpack_avx512.h has the order of the lanes); otherwise 16
 * in 32-bit lanes. Width 31 goes the plain way, as in bitpack_avx512.c. Loads start inside the
 * segment, so they end within RP_PAD after it. */
#ifndef RP_CODEC_LRC_AVX512_H
#define RP_CODEC_LRC_AVX512_H

#include "codec/bitpack_avx512.h"
#include "codec/lrc.h"

enum {
    RP_LRC_GROUP_BITS = 5,
    RP_LRC_GROUP = 1 << RP_LRC_GROUP_BITS,
    RP_LRC_GROUPS = RP_BLOCK_MAX / RP_LRC_GROUP,
    RP_LRC_REACH = 1 << 20, /* more than a docid in 16-bit lanes is above its segment's start */
};

/* Of each 16-bit lane: the slot that it has, and the lane that has the slot before (of slot 0, none
 * has). */
extern const uint16_t rp__lrc_avx512_slots[32], rp__lrc_avx512_before[32];

/* ---- What lines rise by ---------------------------------------------------------------------- */

/* What the line of a slope has risen by at each slot of a segment. Whole, and for 16-bit lanes by
 * groups: less what the group's first slot has, in the lanes' order (near), and what that is
 * (first). Kept from segment to segment, for a list that has one slope. */
typedef struct rp__lrc_points {
    _Alignas(64) uint32_t whole[RP_BLOCK_MAX];
    uint16_t near[RP_BLOCK_MAX];
    uint32_t first[RP_LRC_GROUPS];
    uint64_t a;            /* the slope they are made for */
    uint32_t narrow_below; /* widths that 16-bit lanes have room for, with `near` */
    bool are_made;
} rp__lrc_points;

/* All of them, for any slope. */
void rp__lrc_avx512_make(uint64_t a, rp__lrc_points *to);
void rp__lrc_avx512_make_whole(uint64_t a, rp__lrc_points *to);

/* The residuals' widths that fit into 16-bit lanes with what 32 slots rise by are below this. */
RP_LRC_INLINE uint32_t rp__lrc_avx512_narrow_below(uint64_t a)
{
    uint64_t rise = a >> (RP_LINE_SHIFT - RP_LRC_GROUP_BITS);
    if (a >> (RP_LINE_SHIFT + 11) || rise >= UINT16_MAX)
        return 0;
    /* 2^(below - 1) + rise < 2^16 */
    uint32_t below = rp__bits_width((uint32_t)(UINT16_MAX - rise));
    return below <= RP_BITPACK_AVX512_HALF ? below : RP_BITPACK_AVX512_HALF + 1;
}

/* Of a u16 slope below 2^11. It rises by a whole number from group to group, so that all are alike;
 * 31 times its 11 bits fit into 16. Those from 64 on have one bit of fraction less for each bit
 * that they are longer. */
RP_LRC_INLINE void rp__lrc_avx512_make_alike(uint64_t a, rp__lrc_points *to)
{
    uint32_t longer = rp__bits_width64(a >> (RP_LINE_SHIFT + 6)),
             shift = RP_LRC_GROUP_BITS - longer;
    const __m512i bits = _mm512_set1_epi16((short)(a >> (RP_LINE_SHIFT - shift)));
    const __m512i slots = _mm512_load_si512(rp__lrc_avx512_slots);
    const __m512i rises = _mm512_mullo_epi16(slots, bits);
    _mm512_store_si512(to->near, _mm512_srl_epi16(rises, _mm_cvtsi32_si128((int)shift)));
    to->first[1] = (uint32_t)(a >> (RP_LINE_SHIFT - RP_LRC_GROUP_BITS));
    to->are_made = false;
}

/* ---- Docids ---------------------------------------------------------------------------------- */

/* The first `count` docids; not 0: they do not rise. Inside groups they are compared in lanes, and
 * between groups, where lanes count from other points, by what was written. Where they may pass
 * 2^32 this tells nothing. */
RP_LRC_INLINE uint32_t rp__lrc_avx512_narrow(const rp__lrc_view *v, uint32_t count, bool are_alike,
                                             const rp__lrc_points *points, uint32_t *out)
{
    const uint32_t w = v->width, n_groups = (count + RP_LRC_GROUP - 1) / RP_LRC_GROUP;
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_narrow[w];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi16((short)((1 << w) - 1)), zero = _mm512_setzero_si512();
    const __m512i before = _mm512_load_si512(rp__lrc_avx512_before);
    const __m512i start = _mm512_set1_epi32((int)v->start);
    const __m512i rise = _mm512_set1_epi32((int)points->first[1]);
    __m512i from = start;
    uint32_t falls = 0, here = 0;
    const uint8_t *p = v->lows;
#pragma GCC unroll 8
    for (uint32_t g = 0; g < n_groups; g++, p += 4 * w) {
        uint32_t at = are_alike ? 0 : RP_LRC_GROUP * g, *to = out + RP_LRC_GROUP * g;
        __m512i x = rp__bitpack_avx512_unpack(p, bytes, starts, mask);
        x = _mm512_add_epi16(x, _mm512_load_si512(points->near + at));
        falls |= here;
        here = _mm512_cmple_epu16_mask(x, _mm512_permutexvar_epi16(before, x));
        if (g > 0 && are_alike)
            from = _mm512_add_epi32(from, rise);
        else if (g > 0)
            from = _mm512_add_epi32(start, _mm512_set1_epi32((int)points->first[g]));
        _mm512_storeu_si512(to, _mm512_add_epi32(from, _mm512_unpacklo_epi16(x, zero)));
        _mm512_storeu_si512(to + 16, _mm512_add_epi32(from, _mm512_unpackhi_epi16(x, zero)));
    }
    if (count % RP_LRC_GROUP) {
        uint32_t slots = (1U << count % RP_LRC_GROUP) - 1;
        here &= _pdep_u32(slots, 0x0F0F0F0F) | _pdep_u32(slots >> 16, 0xF0F0F0F0);
    }
    falls = (falls | here) & ~1U; /* lane 0 has no slot before it in its group */
    /* hides from compilers what memory holds: they would shuffle it out of the registers, which are
     * busy */
    __asm__("" : "+m"(*(uint32_t(*)[RP_BLOCK_MAX])out));
#pragma GCC unroll 8
    for (uint32_t i = RP_LRC_GROUP; i < count; i += RP_LRC_GROUP)
        falls |= out[i] <= out[i - 1];
    return falls;
}

/* The same, 16 docids at a time. (Not given the view itself: that would have to be in memory.) */
uint32_t rp__lrc_avx512_wide(const uint8_t *lows, uint32_t width, uint32_t start, uint32_t count,
                             const rp__lrc_points *points, uint32_t *out);

/* Docids of a segment of a list that has one slope. */
RP_LRC_INLINE uint32_t rp__lrc_avx512_of_line(const rp__lrc_view *v, uint32_t count,
                                              rp__lrc_points *kept, uint32_t *out)
{
    if (!kept->are_made || kept->a != v->a)
        rp__lrc_avx512_make(v->a, kept);
    if (v->width < kept->narrow_below)
        return rp__lrc_avx512_narrow(v, count, false, kept, out);
    return rp__lrc_avx512_wide(v->lows, v->width, v->start, count, kept, out);
}

/* And of one that has its own, a u16 slope. */
RP_LRC_INLINE uint32_t rp__lrc_avx512_of_slope(const rp__lrc_view *v, uint32_t count,
                                               rp__lrc_points *kept, uint32_t *out)
{
    if (v->width < rp__lrc_avx512_narrow_below(v->a)) {
        rp__lrc_avx512_make_alike(v->a, kept);
        return rp__lrc_avx512_narrow(v, count, true, kept, out);
    }
    rp__lrc_avx512_make_whole(v->a, kept);
    return rp__lrc_avx512_wide(v->lows, v->width, v->start, count, kept, out);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Whether docids may pass 2^32, as they do where a line starts below 0. */
RP_LRC_INLINE bool rp__lrc_avx512_may_pass(const rp__lrc_view *v)
{
    return v->start > UINT32_MAX - RP_LRC_REACH;
}

/* The usual segment: not the last, and without exceptions; and full, where that is asked for.
 * False: look closer. */
RP_LRC_INLINE bool rp__lrc_avx512_open_usual(const rp__list *list, uint32_t b, size_t head,
                                             bool is_full, const uint8_t **in, rp__lrc_view *v)
{
    if (b + 1 >= list->n_blocks)
        return false;
    size_t from = list->offsets[b], to = list->offsets[b + 1];
    uint32_t end = list->first[b + 1], count = end - list->first[b];
    if (from >= to || to > list->docs_bytes || end > list->n ||
        (is_full ? count != RP_BLOCK_MAX : count - 1 >= RP_BLOCK_MAX))
        return false;
    v->count = is_full ? RP_BLOCK_MAX : count;
    *in = list->docs + from;
    v->width = (*in)[head];
    v->lows = *in + head + 1;
    return v->width < RP_BITPACK_AVX512_PLAIN &&
           from + head + 1 + rp__lowbits_bytes(v->count, v->width) <= to;
}

/* The functions of a row. Where all are decoded, usual segments take fewer steps; decode_usual
 * returns how many docids it wrote, or 0. Of a row that is cut every RP_BLOCK_MAX, only full ones
 * are usual: a count that compilers know is faster. */
#define RP_LRC_AVX512_ROW(name, row, head, is_full, docids_of)                                     \
    static __attribute__((noinline)) rp_status decode_closely(                                     \
        const rp__list *list, uint32_t b, uint32_t base, rp__lrc_points *kept, uint32_t *out)      \
    {                                                                                              \
        rp__lrc_view v;                                                                            \
        if (row##_open(list, b, &v))                                                               \
            return RP_DAMAGED;                                                                     \
        if (v.width == RP_BITPACK_AVX512_PLAIN)                                                    \
            return rp__lrc_docids(&v, base, out);                                                  \
        bool falls = docids_of(&v, v.count, kept, out);                                            \
        if (v.n_exceptions || rp__lrc_avx512_may_pass(&v))                                         \
            return rp__lrc_patch(&v, base, out);                                                   \
        return falls || out[0] < (uint32_t)(base + 1) ? RP_DAMAGED : RP_OK;                        \
    }                                                                                              \
    RP_LRC_INLINE uint32_t decode_usual(const rp__list *list, uint32_t b, uint32_t base,           \
                                        rp__lrc_points *kept, uint32_t *out)                       \
    {                                                                                              \
        rp__lrc_view v;                                                                            \
        const uint8_t *in;                                                                         \
        bool falls;                                                                                \
        if (!rp__lrc_avx512_open_usual(list, b, (head), (is_full), &in, &v) ||                     \
            row##_place(list, b, in, &v) || rp__lrc_avx512_may_pass(&v))                           \
            return 0;                                                                              \
        falls = docids_of(&v, v.count, kept, out);                                                 \
        return falls || out[0] < (uint32_t)(base + 1) ? 0 : (is_full) ? RP_BLOCK_MAX : v.count;    \
    }                                                                                              \
    rp_status name##_block(const rp__list *list, uint32_t b, uint32_t *out)                        \
    {                                                                                              \
        rp__lrc_points kept;                                                                       \
        kept.are_made = false;                                                                     \
        return decode_closely(list, b, b ? list->last[b - 1] : UINT32_MAX, &kept, out);            \
    }                                                                                              \
    rp_status name##_decode(const rp__list *list, uint32_t *out)                                   \
    {                                                                                              \
        rp__lrc_points kept;                                                                       \
        uint32_t base = UINT32_MAX;                                                                \
        kept.are_made = false;                                                                     \
        for (uint32_t b = 0; b < list->n_blocks; b++) {                                            \
            uint32_t usual = decode_usual(list, b, base, &kept, out);                              \
            uint32_t count = (is_full) ? RP_BLOCK_MAX : usual;                                     \
            if (usual == 0) {                                                                      \
                count = rp__list_count(list, b);                                                   \
                if (decode_closely(list, b, base, &kept, out))                                     \
                    return RP_DAMAGED;                                                             \
            }                                                                                      \
            out += count;                                                                          \
            base = out[-1];                                                                        \
            if (list->last && base != list->last[b])                                               \
                return RP_DAMAGED;                                                                 \
        }                                                                                          \
        return base < list->universe ? RP_OK : RP_DAMAGED;                                         \
    }

#endif
