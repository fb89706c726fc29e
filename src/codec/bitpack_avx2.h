/* bitpack_avx2.h: values of bp128's layout with AVX2, inline: eight at a time, or sixteen as pairs,
 * whose sums halve the work of a prefix sum. Interior; for files built for AVX2.
 *
 * Bytes go to lanes by a shuffle in each half of a register, bits to values by variable shifts, by
 * a table a width. Loads start inside the values and end within RP_PAD after them. */
#ifndef RP_CODEC_BITPACK_AVX2_H
#define RP_CODEC_BITPACK_AVX2_H

#include "codec/bitpack.h"
#include "codec/scan_avx2.h"

enum {
    RP_BITPACK_AVX2_PAIRED = 16, /* bits of values whose eight lie in sixteen bytes */
};

/* Values 0 to 3 of each half: the four bytes that hold each, and the bit in them at which it
 * starts. The high half starts at bit 4w, in the middle of a byte where w is odd. */
typedef struct rp__bitpack_avx2_table {
    _Alignas(32) uint8_t bytes[32];
    uint32_t shifts[8];
} rp__bitpack_avx2_table;

/* The same of eight values, those of even and those of odd rank apart, for both halves. */
typedef struct rp__bitpack_avx2_pair_table {
    _Alignas(16) uint8_t even[16], odd[16];
    uint32_t even_shifts[4], odd_shifts[4];
} rp__bitpack_avx2_pair_table;

extern const rp__bitpack_avx2_table rp__bitpack_avx2_tables[RP_BITPACK_AVX2_MAX + 1];
extern const rp__bitpack_avx2_pair_table rp__bitpack_avx2_pair_tables[RP_BITPACK_AVX2_PAIRED + 1];

static inline __m256i rp__bitpack_avx2_halves(const void *low, const void *high)
{
    __m256i x = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low));
    return _mm256_inserti128_si256(x, _mm_loadu_si128((const __m128i *)high), 1);
}

static inline void rp__bitpack_avx2_store(uint32_t *p, __m256i x)
{
    _mm256_storeu_si256((__m256i *)(void *)p, x);
}

/* ---- Eight in order -------------------------------------------------------------------------- */

typedef struct rp__bitpack_avx2 {
    __m256i bytes, shifts, mask;
    uint32_t w;
} rp__bitpack_avx2;

/* w is at most RP_BITPACK_AVX2_MAX. */
static inline rp__bitpack_avx2 rp__bitpack_avx2_start(uint32_t w)
{
    const rp__bitpack_avx2_table *t = &rp__bitpack_avx2_tables[w];
    return (rp__bitpack_avx2){.bytes = _mm256_load_si256((const __m256i *)t->bytes),
                              .shifts = _mm256_load_si256((const __m256i *)t->shifts),
                              .mask = _mm256_set1_epi32((int)((1U << w) - 1)),
                              .w = w};
}

/* Eight values from the start of *p on. */
static inline __m256i rp__bitpack_avx2_eight(const rp__bitpack_avx2 *u, const uint8_t *p)
{
    __m256i x = rp__bitpack_avx2_halves(p, p + u->w / 2);
    x = _mm256_srlv_epi32(_mm256_shuffle_epi8(x, u->bytes), u->shifts);
    return _mm256_and_si256(x, u->mask);
}

/* ---- Sixteen as pairs ------------------------------------------------------------------------ */

typedef struct rp__bitpack_avx2_pairs {
    __m256i even, odd, even_shifts, odd_shifts, mask;
} rp__bitpack_avx2_pairs;

static inline __m256i rp__bitpack_avx2_both(const void *p)
{
    return _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)p));
}

