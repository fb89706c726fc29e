/* vbyte_avx2.c: the block code vbyte with AVX2: a control byte picks the shuffle that places its
 * four values, which are then summed in order.
 *
 * The lengths are summed and compared with the block's before a value is read; so loads start at most
 * at the block's end and end within RP_PAD after it. Source: Lemire, Kurz, Rupp 2018, "Stream
 * VByte". */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/gaps.h"
#include "codec/vbyte.h"

#if defined(__x86_64__)
#include "base/bits.h"
#include "codec/bitpack_avx2.h"
#include "codec/blocks.h"

/* Of control byte c: the length of value j, and where its bytes start. */
#define LENGTH(c, j) (((c) >> 2 * (j)&3) + 1)
#define START(c, j)                                                                                \
    (((j) > 0 ? LENGTH(c, 0) : 0) + ((j) > 1 ? LENGTH(c, 1) : 0) + ((j) > 2 ? LENGTH(c, 2) : 0))
#define BYTE(c, j, k) (k) < LENGTH(c, j) ? START(c, j) + (k) : 0x80 /* a zero byte */
#define VALUE(c, j)   BYTE(c, j, 0), BYTE(c, j, 1), BYTE(c, j, 2), BYTE(c, j, 3)
#define SHUFFLE(c)                                                                                 \
    {                                                                                              \
        VALUE(c, 0), VALUE(c, 1), VALUE(c, 2), VALUE(c, 3)                                         \
    }
#define SUM(c)        LENGTH(c, 0) + LENGTH(c, 1) + LENGTH(c, 2) + LENGTH(c, 3)
#define FOUR(row, c)  row(c), row((c) + 1), row((c) + 2), row((c) + 3)
#define ROW16(row, c) FOUR(row, c), FOUR(row, (c) + 4), FOUR(row, (c) + 8), FOUR(row, (c) + 12)
#define ROW64(row, c)                                                                              \
    ROW16(row, c), ROW16(row, (c) + 16), ROW16(row, (c) + 32), ROW16(row, (c) + 48)
#define ROW256(row) ROW64(row, 0), ROW64(row, 64), ROW64(row, 128), ROW64(row, 192)

static const _Alignas(16) uint8_t shuffles[256][16] = {ROW256(SHUFFLE)};
static const uint8_t sums[256] = {ROW256(SUM)};

/* The other way: where byte t of the values' bytes comes from, of their sixteen. */
#define SOURCE(c, t)                                                                               \
    (t) < START(c, 1)     ? (t)                                                                    \
    : (t) < START(c, 2)   ? (t) + 4 - START(c, 1)                                                  \
    : (t) < START(c, 3)   ? (t) + 8 - START(c, 2)                                                  \
    : (t)-START(c, 3) < 4 ? (t) + 12 - START(c, 3)                                                 \
                          : 0x80
#define SOURCE4(c, t) SOURCE(c, t), SOURCE(c, (t) + 1), SOURCE(c, (t) + 2), SOURCE(c, (t) + 3)
#define GATHER(c)                                                                                  \
    {                                                                                              \
        SOURCE4(c, 0), SOURCE4(c, 4), SOURCE4(c, 8), SOURCE4(c, 12)                                \
    }
static const _Alignas(16) uint8_t gathers[256][16] = {ROW256(GATHER)};

/* The same of eight values of one or two bytes: bit j of m says that value j has two. */
#define START_SHORT(m, j) ((j) + COUNT((m) & ((1 << (j)) - 1)))
#define COUNT(m)                                                                                   \
    (((m)&1) + ((m) >> 1 & 1) + ((m) >> 2 & 1) + ((m) >> 3 & 1) + ((m) >> 4 & 1) +                 \
     ((m) >> 5 & 1) + ((m) >> 6 & 1) + ((m) >> 7 & 1))
