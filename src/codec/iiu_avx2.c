/* iiu_avx2.c: the docid codec iiu with AVX2: eight fields at a time, bytes to lanes by a shuffle in
 * each half of a register, then variable shifts; then an in-order prefix sum in registers.
 *
 * As in iiu_avx512.c the shuffle and the shifts are made once a block, since eight fields are a whole
 * number of bytes. Each half has a load of its own, 16 bytes from the byte of its first field: four
 * fields of up to 24 bits, 32 apart, and their phase fit. Others go the plain way. */
#include "codec/codec_table.h"
#include "codec/iiu.h"

#if defined(__x86_64__)
#include "codec/scan_avx2.h"

enum { FIELD_MAX = 24, PAIR_MAX = 32 }; /* 7 + 3 * 32 + 24 bits; 256 fields sum to less than 2^32 */

/* How the lanes of a register get their fields; the high half's load starts at byte `high`. */
typedef struct lanes {
    __m256i bytes, shifts, mask;
    uint32_t high;
} lanes;

static inline lanes lanes_of(uint32_t phase, uint32_t pair, uint32_t w)
{
    const __m256i rank = _mm256_set_epi32(3, 2, 1, 0, 3, 2, 1, 0);
    const __m256i lowest =
        _mm256_broadcastsi128_si256(_mm_set_epi32(0x0C0C0C0C, 0x08080808, 0x04040404, 0x00000000));
    uint32_t bit = phase + 4 * pair; /* of the high half's first field */
    __m256i phases = _mm256_set_m128i(_mm_set1_epi32((int)(bit % 8)), _mm_set1_epi32((int)phase));
    __m256i bits = _mm256_add_epi32(_mm256_mullo_epi32(rank, _mm256_set1_epi32((int)pair)), phases);
    __m256i byte = _mm256_shuffle_epi8(_mm256_srli_epi32(bits, 3), lowest);
    return (lanes){.bytes = _mm256_add_epi8(byte, _mm256_set1_epi32(0x03020100)),
                   .shifts = _mm256_and_si256(bits, _mm256_set1_epi32(7)),
                   .mask = _mm256_set1_epi32((int)((1U << w) - 1)),
                   .high = bit / 8};
}

static inline __m256i fields(const uint8_t *p, lanes at)
{
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(p + at.high));
    __m256i windows = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), at.bytes);
    return _mm256_and_si256(_mm256_srlv_epi32(windows, at.shifts), at.mask);
}

/* The lanes that are 0, of the first `left`. */
static inline uint32_t zeros_of(__m256i x, uint32_t left)
{
    __m256i zero = _mm256_cmpeq_epi32(x, _mm256_setzero_si256());
    uint32_t lanes_set = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(zero));
    return left < 8 ? lanes_set & ((1U << left) - 1) : lanes_set;
}

static inline rp_status docids(const rp__iiu_view *v, uint32_t *out)
{
    uint32_t pair = v->gap + v->tf, zeros = 0, but_first = ~1U;
    if (v->gap > FIELD_MAX || pair > PAIR_MAX)
        return rp__iiu_plain_docids(v, out);
    lanes at = lanes_of(v->phase, pair, v->gap);
    const __m256i top = _mm256_set1_epi32(7);
    __m256i before = _mm256_set1_epi32((int)v->skip);
    const uint8_t *p = v->bits;
    for (uint32_t i = 0; i < v->count; i += 8, p += pair) {
        __m256i x = fields(p, at);
        zeros |= zeros_of(x, v->count - i) & but_first;
        but_first = ~0U;
        x = rp__scan_avx2_words(x);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), _mm256_add_epi32(before, x));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(x, top));
    }
    return zeros || out[v->count - 1] < v->skip ? RP_DAMAGED : RP_OK;
}

static inline rp_status freqs(const rp__iiu_view *v, uint32_t from, uint32_t count, uint32_t *out)
{
    uint32_t pair = v->gap + v->tf, bit = v->phase + from * pair + v->gap, zeros = 0;
    if (v->tf > FIELD_MAX || pair > PAIR_MAX)
        return rp__iiu_plain_freqs(v, from, count, out);
    lanes at = lanes_of(bit % 8, pair, v->tf);
    const uint8_t *p = v->bits + bit / 8;
    for (uint32_t i = 0; i < count; i += 8, p += pair) {
        __m256i x = fields(p, at);
        zeros |= zeros_of(x, count - i);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), x);
    }
    return zeros ? RP_DAMAGED : RP_OK;
}

rp_status rp__iiu_avx2_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__iiu_block_with(list, b, out, docids);
}

rp_status rp__iiu_avx2_decode(const rp__list *list, uint32_t *out)
{
    return rp__iiu_decode_with(list, out, docids);
}

rp_status rp__iiu_avx2_tfs(const rp__list *list, uint32_t f, uint32_t *out)
{
    return rp__iiu_tfs_with(list, f, out, freqs);
}
#endif
