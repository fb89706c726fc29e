/* bp128d4_avx2.c: the docid codec bp128d4 with AVX2: a block in each half of a register, ranks 4r to
 * 4r + 3 in its lanes, so that a docid is one addition away from the one four before it. Bytes can
 * say what does not rise, so each docid is compared with its neighbour.
 *
 * Alone, or wider than RP_BITPACK_AVX2_PAIRED, a block goes eight at a time; of more than 25 bits
 * the plain way. Up to that the sum of a lane is at most 2^30: a difference of neighbours keeps its
 * sign modulo 2^32, and the last docid tells whether they wrapped. */
#include "base/cpu.h"
#include "codec/bp128d4.h"
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx2.h"

/* Eight values of a half of a register: where the first four lie, and the others. */
typedef struct fours_table {
    _Alignas(16) uint8_t low[16], high[16];
    uint32_t low_shifts[4], high_shifts[4];
} fours_table;

/* Bytes past the sixteen hold nothing of the value. */
#define IN_16(byte) (byte) < 16 ? (byte) : 0x80
#define BYTES(bit)                                                                                 \
    IN_16((bit) / 8), IN_16((bit) / 8 + 1), IN_16((bit) / 8 + 2), IN_16((bit) / 8 + 3)
#define FOUR(at, w)   BYTES(at), BYTES((at) + (w)), BYTES((at) + 2 * (w)), BYTES((at) + 3 * (w))
#define STARTS(at, w) (at) % 8, ((at) + (w)) % 8, ((at) + 2 * (w)) % 8, ((at) + 3 * (w)) % 8
#define ROW(w)                                                                                     \
    {                                                                                              \
        {FOUR(0, w)}, {FOUR(4 * (w), w)}, {STARTS(0, w)},                                          \
        {                                                                                          \
            STARTS(4 * (w), w)                                                                     \
        }                                                                                          \
    }

static const fours_table tables[RP_BITPACK_AVX2_PAIRED + 1] = {
    ROW(0), ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),  ROW(8),
    ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14), ROW(15), ROW(16),
};

/* ---- One block ------------------------------------------------------------------------------- */

/* The docids before the first, as if they rose by one. */
static inline __m128i start_of(uint32_t base)
{
    return _mm_add_epi32(_mm_set1_epi32((int)base), _mm_set_epi32(0, -1, -2, -3));
}

static inline bool are_above_zero(__m256i x)
{
    __m256i are = _mm256_cmpgt_epi32(x, _mm256_setzero_si256());
    return _mm256_movemask_ps(_mm256_castsi256_ps(are)) == 0xFF;
}

static inline __attribute__((always_inline)) rp_status
docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out, size_t n)
{
    uint32_t w;
    if (n != RP_BLOCK)
        return rp__bitpack_avx2_code.decode_docids(in, in_bytes, base, out, n);
    if (rp__bitpack_open(in, in_bytes, n, &w))
        return RP_DAMAGED;
    if (w > RP_BITPACK_AVX2_MAX)
        return rp__bp128d4_docids(in, in_bytes, base, out, n);
    const rp__bitpack_avx2 u = rp__bitpack_avx2_start(w);
    const __m256i upper = _mm256_set_epi32(-1, -1, -1, -1, 0, 0, 0, 0);
    __m256i before = _mm256_broadcastsi128_si256(start_of(base)), last = before;
    __m256i least = _mm256_set1_epi32(1);
    const uint8_t *p = in + 1;
    for (size_t i = 0; i < RP_BLOCK; i += 8, p += w) {
        __m256i x = rp__bitpack_avx2_eight(&u, p);
        __m256i other = _mm256_permute2x128_si256(x, x, 0x01);
        __m256i y = _mm256_add_epi32(x, _mm256_and_si256(other, upper));
        y = _mm256_add_epi32(y, before);
        before = _mm256_add_epi32(before, _mm256_add_epi32(x, other));
        __m256i four_before = _mm256_permute2x128_si256(last, y, 0x21);
        __m256i one_before = _mm256_alignr_epi8(y, four_before, 12);
        least = _mm256_min_epi32(least, _mm256_sub_epi32(y, one_before));
        last = y;
        rp__bitpack_avx2_store(out + i, y);
    }
    return are_above_zero(least) && out[RP_BLOCK - 1] >= (uint32_t)(base + 1) ? RP_OK : RP_DAMAGED;
}

