/* bitmap_avx2.c: the docid codec bitmap with AVX2: the places of a byte's bits from a table, widened to
 * docids eight at a time; those of words that have few, one by one, but four without a branch.
 *
 * Writes up to 64 docids past the last. */
#include "codec/bitmap.h"
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/unary_avx2.h"

enum { FEW = 8 };

/* The docids of a word that has at most FEW. */
static inline void put_few(uint64_t word, uint32_t base, uint32_t bits, uint32_t *out)
{
    for (uint32_t k = 0; k < bits; k += 4)
        for (uint32_t j = 0; j < 4; j++, word &= word - 1)
            out[k + j] = base + (uint32_t)_tzcnt_u64(word);
}

/* Those of any word. */
static inline void put_many(uint64_t word, uint32_t base, uint32_t *out)
{
    __m256i first = _mm256_set1_epi32((int)base);
    const __m256i step = _mm256_set1_epi32(8);
#pragma GCC unroll 8
    for (uint32_t k = 0; k < 8; k++, word >>= 8, first = _mm256_add_epi32(first, step)) {
        __m128i at = _mm_loadl_epi64((const __m128i *)&rp__unary_avx2_places[word & 0xFF]);
        __m256i docids = _mm256_add_epi32(first, _mm256_cvtepu8_epi32(at));
        _mm256_storeu_si256((__m256i *)(void *)out, docids);
        out += rp__unary_avx2_counts[word & 0xFF];
    }
}

static inline rp_status extract(const rp__bitmap_view *v, uint64_t from, uint32_t count,
                                uint32_t *out)
{
    uint64_t i = from / RP_BITMAP_SPAN, mask = ~0ULL << from % RP_BITMAP_SPAN;
    uint32_t k = 0;
    for (; i < v->n_words && k < count; i++, mask = ~0ULL) {
        uint64_t word = rp__load64(v->words + 8 * i) & mask;
        uint32_t bits = rp__bits_count64(word), base = v->base + (uint32_t)(RP_BITMAP_SPAN * i);
        if (bits <= FEW)
            put_few(word, base, bits, out + k);
        else
            put_many(word, base, out + k);
        k += bits;
    }
    return k >= count ? RP_OK : RP_DAMAGED;
}

rp_status rp__bitmap_avx2_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__bitmap_block_with(list, b, out, extract);
}

rp_status rp__bitmap_avx2_decode(const rp__list *list, uint32_t *out)
{
    return rp__bitmap_decode_with(list, out, extract);
}
#endif
