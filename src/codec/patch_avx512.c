/* patch_avx512.c: the kernels of the PForDelta rows with AVX-512 VBMI2.
 *
 * Lows are unpacked as bp128's are (bitpack_avx512.h). High parts of up to 8 bits are unpacked as
 * bytes, 64 at a time, and put to their places by one expansion of bytes; wider ones by an expansion
 * of words for each 16 values. Both are added before the prefix sum, which runs in 16-bit lanes
 * where the widths promise that 16 gaps stay under 2^16. Far parts are added to the docids that
 * follow them. Loads start inside the block or in `room`, so they end within RP_PAD. */
#include "codec/patch.h"

#include "codec/gaps.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx512.h"

/* Bits of a part that is unpacked as a byte, as a word. A pair of words starts at bit 0 to 7 of its
 * bytes, and those at bit 0 to 7 of theirs: 2 * 25 + 14 bits fill a qword. */
enum { BYTE_MAX = 8, WORD_MAX = 25 };

#define RUN(at)  (at), (at) + 1, (at) + 2, (at) + 3, (at) + 4, (at) + 5, (at) + 6, (at) + 7
#define STEPS(h) 0, (h), 2 * (h), 3 * (h), 4 * (h), 5 * (h), 6 * (h), 7 * (h)
#define ROW8(h)                                                                                    \
    {                                                                                              \
        {RUN(0),       RUN(h),       RUN(2 * (h)), RUN(3 * (h)),                                   \
         RUN(4 * (h)), RUN(5 * (h)), RUN(6 * (h)), RUN(7 * (h))},                                  \
        {                                                                                          \
            STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h), STEPS(h)         \
        }                                                                                          \
    }

/* 64 values as bytes: eight to a qword. */
static const rp__bitpack_avx512_table by_bytes[BYTE_MAX + 1] = {
    ROW8(0), ROW8(1), ROW8(2), ROW8(3), ROW8(4), ROW8(5), ROW8(6), ROW8(7), ROW8(8),
};

/* Of the 64 bytes of high parts, those of the lanes of 32 and of 16 values, in their order. */
#define PAIR4(i) (i), 0, (i) + 1, 0, (i) + 2, 0, (i) + 3, 0
#define ONE4(i)  (i), 0, 0, 0, (i) + 1, 0, 0, 0, (i) + 2, 0, 0, 0, (i) + 3, 0, 0, 0
static const _Alignas(64) uint8_t to_halves[64] = {
    PAIR4(0), PAIR4(16), PAIR4(4), PAIR4(20), PAIR4(8), PAIR4(24), PAIR4(12), PAIR4(28),
};
static const _Alignas(64) uint8_t to_words[64] = {ONE4(0), ONE4(4), ONE4(8), ONE4(12)};

/* High parts on their way to values. */
typedef struct highs {
    __m512i bytes, starts, mask;
    const uint8_t *at;
    size_t bit;
    uint32_t width;
} highs;

static inline highs highs_of(const rp__patch *p, bool in_bytes)
{
    uint32_t width = p->high_width;
    const rp__bitpack_avx512_table *t =
        in_bytes ? &by_bytes[width] : &rp__bitpack_avx512_wide[width];
    return (highs){
        .bytes = _mm512_load_si512(t->bytes),
        .starts = _mm512_load_si512(t->starts),
        .mask = in_bytes ? _mm512_set1_epi8((char)((1U << width) - 1))
                         : _mm512_set1_epi32((int)(uint32_t)((1ULL << width) - 1)),
        .at = p->highs,
        .bit = p->high_start,
        .width = width,
    };
}

/* The next ones, as many as the table places, of which `count` are wanted. */
static inline __m512i highs_next(highs *h, uint32_t count)
{
    __m512i starts = _mm512_add_epi8(h->starts, _mm512_set1_epi8((char)(h->bit % 8)));
    __m512i next = rp__bitpack_avx512_unpack(h->at + h->bit / 8, h->bytes, starts, h->mask);
    h->bit += (size_t)count * h->width;
    return next;
}

