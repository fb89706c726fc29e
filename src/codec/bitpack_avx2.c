/* bitpack_avx2.c: the block code bp128 with AVX2: eight values at a time, bytes to lanes by a
 * shuffle in each half of a register, bits to values by variable shifts, by a table a width;
 * then an in-order prefix sum in registers.
 *
 * Widths over 25 go the plain way: with its offset of up to 7 bits such a value leaves its
 * 32-bit window. Encodes nothing of its own. Loads end within RP_PAD after the block. */
#include "base/cpu.h"
#include "codec/bitpack.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"

#if defined(__x86_64__)
#include "codec/scan_avx2.h"

/* Values 0 to 3 of each half: the four bytes that hold each, and the bit in them at which it
 * starts. The high half starts at bit 4w, in the middle of a byte where w is odd. */
typedef struct unpack_table {
    _Alignas(32) uint8_t bytes[32];
    uint32_t shifts[8];
} unpack_table;

#define BYTES(bit)    (bit) / 8, (bit) / 8 + 1, (bit) / 8 + 2, (bit) / 8 + 3
#define HALF(at, w)   BYTES(at), BYTES((at) + (w)), BYTES((at) + 2 * (w)), BYTES((at) + 3 * (w))
#define SHIFTS(at, w) (at) % 8, ((at) + (w)) % 8, ((at) + 2 * (w)) % 8, ((at) + 3 * (w)) % 8
#define HIGH(w)       4 * ((w) % 2)
#define ROW(w)                                                                                     \
    {                                                                                              \
        {HALF(0, w), HALF(HIGH(w), w)},                                                            \
        {                                                                                          \
            SHIFTS(0, w), SHIFTS(HIGH(w), w)                                                       \
        }                                                                                          \
    }

static const unpack_table table[RP_BITPACK_AVX2_MAX + 1] = {
    ROW(0),  ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),  ROW(8),
    ROW(9),  ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15), ROW(16), ROW(17),
    ROW(18), ROW(19), ROW(20), ROW(21), ROW(22), ROW(23), ROW(24), ROW(25),
};

static inline __m256i unpack(const uint8_t *p, uint32_t w, __m256i bytes, __m256i shifts,
                             __m256i mask)
{
    __m128i low = _mm_loadu_si128((const __m128i *)p);
    __m128i high = _mm_loadu_si128((const __m128i *)(p + w / 2));
    __m256i lanes = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
    return _mm256_and_si256(_mm256_srlv_epi32(lanes, shifts), mask);
}

void rp__bitpack_avx2_unpack(const uint8_t *p, uint32_t w, uint32_t *out, size_t n)
{
    __m256i bytes = _mm256_load_si256((const __m256i *)table[w].bytes);
    __m256i shifts = _mm256_load_si256((const __m256i *)table[w].shifts);
    __m256i mask = _mm256_set1_epi32((int)((1U << w) - 1));
    for (size_t i = 0; i < n; i += 8, p += w)
        _mm256_storeu_si256((__m256i *)(out + i), unpack(p, w, bytes, shifts, mask));
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    uint32_t w;
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_BITPACK_AVX2_MAX)
        return rp__bitpack_decode(in, in_bytes, out, n);
    rp__bitpack_avx2_unpack(in + 1, w, out, n);
    return RP_OK;
}

static void docids(const uint8_t *p, uint32_t w, uint32_t base, uint32_t *out, size_t n)
{
    __m256i bytes = _mm256_load_si256((const __m256i *)table[w].bytes);
    __m256i shifts = _mm256_load_si256((const __m256i *)table[w].shifts);
    const __m256i mask = _mm256_set1_epi32((int)((1U << w) - 1));
    const __m256i one = _mm256_set1_epi32(1), top = _mm256_set1_epi32(7);
    __m256i before = _mm256_set1_epi32((int)base);
    for (size_t i = 0; i < n; i += 8, p += w) {
        __m256i gaps = _mm256_add_epi32(unpack(p, w, bytes, shifts, mask), one);
        __m256i sums = rp__scan_avx2_words(gaps);
        _mm256_storeu_si256((__m256i *)(out + i), _mm256_add_epi32(before, sums));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(sums, top));
    }
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    uint32_t w;
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_BITPACK_AVX2_MAX)
        return rp__bitpack_decode_docids(in, in_bytes, base, out, n);
    docids(in + 1, w, base, out, n);
    return rp__gaps_check(out, n, base, w);
}

const rp__block_code rp__bitpack_avx2_code = {
    .name = "bp128",
    .needs = RP_CPU_AVX2,
    .bound = rp__bitpack_bound,
    .encode = rp__bitpack_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__bitpack_at,
    .slice = rp__bitpack_slice,
};
#endif
