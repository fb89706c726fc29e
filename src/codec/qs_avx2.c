/* qs_avx2.c: the docid codec qs with BMI2: one docid, or the first of at least a target, by selecting
 * a bit of a word at once; blocks by the places of ends from a table, a byte of them at a time.
 *
 * The ways here are those of most calls and have no branch that cannot be foreseen; what they do not
 * cover goes the longer way of qs.h, in functions of its own so that it costs them nothing. */
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/bitpack_avx2.h"
#include "codec/gaps.h"
#include "codec/qs.h"
#include "codec/unary_avx2.h"

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Where the first n ends of bits `from` to `to` lie, counted from `from`; writes up to 64 more.
 * RP_DAMAGED: there are fewer. */
static inline rp_status put_ends(const uint8_t *bits, uint64_t from, uint64_t to, uint32_t n,
                                 uint32_t *out)
{
    uint64_t at = from / 8 * 8, keep = UINT64_MAX << from % 8;
    const __m256i step = _mm256_set1_epi32(8);
    __m256i base = _mm256_set1_epi32(-(int)(from % 8));
    uint32_t i = 0;
    for (; at < to && i < n; at += 64, keep = UINT64_MAX) {
        uint64_t word = (rp__load64(bits + at / 8) ^ RP_UNARY_ENDS_ARE_ZEROS) & keep;
        if (to - at < 64)
            word = _bzhi_u64(word, (uint32_t)(to - at));
#pragma GCC unroll 8
        for (uint32_t k = 0; k < 8; k++, word >>= 8, base = _mm256_add_epi32(base, step)) {
            __m128i places = _mm_loadl_epi64((const __m128i *)&rp__unary_avx2_places[word & 0xFF]);
            __m256i ends = _mm256_add_epi32(base, _mm256_cvtepu8_epi32(places));
            _mm256_storeu_si256((__m256i *)(void *)(out + i), ends);
            i += rp__unary_avx2_counts[word & 0xFF];
        }
    }
    return i >= n ? RP_OK : RP_DAMAGED;
}

/* Makes docids of the ends and low parts of n values, the first of rank `first`; `high` is the high
 * part before them. */
static inline void put_docids(const rp__list_view *v, uint64_t first, uint32_t high, uint32_t *out,
                              uint32_t n)
{
    const rp__bitpack_avx2 u = rp__bitpack_avx2_start(v->width);
    const __m128i shift = _mm_cvtsi32_si128((int)v->width);
    const __m256i iota = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), step = _mm256_set1_epi32(8);
    const uint8_t *low = v->low + first * v->width / 8; /* of a whole block each: at a byte */
    __m256i add = _mm256_sub_epi32(_mm256_set1_epi32((int)high), iota);
    for (uint32_t i = 0; i < n; i += 8, low += v->width, add = _mm256_sub_epi32(add, step)) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(out + i));
        x = _mm256_sll_epi32(_mm256_add_epi32(x, add), shift);
        rp__bitpack_avx2_store(out + i, _mm256_or_si256(x, rp__bitpack_avx2_eight(&u, low)));
    }
}

rp_status rp__qs_avx2_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    const rp__list_view *v = &list->view;
    uint64_t from, to, first = (uint64_t)b * RP_BLOCK;
    uint32_t n = rp__list_count(list, b);
    if (v->width > RP_BITPACK_AVX2_MAX)
        return rp__qs_block(list, b, out);
    if (rp__qs_block_bits(list, b, &from, &to) || put_ends(v->high, from, to, n, out))
        return RP_DAMAGED;
    uint64_t high = from - first; /* the last high part is the largest */
    if (n > 0 && (high + (uint32_t)(out[n - 1] - (n - 1))) << v->width > UINT32_MAX)
        return RP_DAMAGED;
    put_docids(v, first, (uint32_t)high, out, n);
    return rp__gaps_rising(out, n, b ? list->last[b - 1] : UINT32_MAX);
}

/* ---- Single docids --------------------------------------------------------------------------- */

