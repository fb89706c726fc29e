/* bitpack_avx2.c: the block code bp128 with AVX2 (bitpack_avx2.h): bytes to lanes by a shuffle, bits
 * to values by variable shifts, then an in-order prefix sum in registers.
 *
 * Widths over 25 go the plain way: with its offset of up to 7 bits such a value leaves its
 * 32-bit window. */
#include "base/cpu.h"
#include "codec/bitpack.h"
#include "codec/blocks.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx2.h"
#include "codec/lowbits.h"

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

const rp__bitpack_avx2_table rp__bitpack_avx2_tables[RP_BITPACK_AVX2_MAX + 1] = {
    ROW(0),  ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),  ROW(8),
    ROW(9),  ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15), ROW(16), ROW(17),
    ROW(18), ROW(19), ROW(20), ROW(21), ROW(22), ROW(23), ROW(24), ROW(25),
};

/* Bytes past the sixteen hold nothing of the value. */
#define IN_16(byte) (byte) < 16 ? (byte) : 0x80
#define BYTES_IN_16(bit)                                                                           \
    IN_16((bit) / 8), IN_16((bit) / 8 + 1), IN_16((bit) / 8 + 2), IN_16((bit) / 8 + 3)
#define EVERY_OTHER(at, w)                                                                         \
    BYTES_IN_16(at), BYTES_IN_16((at) + 2 * (w)), BYTES_IN_16((at) + 4 * (w)),                     \
        BYTES_IN_16((at) + 6 * (w))
#define PAIR_ROW(w)                                                                                \
    {                                                                                              \
        {EVERY_OTHER(0, w)}, {EVERY_OTHER(w, w)}, {SHIFTS(0, 2 * (w))},                            \
        {                                                                                          \
            SHIFTS(w, 2 * (w))                                                                     \
        }                                                                                          \
    }

const rp__bitpack_avx2_pair_table rp__bitpack_avx2_pair_tables[RP_BITPACK_AVX2_PAIRED + 1] = {
    PAIR_ROW(0),  PAIR_ROW(1),  PAIR_ROW(2),  PAIR_ROW(3),  PAIR_ROW(4),  PAIR_ROW(5),
    PAIR_ROW(6),  PAIR_ROW(7),  PAIR_ROW(8),  PAIR_ROW(9),  PAIR_ROW(10), PAIR_ROW(11),
    PAIR_ROW(12), PAIR_ROW(13), PAIR_ROW(14), PAIR_ROW(15), PAIR_ROW(16),
};

void rp__bitpack_avx2_unpack(const uint8_t *p, uint32_t w, uint32_t *out, size_t n)
{
    const rp__bitpack_avx2 u = rp__bitpack_avx2_start(w);
    for (size_t i = 0; i < n; i += 8, p += w)
        rp__bitpack_avx2_store(out + i, rp__bitpack_avx2_eight(&u, p));
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

static inline __attribute__((always_inline)) rp_status
docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out, size_t n)
{
    uint32_t w;
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_BITPACK_AVX2_MAX)
        return rp__bitpack_decode_docids(in, in_bytes, base, out, n);
    rp__bitpack_avx2_docids(in + 1, w, base, out, n);
    return rp__gaps_check(out, n, base, w);
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    return docids(in, in_bytes, base, out, n);
}

/* ---- Whole lists ----------------------------------------------------------------------------- */

/* Whether blocks b and b + 1 can be decoded so. */
static inline bool are_two(const rp__list *list, uint32_t b, rp__blocks_part two[2])
{
    uint32_t w;
    for (uint32_t k = 0; k < 2; k++)
        if (b + k >= list->n_blocks || rp__blocks_open(list, b + k, &two[k]) ||
            rp__bitpack_open(two[k].in, two[k].in_bytes, two[k].count, &w) ||
            w > RP_BITPACK_AVX2_PAIRED)
            return false;
    return two[0].count == two[1].count && two[0].count % RP_BLOCK == 0;
}

/* Widths that are paired are below those whose sums could wrap twice, so the last docid tells: it is
 * what the directory says, and that rises. */
static inline bool ends_so(const rp__list *list, uint32_t b, uint32_t base, uint32_t last)
{
    return rp__blocks_ends_so(list, b, last) && last >= (uint32_t)(base + 1);
}

