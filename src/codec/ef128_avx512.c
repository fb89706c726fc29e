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

/* How low parts of w bits become the high bits of bytes: eight of them are w bytes, which go to one
 * qword of a register. The byte that ends with part i starts at bit (i + 1) * w - 8, counted round the
 * qword; its other bits do not matter. */
typedef struct narrow_row {
    _Alignas(64) uint8_t bytes[64];
    uint64_t starts, mask;
    uint32_t down; /* shift of words that hold the high part as their high byte */
} narrow_row;

#define EACH_BYTE 0x0101010101010101U
#define EACH_WORD 0x00010001U
#define BYTES(at) (at), (at) + 1, (at) + 2, (at) + 3, (at) + 4, (at) + 5, (at) + 6, (at) + 7
#define ROW(w)                                                                                     \
    {                                                                                              \
        {BYTES(0),       BYTES(w),       BYTES(2 * (w)), BYTES(3 * (w)),                           \
         BYTES(4 * (w)), BYTES(5 * (w)), BYTES(6 * (w)), BYTES(7 * (w))},                          \
            STARTS(w), EACH_BYTE *(0xFF & 0xFF00 >> (w)), EACH_WORD *(8 - (w))                     \
    }
#define START(w, i) ((uint64_t)(((i) + 1) * (w) + 56) % 64 << 8 * (i))
#define STARTS(w)                                                                                  \
    START(w, 0) | START(w, 1) | START(w, 2) | START(w, 3) | START(w, 4) | START(w, 5) |            \
        START(w, 6) | START(w, 7)
static const narrow_row narrow[NARROW_MAX + 1] = {
    ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(8),
};

/* Words of a low and a high part such that dword k holds those of ranks k and 16 + k of a half of the
 * 64, so that a mask and a shift, and no other shuffles, make registers that are in order. */
#define FOUR(k)    (k), 64 + (k), 16 + (k), 80 + (k)
#define SIXTEEN(k) FOUR(k), FOUR((k) + 1), FOUR((k) + 2), FOUR((k) + 3)
static const _Alignas(64) uint8_t dealt[2][64] = {
    {SIXTEEN(0), SIXTEEN(4), SIXTEEN(8), SIXTEEN(12)},
    {SIXTEEN(32), SIXTEEN(36), SIXTEEN(40), SIXTEEN(44)},
};

/* The ranks of those words, plus one. */
#define PAIRS(k) (k) + 1, (k) + 17, (k) + 2, (k) + 18, (k) + 3, (k) + 19, (k) + 4, (k) + 20
static const _Alignas(64) uint16_t dealt_ranks[4][32] = {
    {PAIRS(0), PAIRS(4), PAIRS(8), PAIRS(12)},
    {PAIRS(32), PAIRS(36), PAIRS(40), PAIRS(44)},
    {PAIRS(64), PAIRS(68), PAIRS(72), PAIRS(76)},
    {PAIRS(96), PAIRS(100), PAIRS(104), PAIRS(108)},
};

#define LEFT_8(i) (i) - 1, (i), (i) + 1, (i) + 2, (i) + 3, (i) + 4, (i) + 5, (i) + 6
static const _Alignas(64) uint8_t one_left[64] = {
    63,        0,          1,          2,          3,          4,          5,          6,
    LEFT_8(8), LEFT_8(16), LEFT_8(24), LEFT_8(32), LEFT_8(40), LEFT_8(48), LEFT_8(56),
};

/* What is known of the sums so far. */
typedef struct narrow_state {
    __m512i high, low; /* byte 0 is the part before */
    uint64_t falls;    /* not zero where a sum fell */
} narrow_state;

