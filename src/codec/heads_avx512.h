/* heads_avx512.h: the heads of sixteen blocks of a list at a time, in the lanes of AVX-512
 * registers, inline. Interior of the room; for files built with AVX-512 alone. */
#ifndef RP_CODEC_HEADS_AVX512_H
#define RP_CODEC_HEADS_AVX512_H

#include <immintrin.h>

#include "base/bits.h"
#include "codec/list.h"

enum {
    RP_HEADS = 16,
    RP_HEADS_FEW = 4, /* lanes that are not worth a step of all of them */
};

/* Where blocks begin in docs and how long they are; of those that lie in it, the first 4 bytes. */
typedef struct rp__heads {
    __m512i from, bytes, head;
    __mmask16 sound;
} rp__heads;

/* Four bytes from docs + at of each live lane; zero for the others. The intrinsic is a macro where
 * nothing is inlined, and makes a signed number of the mask. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static inline __m512i rp__heads_gather(__mmask16 live, const uint8_t *docs, __m512i at)
{
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), live, at, docs, 1);
}
#pragma GCC diagnostic pop

/* Where the blocks from b on begin, of the live lanes. Two groups of narrow offsets meet in them at
 * most. */
static inline __m512i rp__heads_offsets(const rp__list *list, uint32_t b, __mmask16 live)
{
    if (!list->near_offsets)
        return _mm512_maskz_loadu_epi32(live, list->offsets + b);
    uint32_t rest = RP_LIST_FAR - b % RP_LIST_FAR; /* blocks of the first group */
    __mmask16 next = (__mmask16)(live & ~_bzhi_u32(0xFFFF, rest));
    __m512i near = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(live, list->near_offsets + b));
    uint32_t base = live ? rp__list_near(list->near_offsets, b) - list->near_offsets[b] : 0, after;
    near = _mm512_maskz_add_epi32(live, near, _mm512_set1_epi32((int)base));
    if (next == 0)
        return near;
    after = rp__list_near(list->near_offsets, b + rest) - list->near_offsets[b + rest];
    return _mm512_mask_add_epi32(near, next, near, _mm512_set1_epi32((int)(after - base)));
}

/* Those of the full blocks from b on, of a list with offsets whose docs_bytes are at most
 * INT32_MAX. */
static inline rp__heads rp__heads_of(const rp__list *list, uint32_t b)
{
    uint32_t full = list->n / RP_BLOCK - b, after = list->n_blocks - b - 1;
    __mmask16 are = (__mmask16)_bzhi_u32(0xFFFF, full < RP_HEADS ? full : RP_HEADS);
    __mmask16 have_next = (__mmask16)_bzhi_u32(0xFFFF, after < RP_HEADS ? after : RP_HEADS);
    const __m512i end = _mm512_set1_epi32((int)list->docs_bytes);
    __m512i from = rp__heads_offsets(list, b, are);
    __m512i to = _mm512_mask_mov_epi32(end, have_next, rp__heads_offsets(list, b + 1, have_next));
    __mmask16 sound = _mm512_mask_cmplt_epu32_mask(are, from, to);
    sound = _mm512_mask_cmple_epu32_mask(sound, to, end);
    return (rp__heads){.from = from,
                       .bytes = _mm512_sub_epi32(to, from),
                       .head = rp__heads_gather(sound, list->docs, from),
                       .sound = sound};
}

/* `width` bits of each lane, from bit `from` on. */
static inline __m512i rp__heads_bits(__m512i x, uint32_t from, uint32_t width)
{
    return _mm512_and_si512(_mm512_srl_epi32(x, _mm_cvtsi32_si128((int)from)),
                            _mm512_set1_epi32((int)((1U << width) - 1)));
}

/* The live lanes with at most so much. */
static inline __mmask16 rp__heads_at_most(__mmask16 live, __m512i x, uint32_t most)
{
    return _mm512_mask_cmple_epu32_mask(live, x, _mm512_set1_epi32((int)most));
}

static inline bool rp__heads_are_few(__mmask16 live)
{
    return rp__bits_count64(live) < RP_HEADS_FEW;
}

/* The live lanes whose block has what lies before `end` in docs. */
static inline __mmask16 rp__heads_hold(const rp__heads *h, __mmask16 live, __m512i end)
{
    return _mm512_mask_cmple_epu32_mask(live, _mm512_sub_epi32(end, h->from), h->bytes);
}

#endif