static inline __m512i highs_bytes(highs *h, uint64_t at)
{
    return _mm512_maskz_expand_epi8(at, highs_next(h, rp__bits_count64(at)));
}

/* ---- Values in 16-bit lanes ------------------------------------------------------------------ */

/* 32 docids of gaps whose sums, 16 at a time, stay under 2^16. */
static inline __m512i put_halves(__m512i gaps, __m512i fours, __m512i before, uint32_t *out)
{
    const __m512i top_even = _mm512_set1_epi32(27), top_odd = _mm512_set1_epi32(31);
    const __m512i zero = _mm512_setzero_si512();
    const __mmask32 low_words = 0x55555555;
    __m512i x = rp__bitpack_avx512_scan_halves(gaps, fours);
    _mm512_storeu_si512(out, _mm512_add_epi32(before, _mm512_unpacklo_epi16(x, zero)));
    before = _mm512_add_epi32(before, _mm512_maskz_permutexvar_epi16(low_words, top_even, x));
    _mm512_storeu_si512(out + 16, _mm512_add_epi32(before, _mm512_unpackhi_epi16(x, zero)));
    return _mm512_add_epi32(before, _mm512_maskz_permutexvar_epi16(low_words, top_odd, x));
}

static bool is_narrow(const rp__patch *p)
{
    uint64_t high = (uint64_t)p->count * ((1U << p->high_width) - 1);
    return p->width <= RP_BITPACK_AVX512_NARROW && (16 + high) << p->width < 1 << 16;
}

static void docids_narrow(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_narrow[p->width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi16((short)((1 << p->width) - 1));
    const __m512i one = _mm512_set1_epi16(1), half = _mm512_set1_epi8(32);
    const __m128i shift = _mm_cvtsi32_si128((int)p->shift);
    const __mmask64 low_bytes = 0x5555555555555555;
    __m512i before = _mm512_set1_epi32((int)base), fours = _mm512_set1_epi64(0x0001000100010001);
    __asm__("" : "+v"(fours)); /* as in bitpack_avx512.c */
    highs h = highs_of(p, true);
    const uint8_t *low = p->lows;
    for (size_t i = 0; i < n; i += 64) {
        __m512i high = highs_bytes(&h, p->at[i / 64]), place = _mm512_load_si512(to_halves);
        for (size_t k = i; k < n && k < i + 64; k += 32, low += 4 * p->width) {
            __m512i x = rp__bitpack_avx512_unpack(low, bytes, starts, mask);
            __m512i e = _mm512_maskz_permutexvar_epi8(low_bytes, place, high);
            x = _mm512_add_epi16(_mm512_add_epi16(x, one), _mm512_sll_epi16(e, shift));
            before = put_halves(x, fours, before, out + k);
            place = _mm512_add_epi8(place, half);
        }
    }
}

/* ---- Values in 32-bit lanes ------------------------------------------------------------------ */

static inline __m512i put_words(__m512i values, __m512i before, uint32_t *out)
{
    const __m512i one = _mm512_set1_epi32(1), top = _mm512_set1_epi32(15);
    __m512i sums = rp__bitpack_avx512_scan_words(_mm512_add_epi32(values, one));
    _mm512_storeu_si512(out, _mm512_add_epi32(before, sums));
    return _mm512_add_epi32(before, _mm512_permutexvar_epi32(top, sums));
}

/* High parts of up to 8 bits. `sums`: docids, else values. */
static inline void run_bytes(const rp__patch *p, bool sums, uint32_t base, uint32_t *out, size_t n)
{
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_wide[p->width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << p->width) - 1));
    const __m512i quarter = _mm512_set1_epi8(16);
    const __m128i shift = _mm_cvtsi32_si128((int)p->shift);
    const __mmask64 low_bytes = 0x1111111111111111;
    __m512i before = _mm512_set1_epi32((int)base);
    highs h = highs_of(p, true);
    const uint8_t *low = p->lows;
    for (size_t i = 0; i < n; i += 64) {
        __m512i high = highs_bytes(&h, p->at[i / 64]), place = _mm512_load_si512(to_words);
        for (size_t k = i; k < n && k < i + 64; k += 16, low += 2 * p->width) {
            __m512i x = rp__bitpack_avx512_unpack(low, bytes, starts, mask);
            __m512i e = _mm512_maskz_permutexvar_epi8(low_bytes, place, high);
            x = _mm512_add_epi32(x, _mm512_sll_epi32(e, shift));
            if (sums)
                before = put_words(x, before, out + k);
            else
                _mm512_storeu_si512(out + k, x);
            place = _mm512_add_epi8(place, quarter);
        }
    }
}