#define SHORT(m, j) START_SHORT(m, j), (m) >> (j)&1 ? START_SHORT(m, j) + 1 : 0x80
#define SHORTS(m)                                                                                  \
    {                                                                                              \
        SHORT(m, 0), SHORT(m, 1), SHORT(m, 2), SHORT(m, 3), SHORT(m, 4), SHORT(m, 5), SHORT(m, 6), \
            SHORT(m, 7)                                                                            \
    }
static const _Alignas(16) uint8_t short_shuffles[256][16] = {ROW256(SHORTS)};

/* ---- Decoding -------------------------------------------------------------------------------- */

/* A block whose values all lie inside. */
typedef struct block {
    const uint8_t *control, *data;
    bool is_short; /* full, and no value has over two bytes */
    bool has_long; /* some value has four */
} block;

/* The sum of the 32 lengths, less one each, of eight control bytes; *longs collects those of four. */
static inline uint64_t lengths_of(uint64_t control, uint64_t *longs)
{
    const uint64_t lows = 0x5555555555555555, tops = control & lows << 1;
    *longs |= tops >> 1 & control;
    return rp__bits_count64(control) + rp__bits_count64(tops);
}

/* Whether no value of a full block has over two bytes. */
static inline bool are_short(const uint8_t *control)
{
    __m256i lengths = _mm256_loadu_si256((const __m256i *)(const void *)control);
    return _mm256_testz_si256(lengths, _mm256_set1_epi8((char)0xAA));
}

static inline __attribute__((always_inline)) rp_status open_block(block *b, const uint8_t *in,
                                                                  size_t in_bytes, size_t n)
{
    size_t i = 0, length = n, control = (n + 3) / 4;
    uint64_t longs = 0;
    if (in_bytes < control)
        return RP_DAMAGED;
    *b = (block){.control = in, .data = in + control, .is_short = n == RP_BLOCK && are_short(in)};
    for (; b->is_short && i < n; i += 32)
        length += rp__bits_count64(rp__load64(in + i / 4));
    for (; i + 32 <= n; i += 32)
        length += lengths_of(rp__load64(in + i / 4), &longs);
    if (i < n)
        length += lengths_of(_bzhi_u64(rp__load64(in + i / 4), 2 * (uint32_t)(n - i)), &longs);
    b->has_long = longs != 0;
    return in_bytes - control < length ? RP_DAMAGED : RP_OK;
}

/* The four values of control byte c. Of a last one some may not be there: what is read for them lies
 * after the block. */
static inline __m128i next_four(const uint8_t **data, uint32_t c)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)*data);
    *data += sums[c];
    return _mm_shuffle_epi8(bytes, _mm_load_si128((const __m128i *)shuffles[c]));
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    block b;
    if (open_block(&b, in, in_bytes, n))
        return RP_DAMAGED;
    for (size_t i = 0; i < n; i += 4)
        _mm_storeu_si128((__m128i *)(void *)(out + i), next_four(&b.data, b.control[i / 4]));
    return RP_OK;
}

/* ---- Short values ---------------------------------------------------------------------------- */

/* Where the bytes of eight short values lie, and where those come from by a shuffle. Which have two
 * bytes is at bits `at` to `at` + 7 of a number, `at` at least 4. */
typedef struct eight {
    const uint8_t *bytes, *shuffle;
} eight;

static inline eight next_short(const uint8_t **data, uint64_t twos, uint32_t at)
{
    const uint64_t row = sizeof short_shuffles[0];
    uint64_t m = twos >> (at - 4) & 0xFF * row;
    eight e = {*data, &short_shuffles[0][0] + m};
    *data += 8 + rp__bits_count64(m);
    return e;
}

/* Of 32 values from control byte `at` on, which have two bytes; shifted by eight. */
static inline uint64_t twos_of(const block *b, size_t at)
{
    return _pext_u64(rp__load64(b->control + at), 0x5555555555555555) << 8;
}

/* Two eights of short values: those of even and those of odd rank apart, in a half each. */
static inline void take_shorts(eight low, eight high, __m256i *even, __m256i *odd)
{
    __m256i x = rp__bitpack_avx2_halves(low.bytes, high.bytes);
    x = _mm256_shuffle_epi8(x, rp__bitpack_avx2_halves(low.shuffle, high.shuffle));
    *even = _mm256_and_si256(x, _mm256_set1_epi32(0xFFFF));
    *odd = _mm256_srli_epi32(x, 16);
}