/* w is at most RP_BITPACK_AVX2_PAIRED. */
static inline rp__bitpack_avx2_pairs rp__bitpack_avx2_pairs_start(uint32_t w)
{
    const rp__bitpack_avx2_pair_table *t = &rp__bitpack_avx2_pair_tables[w];
    return (rp__bitpack_avx2_pairs){.even = rp__bitpack_avx2_both(t->even),
                                    .odd = rp__bitpack_avx2_both(t->odd),
                                    .even_shifts = rp__bitpack_avx2_both(t->even_shifts),
                                    .odd_shifts = rp__bitpack_avx2_both(t->odd_shifts),
                                    .mask = _mm256_set1_epi32((int)((1U << w) - 1))};
}

/* Values of even rank, and of odd, of eight that start each half of x. */
static inline void rp__bitpack_avx2_split(const rp__bitpack_avx2_pairs *u, __m256i x, __m256i *even,
                                          __m256i *odd)
{
    __m256i a = _mm256_srlv_epi32(_mm256_shuffle_epi8(x, u->even), u->even_shifts);
    __m256i b = _mm256_srlv_epi32(_mm256_shuffle_epi8(x, u->odd), u->odd_shifts);
    *even = _mm256_and_si256(a, u->mask);
    *odd = _mm256_and_si256(b, u->mask);
}

/* Sixteen docids of such gaps less one: *low is the first eight, *high the others. *before is the
 * docid before them in each lane, and becomes the last of them. */
static inline void rp__bitpack_avx2_sum_pairs(__m256i even, __m256i odd, __m256i *before,
                                              __m256i *low, __m256i *high)
{
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i upper = _mm256_set_epi32(-1, -1, -1, -1, 0, 0, 0, 0);
    odd = _mm256_add_epi32(odd, one);
    __m256i x = _mm256_add_epi32(_mm256_add_epi32(even, one), odd);
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    __m256i ends = _mm256_shuffle_epi32(x, 0xFF);
    __m256i other = _mm256_permute2x128_si256(ends, ends, 0x01);
    x = _mm256_add_epi32(x, _mm256_and_si256(other, upper));
    x = _mm256_add_epi32(x, *before);
    *before = _mm256_add_epi32(*before, _mm256_add_epi32(ends, other));
    __m256i y = _mm256_sub_epi32(x, odd);
    __m256i a = _mm256_unpacklo_epi32(y, x), b = _mm256_unpackhi_epi32(y, x);
    *low = _mm256_permute2x128_si256(a, b, 0x20);
    *high = _mm256_permute2x128_si256(a, b, 0x31);
}

/* ---- Two blocks at a time -------------------------------------------------------------------- */

/* Gaps less one of two blocks, one in each half of a register, so that nothing passes between the
 * halves. */
typedef struct rp__bitpack_avx2_two {
    rp__bitpack_avx2_pairs pairs;
    __m256i before;
    const uint8_t *p, *q; /* what is not yet read, of widths v and w */
    size_t v, w;
} rp__bitpack_avx2_two;

static inline __m256i rp__bitpack_avx2_set(uint32_t low, uint32_t high)
{
    __m256i x = _mm256_castsi128_si256(_mm_set1_epi32((int)low));
    return _mm256_inserti128_si256(x, _mm_set1_epi32((int)high), 1);
}

/* Widths are at most RP_BITPACK_AVX2_PAIRED; blocks begin with them. */
static inline rp__bitpack_avx2_two rp__bitpack_avx2_two_start(const uint8_t *a, uint32_t a_base,
                                                              const uint8_t *b, uint32_t b_base)
{
    const rp__bitpack_avx2_pair_table *s = &rp__bitpack_avx2_pair_tables[a[0]];
    const rp__bitpack_avx2_pair_table *t = &rp__bitpack_avx2_pair_tables[b[0]];
    return (rp__bitpack_avx2_two){
        .pairs = {.even = rp__bitpack_avx2_halves(s->even, t->even),
                  .odd = rp__bitpack_avx2_halves(s->odd, t->odd),
                  .even_shifts = rp__bitpack_avx2_halves(s->even_shifts, t->even_shifts),
                  .odd_shifts = rp__bitpack_avx2_halves(s->odd_shifts, t->odd_shifts),
                  .mask = rp__bitpack_avx2_set((1U << a[0]) - 1, (1U << b[0]) - 1)},
        .before = rp__bitpack_avx2_set(a_base, b_base),
        .p = a + 1,
        .q = b + 1,
        .v = a[0],
        .w = b[0],
    };
}