/* High parts of any width that two of them, and 7 bits, leave in a qword. */
static inline void run_words(const rp__patch *p, bool sums, uint32_t base, uint32_t *out, size_t n)
{
    const rp__bitpack_avx512_table *t = &rp__bitpack_avx512_wide[p->width];
    const __m512i bytes = _mm512_load_si512(t->bytes), starts = _mm512_load_si512(t->starts);
    const __m512i mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << p->width) - 1));
    const __m128i shift = _mm_cvtsi32_si128((int)p->shift);
    const uint32_t replaces = p->replaces ? UINT32_MAX : 0;
    __m512i before = _mm512_set1_epi32((int)base);
    highs h = highs_of(p, false);
    const uint8_t *low = p->lows;
    for (size_t i = 0; i < n; i += 16, low += 2 * p->width) {
        uint32_t at = (uint32_t)(p->at[i / 64] >> i % 64) & 0xFFFF;
        __m512i e = _mm512_maskz_expand_epi32((__mmask16)at, highs_next(&h, rp__bits_count64(at)));
        __m512i x = rp__bitpack_avx512_unpack(low, bytes, starts, mask);
        x = _mm512_maskz_mov_epi32((__mmask16) ~(at & replaces), x);
        x = _mm512_add_epi32(x, _mm512_sll_epi32(e, shift));
        if (sums)
            before = put_words(x, before, out + i);
        else
            _mm512_storeu_si512(out + i, x);
    }
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static bool is_plain(const rp__patch *p)
{
    return p->width == RP_BITPACK_AVX512_PLAIN || (p->high_width > WORD_MAX && p->high_width < 32);
}

/* Eight high parts lie in a qword, wherever in a byte the first one starts. */
static bool is_bytes(const rp__patch *p)
{
    uint32_t width = p->high_width;
    return !p->replaces && (width < BYTE_MAX || (width == BYTE_MAX && p->high_start == 0));
}

void rp__patch_avx512_decode(const rp__patch *p, uint32_t *out, size_t n)
{
    if (is_plain(p)) {
        rp__patch_decode(p, out, n);
        return;
    }
    if (is_bytes(p))
        run_bytes(p, false, 0, out, n);
    else
        run_words(p, false, 0, out, n);
    for (uint32_t k = 0; k < p->n_far; k++)
        out[p->far_at[k]] += p->far[k];
}

/* A far part belongs to its docid and to all that follow. */
static void add_far(const rp__patch *p, uint32_t *out, size_t n)
{
    for (uint32_t k = 0; k < p->n_far; k++) {
        const __m512i far = _mm512_set1_epi32((int)p->far[k]);
        size_t i = p->far_at[k] / 16U * 16;
        __mmask16 from = (__mmask16)(0xFFFFU << p->far_at[k] % 16);
        for (; i < n; i += 16, from = 0xFFFF) {
            __m512i x = _mm512_loadu_si512(out + i);
            _mm512_storeu_si512(out + i, _mm512_mask_add_epi32(x, from, x, far));
        }
    }
}

rp_status rp__patch_avx512_docids(const rp__patch *p, uint32_t base, uint32_t *out, size_t n)
{
    if (is_plain(p))
        return rp__patch_docids(p, base, out, n);
    if (!is_bytes(p))
        run_words(p, true, base, out, n);
    else if (is_narrow(p))
        docids_narrow(p, base, out, n);
    else
        run_bytes(p, true, base, out, n);
    add_far(p, out, n);
    return rp__gaps_check(out, n, base, p->bits);
}
#endif
