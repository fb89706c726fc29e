/* bitmap_avx512.c: the docid codec bitmap with AVX-512 VBMI2: the positions of a word's bits by one
 * compression of the bytes 0 to 63, widened to docids sixteen at a time.
 *
 * Writes whole registers: up to 64 docids past the last. */
#include "codec/bitmap.h"
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define BYTES8(i) (i), (i) + 1, (i) + 2, (i) + 3, (i) + 4, (i) + 5, (i) + 6, (i) + 7
static const _Alignas(64) uint8_t positions[RP_BITMAP_SPAN] = {
    BYTES8(0), BYTES8(8), BYTES8(16), BYTES8(24), BYTES8(32), BYTES8(40), BYTES8(48), BYTES8(56),
};

/* The docids of a word that has `bits` of them, more than 16. */
static inline void put_many(__m512i at, __m512i base, uint32_t bits, uint32_t *out)
{
    __m128i parts[4] = {_mm512_castsi512_si128(at), _mm512_extracti32x4_epi32(at, 1),
                        _mm512_extracti32x4_epi32(at, 2), _mm512_extracti32x4_epi32(at, 3)};
    for (uint32_t k = 0; 16 * k < bits; k++)
        _mm512_storeu_si512(out + 16 * k, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(parts[k])));
}

static inline rp_status extract(const rp__bitmap_view *v, uint64_t from, uint32_t count,
                                uint32_t *out)
{
    const __m512i all = _mm512_load_si512(positions), span = _mm512_set1_epi32(RP_BITMAP_SPAN);
    uint64_t i = from / RP_BITMAP_SPAN, mask = ~0ULL << from % RP_BITMAP_SPAN;
    __m512i base = _mm512_set1_epi32((int)(v->base + (uint32_t)(RP_BITMAP_SPAN * i)));
    uint32_t k = 0;
    for (; i < v->n_words && k < count; i++) {
        uint64_t word = rp__load64(v->words + 8 * i) & mask;
        uint32_t bits = rp__bits_count64(word);
        __m512i at = _mm512_maskz_compress_epi8(word, all);
        if (bits <= 16)
            _mm512_storeu_si512(
                out + k, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(at))));
        else
            put_many(at, base, bits, out + k);
        k += bits;
        base = _mm512_add_epi32(base, span);
        mask = ~0ULL;
    }
    return k >= count ? RP_OK : RP_DAMAGED;
}

rp_status rp__bitmap_avx512_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__bitmap_block_with(list, b, out, extract);
}

rp_status rp__bitmap_avx512_decode(const rp__list *list, uint32_t *out)
{
    return rp__bitmap_decode_with(list, out, extract);
}
#endif
