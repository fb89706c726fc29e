/* patch_avx512.c: the kernels of the PForDelta rows with AVX-512 VBMI2: lows are unpacked as bp128's
 * are (bitpack_avx512.h), what exceptions add is added, then an in-order prefix sum in registers.
 *
 * High parts of a bitmap are unpacked as bytes, 64 at a time, and put to their places by one
 * expansion. The sum runs in 16-bit lanes where the block's own numbers prove that 16 gaps stay
 * under 2^16. Width 31 goes the plain way, as in bitpack_avx512.c. Loads start inside the block, so
 * they end within RP_PAD after it. */
#include "codec/patch.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx512.h"

/* 64 values of up to 8 bits as bytes: eight to a qword. */
#define RUN(at)  (at), (at) + 1, (at) + 2, (at) + 3, (at) + 4, (at) + 5, (at) + 6, (at) + 7
#define STEPS(h) 0, (h), 2 * (h), 3 * (h), 4 * (h), 5 * (h), 6 * (h), 7 * (h)
#define ROW8(h)                                                                                    \
    {                                                                                              \
        {RUN(0),       RUN((h)),     RUN(2 * (h)), RUN(3 * (h)),                                   \
         RUN(4 * (h)), RUN(5 * (h)), RUN(6 * (h)), RUN(7 * (h))},                                  \
        {                                                                                          \
            STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h)         \
        }                                                                                          \
    }
static const rp__bitpack_avx512_table by_bytes[] = {
    ROW8(0), ROW8(1), ROW8(2), ROW8(3), ROW8(4), ROW8(5), ROW8(6), ROW8(7), ROW8(8),
};

/* Where the lanes of 32 and of 16 values take theirs from: from 64 bytes, or two registers of
 * words. */
#define HALVES4(i) (i), 0, (i) + 1, 0, (i) + 2, 0, (i) + 3, 0
#define WORDS4(i)  (i), 0, 0, 0, (i) + 1, 0, 0, 0, (i) + 2, 0, 0, 0, (i) + 3, 0, 0, 0
#define FROM4(i)   2 * (i), 2 * (i) + 2, 2 * (i) + 4, 2 * (i) + 6
static const _Alignas(64) uint8_t bytes_to_halves[64] = {
    HALVES4(0), HALVES4(16), HALVES4(4),  HALVES4(20),
    HALVES4(8), HALVES4(24), HALVES4(12), HALVES4(28),
};
static const _Alignas(64) uint8_t bytes_to_words[64] = {WORDS4(0), WORDS4(4), WORDS4(8),
                                                        WORDS4(12)};
static const _Alignas(64) uint16_t words_to_halves[32] = {
    FROM4(0), FROM4(16), FROM4(4), FROM4(20), FROM4(8), FROM4(24), FROM4(12), FROM4(28),
};

/* High parts on their way to values. */
typedef struct highs {
    __m512i bytes, starts, mask;
    size_t bit;
} highs;

static inline highs highs_of(const rp__patch *p)
{
    return (highs){
        .bytes = _mm512_load_si512(by_bytes[p->high_width].bytes),
        .starts = _mm512_load_si512(by_bytes[p->high_width].starts),
        .mask = _mm512_set1_epi8((char)((1U << p->high_width) - 1)),
    };
}

/* Those of the next 64 values, in their places. */
static inline __m512i highs_next(highs *h, const rp__patch *p, uint64_t marks)
{
    __m512i starts = _mm512_add_epi8(h->starts, _mm512_set1_epi8((char)(h->bit % 8)));
    __m512i next = rp__bitpack_avx512_unpack(p->highs + h->bit / 8, h->bytes, starts, h->mask);
    h->bit += (size_t)rp__bits_count64(marks) * p->high_width;
    return _mm512_maskz_expand_epi8(marks, next);
}

