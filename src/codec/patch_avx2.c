/* patch_avx2.c: the kernels of the PForDelta rows with AVX2: lows are unpacked as bp128's are, what
 * exceptions add is added, then an in-order prefix sum in registers.
 *
 * High parts of a bitmap are spread by BMI2, eight values at a time: one deposit puts the bits of
 * those that are marked into their bytes. Widths over RP_BITPACK_AVX2_MAX go the plain way. */
#include "codec/patch.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx2.h"

/* High parts on their way to values. */
typedef struct highs {
    const uint8_t *marks, *bits;
    size_t bit;
    uint64_t ones; /* of a high part */
    __m128i shift;
} highs;

static inline highs highs_of(const rp__patch *p)
{
    return (highs){.marks = (const uint8_t *)p->marks,
                   .bits = p->highs,
                   .ones = (1ULL << p->high_width) - 1,
                   .shift = _mm_cvtsi32_si128((int)p->width)};
}

/* Those of the next eight values, in their places. They start within a byte, and take up to 57 bits
 * where that is not at its start. */
static inline __m256i next_highs(highs *h)
{
    uint64_t fields = _pdep_u64(*h->marks++, 0x0101010101010101) * h->ones;
    uint64_t parts = _pdep_u64(rp__load64(h->bits + h->bit / 8) >> h->bit % 8, fields);
    h->bit += rp__bits_count64(fields);
    __m128i bytes = _mm_cvtsi64_si128((long long)parts);
    return _mm256_sll_epi32(_mm256_cvtepu8_epi32(bytes), h->shift);
}

/* Docids above base, sixteen at a time, of high parts of few bits, so that one deposit spreads those of
 * sixteen values, half a byte each: then a byte has one of even rank and the next of odd rank, as
 * pairs of values have. */
enum { HIGH_FEW = 3 };

static inline void add_sixteen_highs(highs *h, __m256i *even, __m256i *odd)
{
    uint64_t marks = (uint64_t)h->marks[0] | (uint64_t)h->marks[1] << 8;
    uint64_t fields = _pdep_u64(marks, 0x1111111111111111) * h->ones;
    uint64_t parts = _pdep_u64(rp__load64(h->bits + h->bit / 8) >> h->bit % 8, fields);
    h->marks += 2;
    h->bit += rp__bits_count64(fields);
    __m256i x = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)parts));
    __m256i first = _mm256_and_si256(x, _mm256_set1_epi32(15)), second = _mm256_srli_epi32(x, 4);
    *even = _mm256_add_epi32(*even, _mm256_sll_epi32(first, h->shift));
    *odd = _mm256_add_epi32(*odd, _mm256_sll_epi32(second, h->shift));
}

/* Adds sixteen of `adds` to values. */
static inline void add_sixteen(const uint32_t *adds, __m256i *even, __m256i *odd)
{
    __m256 a = _mm256_castsi256_ps(rp__bitpack_avx2_halves(adds, adds + 8));
    __m256 b = _mm256_castsi256_ps(rp__bitpack_avx2_halves(adds + 4, adds + 12));
    *even = _mm256_add_epi32(*even, _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)));
    *odd = _mm256_add_epi32(*odd, _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD)));
}

static void put_pairs(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    const rp__bitpack_avx2_pairs u = rp__bitpack_avx2_pairs_start(p->width);
    const size_t w = p->width;
    const uint8_t *low = p->lows;
    __m256i before = _mm256_set1_epi32((int)base);
    highs h = highs_of(p);
    for (size_t i = 0; i < n; i += 16, low += 2 * w) {
        __m256i even, odd, first, second;
        rp__bitpack_avx2_split(&u, rp__bitpack_avx2_halves(low, low + w), &even, &odd);
        add_sixteen(p->adds + i, &even, &odd);
        add_sixteen_highs(&h, &even, &odd);
        rp__bitpack_avx2_sum_pairs(even, odd, &before, &first, &second);
        rp__bitpack_avx2_store(out + i, first);
        rp__bitpack_avx2_store(out + i + 8, second);
    }
}

/* Values, or docids above base, eight at a time. */
static inline __attribute__((always_inline)) void
put(const rp__patch *p, bool has_marks, bool is_docids, uint32_t base, uint32_t *out, size_t n)
{
    const rp__bitpack_avx2 u = rp__bitpack_avx2_start(p->width);
    const __m256i one = _mm256_set1_epi32(1);
    const uint8_t *low = p->lows;
    __m256i before = _mm256_set1_epi32((int)base);
    highs h = highs_of(p);
    for (size_t i = 0; i < n; i += 8, low += p->width) {
        __m256i x = rp__bitpack_avx2_eight(&u, low);
        x = _mm256_add_epi32(x, _mm256_load_si256((const __m256i *)(p->adds + i)));
        if (has_marks)
            x = _mm256_add_epi32(x, next_highs(&h));
        if (is_docids)
            x = rp__scan_avx2_docids(_mm256_add_epi32(x, one), &before);
        rp__bitpack_avx2_store(out + i, x);
    }
}

void rp__patch_avx2_decode(const rp__patch *p, uint32_t *out, size_t n)
{
    if (p->width > RP_BITPACK_AVX2_MAX)
        rp__patch_decode(p, out, n);
    else if (p->high_width)
        put(p, true, false, 0, out, n);
    else
        put(p, false, false, 0, out, n);
}

rp_status rp__patch_avx2_docids(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    if (p->width > RP_BITPACK_AVX2_MAX)
        return rp__patch_docids(p, base, out, n);
    if (p->high_width == 0)
        put(p, false, true, base, out, n);
    else if (p->high_width <= HIGH_FEW && p->width <= RP_BITPACK_AVX2_PAIRED)
        put_pairs(p, base, out, n);
    else
        put(p, true, true, base, out, n);
    return rp__patch_check(p, base, out, n);
}
#endif
