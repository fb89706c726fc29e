/* patch_list_avx512.h: whole lists of the PForDelta rows with AVX-512 VBMI2, inline. Interior of
 * the room; for files built with AVX-512 alone.
 *
 * Sixteen blocks at a time. First their parts are found, a block to a 32-bit lane, and their
 * exceptions placed: one of each, then the next of each, so that how many a block has decides no
 * branch. Then docids are made of them in 16-bit lanes, two blocks in flight. A row's `ready` does
 * the first for blocks with few exceptions; its `open` (patch.h) for the others, one by one. Blocks
 * that are not full, or too wide, and damaged ones go the row's way for one block, which knows all
 * cases. */
#ifndef RP_CODEC_PATCH_LIST_AVX512_H
#define RP_CODEC_PATCH_LIST_AVX512_H

#include "codec/codec_table.h"
#include "codec/heads_avx512.h"
#include "codec/patch_avx512.h"

enum {
    RP_PATCH_BATCH = RP_HEADS,
    /* blocks: lists with fewer gain nothing; those with more than one have `last` */
    RP_PATCH_FEW = 12,
    RP_PATCH_SPARE = 32,    /* of `adds` that do not count */
    RP_PATCH_PART_MAX = 12, /* two of them, from any bit on, in 32 bits */
};

#define RP_PATCH_EACH(DO) DO(0) DO(1) DO(2) DO(3)
#define RP_PATCH_APART                                                                             \
    static __attribute__((noinline)) /* a function with all registers to itself */

/* Full blocks that follow each other, for the kernel: value i of one is what rp__patch says, but
 * that adds[lane of i] is added. */
typedef struct rp__patch_batch {
    const uint8_t *docs;
    _Alignas(64) uint32_t lows[RP_PATCH_BATCH], widths[RP_PATCH_BATCH]; /* lows: where in docs */
    uint32_t highs[RP_PATCH_BATCH], high_widths[RP_PATCH_BATCH];
    uint64_t marks[RP_PATCH_BATCH][RP_BLOCK / 64];
    _Alignas(64) uint16_t adds[RP_PATCH_BATCH][RP_BLOCK + RP_PATCH_SPARE];
} rp__patch_batch;

/* One of them. */
typedef struct rp__patch_full {
    rp__patch_batch *in;
    uint32_t i;
} rp__patch_full;

/* ---- Parts ----------------------------------------------------------------------------------- */

RP_PATCH_INLINE __m512i rp__patch_low_bits(__m512i x, __m512i widths)
{
    return _mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), widths), x);
}

/* Fields of `widths` bits (up to 25) from bit `bits` after `at` on. */
RP_PATCH_INLINE __m512i rp__patch_fields(__mmask16 live, const uint8_t *docs, __m512i at,
                                         __m512i bits, __m512i widths)
{
    at = _mm512_add_epi32(at, _mm512_srli_epi32(bits, 3));
    __m512i x = rp__heads_gather(live, docs, at);
    x = _mm512_srlv_epi32(x, _mm512_and_si512(bits, _mm512_set1_epi32(7)));
    return rp__patch_low_bits(x, widths);
}

/* Adds to value `at` of each block that is live, where nothing was added before. `at` is below
 * RP_BLOCK. */
RP_PATCH_INLINE void rp__patch_batch_add(rp__patch_batch *t, __mmask16 live, __m512i at,
                                         __m512i add)
{
    _Alignas(64) uint32_t lanes[RP_PATCH_BATCH], adds[RP_PATCH_BATCH];
    const __m512i stay = _mm512_set1_epi32(0x63), up = _mm512_set1_epi32(0x0C);
    const __m512i down = _mm512_set1_epi32(0x10), spare = _mm512_set1_epi32(RP_BLOCK);
    __m512i lane = _mm512_slli_epi32(_mm512_and_si512(at, up), 1);
    lane = _mm512_or_si512(lane, _mm512_srli_epi32(_mm512_and_si512(at, down), 2));
    lane = _mm512_or_si512(lane, _mm512_and_si512(at, stay));
    _mm512_store_si512(lanes, _mm512_mask_mov_epi32(spare, live, lane));
    _mm512_store_si512(adds, add);
#define RP_PATCH_PUT(i) t->adds[i][lanes[i]] = (uint16_t)adds[i];
#define RP_PATCH_PUT4(k)                                                                           \
    RP_PATCH_PUT(4 * (k))                                                                          \
    RP_PATCH_PUT(4 * (k) + 1) RP_PATCH_PUT(4 * (k) + 2) RP_PATCH_PUT(4 * (k) + 3)
    RP_PATCH_EACH(RP_PATCH_PUT4)
}