static __attribute__((noinline)) rp_status at_far(const rp__list *list, uint32_t i, uint32_t *out)
{
    return rp__qs_at_by(list, i, out, rp__unary_avx2_far_end);
}

rp_status rp__qs_avx2_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    const rp__list_view *v = &list->view;
    if (i < RP_BLOCK || i >= list->n)
        return at_far(list, i, out);
    uint64_t from = rp__qs_block_bit(list, i / RP_BLOCK), end = from;
    if (from < v->high_bits)
        end = rp__unary_avx2_near(v->high, RP_UNARY_ENDS_ARE_ZEROS, from, i % RP_BLOCK);
    if (end >= v->high_bits)
        return at_far(list, i, out);
    *out = (uint32_t)((end - i) << v->width) | rp__lowbits_at(v->low, v->width, i);
    return RP_OK;
}

static __attribute__((noinline)) rp_status find_far(const rp__list *list, uint32_t target,
                                                    uint32_t *rank, uint32_t *docid)
{
    rp__qs_place place;
    *rank = list->n;
    *docid = RP_NO_DOC;
    if (rp__qs_seek(list, target, &place, rp__unary_avx2_end))
        rp__qs_search(list, &place, rank, docid, rp__unary_avx2_end);
    return RP_OK;
}

/* The bit where the docids of a high part start, which has a hint; at least high_bits: not near. */
static inline uint64_t start_of(const rp__list_view *v, uint64_t high)
{
    uint64_t before, from = rp__qs_hint(v, high, &before), bit = from + before;
    __builtin_prefetch(v->low + before * v->width / 8);
    if (bit < v->high_bits && high > from)
        bit = 1 + rp__unary_avx2_next(v->high, RP_UNARY_ENDS_ARE_ONES, bit, high - from - 1);
    return bit;
}

/* How many of the first `count` of RP_QS_FEW low parts of w bits are less than this. */
static inline uint64_t few_less(uint64_t lows, uint32_t w, uint64_t count, uint64_t low)
{
    uint64_t known = lows | UINT64_MAX << count * w,
             less = 0; /* the others are as large as can be */
    less += _bzhi_u64(known, w) < low;
    less += _bzhi_u64(known >> w, w) < low;
    less += _bzhi_u64(known >> 2 * w, w) < low;
    return less;
}

/* Fast where at most RP_QS_FEW docids have the target's high part, and they and the gap after them lie
 * in the bits that one load gives, and so do their low parts and the next one. */
rp_status rp__qs_avx2_find(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid)
{
    enum { WINDOW = 57, WIDTH_MAX = WINDOW / (RP_QS_FEW + 1) };
    const rp__list_view *v = &list->view;
    uint32_t w = v->width;
    uint64_t high = target >> w;
    if (high / RP_QS_HINT >= v->n_hints || w > WIDTH_MAX)
        return find_far(list, target, rank, docid);
    uint64_t bit = start_of(v, high);
    if (bit >= v->high_bits)
        return find_far(list, target, rank, docid);
    uint64_t window = rp__load64(v->high + bit / 8) >> bit % 8, first = bit - high;
    uint64_t count = _tzcnt_u64(window), gap = _tzcnt_u64(~(window >> count % 64));
    if (count > RP_QS_FEW || count + gap >= WINDOW || bit + count + gap >= v->high_bits ||
        first + count >= list->n)
        return find_far(list, target, rank, docid);
    uint64_t lows = rp__load64(v->low + first * w / 8) >> first * w % 8;
    uint64_t less = few_less(lows, w, count, _bzhi_u64(target, w));
    high += gap & (0 - (uint64_t)(less == count));
    *rank = (uint32_t)(first + less);
    *docid = (uint32_t)(high << w) | (uint32_t)_bzhi_u64(lows >> less * w, w);
    return RP_OK;
}

rp_status rp__qs_avx2_seek_block(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                                 uint32_t *docid)
{
    uint32_t rank;
    return rp__qs_avx2_find(list, target, &rank, docid) ? RP_DAMAGED : rp__qs_slot(b, rank, slot);
}
#endif