/* The parts of 64 sums; falls where the low part does and the high part stays. */
static inline void check_falls(narrow_state *state, __m512i high, __m512i low, uint64_t lanes)
{
    __m512i turned_high = _mm512_permutexvar_epi8(_mm512_load_si512(one_left), high);
    __m512i turned_low = _mm512_permutexvar_epi8(_mm512_load_si512(one_left), low);
    __m512i left_high = _mm512_mask_mov_epi8(turned_high, 1, state->high);
    __m512i left_low = _mm512_mask_mov_epi8(turned_low, 1, state->low);
    __mmask64 stays = _mm512_mask_cmpeq_epi8_mask(lanes, high, left_high);
    state->falls |= _mm512_mask_cmplt_epu8_mask(stays, low, left_low);
    state->high = turned_high;
    state->low = turned_low;
}

static inline uint64_t lanes64(size_t i, size_t n)
{
    return n - i < 64 ? (1ULL << (n - i)) - 1 : UINT64_MAX;
}

/* The low parts of 64 values from p on, as high bits of bytes. */
static inline __m512i narrow_lows(const narrow_row *row, const uint8_t *p)
{
    __m512i bytes = _mm512_permutexvar_epi8(_mm512_load_si512(row->bytes), _mm512_loadu_si512(p));
    return _mm512_multishift_epi64_epi8(_mm512_set1_epi64((long long)row->starts), bytes);
}

typedef __m512i bytes_fn(const rp__unary_avx512 *high, size_t i);

/* Docids above base; whether sums fall. Inlined without choice, so that a full block is unrolled. */
static inline __attribute__((always_inline)) bool docids_narrow(const uint8_t *low, uint32_t l,
                                                                const rp__unary_avx512 *high,
                                                                uint32_t base, uint32_t *out,
                                                                size_t n, bytes_fn *bytes_of)
{
    const narrow_row *row = &narrow[l];
    const __m512i lower = _mm512_set1_epi32(0xFFFF);
    __m512i down = _mm512_set1_epi32((int)row->down), above = _mm512_set1_epi32((int)base);
    __m512i mask = _mm512_set1_epi64((long long)row->mask);
    narrow_state state = {_mm512_setzero_si512(), _mm512_setzero_si512(), 0};
#pragma GCC unroll 2
    for (size_t i = 0; i < n; i += 64, low += 8 * l) {
        __m512i h = bytes_of(high, i), w = narrow_lows(row, low);
        check_falls(&state, h, _mm512_and_si512(w, mask), lanes64(i, n));
#pragma GCC unroll 2
        for (size_t k = 0; k < 2; k++) {
            __m512i words = _mm512_permutex2var_epi8(w, _mm512_load_si512(dealt[k]), h);
            words = _mm512_add_epi16(_mm512_srlv_epi16(words, down),
                                     _mm512_load_si512(dealt_ranks[i / 32 + k]));
            __m512i a = _mm512_and_si512(words, lower), b = _mm512_srli_epi32(words, 16);
            _mm512_storeu_si512(out + i + 32 * k, _mm512_add_epi32(a, above));
            _mm512_storeu_si512(out + i + 32 * k + 16, _mm512_add_epi32(b, above));
        }
    }
    return state.falls != 0;
}

/* ---- Any low parts --------------------------------------------------------------------------- */

static inline __mmask16 lanes16(size_t i, size_t n)
{
    return (__mmask16)(n - i < 16 ? (1U << (n - i)) - 1 : 0xFFFF);
}

static inline __m512i iota32(uint32_t from)
{
    const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_add_epi32(_mm512_set1_epi32((int)from), iota);
}

static inline __m512i step(__m512i *first)
{
    __m512i now = *first;
    *first = _mm512_add_epi32(now, _mm512_set1_epi32(16));
    return now;
}

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

typedef rp_status open_fn(const uint8_t *bits, uint64_t flip, uint64_t limit, size_t n,
                          rp__unary_avx512 *out);

static inline __attribute__((always_inline)) rp_status begin(block *b, open_fn *open)
{
    b->is_plain = rp__ef128_is_plain(b->in, b->in_bytes, b->n);
    if (b->is_plain)
        return RP_OK;
    if (rp__ef128_open(b->in, b->in_bytes, b->n, &b->parts))
        return RP_DAMAGED;
    return open(b->parts.unary, RP_UNARY_ENDS_ARE_ONES, b->parts.limit, b->n, &b->high);
}

