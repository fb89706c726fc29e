/* ef128_avx512.c: the block code ef128 with AVX-512: high parts come from the places of their ends,
 * low parts by a table a width; no value waits for another.
 *
 * Sums of up to 8 low bits are below 2^16 and are put together in 16-bit lanes; wider low parts are
 * decoded as the block of bp128 that they are. Blocks of other forms, and of more than RP_BLOCK
 * values, go the plain way. Encodes nothing of its own. Loads end within RP_PAD after the block. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/ef128.h"

#if defined(__x86_64__)
#include "codec/unary_avx512.h"

/* ---- Low parts of up to 8 bits --------------------------------------------------------------- */

enum { NARROW_MAX = 8 };

/* Per qword of a register, which holds 4 values of 16 bits: the 8 bytes that hold them, then, for
 * each byte of the result, the bit in them at which it starts. */
typedef struct unpack_table {
    _Alignas(64) uint8_t bytes[64];
    uint8_t starts[64];
} unpack_table;

#define BYTES(bit)                                                                                 \
    (bit) / 8, (bit) / 8 + 1, (bit) / 8 + 2, (bit) / 8 + 3, (bit) / 8 + 4, (bit) / 8 + 5,          \
        (bit) / 8 + 6, (bit) / 8 + 7
#define START(bit, w, value) (bit) % 8 + (value) * (w), ((bit) % 8 + (value) * (w) + 8) % 64
#define STARTS(bit, w)       START(bit, w, 0), START(bit, w, 1), START(bit, w, 2), START(bit, w, 3)
#define ROW(w)                                                                                     \
    {                                                                                              \
        {BYTES(0),        BYTES(4 * (w)),  BYTES(8 * (w)),  BYTES(12 * (w)),                       \
         BYTES(16 * (w)), BYTES(20 * (w)), BYTES(24 * (w)), BYTES(28 * (w))},                      \
        {                                                                                          \
            STARTS(0, w), STARTS(4 * (w), w), STARTS(8 * (w), w), STARTS(12 * (w), w),             \
                STARTS(16 * (w), w), STARTS(20 * (w), w), STARTS(24 * (w), w), STARTS(28 * (w), w) \
        }                                                                                          \
    }

static const unpack_table narrow[NARROW_MAX + 1] = {
    ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(8),
};

static const _Alignas(64) uint16_t one_left[32] = {
    31, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
};

/* How sums of 16 bits are made. */
typedef struct narrow_maker {
    __m512i bytes, starts, mask, l, one_left;
    __m512i before; /* lane 0 is the sum before */
    __m512i falls;  /* not zero where a sum fell */
} narrow_maker;

static inline narrow_maker narrow_maker_of(uint32_t l)
{
    return (narrow_maker){
        .bytes = _mm512_load_si512(narrow[l].bytes),
        .starts = _mm512_load_si512(narrow[l].starts),
        .mask = _mm512_set1_epi16((short)((1 << l) - 1)),
        .l = _mm512_set1_epi16((short)l),
        .one_left = _mm512_load_si512(one_left),
        .before = _mm512_setzero_si512(),
        .falls = _mm512_setzero_si512(),
    };
}

/* 32 sums of these high parts and of the low parts at p. */
static inline __m512i narrow_sums(narrow_maker *m, __m512i high, const uint8_t *p, __mmask32 lanes)
{
    __m512i low = _mm512_permutexvar_epi8(m->bytes, _mm512_loadu_si512(p));
    low = _mm512_and_si512(_mm512_multishift_epi64_epi8(m->starts, low), m->mask);
    __m512i sums = _mm512_or_si512(_mm512_sllv_epi16(high, m->l), low);
    __m512i turned = _mm512_permutexvar_epi16(m->one_left, sums);
    __m512i left = _mm512_mask_mov_epi16(turned, 1, m->before);
    m->falls = _mm512_or_si512(m->falls, _mm512_maskz_subs_epu16(lanes, left, sums));
    m->before = turned;
    return sums;
}

static inline __mmask32 lanes32(size_t i, size_t n)
{
    return n - i < 32 ? (1U << (n - i)) - 1 : UINT32_MAX;
}

static inline __m512i step(__m512i *first)
{
    __m512i now = *first;
    *first = _mm512_add_epi32(now, _mm512_set1_epi32(16));
    return now;
}

static inline __m512i iota32(uint32_t from)
{
    const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_add_epi32(_mm512_set1_epi32((int)from), iota);
}

/* Docids above base; whether sums fall. Inlined without choice, so that a full block is unrolled. */
static inline __attribute__((always_inline)) bool docids_narrow(const uint8_t *low, uint32_t l,
                                                                const rp__unary_avx512 *sums,
                                                                uint32_t base, uint32_t *out,
                                                                size_t n)
{
    narrow_maker m = narrow_maker_of(l);
    __m512i first = iota32(base + 1);
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i += 32, low += 4 * l) {
        __m512i s = narrow_sums(&m, rp__unary_avx512_half(sums, i), low, lanes32(i, n));
        __m512i a = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(s));
        __m512i b = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(s, 1));
        _mm512_storeu_si512(out + i, _mm512_add_epi32(a, step(&first)));
        _mm512_storeu_si512(out + i + 16, _mm512_add_epi32(b, step(&first)));
    }
    return _mm512_test_epi32_mask(m.falls, m.falls) != 0;
}

static inline __mmask16 lanes16(size_t i, size_t n)
{
    return (__mmask16)(n - i < 16 ? (1U << (n - i)) - 1 : 0xFFFF);
}

/* ---- Any low parts --------------------------------------------------------------------------- */

