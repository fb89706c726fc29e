/* fastpfd_avx2.c: the docid codec fastpfd with AVX2: exceptions of eight blocks are found eight at a
 * time, and what they add is put where it is taken from by twos of blocks, decoded as those of bp128.
 *
 * What is added lies as the values do in registers: sixteen of two blocks, those of even rank
 * before those of odd rank, the first block's in the low halves. A group is opened before the one in
 * front is decoded, since a load of many values waits for the store of one among them. */
#include "base/cpu.h"
#include "codec/codec_table.h"
#include "codec/fastpfd.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx2.h"

#define INLINE static inline __attribute__((always_inline))

rp_status rp__fastpfd_avx2_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__fastpfd_block_by(rp__patch_avx2_docids, list, b, out);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* A full group in which all lies inside: its blocks, and what is added to their values, which is
 * taken from there and made zero again. */
typedef struct group {
    const uint8_t *in[RP_FASTPFD_GROUP];
    bool is_open;
    _Alignas(64) uint32_t adds[RP_FASTPFD_DOCIDS];
} group;

/* Where values of these ranks are added to: value 8r + j of the first of two blocks at
 * 16r + 8 (j % 2) + j / 2, of the second at 4 more. */
static inline __m256i places_of(__m256i ranks)
{
    const __m256i two = _mm256_set1_epi32((int)~(2U * RP_BLOCK - 1)),
                  rounds = _mm256_set1_epi32(0x78), four = _mm256_set1_epi32(4),
                  eight = _mm256_set1_epi32(8), three = _mm256_set1_epi32(3);
    __m256i round = _mm256_slli_epi32(_mm256_and_si256(ranks, rounds), 1);
    __m256i is_odd = _mm256_and_si256(_mm256_slli_epi32(ranks, 3), eight);
    __m256i is_second = _mm256_and_si256(_mm256_srli_epi32(ranks, 5), four);
    __m256i lane = _mm256_and_si256(_mm256_srli_epi32(ranks, 1), three);
    __m256i low = _mm256_or_si256(_mm256_or_si256(is_odd, is_second), lane);
    return _mm256_or_si256(_mm256_or_si256(_mm256_and_si256(ranks, two), round), low);
}

/* Adds a run of exceptions to values of blocks of these widths. Of the last eight, those past the
 * run add nothing. */
INLINE void add_run(group *g, const rp__fastpfd_run *run, __m256i widths)
{
    const uint32_t bits = run->high_bits - 1;
    const rp__bitpack_avx2 ranks_of = rp__bitpack_avx2_start(RP_FASTPFD_AT_BITS),
                           highs_of = rp__bitpack_avx2_start(bits);
    const __m256i iota = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0),
                  top = _mm256_set1_epi32((int)(1U << bits));
    const uint8_t *at = run->at, *high = run->highs;
    for (uint32_t i = 0; i < run->count; i += 8, at += RP_FASTPFD_AT_BITS, high += bits) {
        uint32_t adds[8], places[8];
        __m256i ranks = rp__bitpack_avx2_eight(&ranks_of, at);
        __m256i highs = _mm256_or_si256(rp__bitpack_avx2_eight(&highs_of, high), top);
        __m256i shifts = _mm256_permutevar8x32_epi32(widths, _mm256_srli_epi32(ranks, 7));
        __m256i is_there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(run->count - i)), iota);
        rp__bitpack_avx2_store(adds, _mm256_and_si256(_mm256_sllv_epi32(highs, shifts), is_there));
        rp__bitpack_avx2_store(places, places_of(ranks));
#pragma GCC unroll 8
        for (uint32_t k = 0; k < 8; k++)
            g->adds[places[k]] += adds[k];
    }
}

/* The exceptions from *p to end, of a group whose widths are the bytes of a number, to the values.
 * False: they do not lie inside, or gaps might sum to 2^32. */
INLINE bool add_runs(group *g, const uint8_t *p, const uint8_t *end, uint64_t widths,
                     uint32_t widest)
{
    const __m256i shifts = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)widths));
    uint64_t total = (uint64_t)RP_BLOCK << widest;
    while (p < end) {
        rp__fastpfd_run run;
        if (rp__fastpfd_next(&p, end, &run) || run.high_bits > RP_BITPACK_AVX2_MAX)
            return false;
        total += (uint64_t)run.count << (widest + run.high_bits);
        if (total > UINT32_MAX)
            return false;
        add_run(g, &run, shifts);
    }
    return true;
}