/* Whether words of 16 bits hold the sums and ranks: low parts are narrow, and no high part, of which
 * the last is the largest, is the most that a byte holds where low parts fill one. */
static inline bool is_narrow(const block *b)
{
    uint32_t l = b->parts.l;
    return l < NARROW_MAX || (l == NARROW_MAX && rp__unary_avx512_last(&b->high, b->n) < 255);
}

/* Whether the sums of a block that is not narrow fall, or pass 2^32. */
static bool finish_wide(const block *b, uint32_t base, uint32_t *out)
{
    uint32_t l = b->parts.l;
    return rp__unary_avx512_last(&b->high, b->n) << l > UINT32_MAX ||
           rp__bitpack_avx512_code.decode(b->in, b->in_bytes, out, b->n) ||
           docids_wide(&b->high, l, base, out, b->n);
}

static inline __attribute__((always_inline)) rp_status finish(const block *b, uint32_t base,
                                                              uint32_t *out, bytes_fn *bytes_of)
{
    bool falls;
    if (b->is_plain)
        return rp__ef128_decode_docids(b->in, b->in_bytes, base, out, b->n);
    if (!is_narrow(b))
        falls = finish_wide(b, base, out);
    else if (b->n == RP_BLOCK)
        falls = docids_narrow(b->in + 1, b->parts.l, &b->high, base, out, RP_BLOCK, bytes_of);
    else
        falls = docids_narrow(b->in + 1, b->parts.l, &b->high, base, out, b->n, bytes_of);
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
    if (begin(&b, rp__unary_avx512_open_now))
        return RP_DAMAGED;
    return finish(&b, base, out, rp__unary_avx512_bytes_now);
}

static inline __attribute__((always_inline)) rp_status begin_of_list(const rp__list *list,
                                                                     uint32_t i, block *b)
{
    b->n = rp__list_count(list, i);
    if (b->n == 0 || rp__list_bytes(list, i, &b->in, &b->in_bytes))
        return RP_DAMAGED;
    return begin(b, rp__unary_avx512_open);
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
        if (finish(now, base, out, rp__unary_avx512_bytes))
            return RP_DAMAGED;
        out += now->n;
        base = list->last ? list->last[i] : out[-1]; /* known before the block is */
        if (base != out[-1])
            return RP_DAMAGED;
    }
    return base < list->universe ? RP_OK : RP_DAMAGED;
}

/* Fast in full blocks of low and high bits but the first and the last. */
rp_status rp__ef128_avx512_docid(const rp__list *list, uint32_t i, uint32_t *out)
{
    uint32_t b = i / RP_BLOCK, slot = i % RP_BLOCK;
    rp__ef128_parts parts;
    const uint8_t *in;
    size_t in_bytes;
    if (b == 0 || b + 1 >= list->n_blocks || rp__list_bytes(list, b, &in, &in_bytes) ||
        rp__ef128_open(in, in_bytes, RP_BLOCK, &parts))
        return rp__ef128_avx2_docid(list, i, out);
    uint64_t end = rp__unary_avx512_near(parts.unary, RP_UNARY_ENDS_ARE_ONES, 0, slot);
    if (end >= parts.limit)
        return RP_DAMAGED;
    uint32_t sum = (uint32_t)((end - slot) << parts.l) | rp__lowbits_at(in + 1, parts.l, slot);
    *out = list->last[b - 1] + 1 + slot + sum;
    return RP_OK;
}

const rp__block_code rp__ef128_avx512_code = {
    .name = "ef128",
    .needs = RP_CPU_AVX512,
    .bound = rp__ef128_bound,
    .encode = rp__ef128_encode,
    .decode = decode,
    .decode_docids = decode_docids,
    .at = rp__ef128_avx2_at,
};
#endif
