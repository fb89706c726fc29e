/* patch_list_avx512.h: whole lists of the PForDelta rows with AVX-512 VBMI2, inline. Interior of the
 * room; for files built with AVX-512 alone.
 *
 * Three blocks are in flight, so that nothing waits: of the second after this one the parts are
 * found, of the next the values are unpacked, of this one docids are made. A row's `ready` finds the
 * parts of a full block whose docids can be summed in 16-bit lanes, without branches that depend on
 * how many exceptions there are: places that do not count are written to, too, past the end. What
 * it refuses, and what is damaged, goes the row's own way for one block, which knows all cases. */
#ifndef RP_CODEC_PATCH_LIST_AVX512_H
#define RP_CODEC_PATCH_LIST_AVX512_H

#include "codec/codec_table.h"
#include "codec/patch_avx512.h"

enum {
    RP_PATCH_BATCH = 16, /* blocks, a 32-bit lane each */
    RP_PATCH_SPARE = 32, /* of `adds` that do not count */
};

#define RP_PATCH_EACH(DO) DO(0) DO(1) DO(2) DO(3)
#define RP_PATCH_APART    static __attribute__((noinline)) /* for registers of its own */

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
    const uint8_t *lows, *highs;
    uint32_t width, high_width;
    const uint64_t *marks;
    uint16_t *adds;
} rp__patch_full;

RP_PATCH_INLINE rp__patch_full rp__patch_full_of(rp__patch_batch *t, uint32_t i)
{
    return (rp__patch_full){.lows = t->docs + t->lows[i],
                            .highs = t->docs + t->highs[i],
                            .width = t->widths[i],
                            .high_width = t->high_widths[i],
                            .marks = t->marks[i],
                            .adds = t->adds[i]};
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Where blocks begin in docs and how long they are; of those that lie in it, the first 4 bytes. */
typedef struct rp__patch_heads {
    __m512i from, bytes, head;
    __mmask16 sound;
} rp__patch_heads;

RP_PATCH_INLINE __m512i rp__patch_gather(__mmask16 live, const uint8_t *docs, __m512i at)
{
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), live, at, docs, 1);
}

/* Those of the full blocks from b on. */
RP_PATCH_INLINE rp__patch_heads rp__patch_heads_of(const rp__list *list, uint32_t b)
{
    uint32_t full = list->n / RP_BLOCK - b, after = list->n_blocks - b - 1;
    __mmask16 are = (__mmask16)_bzhi_u32(0xFFFF, full < 16 ? full : 16);
    __mmask16 have_next = (__mmask16)_bzhi_u32(0xFFFF, after < 16 ? after : 16);
    const __m512i end = _mm512_set1_epi32((int)list->docs_bytes);
    __m512i from = _mm512_maskz_loadu_epi32(are, list->offsets + b);
    __m512i to = _mm512_mask_loadu_epi32(end, have_next, list->offsets + b + 1);
    __mmask16 sound = _mm512_mask_cmple_epu32_mask(are, from, to);
    sound = _mm512_mask_cmple_epu32_mask(sound, to, end);
    return (rp__patch_heads){.from = from,
                             .bytes = _mm512_sub_epi32(to, from),
                             .head = rp__patch_gather(sound, list->docs, from),
                             .sound = sound};
}

RP_PATCH_INLINE __m512i rp__patch_low_bits(__m512i x, __m512i widths)
{
    return _mm512_andnot_si512(_mm512_sllv_epi32(_mm512_set1_epi32(-1), widths), x);
}