/* Docids of a full block of short values. */
static inline void put_shorts(block *b, uint32_t base, uint32_t *out)
{
    __m256i before = _mm256_set1_epi32((int)base);
    for (size_t i = 0; i < RP_BLOCK; i += 32) {
        uint64_t twos = twos_of(b, i / 4);
#pragma GCC unroll 2
        for (uint32_t k = 0; k < 32; k += 16) {
            __m256i even, odd, low, high;
            eight first = next_short(&b->data, twos, k + 8);
            eight second = next_short(&b->data, twos, k + 16);
            take_shorts(first, second, &even, &odd);
            rp__bitpack_avx2_sum_pairs(even, odd, &before, &low, &high);
            rp__bitpack_avx2_store(out + i + k, low);
            rp__bitpack_avx2_store(out + i + k + 8, high);
        }
    }
}

/* ---- Docids ---------------------------------------------------------------------------------- */

static inline void put_docids(block *b, uint32_t base, uint32_t *out, size_t n)
{
    __m128i before = _mm_set1_epi32((int)base);
    for (size_t i = 0; i < n; i += 4) {
        __m128i x = _mm_add_epi32(next_four(&b->data, b->control[i / 4]), _mm_set1_epi32(1));
        x = _mm_add_epi32(x, _mm_slli_si128(x, 4));
        x = _mm_add_epi32(x, _mm_slli_si128(x, 8));
        _mm_storeu_si128((__m128i *)(void *)(out + i), _mm_add_epi32(x, before));
        before = _mm_add_epi32(before, _mm_shuffle_epi32(x, 0xFF)); /* waits for one addition */
    }
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    block b;
    if (open_block(&b, in, in_bytes, n))
        return RP_DAMAGED;
    if (b.is_short)
        put_shorts(&b, base, out);
    else
        put_docids(&b, base, out, n);
    return rp__gaps_check(out, n, base, b.has_long ? 32 : 24);
}

/* ---- Whole lists ----------------------------------------------------------------------------- */

/* Whether the values of blocks b and b + 1, both full, lie inside. */
static inline bool are_two(const rp__list *list, uint32_t b, rp__blocks_part at[2], block two[2])
{
    return rp__blocks_open_two(list, b, at) &&
           !open_block(&two[0], at[0].in, at[0].in_bytes, RP_BLOCK) &&
           !open_block(&two[1], at[1].in, at[1].in_bytes, RP_BLOCK);
}

/* Decodes them, one in each half of a register, so that nothing passes between the halves. */
static inline void put_two(const rp__blocks_part at[2], block two[2], uint32_t *out)
{
    const __m256i one = _mm256_set1_epi32(1);
    __m256i before = rp__bitpack_avx2_set(at[0].base, at[1].base);
    for (size_t i = 0; i < RP_BLOCK; i += 4) {
        uint32_t c = two[0].control[i / 4], d = two[1].control[i / 4];
        __m256i x = rp__bitpack_avx2_halves(two[0].data, two[1].data);
        x = _mm256_shuffle_epi8(x, rp__bitpack_avx2_halves(shuffles[c], shuffles[d]));
        two[0].data += sums[c];
        two[1].data += sums[d];
        x = _mm256_add_epi32(x, one);
        x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
        x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
        __m256i ends = _mm256_shuffle_epi32(x, 0xFF);
        x = _mm256_add_epi32(x, before);
        before = _mm256_add_epi32(before, ends);
        _mm_storeu_si128((__m128i *)(void *)(out + i), _mm256_castsi256_si128(x));
        _mm_storeu_si128((__m128i *)(void *)(out + RP_BLOCK + i), _mm256_extracti128_si256(x, 1));
    }
}