rp_status rp__bp128d4_avx2_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__blocks_block_by(list, b, out, docids);
}

/* ---- Two blocks ------------------------------------------------------------------------------ */

/* Whether blocks b and b + 1, both full, can be decoded so. */
static inline bool are_two(const rp__list *list, uint32_t b, rp__blocks_part two[2])
{
    if (!rp__blocks_open_two(list, b, two))
        return false;
    uint32_t v = two[0].in[0], w = two[1].in[0];
    return v <= RP_BITPACK_AVX2_PAIRED && w <= RP_BITPACK_AVX2_PAIRED &&
           two[0].in_bytes > 16U * v && two[1].in_bytes > 16U * w;
}

/* Says whether docids rise, where they did not wrap. */
static inline bool decode_two(const rp__blocks_part two[2], uint32_t *out)
{
    size_t v = two[0].in[0], w = two[1].in[0];
    const fours_table *s = &tables[v], *t = &tables[w];
    const __m256i low = rp__bitpack_avx2_halves(s->low, t->low),
                  high = rp__bitpack_avx2_halves(s->high, t->high),
                  low_shifts = rp__bitpack_avx2_halves(s->low_shifts, t->low_shifts),
                  high_shifts = rp__bitpack_avx2_halves(s->high_shifts, t->high_shifts),
                  mask = rp__bitpack_avx2_set((1U << v) - 1, (1U << w) - 1);
    __m256i before = _mm256_set_m128i(start_of(two[1].base), start_of(two[0].base));
    __m256i least = _mm256_set1_epi32(1);
    const uint8_t *p = two[0].in + 1, *q = two[1].in + 1;
#pragma GCC unroll 4
    for (size_t i = 0; i < RP_BLOCK; i += 8, p += v, q += w) {
        __m256i bits = rp__bitpack_avx2_halves(p, q);
        __m256i a = _mm256_srlv_epi32(_mm256_shuffle_epi8(bits, low), low_shifts);
        __m256i b = _mm256_srlv_epi32(_mm256_shuffle_epi8(bits, high), high_shifts);
        a = _mm256_and_si256(a, mask);
        b = _mm256_add_epi32(_mm256_and_si256(b, mask),
                             a); /* so that rounds wait for one addition */
        a = _mm256_add_epi32(a, before);
        b = _mm256_add_epi32(b, before);
        __m256i rise_a = _mm256_sub_epi32(a, _mm256_alignr_epi8(a, before, 12));
        __m256i rise_b = _mm256_sub_epi32(b, _mm256_alignr_epi8(b, a, 12));
        least = _mm256_min_epi32(_mm256_min_epi32(least, rise_a), rise_b);
        before = b;
        rp__bitpack_avx2_store(out + i, _mm256_permute2x128_si256(a, b, 0x20));
        rp__bitpack_avx2_store(out + RP_BLOCK + i, _mm256_permute2x128_si256(a, b, 0x31));
    }
    return are_above_zero(least);
}

static inline bool ends_so(const rp__list *list, uint32_t b, uint32_t base, uint32_t last)
{
    return rp__blocks_ends_so(list, b, last) && last >= (uint32_t)(base + 1);
}

/* Decodes blocks b and b + 1; returns as rp__blocks_put does. */
static inline uint32_t *put_two(const rp__list *list, uint32_t b, const rp__blocks_part two[2],
                                uint32_t *out)
{
    if (!decode_two(two, out) || !ends_so(list, b, two[0].base, out[RP_BLOCK - 1]) ||
        !ends_so(list, b + 1, two[1].base, out[2 * RP_BLOCK - 1]))
        return NULL;
    return out + 2 * RP_BLOCK;
}

rp_status rp__bp128d4_avx2_decode(const rp__list *list, uint32_t *out)
{
    const uint32_t n_full = rp__blocks_n_full(list);
    rp__blocks_part two[2];
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        bool has_two = b + 2 <= n_full && are_two(list, b, two);
        out = has_two ? put_two(list, b, two, out) : rp__blocks_put(list, b, out, docids);
        if (!out)
            return RP_DAMAGED;
        b += has_two;
    }
    return rp__blocks_end(list);
}
#endif