/* The next eight values of each block, those of even and those of odd rank apart. */
static inline void rp__bitpack_avx2_two_values(rp__bitpack_avx2_two *t, __m256i *even, __m256i *odd)
{
    rp__bitpack_avx2_split(&t->pairs, rp__bitpack_avx2_halves(t->p, t->q), even, odd);
    t->p += t->v;
    t->q += t->w;
}

/* Eight docids of each of two blocks of such gaps less one. *before is the docid before them in the
 * lanes of each half, and becomes the last of them. */
static inline void rp__bitpack_avx2_sum_halves(__m256i even, __m256i odd, __m256i *before,
                                               __m256i *a, __m256i *b)
{
    const __m256i one = _mm256_set1_epi32(1);
    odd = _mm256_add_epi32(odd, one);
    __m256i x = _mm256_add_epi32(_mm256_add_epi32(even, one), odd);
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    __asm__("" : "+x"(x)); /* so that a round waits for one addition to *before */
    x = _mm256_add_epi32(x, *before);
    *before = _mm256_shuffle_epi32(x, 0xFF);
    __m256i y = _mm256_sub_epi32(x, odd);
    __m256i low = _mm256_unpacklo_epi32(y, x), high = _mm256_unpackhi_epi32(y, x);
    *a = _mm256_permute2x128_si256(low, high, 0x20);
    *b = _mm256_permute2x128_si256(low, high, 0x31);
}

/* The eight docids of each block that have these values. */
static inline void rp__bitpack_avx2_two_docids(rp__bitpack_avx2_two *t, __m256i even, __m256i odd,
                                               __m256i *a, __m256i *b)
{
    rp__bitpack_avx2_sum_halves(even, odd, &t->before, a, b);
}

/* The next eight docids of each block. */
static inline void rp__bitpack_avx2_two_next(rp__bitpack_avx2_two *t, __m256i *a, __m256i *b)
{
    __m256i even, odd;
    rp__bitpack_avx2_two_values(t, &even, &odd);
    rp__bitpack_avx2_two_docids(t, even, odd, a, b);
}

/* ---- Docids ---------------------------------------------------------------------------------- */

/* n docids of gaps of w bits, at most RP_BITPACK_AVX2_MAX; writes up to 15 more. */
static inline __attribute__((always_inline)) void
rp__bitpack_avx2_docids(const uint8_t *p, uint32_t w, uint32_t base, uint32_t *out, size_t n)
{
    __m256i before = _mm256_set1_epi32((int)base);
    if (w <= RP_BITPACK_AVX2_PAIRED) {
        const rp__bitpack_avx2_pairs u = rp__bitpack_avx2_pairs_start(w);
        for (size_t i = 0; i < n; i += 16, p += 2 * (size_t)w) {
            __m256i even, odd, low, high;
            rp__bitpack_avx2_split(&u, rp__bitpack_avx2_halves(p, p + w), &even, &odd);
            rp__bitpack_avx2_sum_pairs(even, odd, &before, &low, &high);
            rp__bitpack_avx2_store(out + i, low);
            rp__bitpack_avx2_store(out + i + 8, high);
        }
        return;
    }
    const rp__bitpack_avx2 u = rp__bitpack_avx2_start(w);
    const __m256i one = _mm256_set1_epi32(1), top = _mm256_set1_epi32(7);
    for (size_t i = 0; i < n; i += 8, p += w) {
        __m256i gaps = _mm256_add_epi32(rp__bitpack_avx2_eight(&u, p), one);
        __m256i sums = rp__scan_avx2_words(gaps);
        rp__bitpack_avx2_store(out + i, _mm256_add_epi32(before, sums));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(sums, top));
    }
}

#endif