/* 16 sums of the low parts that out holds; whether they fall is added to *falls. */
static inline __m512i wide_sums(const rp__unary_avx512 *high, uint32_t l, const uint32_t *out,
                                size_t i, size_t n, __m512i *before, __mmask16 *falls)
{
    __m512i h = rp__unary_avx512_part(high, i);
    __m512i sums = _mm512_sllv_epi32(h, _mm512_set1_epi32((int)l));
    sums = _mm512_or_si512(sums, _mm512_loadu_si512(out + i));
    *before = _mm512_alignr_epi32(sums, *before, 15);
    *falls |= _mm512_mask_cmplt_epu32_mask(lanes16(i, n), sums, *before);
    return sums;
}

static inline bool docids_wide(const rp__unary_avx512 *high, uint32_t l, uint32_t base,
                               uint32_t *out, size_t n)
{
    __m512i first = iota32(base + 1), before = _mm512_setzero_si512();
    __mmask16 falls = 0;
    for (size_t i = 0; i < n; i += 16) {
        __m512i sums = wide_sums(high, l, out, i, n, &before, &falls);
        before = sums;
        _mm512_storeu_si512(out + i, _mm512_add_epi32(sums, step(&first)));
    }
    return falls;
}

static rp_status decode(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp__ef128_parts parts;
    rp__unary_avx512 high;
    if (rp__ef128_is_plain(in, in_bytes, n))
        return rp__ef128_decode(in, in_bytes, out, n);
    if (rp__ef128_open(in, in_bytes, n, &parts) ||
        rp__unary_avx512_open(parts.unary, RP_UNARY_ENDS_ARE_ONES, parts.limit, n, &high) ||
        rp__unary_avx512_last(&high, n) << parts.l > UINT32_MAX ||
        rp__bitpack_avx512_code.decode(in, in_bytes, out, n))
        return RP_DAMAGED;
    __m512i left = _mm512_setzero_si512();
    __mmask16 falls = 0;
    for (size_t i = 0; i < n; i += 16) {
        __m512i sums = wide_sums(&high, parts.l, out, i, n, &left, &falls);
        _mm512_storeu_si512(out + i, _mm512_sub_epi32(sums, left));
        left = sums;
    }
    return falls ? RP_DAMAGED : RP_OK;
}

/* ---- Docids ---------------------------------------------------------------------------------- */

/* A block of n docids whose high parts are being found: stored, that is, at places that loads of
 * them would have to wait for. */
typedef struct block {
    const uint8_t *in;
    size_t in_bytes, n;
    bool is_plain;
    rp__ef128_parts parts;
    rp__unary_avx512 high;
} block;

static inline rp_status begin(block *b)
{
    b->is_plain = rp__ef128_is_plain(b->in, b->in_bytes, b->n);
    if (b->is_plain)
        return RP_OK;
    if (rp__ef128_open(b->in, b->in_bytes, b->n, &b->parts))
        return RP_DAMAGED;
    return rp__unary_avx512_open(b->parts.unary, RP_UNARY_ENDS_ARE_ONES, b->parts.limit, b->n,
                                 &b->high);
}

static inline rp_status finish(const block *b, uint32_t base, uint32_t *out)
{
    if (b->is_plain)
        return rp__ef128_decode_docids(b->in, b->in_bytes, base, out, b->n);
    uint32_t l = b->parts.l;
    bool falls;
    if (l <= NARROW_MAX && b->n == RP_BLOCK)
        falls = docids_narrow(b->in + 1, l, &b->high, base, out, RP_BLOCK);
    else if (l <= NARROW_MAX)
        falls = docids_narrow(b->in + 1, l, &b->high, base, out, b->n);
    else if (rp__unary_avx512_last(&b->high, b->n) << l > UINT32_MAX ||
             rp__bitpack_avx512_code.decode(b->in, b->in_bytes, out, b->n))
        return RP_DAMAGED;
    else
        falls = docids_wide(&b->high, l, base, out, b->n);
    uint32_t sum = out[b->n - 1] - base - (uint32_t)b->n;
    return falls || !rp__ef128_fits(base, b->n, sum) ? RP_DAMAGED : RP_OK;
}

static rp_status decode_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n)
{
    block b;
    b.in = in;
    b.in_bytes = in_bytes;
    b.n = n;
    return begin(&b) ? RP_DAMAGED : finish(&b, base, out);
}

static rp_status begin_of_list(const rp__list *list, uint32_t i, block *b)
{
    b->n = rp__list_count(list, i);
    return b->n == 0 || rp__list_bytes(list, i, &b->in, &b->in_bytes) ? RP_DAMAGED : begin(b);
}

/* rp__blocks_decode with the next block begun before one is finished: by then its high parts have
 * reached memory. */
rp_status rp__ef128_avx512_list(const rp__list *list, uint32_t *out)
{
    block blocks[2];
    uint32_t base = UINT32_MAX;
    if (begin_of_list(list, 0, &blocks[0]))
        return RP_DAMAGED;
    for (uint32_t i = 0; i < list->n_blocks; i++) {
        const block *now = &blocks[i % 2];
        if (i + 1 < list->n_blocks && begin_of_list(list, i + 1, &blocks[(i + 1) % 2]))
            return RP_DAMAGED;
        if (finish(now, base, out))
            return RP_DAMAGED;
        out += now->n;
        base = out[-1];
        if (list->last && base != list->last[i])
            return RP_DAMAGED;
    }
    return base < list->universe ? RP_OK : RP_DAMAGED;
}

const rp__block_code rp__ef128_avx512_code = {
    .name = "ef128",
    .needs = RP_CPU_AVX512,
    .bound = rp__ef128_bound,
    .encode = rp__ef128_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__ef128_at,
};
#endif