/* What is added so far, and the blocks of which no kernel can take it. */
typedef struct rp__patch_sums {
    __m512i total;
    __mmask16 bad;
} rp__patch_sums;

RP_PATCH_INLINE void rp__patch_sums_add(rp__patch_sums *s, __mmask16 live, __m512i at, __m512i add)
{
    s->bad |= _mm512_mask_cmpgt_epu32_mask(live, at, _mm512_set1_epi32(RP_BLOCK - 1));
    s->bad |= _mm512_mask_cmpgt_epu32_mask(live, add, _mm512_set1_epi32(UINT16_MAX));
    s->total = _mm512_mask_add_epi32(s->total, live, s->total, add);
}

/* Those of the blocks `ok` any 16 gaps of which stay under 2^16: `bits` below what is added. */
RP_PATCH_INLINE __mmask16 rp__patch_sums_fit(const rp__patch_sums *s, __mmask16 ok, __m512i bits)
{
    __m512i most = _mm512_sllv_epi32(_mm512_set1_epi32(16), bits);
    return rp__heads_at_most(ok & (__mmask16)~s->bad, _mm512_add_epi32(most, s->total), UINT16_MAX);
}

/* The lows of the blocks `ok`; other blocks have none. */
RP_PATCH_INLINE void rp__patch_batch_lows(rp__patch_batch *t, __mmask16 ok, __m512i lows,
                                          __m512i widths)
{
    _mm512_store_si512(t->lows, _mm512_maskz_mov_epi32(ok, lows));
    _mm512_store_si512(t->widths, _mm512_maskz_mov_epi32(ok, widths));
}

/* Where lows of these widths, from `lows` on, end. */
RP_PATCH_INLINE __m512i rp__patch_after_lows(__m512i lows, __m512i widths)
{
    return _mm512_add_epi32(lows, _mm512_slli_epi32(widths, 4)); /* RP_BLOCK / 8 */
}

/* The bytes that so many bits take. */
RP_PATCH_INLINE __m512i rp__patch_bytes_of(__m512i bits)
{
    return _mm512_srli_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(7)), 3);
}

/* Four rounds of rp__patch_batch_place: live[r] are the blocks that have the r-th of these
 * parts. */