/* The same where all values are short. */
static inline void put_two_shorts(const rp__blocks_part at[2], block two[2], uint32_t *out)
{
    __m256i before = rp__bitpack_avx2_set(at[0].base, at[1].base);
    for (size_t i = 0; i < RP_BLOCK; i += 32) {
        uint64_t first = twos_of(&two[0], i / 4), second = twos_of(&two[1], i / 4);
#pragma GCC unroll 4
        for (uint32_t k = 0; k < 32; k += 8) {
            __m256i even, odd, low, high;
            eight a = next_short(&two[0].data, first, k + 8);
            eight b = next_short(&two[1].data, second, k + 8);
            take_shorts(a, b, &even, &odd);
            rp__bitpack_avx2_sum_halves(even, odd, &before, &low, &high);
            rp__bitpack_avx2_store(out + i + k, low);
            rp__bitpack_avx2_store(out + RP_BLOCK + i + k, high);
        }
    }
}

static inline bool ends_so(const rp__list *list, uint32_t b, const rp__blocks_part *at,
                           const block *one, const uint32_t *out)
{
    return !rp__gaps_check(out, RP_BLOCK, at->base, one->has_long ? 32 : 24) &&
           rp__blocks_ends_so(list, b, out[RP_BLOCK - 1]);
}

rp_status rp__vbyte_avx2_list(const rp__list *list, uint32_t *out)
{
    const uint32_t n_full = rp__blocks_n_full(list);
    rp__blocks_part at[2];
    block two[2];
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        if (b + 2 <= n_full && are_two(list, b, at, two)) {
            if (two[0].is_short && two[1].is_short)
                put_two_shorts(at, two, out);
            else
                put_two(at, two, out);
            if (!ends_so(list, b, &at[0], &two[0], out) ||
                !ends_so(list, b + 1, &at[1], &two[1], out + RP_BLOCK))
                return RP_DAMAGED;
            out += 2 * (size_t)RP_BLOCK;
            b++;
        } else if (!(out = rp__blocks_put(list, b, out, decode_docids))) {
            return RP_DAMAGED;
        }
    }
    return rp__blocks_end(list);
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* The control bytes of eight values: a length is 3 less the bytes from the top that are zero. */
static inline uint32_t control_of(__m256i x)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i one = _mm256_cmpeq_epi32(_mm256_srli_epi32(x, 8), zero);
    __m256i two = _mm256_cmpeq_epi32(_mm256_srli_epi32(x, 16), zero);
    __m256i three = _mm256_cmpeq_epi32(_mm256_srli_epi32(x, 24), zero);
    uint32_t high = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(two)) ^ 0xFF;
    __m256i odd = _mm256_xor_si256(_mm256_xor_si256(one, two), three); /* of an even length */
    uint32_t low = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(odd)) ^ 0xFF;
    return (uint32_t)(_pdep_u64(low, 0x5555) | _pdep_u64(high, 0xAAAA));
}

static inline uint8_t *put_four(uint8_t *p, __m128i x, uint32_t c)
{
    x = _mm_shuffle_epi8(x, _mm_load_si128((const __m128i *)gathers[c]));
    _mm_storeu_si128((__m128i *)(void *)p, x); /* all sixteen: the bound has four a value */
    return p + sums[c];
}

static size_t encode(const rp__codec_options *options, const uint32_t *values, size_t n,
                     uint8_t *out)
{
    (void)options;
    uint8_t *p = out + (n + 3) / 4;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(values + i));
        uint32_t c = control_of(x);
        out[i / 4] = (uint8_t)c;
        out[i / 4 + 1] = (uint8_t)(c >> 8);
        p = put_four(p, _mm256_castsi256_si128(x), c & 0xFF);
        p = put_four(p, _mm256_extracti128_si256(x, 1), c >> 8);
    }
    return (size_t)(rp__vbyte_put(values, i, n, out, p) - out);
}

const rp__block_code rp__vbyte_avx2_code = {
    .name = "vbyte",
    .needs = RP_CPU_AVX2,
    .bound = rp__vbyte_bound,
    .encode = encode,
    .decode = decode,
    .decode_docids = decode_docids,
};
#endif