/* Docids whose gaps, any 16 of them, stay under 2^16. */
static inline void run_narrow(const rp__patch *p, bool has_marks, uint32_t base, uint32_t *out,
                              size_t n)
{
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_narrow[p->width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi16((short)((1 << p->width) - 1));
    const __m512i one = _mm512_set1_epi16(1), order = _mm512_load_si512(words_to_halves);
    const __m512i low_bytes = _mm512_set1_epi16(0xFF), half = _mm512_set1_epi8(32);
    const __m128i shift = _mm_cvtsi32_si128((int)p->width);
    const rp__bitpack_avx512_halves c = rp__bitpack_avx512_halves_start();
    __m512i before = _mm512_set1_epi32((int)base), high = low_bytes, place = low_bytes;
    const uint8_t *low = p->lows;
    highs h = highs_of(p);
    for (size_t i = 0; i < n; i += 32, low += 4 * p->width) {
        __m512i x = _mm512_add_epi16(rp__bitpack_avx512_unpack(low, bytes, starts, mask), one);
        __m512i add = _mm512_permutex2var_epi16(_mm512_load_si512(p->adds + i), order,
                                                _mm512_load_si512(p->adds + i + 16));
        x = _mm512_add_epi16(x, add);
        if (has_marks) {
            high = i % 64 ? high : highs_next(&h, p, p->marks[i / 64]);
            place = i % 64 ? _mm512_add_epi8(place, half) : _mm512_load_si512(bytes_to_halves);
            __m512i e = _mm512_and_si512(_mm512_permutexvar_epi8(place, high), low_bytes);
            x = _mm512_add_epi16(x, _mm512_sll_epi16(e, shift));
        }
        before = rp__bitpack_avx512_put_halves(&c, x, before, out + i);
    }
}

/* Docids, or, without `sums`, values. */
static inline void run_wide(const rp__patch *p, bool has_marks, bool sums, uint32_t base,
                            uint32_t *out, size_t n)
{
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_wide[p->width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << p->width) - 1));
    const __m512i low_bytes = _mm512_set1_epi32(0xFF), quarter = _mm512_set1_epi8(16);
    const __m128i shift = _mm_cvtsi32_si128((int)p->width);
    __m512i before = _mm512_set1_epi32((int)base), high = low_bytes, place = low_bytes;
    const uint8_t *low = p->lows;
    highs h = highs_of(p);
    for (size_t i = 0; i < n; i += 16, low += 2 * p->width) {
        __m512i x = rp__bitpack_avx512_unpack(low, bytes, starts, mask);
        x = _mm512_add_epi32(x, _mm512_load_si512(p->adds + i));
        if (has_marks) {
            high = i % 64 ? high : highs_next(&h, p, p->marks[i / 64]);
            place = i % 64 ? _mm512_add_epi8(place, quarter) : _mm512_load_si512(bytes_to_words);
            __m512i e = _mm512_and_si512(_mm512_permutexvar_epi8(place, high), low_bytes);
            x = _mm512_add_epi32(x, _mm512_sll_epi32(e, shift));
        }
        if (sums)
            before = rp__bitpack_avx512_put_words(x, before, out + i);
        else
            _mm512_storeu_si512(out + i, x);
    }
}

void rp__patch_avx512_decode(const rp__patch *p, uint32_t *out, size_t n)
{
    if (p->width == RP_BITPACK_AVX512_PLAIN)
        rp__patch_decode(p, out, n);
    else if (p->high_width)
        run_wide(p, true, false, 0, out, n);
    else
        run_wide(p, false, false, 0, out, n);
}

static bool is_narrow(const rp__patch *p)
{
    return p->width <= RP_BITPACK_AVX512_NARROW &&
           (16ULL << (p->width + p->high_width)) + p->total < 1 << 16;
}

rp_status rp__patch_avx512_docids(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    if (p->width == RP_BITPACK_AVX512_PLAIN)
        return rp__patch_docids(p, base, out, n);
    if (is_narrow(p) && p->high_width)
        run_narrow(p, true, base, out, n);
    else if (is_narrow(p))
        run_narrow(p, false, base, out, n);
    else if (p->high_width)
        run_wide(p, true, true, base, out, n);
    else
        run_wide(p, false, true, base, out, n);
    return rp__patch_check(p, base, out, n);
}
#endif