/* Fields of `widths` bits (up to 25) from bit `bits` after `at` on. */
RP_PATCH_INLINE __m512i rp__patch_fields(__mmask16 live, const uint8_t *docs, __m512i at,
                                         __m512i bits, __m512i widths)
{
    at = _mm512_add_epi32(at, _mm512_srli_epi32(bits, 3));
    __m512i x = rp__patch_gather(live, docs, at);
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
    RP_PATCH_PUT(4 * (k)) RP_PATCH_PUT(4 * (k) + 1) RP_PATCH_PUT(4 * (k) + 2)                      \
    RP_PATCH_PUT(4 * (k) + 3)
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

/* Blocks any 16 gaps of which stay under 2^16: `bits` below what is added. */
RP_PATCH_INLINE __mmask16 rp__patch_sums_fit(const rp__patch_sums *s, __m512i bits)
{
    __m512i most = _mm512_sllv_epi32(_mm512_set1_epi32(16), bits);
    most = _mm512_add_epi32(most, s->total);
    return (__mmask16)(~s->bad &
                       _mm512_cmple_epu32_mask(most, _mm512_set1_epi32(UINT16_MAX)));
}

/* What rp__patch_place does: of each block k places, at most RP_PATCH_EASY, of at_widths bits from `at`
 * on, and as many parts of `widths` bits (up to 25) after bit `bits` of it. */
RP_PATCH_INLINE void rp__patch_batch_place(rp__patch_batch *t, rp__patch_sums *s, __m512i at,
                                           __m512i bits, __m512i k, __m512i at_widths,
                                           __m512i widths, __m512i shifts)
{
    __m512i place_bits = _mm512_setzero_si512(), least = place_bits;
#define RP_PATCH_PLACE(r)                                                                          \
    __mmask16 live##r = _mm512_cmpgt_epu32_mask(k, _mm512_set1_epi32(r));                          \
    __m512i place##r = rp__patch_fields(live##r, t->docs, at, place_bits, at_widths);              \
    __m512i part##r = rp__patch_fields(live##r, t->docs, at, bits, widths);                        \
    part##r = _mm512_sllv_epi32(part##r, shifts);                                                  \
    s->bad |= _mm512_mask_cmplt_epu32_mask(live##r, place##r, least);                              \
    rp__patch_sums_add(s, live##r, place##r, part##r);                                             \
    rp__patch_batch_add(t, live##r, place##r, part##r);                                            \
    least = _mm512_add_epi32(place##r, _mm512_set1_epi32(1));                                      \
    place_bits = _mm512_add_epi32(place_bits, at_widths);                                          \
    bits = _mm512_add_epi32(bits, widths);
    RP_PATCH_EACH(RP_PATCH_PLACE)
}

/* A block that was opened the plain way, as the i-th; false: the kernel cannot take it. */
RP_PATCH_INLINE bool rp__patch_batch_take(rp__patch_batch *t, uint32_t i, const rp__patch *p)
{
    if (!rp__patch_avx512_is_narrow(p))
        return false;
    for (uint32_t j = 0; j < p->n_at; j++) {
        uint32_t at = p->at[j], lane = (at & 0x63) | (at & 0x0C) << 1 | (at & 0x10) >> 2;
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

RP_PATCH_INLINE void rp__patch_quad_load(rp__patch_quad *x, const rp__patch_full *f)
{
    const __m512i bytes = _mm512_load_si512(rp__bitpack_avx512_narrow[f->width].bytes);
    const uint8_t *p = f->lows;
    const size_t step = 4 * (size_t)f->width;
#define RP_PATCH_LOAD(k)                                                                           \
    x->of[k] = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(p + (k)*step));
    RP_PATCH_EACH(RP_PATCH_LOAD)
}

RP_PATCH_INLINE void rp__patch_quad_shift(rp__patch_quad *x, const rp__patch_full *f)
{
    const __m512i starts = _mm512_load_si512(rp__bitpack_avx512_narrow[f->width].starts);
#define RP_PATCH_SHIFT(k) x->of[k] = _mm512_multishift_epi64_epi8(starts, x->of[k]);
    RP_PATCH_EACH(RP_PATCH_SHIFT)
}

/* The marked high parts of the block's halves, as bytes in their places. */
RP_PATCH_INLINE void rp__patch_full_highs(const rp__patch_full *f, __m512i halves[2])
{
    const rp__bitpack_avx512_table *t = &rp__patch_avx512_by_bytes[f->high_width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi8((char)((1U << f->high_width) - 1));
    const uint32_t bit = rp__bits_count64(f->marks[0]) * f->high_width;
    __m512i x = rp__bitpack_avx512_unpack(f->highs, bytes, starts, mask);
    halves[0] = _mm512_maskz_expand_epi8(f->marks[0], x);
    const __m512i later = _mm512_add_epi8(starts, _mm512_set1_epi8((char)(bit % 8)));
    x = rp__bitpack_avx512_unpack(f->highs + bit / 8, bytes, later, mask);
    halves[1] = _mm512_maskz_expand_epi8(f->marks[1], x);
}

/* Gaps of the fields; adds are zero again. */
RP_PATCH_INLINE void rp__patch_quad_patch(const rp__patch_avx512 *c, rp__patch_quad *x,
                                          const rp__patch_full *f, bool has_marks)
{
    const __m512i mask = _mm512_set1_epi16((short)((1U << f->width) - 1));
    if (has_marks) {
        const __m512i scale = _mm512_set1_epi16((short)(1U << f->width));
        const __m512i place[2] = {c->place16, _mm512_add_epi8(c->place16, c->half)};
        __m512i halves[2];
        rp__patch_full_highs(f, halves);
#define RP_PATCH_JOIN(k)                                                                           \
    __m512i high##k = _mm512_maskz_permutexvar_epi8(c->low_bytes16, place[(k) % 2], halves[(k) / 2]); \
    high##k = _mm512_mullo_epi16(high##k, scale);                                                  \
    x->of[k] = _mm512_ternarylogic_epi32(x->of[k], mask, high##k, RP_PATCH_AND_OR);
        RP_PATCH_EACH(RP_PATCH_JOIN)
    } else {
#define RP_PATCH_MASK(k) x->of[k] = _mm512_and_si512(x->of[k], mask);
        RP_PATCH_EACH(RP_PATCH_MASK)
    }
#define RP_PATCH_ADD(k)                                                                            \
    x->of[k] = _mm512_add_epi16(x->of[k], _mm512_load_si512(f->adds + 32 * (k)));                  \
    _mm512_store_si512(f->adds + 32 * (k), _mm512_setzero_si512());                                \
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
    x->of[k] = _mm512_add_epi16(                                                                   \
        x->of[k], _mm512_maskz_permutexvar_epi16(h->pairs, h->pair, x->of[k]));
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

/* Makes docids of the block in *x, and puts the next one there. Steps of the two take turns: each
 * waits for the one before it, and schedulers do not look far enough to find others by themselves. */
RP_PATCH_INLINE void rp__patch_full_step(const rp__patch_avx512 *c, rp__patch_quad *x,
                                         const rp__patch_full *next, bool has_marks, uint32_t base,
                                         uint32_t *out)
{
    rp__patch_quad now = *x, even, odd;
    rp__patch_quad_pairs(c, &now);
    rp__patch_quad_load(x, next);
    rp__patch_quad_halves(c, &now);
    rp__patch_quad_shift(x, next);
    rp__patch_quad_totals(c, &now, &even, &odd);
    rp__patch_quad_patch(c, x, next, has_marks);
    rp__patch_quad_fours(c, x);
    rp__patch_quad_store(&now, &even, &odd, base, out);
}

/* The first block, for rp__patch_full_step. */
RP_PATCH_INLINE rp__patch_quad rp__patch_full_first(const rp__patch_avx512 *c,
                                                    const rp__patch_full *first, bool has_marks)
{
    rp__patch_quad x;
    rp__patch_quad_load(&x, first);
    rp__patch_quad_shift(&x, first);
    rp__patch_quad_patch(c, &x, first, has_marks);
    rp__patch_quad_fours(c, &x);
    return x;
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
        rp__patch_full next = rp__patch_full_of(t, 0);                                             \
        rp__patch_quad x = rp__patch_full_first(&c, &next, has_marks);                             \
        for (uint32_t i = 0; i < count; i++, out += RP_BLOCK) {                                    \
            uint32_t last = list->last[b + i];                                                     \
            next = rp__patch_full_of(t, i + 1 < count ? i + 1 : i);                                \
            rp__patch_full_step(&c, &x, &next, has_marks, base, out);                              \
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
        uint32_t base = b ? list->last[b - 1] : UINT32_MAX, n = rp__list_count(list, b);           \
        if (rp__list_bytes(list, b, &in, &in_bytes) ||                                             \
            decode_docids(in, in_bytes, base, out, n) || out[n - 1] != list->last[b])              \
            return RP_DAMAGED;                                                                     \
        return RP_OK;                                                                              \
    }                                                                                              \
    rp_status name(const rp__list *list, uint32_t *out)                                            \
    {                                                                                              \
        rp__patch_batch t = {.docs = list->docs};                                                  \
        rp__patch p;                                                                               \
        rp__patch_init_all(&p);                                                                    \
        if (!list->last || list->docs_bytes > INT32_MAX)                                           \
            return rp__blocks_decode(list, out);                                                   \
        for (uint32_t b = 0, count; b < list->n_blocks; b += count) {                              \
            uint32_t hard = ~(uint32_t)ready(list, b, &t);                                         \
            while ((count = rp__bits_lowest64(hard)) < RP_PATCH_BATCH &&                           \
                   make_ready(list, b + count, &p, &t, count))                                     \
                hard &= hard - 1;                                                                  \
            if (count ? decode_ready(list, b, count, &t, out + (size_t)b * RP_BLOCK)               \
                      : decode_one(list, b, out + (size_t)b * RP_BLOCK))                           \
                return RP_DAMAGED;                                                                 \
            if (count < RP_PATCH_BATCH)                                                            \
                memset(t.adds, 0, sizeof t.adds);                                                  \
            count += count == 0;                                                                   \
        }                                                                                          \
        return out[list->n - 1] < list->universe ? RP_OK : RP_DAMAGED;                             \
    }

#endif