/* Decodes blocks b and b + 1; returns as rp__blocks_put does. */
static inline uint32_t *put_two(const rp__list *list, uint32_t b, const rp__blocks_part two[2],
                                uint32_t *out)
{
    size_t n = two[0].count;
    rp__bitpack_avx2_two t =
        rp__bitpack_avx2_two_start(two[0].in, two[0].base, two[1].in, two[1].base);
    for (size_t i = 0; i < n; i += 8) {
        __m256i low, high;
        rp__bitpack_avx2_two_next(&t, &low, &high);
        rp__bitpack_avx2_store(out + i, low);
        rp__bitpack_avx2_store(out + n + i, high);
    }
    if (!ends_so(list, b, two[0].base, out[n - 1]) ||
        !ends_so(list, b + 1, two[1].base, out[2 * n - 1]))
        return NULL;
    return out + 2 * n;
}

rp_status rp__bitpack_avx2_list(const rp__list *list, uint32_t *out)
{
    rp__blocks_part two[2];
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        bool has_two = are_two(list, b, two);
        out = has_two ? put_two(list, b, two, out) : rp__blocks_put(list, b, out, docids);
        if (!out)
            return RP_DAMAGED;
        b += has_two;
    }
    return rp__blocks_end(list);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* The bits that any of the values has. */
static uint32_t any_of(const uint32_t *values, size_t n)
{
    __m256i any = _mm256_setzero_si256();
    uint32_t lanes[8], all = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        any = _mm256_or_si256(any, _mm256_loadu_si256((const __m256i *)(const void *)(values + i)));
    _mm256_storeu_si256((__m256i *)(void *)lanes, any);
    for (size_t k = 0; k < 8; k++)
        all |= lanes[k];
    for (; i < n; i++)
        all |= values[i];
    return all;
}

/* Eight values of at most 16 bits, two bytes each. */
static inline __m128i halves_of(const uint32_t *values)
{
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)values);
    return _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

/* Eights of values of w bits, at most 8: each is w bytes. Returns how many values they are. */
static inline size_t put_bytes(const uint32_t *values, size_t n, uint32_t w, uint8_t *p)
{
    uint64_t mask = ((1ULL << w) - 1) * 0x0101010101010101;
    size_t i = 0;
    for (; i + 8 <= n; i += 8, p += w) {
        __m128i x = halves_of(values + i);
        rp__store64(p, _pext_u64((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(x, x)), mask));
    }
    return i;
}

/* The same, w at most RP_BITPACK_AVX2_PAIRED: the second four start in the middle of a byte where it
 * is odd. */
static inline size_t put_halves(const uint32_t *values, size_t n, uint32_t w, uint8_t *p)
{
    uint64_t mask = ((1ULL << w) - 1) * 0x0001000100010001, is_odd = 0 - (uint64_t)(w % 2);
    uint32_t phase = 4 * (w % 2);
    size_t i = 0;
    for (; i + 8 <= n; i += 8, p += w) {
        __m128i x = halves_of(values + i);
        uint64_t a = _pext_u64((uint64_t)_mm_cvtsi128_si64(x), mask);
        uint64_t b = _pext_u64((uint64_t)_mm_extract_epi64(x, 1), mask);
        rp__store64(p, a);
        rp__store64(p + w / 2, b << phase | (a >> (4 * w - 4) % 64 & is_odd));
    }
    return i;
}

/* What is stored past the values is within the bound. */
size_t rp__bitpack_avx2_encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                               uint8_t *out)
{
    uint32_t w = rp__bits_width(any_of(values, n));
    if (w > RP_BITPACK_AVX2_PAIRED || n < 8)
        return rp__bitpack_encode(options, values, n, out);
    uint8_t *p = out;
    *p++ = (uint8_t)w;
    size_t i = w <= 8 ? put_bytes(values, n, w, p) : put_halves(values, n, w, p);
    return (size_t)(rp__lowbits_put(values + i, n - i, w, p + i / 8 * w) - out);
}

const rp__block_code rp__bitpack_avx2_code = {
    .name = "bp128",
    .needs = RP_CPU_AVX2,
    .bound = rp__bitpack_bound,
    .encode = rp__bitpack_avx2_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__bitpack_at,
    .slice = rp__bitpack_slice,
};
#endif
