/* lanes_avx512.h: bit fields a fixed number of bits apart into the lanes of an AVX-512 register,
 * inline. Interior of the room.
 *
 * Sixteen fields are a whole number of bytes apart from the next sixteen, so the permutation of
 * bytes and the shifts, made once from the widths and the bit of the first, serve a whole block.
 * Each load is 64 bytes from the byte of its first field. */
#ifndef RP_CODEC_LANES_AVX512_H
#define RP_CODEC_LANES_AVX512_H

#include <immintrin.h>
#include <stdint.h>

enum {
    /* one in 32 bits (25 would fit), and 256 of them sum to less than 2^32 */
    RP_LANES_WIDE_MAX = 24,
    RP_LANES_WIDE_PAIR_MAX = 32, /* sixteen in 64 bytes: 7 + 15 * 32 + 24 bits */
};

/* How the lanes of a register get their fields. */
typedef struct rp__lanes {
    __m512i bytes, shifts, mask;
} rp__lanes;

#define RP_LANES_WORD(i) (i) * 0x01010101

/* Sixteen 32-bit lanes: fields of w bits, `pair` bits apart, the first at bit `phase`. */
static inline rp__lanes rp__lanes_avx512_wide(uint32_t phase, uint32_t pair, uint32_t w)
{
    const __m512i rank = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i lowest = _mm512_broadcast_i32x4(
        _mm_set_epi32(RP_LANES_WORD(12), RP_LANES_WORD(8), RP_LANES_WORD(4), 0));
    __m512i bit = _mm512_add_epi32(_mm512_mullo_epi32(rank, _mm512_set1_epi32((int)pair)),
                                   _mm512_set1_epi32((int)phase));
    __m512i byte = _mm512_shuffle_epi8(_mm512_srli_epi32(bit, 3), lowest);
    return (rp__lanes){.bytes = _mm512_add_epi8(byte, _mm512_set1_epi32(0x03020100)),
                       .shifts = _mm512_and_si512(bit, _mm512_set1_epi32(7)),
                       .mask = _mm512_set1_epi32((int)((1U << w) - 1))};
}

static inline __m512i rp__lanes_avx512_wide_fields(const uint8_t *p, rp__lanes at)
{
    __m512i windows = _mm512_permutexvar_epi8(at.bytes, _mm512_loadu_si512(p));
    return _mm512_and_si512(_mm512_srlv_epi32(windows, at.shifts), at.mask);
}

#endif