RP_PATCH_INLINE void rp__patch_batch_rounds(rp__patch_batch *t, rp__patch_sums *s,
                                            __mmask16 live[4], __m512i places, const __m512i two[2],
                                            __m512i at_widths, __m512i widths, __m512i shifts,
                                            __m512i *least)
{
#define RP_PATCH_PLACE(r)                                                                          \
    __m512i place##r = rp__patch_low_bits(places, at_widths);                                      \
    __m512i part##r = (r) % 2 ? _mm512_srlv_epi32(two[(r) / 2], widths)                            \
                              : rp__patch_low_bits(two[(r) / 2], widths);                          \
    part##r = _mm512_sllv_epi32(part##r, shifts);                                                  \
    s->bad |= _mm512_mask_cmplt_epu32_mask(live[r], place##r, *least);                             \
    rp__patch_sums_add(s, live[r], place##r, part##r);                                             \
    rp__patch_batch_add(t, live[r], place##r, part##r);                                            \
    *least = _mm512_add_epi32(place##r, _mm512_set1_epi32(1));                                     \
    places = _mm512_srlv_epi32(places, at_widths);
    RP_PATCH_EACH(RP_PATCH_PLACE)
}

/* What rp__patch_place does, at once: of each block k places of at_widths bits (up to 8) from `at`
 * on, and as many parts of `widths` bits after bit `bits` of it; wider parts than RP_PATCH_PART_MAX
 * are bad, and so are blocks with more exceptions than most. */
RP_PATCH_INLINE void rp__patch_batch_place(rp__patch_batch *t, rp__patch_sums *s, __m512i at,
                                           __m512i bits, __m512i k, __m512i at_widths,
                                           __m512i widths, __m512i shifts)
{
    const __m512i fours = _mm512_slli_epi32(at_widths, 2), twos = _mm512_slli_epi32(widths, 1);
    __m512i at_bits = _mm512_setzero_si512(), least = at_bits;
    s->bad |= _mm512_cmpgt_epu32_mask(widths, _mm512_set1_epi32(RP_PATCH_PART_MAX));
    for (int r = 0;; r += 4) {
        __mmask16 live[4];
#define RP_PATCH_LIVE(i) live[i] = _mm512_cmpgt_epu32_mask(k, _mm512_set1_epi32(r + (i)));
        RP_PATCH_EACH(RP_PATCH_LIVE)
        if (r && rp__heads_are_few(live[0])) {
            s->bad |= live[0];
            return;
        }
        __m512i places = rp__patch_fields(live[0], t->docs, at, at_bits, fours), two[2];
        two[0] = rp__patch_fields(live[0], t->docs, at, bits, twos);
        bits = _mm512_add_epi32(bits, twos);
        two[1] = rp__patch_fields(live[2], t->docs, at, bits, twos);
        bits = _mm512_add_epi32(bits, twos);
        at_bits = _mm512_add_epi32(at_bits, fours);
        rp__patch_batch_rounds(t, s, live, places, two, at_widths, widths, shifts, &least);
    }
}

/* A block that was opened the plain way, as the i-th, instead of what `ready` made of it; false:
 * the kernel cannot take it. Rounds as those of rp__patch_start: what is copied too often is the
 * same. */
RP_PATCH_INLINE bool rp__patch_batch_take(rp__patch_batch *t, uint32_t i, const rp__patch *p)
{
    if (!rp__patch_avx512_is_narrow(p))
        return false;
    memset(t->adds[i], 0, sizeof t->adds[i]);
    for (uint32_t j = 0; j < p->n_at; j += RP_PATCH_ROUND)
        for (uint32_t k = 0; k < RP_PATCH_ROUND; k++) {
            uint32_t at = p->at[j + k] % RP_BLOCK;
            uint32_t lane = (at & 0x63) | (at & 0x0C) << 1 | (at & 0x10) >> 2;
            t->adds[i][lane] = (uint16_t)p->adds[at];
        }
    t->lows[i] = (uint32_t)(p->lows - t->docs);
    t->widths[i] = p->width;
    t->high_widths[i] = p->high_width;
    if (p->high_width)
        t->highs[i] = (uint32_t)(p->highs - t->docs);
    for (uint32_t w = 0; w < RP_BLOCK / 64; w++)
        t->marks[i][w] = p->high_width ? p->marks[w] : 0;
    return true;
}

/* ---- Kernel ---------------------------------------------------------------------------------- */

/* The values of a block on their way, 32 to a register. */
typedef struct rp__patch_quad {
    __m512i of[4];
} rp__patch_quad;

RP_PATCH_INLINE void rp__patch_quad_load(rp__patch_quad *x, rp__patch_full f)
{
    const size_t step = 4 * (size_t)f.in->widths[f.i];
    const __m512i bytes = _mm512_load_si512(rp__bitpack_avx512_narrow[f.in->widths[f.i]].bytes);
    const uint8_t *p = f.in->docs + f.in->lows[f.i];
#define RP_PATCH_LOAD(k)                                                                           \
    x->of[k] = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(p + (k)*step));
    RP_PATCH_EACH(RP_PATCH_LOAD)
}

RP_PATCH_INLINE void rp__patch_quad_shift(rp__patch_quad *x, rp__patch_full f)
{
    const __m512i starts = _mm512_load_si512(rp__bitpack_avx512_narrow[f.in->widths[f.i]].starts);
#define RP_PATCH_SHIFT(k) x->of[k] = _mm512_multishift_epi64_epi8(starts, x->of[k]);
    RP_PATCH_EACH(RP_PATCH_SHIFT)
}

/* The marked high parts of the block's halves, as bytes in their places. */
RP_PATCH_INLINE void rp__patch_full_highs(rp__patch_full f, __m512i halves[2])
{
    const uint32_t width = f.in->high_widths[f.i];
    const uint64_t *marks = f.in->marks[f.i];
    const rp__bitpack_avx512_table *t = &rp__patch_avx512_by_bytes[width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi8((char)((1U << width) - 1));
    const uint8_t *p = f.in->docs + f.in->highs[f.i];
    const uint32_t bit = rp__bits_count64(marks[0]) * width;
    const __m512i later = _mm512_add_epi8(starts, _mm512_set1_epi8((char)(bit % 8)));
    __m512i x = rp__bitpack_avx512_unpack(p, bytes, starts, mask);
    __m512i y = rp__bitpack_avx512_unpack(p + bit / 8, bytes, later, mask);
    halves[0] = _mm512_maskz_expand_epi8(marks[0], x);
    halves[1] = _mm512_maskz_expand_epi8(marks[1], y);
}

/* The same in the lanes of the values, above the low bits. */
RP_PATCH_INLINE void rp__patch_quad_highs(const rp__patch_avx512 *c, const __m512i halves[2],
                                          rp__patch_full f, rp__patch_quad *highs)
{
    const __m512i unit = _mm512_set1_epi16((short)(1U << f.in->widths[f.i]));
    const __m512i place[2] = {c->place16, _mm512_add_epi8(c->place16, c->half)};
#define RP_PATCH_HIGHS(k)                                                                          \
    highs->of[k] = _mm512_maskz_permutexvar_epi8(c->low_bytes16, place[(k) % 2], halves[(k) / 2]); \
    highs->of[k] = _mm512_mullo_epi16(highs->of[k], unit);
    RP_PATCH_EACH(RP_PATCH_HIGHS)
}

/* Gaps of the fields; adds are zero again. */
RP_PATCH_INLINE void rp__patch_quad_patch(const rp__patch_avx512 *c, rp__patch_quad *x,
                                          rp__patch_full f, bool has_marks,
                                          const rp__patch_quad *highs)
{
    uint16_t *adds = f.in->adds[f.i];
    const __m512i mask = _mm512_set1_epi16((short)((1U << f.in->widths[f.i]) - 1));
#define RP_PATCH_JOIN(k)                                                                           \
    x->of[k] = has_marks                                                                           \
                   ? _mm512_ternarylogic_epi32(x->of[k], mask, highs->of[k], RP_PATCH_AND_OR)      \
                   : _mm512_and_si512(x->of[k], mask);
    RP_PATCH_EACH(RP_PATCH_JOIN)
#define RP_PATCH_ADD(k)                                                                            \
    x->of[k] = _mm512_add_epi16(x->of[k], _mm512_load_si512(adds + 32 * (k)));                     \
    _mm512_store_si512(adds + 32 * (k), _mm512_setzero_si512());                                   \
    x->of[k] = _mm512_add_epi16(x->of[k], c->one16);
    RP_PATCH_EACH(RP_PATCH_ADD)
}

/* Sums as rp__bitpack_avx512_put_halves does, four of each step at a time. */
RP_PATCH_INLINE void rp__patch_quad_fours(const rp__patch_avx512 *c, rp__patch_quad *x)
{
#define RP_PATCH_FOURS(k) x->of[k] = _mm512_mullo_epi64(x->of[k], c->halves.fours);
    RP_PATCH_EACH(RP_PATCH_FOURS)
}

RP_PATCH_INLINE void rp__patch_quad_pairs(const rp__patch_avx512 *c, rp__patch_quad *x)
{
    const rp__bitpack_avx512_halves *h = &c->halves;
#define RP_PATCH_PAIRS(k)                                                                          \
    x->of[k] =                                                                                     \
        _mm512_add_epi16(x->of[k], _mm512_maskz_permutexvar_epi16(h->pairs, h->pair, x->of[k]));
    RP_PATCH_EACH(RP_PATCH_PAIRS)
}

RP_PATCH_INLINE void rp__patch_quad_halves(const rp__patch_avx512 *c, rp__patch_quad *x)
{
    const rp__bitpack_avx512_halves *h = &c->halves;
#define RP_PATCH_HALVES(k)                                                                         \
    x->of[k] =                                                                                     \
        _mm512_add_epi16(x->of[k], _mm512_maskz_permutexvar_epi16(h->high, h->half, x->of[k]));
    RP_PATCH_EACH(RP_PATCH_HALVES)
}

/* What each half of a register comes to, in 32-bit lanes. */
RP_PATCH_INLINE void rp__patch_quad_totals(const rp__patch_avx512 *c, const rp__patch_quad *x,
                                           rp__patch_quad *even, rp__patch_quad *odd)
{
    const rp__bitpack_avx512_halves *h = &c->halves;
#define RP_PATCH_TOTALS(k)                                                                         \
    even->of[k] = _mm512_maskz_permutexvar_epi16(h->low_words, h->top_even, x->of[k]);             \
    odd->of[k] = _mm512_maskz_permutexvar_epi16(h->low_words, h->top_odd, x->of[k]);
    RP_PATCH_EACH(RP_PATCH_TOTALS)
}

RP_PATCH_INLINE void rp__patch_quad_store(const rp__patch_quad *x, const rp__patch_quad *even,
                                          const rp__patch_quad *odd, uint32_t base, uint32_t *out)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i before = _mm512_set1_epi32((int)base);
#define RP_PATCH_STORE(k)                                                                          \
    _mm512_storeu_si512(out + 32 * (k),                                                            \
                        _mm512_add_epi32(before, _mm512_unpacklo_epi16(x->of[k], zero)));          \
    before = _mm512_add_epi32(before, even->of[k]);                                                \
    _mm512_storeu_si512(out + 32 * (k) + 16,                                                       \
                        _mm512_add_epi32(before, _mm512_unpackhi_epi16(x->of[k], zero)));          \
    before = _mm512_add_epi32(before, odd->of[k]);
    RP_PATCH_EACH(RP_PATCH_STORE)
}

/* Makes docids of the block in *x, and puts the next one there. Steps of the two take turns:
 * each waits for the one before it, and schedulers do not look far enough to find others by
 * themselves. */
RP_PATCH_INLINE void rp__patch_full_step(const rp__patch_avx512 *c, rp__patch_quad *x,
                                         rp__patch_full next, bool has_marks, uint32_t base,
                                         uint32_t *out)
{
    rp__patch_quad now = *x, even, odd, highs;
    __m512i halves[2];
    rp__patch_quad_load(x, next);
    rp__patch_quad_pairs(c, &now);
    if (has_marks)
        rp__patch_full_highs(next, halves);
    rp__patch_quad_halves(c, &now);
    rp__patch_quad_shift(x, next);
    if (has_marks)
        rp__patch_quad_highs(c, halves, next, &highs);
    rp__patch_quad_totals(c, &now, &even, &odd);
    rp__patch_quad_patch(c, x, next, has_marks, &highs);
    rp__patch_quad_fours(c, x);
    rp__patch_quad_store(&now, &even, &odd, base, out);
}

/* The first block, for rp__patch_full_step. */
RP_PATCH_INLINE rp__patch_quad rp__patch_full_first(const rp__patch_avx512 *c, rp__patch_full first,
                                                    bool has_marks)
{
    rp__patch_quad x, highs;
    __m512i halves[2];
    if (has_marks) {
        rp__patch_full_highs(first, halves);
        rp__patch_quad_highs(c, halves, first, &highs);
    }
    rp__patch_quad_load(&x, first);
    rp__patch_quad_shift(&x, first);
    rp__patch_quad_patch(c, &x, first, has_marks, &highs);
    rp__patch_quad_fours(c, &x);
    return x;
}

/* Asks for the bytes of the block that follows the i-th after as many as the batch has. */
RP_PATCH_INLINE void rp__patch_batch_prefetch(const rp__patch_batch *t, uint32_t i, uint32_t count)
{
    uintptr_t at = (uintptr_t)t->docs + t->lows[i] + (t->lows[count - 1] - t->lows[0]) + 160;
    _mm_prefetch((const char *)at, _MM_HINT_T0);
    _mm_prefetch((const char *)(at + 64), _MM_HINT_T0);
    _mm_prefetch((const char *)(at + 128), _MM_HINT_T0);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* `ready` finds the parts of full blocks from b on, up to RP_PATCH_BATCH, into *t, whose adds are
 * zero; it returns a mask of those it took: what has many exceptions is left to `open`. */
#define RP_PATCH_AVX512_LIST(name, ready, open, has_marks)                                         \
    RP_PATCH_APART rp_status decode_ready(const rp__list *list, uint32_t b, uint32_t count,        \
                                          rp__patch_batch *t, uint32_t *out)                       \
    {                                                                                              \
        const rp__patch_avx512 c = rp__patch_avx512_start();                                       \
        uint32_t base = b ? list->last[b - 1] : UINT32_MAX;                                        \
        bool bad = false;                                                                          \
        rp__patch_quad x = rp__patch_full_first(&c, (rp__patch_full){t, 0}, has_marks);            \
        for (uint32_t i = 0; i < count; i++, out += RP_BLOCK) {                                    \
            uint32_t last = list->last[b + i];                                                     \
            rp__patch_batch_prefetch(t, i, count);                                                 \
            rp__patch_full next = {t, i + 1 < count ? i + 1 : i};                                  \
            rp__patch_full_step(&c, &x, next, has_marks, base, out);                               \
            bad |= out[RP_BLOCK - 1] != last || last < (uint32_t)(base + 1);                       \
            base = last;                                                                           \
        }                                                                                          \
        return bad ? RP_DAMAGED : RP_OK;                                                           \
    }                                                                                              \
    /* The full block b as the i-th, by itself. */                                                 \
    RP_PATCH_APART bool make_ready(const rp__list *list, uint32_t b, rp__patch *p,                 \
                                   rp__patch_batch *t, uint32_t i)                                 \
    {                                                                                              \
        const uint8_t *in;                                                                         \
        size_t in_bytes;                                                                           \
        return b < list->n / RP_BLOCK && !rp__list_bytes(list, b, &in, &in_bytes) &&               \
               !open(in, in_bytes, RP_BLOCK, p) && rp__patch_batch_take(t, i, p);                  \
    }                                                                                              \
    static rp_status decode_one(const rp__list *list, uint32_t b, uint32_t *out)                   \
    {                                                                                              \
        const uint8_t *in;                                                                         \
        size_t in_bytes;                                                                           \
        uint32_t base = b ? out[-1] : UINT32_MAX, n = rp__list_count(list, b);                     \
        if (rp__list_bytes(list, b, &in, &in_bytes) || decode_docids(in, in_bytes, base, out, n))  \
            return RP_DAMAGED;                                                                     \
        return list->last && out[n - 1] != list->last[b] ? RP_DAMAGED : RP_OK;                     \
    }                                                                                              \
    /* Blocks from b on, as many as *count says afterwards. */                                     \
    static rp_status decode_some(const rp__list *list, uint32_t b, rp__patch *p,                   \
                                 rp__patch_batch *t, uint32_t *out, uint32_t *count)               \
    {                                                                                              \
        uint32_t hard = ~(uint32_t)ready(list, b, t);                                              \
        while ((*count = rp__bits_lowest64(hard)) < RP_PATCH_BATCH &&                              \
               make_ready(list, b + *count, p, t, *count))                                         \
            hard &= hard - 1;                                                                      \
        rp_status s = *count ? decode_ready(list, b, *count, t, out) : decode_one(list, b, out);   \
        if (*count < RP_PATCH_BATCH && b + *count < list->n_blocks)                                \
            memset(t->adds, 0, sizeof t->adds); /* of blocks that were not decoded */              \
        *count += *count == 0;                                                                     \
        return s;                                                                                  \
    }                                                                                              \
    rp_status name(const rp__list *list, uint32_t *out)                                            \
    {                                                                                              \
        rp__patch_batch t;                                                                         \
        rp__patch p;                                                                               \
        if (list->first) /* segments */                                                            \
            return rp__blocks_decode(list, out);                                                   \
        bool are_few = list->n_blocks < RP_PATCH_FEW || list->docs_bytes > INT32_MAX;              \
        if (!are_few) {                                                                            \
            rp__patch_init_all(&p);                                                                \
            memset(&t, 0, sizeof t);                                                               \
            t.docs = list->docs;                                                                   \
        }                                                                                          \
        for (uint32_t b = 0, count = 1; b < list->n_blocks; b += count) {                          \
            uint32_t *to = out + (size_t)b * RP_BLOCK;                                             \
            if (are_few ? decode_one(list, b, to) : decode_some(list, b, &p, &t, to, &count))      \
                return RP_DAMAGED;                                                                 \
        }                                                                                          \
        return out[list->n - 1] < list->universe ? RP_OK : RP_DAMAGED;                             \
    }

#endif