/* Opens the group that begins with block b, unless it is one for rp__fastpfd_block_by: not full,
 * damaged, or with widths over RP_BITPACK_AVX2_PAIRED. */
INLINE void open_group(group *g, const rp__list *list, uint32_t b)
{
    const uint8_t *p = NULL, *end = NULL;
    uint64_t widths = 0;
    uint32_t widest = 0;
    g->is_open = false;
    if (!rp__list_has_offsets(list) || b + RP_FASTPFD_GROUP > list->n / RP_BLOCK)
        return;
    for (uint32_t k = RP_FASTPFD_GROUP; k-- > 0;) {
        size_t in_bytes;
        uint32_t w;
        if (rp__list_bytes(list, b + k, &p, &in_bytes) ||
            rp__bitpack_open(p, in_bytes, RP_BLOCK, &w))
            return;
        widths = widths << 8 | w;
        widest = w > widest ? w : widest;
        g->in[k] = p;
        end = p + in_bytes;
    }
    if (widest > RP_BITPACK_AVX2_PAIRED)
        return;
    g->is_open = add_runs(g, p + 1 + RP_BLOCK / 8 * p[0], end, widths, widest);
    if (!g->is_open)
        memset(g->adds, 0, sizeof g->adds);
}

/* ---- Decoding -------------------------------------------------------------------------------- */

/* The next eight of `adds`, which are zero then. */
static inline __m256i take(uint32_t *adds)
{
    __m256i x = _mm256_load_si256((const __m256i *)(const void *)adds);
    _mm256_store_si256((__m256i *)(void *)adds, _mm256_setzero_si256());
    return x;
}

/* Blocks b and b + 1, the k-th and the next of the group. */
INLINE bool put_two(group *g, const rp__list *list, uint32_t b, uint32_t k, uint32_t *out)
{
    const uint32_t base = b ? list->last[b - 1] : UINT32_MAX, middle = list->last[b];
    uint32_t *adds = g->adds + (size_t)k * RP_BLOCK;
    rp__bitpack_avx2_two t = rp__bitpack_avx2_two_start(g->in[k], base, g->in[k + 1], middle);
#pragma GCC unroll 4
    for (size_t i = 0; i < RP_BLOCK; i += 8, adds += 16) {
        __m256i even, odd, low, high;
        rp__bitpack_avx2_two_values(&t, &even, &odd);
        even = _mm256_add_epi32(even, take(adds));
        odd = _mm256_add_epi32(odd, take(adds + 8));
        rp__bitpack_avx2_two_docids(&t, even, odd, &low, &high);
        rp__bitpack_avx2_store(out + i, low);
        rp__bitpack_avx2_store(out + RP_BLOCK + i, high);
    }
    uint32_t last = out[RP_BLOCK - 1], end = out[2 * RP_BLOCK - 1];
    return rp__blocks_ends_so(list, b, last) && last >= (uint32_t)(base + 1) &&
           rp__blocks_ends_so(list, b + 1, end) && end > middle;
}

/* Decodes the group that begins with block b; returns where the next one goes, NULL: it is
 * damaged. */
INLINE uint32_t *put_group(group *g, const rp__list *list, uint32_t b, uint32_t *out)
{
    if (!g->is_open) {
        for (uint32_t k = 0; k < RP_FASTPFD_GROUP && b + k < list->n_blocks && out; k++)
            out = rp__fastpfd_put_by(rp__patch_avx2_docids, list, b + k, out);
        return out;
    }
    bool is_sound = true;
    for (uint32_t k = 0; k < RP_FASTPFD_GROUP; k += 2, out += 2 * (size_t)RP_BLOCK)
        is_sound &= put_two(g, list, b + k, k, out);
    return is_sound ? out : NULL;
}

rp_status rp__fastpfd_avx2_decode(const rp__list *list, uint32_t *out)
{
    group groups[2];
    for (uint32_t i = 0; i < 2; i++)
        memset(groups[i].adds, 0, sizeof groups[i].adds);
    open_group(&groups[0], list, 0);
    for (uint32_t b = 0; b < list->n_blocks; b += RP_FASTPFD_GROUP) {
        uint32_t i = b / RP_FASTPFD_GROUP % 2;
        open_group(&groups[!i], list, b + RP_FASTPFD_GROUP);
        if (!(out = put_group(&groups[i], list, b, out)))
            return RP_DAMAGED;
    }
    return rp__blocks_end(list);
}
#endif
