/* qs_avx512.c: the docid codec qs with AVX-512: blocks by the places of the ends of their high parts,
 * and one docid by counting the ends of eight words at once.
 *
 * Sums of a block's high parts are found modulo 256. One width for the whole list lets them pass 255
 * here and there: they do so once, where the bytes fall. Blocks that span more, or whose bytes do not
 * fall, and low parts of more than 25 bits, which with their offset of up to 7 leave a 32-bit window,
 * go the plain way. */
#include "codec/codec_table.h"

#if defined(__x86_64__)
#include "codec/qs.h"
#include "codec/unary_avx512.h"

enum { WINDOW_MAX = 25 };

/* Sixteen low parts of w bits: their bytes, and the bits in them at which they start. */
typedef struct unpacker {
    __m512i bytes, shifts, mask;
} unpacker;

static inline __m512i iota32(void)
{
    return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

static inline unpacker unpacker_of(uint32_t w)
{
    const __m512i each = _mm512_set1_epi32(0x01010101), four = _mm512_set1_epi32(0x03020100);
    __m512i bits = _mm512_mullo_epi32(iota32(), _mm512_set1_epi32((int)w));
    __m512i byte = _mm512_mullo_epi32(_mm512_srli_epi32(bits, 3), each);
    return (unpacker){
        .bytes = _mm512_add_epi32(byte, four),
        .shifts = _mm512_and_si512(bits, _mm512_set1_epi32(7)),
        .mask = _mm512_set1_epi32((int)(uint32_t)((1ULL << w) - 1)),
    };
}

static inline __m512i unpack(const unpacker *u, const uint8_t *p)
{
    __m512i lanes = _mm512_permutexvar_epi8(u->bytes, _mm512_loadu_si512(p));
    return _mm512_and_si512(_mm512_srlv_epi32(lanes, u->shifts), u->mask);
}

/* The 448 bits from a bit on; the last qword is zero. */
static inline __m512i bits_from(const uint8_t *bits, uint64_t from)
{
    __m512i here = _mm512_loadu_si512(bits + from / 8);
    __m512i next = _mm512_alignr_epi64(_mm512_setzero_si512(), here, 1);
    return _mm512_shrdv_epi64(here, next, _mm512_set1_epi64((long long)(from % 8)));
}

/* Whether sums i + 1 to i + 64, modulo 256, are below the ones before them. */
static inline uint64_t falls_after(const rp__unary_avx512 *u, size_t i)
{
    const __m512i iota = _mm512_load_si512(rp__unary_iota), one = _mm512_set1_epi8(1);
    __m512i left = _mm512_sub_epi8(_mm512_loadu_si512(u->ends + i), iota);
    __m512i here = _mm512_sub_epi8(_mm512_loadu_si512(u->ends + i + 1), iota);
    __m512i base = _mm512_set1_epi8((char)i);
    left = _mm512_sub_epi8(left, base);
    here = _mm512_sub_epi8(_mm512_sub_epi8(here, base), one);
    return _mm512_cmplt_epu8_mask(here, left);
}

/* The rank from which sums are 256 or more; RP_BLOCK: the bytes do not fall. */
static inline uint32_t rank_of_fall(const rp__unary_avx512 *u, uint32_t n)
{
    uint64_t low = falls_after(u, 0), high = falls_after(u, 64);
    uint64_t i = 1 + (low ? _tzcnt_u64(low) : 64 + _tzcnt_u64(high));
    return i < n ? (uint32_t)i : RP_BLOCK;
}

/* The high parts of block b of the list: those from `start` on, of which those from rank `fall` on
 * have 256 to add. */
typedef struct high_parts {
    rp__unary_avx512 u;
    uint32_t start, fall;
} high_parts;

/* Docids of these high parts and of the low parts at p; whether they rise. */
static inline bool make_docids(const high_parts *h, const uint8_t *p, uint32_t l, uint32_t *out,
                               uint32_t n)
{
    unpacker low = unpacker_of(l);
    const __m512i first = _mm512_set1_epi32((int)h->start), width = _mm512_set1_epi32((int)l);
    const __m512i fall = _mm512_set1_epi32((int)h->fall), more = _mm512_set1_epi32(256);
    __m512i before = _mm512_setzero_si512(), rank = iota32();
    __mmask16 falls = 0, lanes = 0xFFFE; /* nothing stands left of the first */
    for (uint32_t i = 0; i < n; i += 16, p += 2 * l, lanes = 0xFFFF) {
        __m512i high = _mm512_add_epi32(first, rp__unary_avx512_part(&h->u, i));
        high = _mm512_mask_add_epi32(high, _mm512_cmpge_epu32_mask(rank, fall), high, more);
        __m512i docids = _mm512_or_si512(_mm512_sllv_epi32(high, width), unpack(&low, p));
        __m512i left = _mm512_alignr_epi32(docids, before, 15);
        if (n - i < 16)
            lanes &= (__mmask16)((1U << (n - i)) - 1);
        falls |= _mm512_mask_cmple_epu32_mask(lanes, docids, left);
        _mm512_storeu_si512(out + i, docids);
        before = docids;
        rank = _mm512_add_epi32(rank, _mm512_set1_epi32(16));
    }
    return !falls;
}

/* Whether the high parts in bits `from` to `to` can be found here. The last number of a block in a
 * long list ends right before `to`, so its sum is known. */
static inline bool find_high_parts(const uint8_t *bits, uint64_t from, uint64_t to, uint32_t n,
                                   high_parts *h)
{
    __m512i ones = rp__unary_avx512_ones(bits_from(bits, from), UINT64_MAX, to - from);
    h->fall = RP_BLOCK;
    if (rp__unary_avx512_ends(ones, RP_UNARY_AVX512_WORDS_MAX, n, &h->u))
        return false;
    if (to - from > n + 255)
        h->fall = rank_of_fall(&h->u, n);
    return to - from <= n + 255 || h->fall < RP_BLOCK;
}

rp_status rp__qs_avx512_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    const rp__list_view *v = &list->view;
    high_parts h;
    uint64_t from, to, first = (uint64_t)b * RP_BLOCK;
    uint32_t n = rp__list_count(list, b);
    if (rp__qs_block_bits(list, b, &from, &to))
        return RP_DAMAGED;
    if (n - 1 >= RP_BLOCK || v->width > WINDOW_MAX || !list->last ||
        to - from > 64 * RP_UNARY_AVX512_WORDS_MAX || !find_high_parts(v->high, from, to, n, &h))
        return rp__qs_block(list, b, out);
    h.start = (uint32_t)(from - first);
    if ((to - first - n) << v->width > UINT32_MAX)
        return RP_DAMAGED;
    bool rises = make_docids(&h, v->low + first / 8 * v->width, v->width, out, n);
    return rises && (b == 0 || out[0] > list->last[b - 1]) ? RP_OK : RP_DAMAGED;
}

rp_status rp__qs_avx512_at(const rp__list *list, uint32_t i, uint32_t *out)
{
    const rp__list_view *v = &list->view;
    if (i < RP_BLOCK || i >= list->n)
        return rp__qs_avx2_at(list, i, out);
    uint64_t from = rp__qs_block_bit(list, i / RP_BLOCK), end = from;
    if (from < v->high_bits)
        end = rp__unary_avx512_near(v->high, RP_UNARY_ENDS_ARE_ZEROS, from, i % RP_BLOCK);
    if (end >= v->high_bits)
        return rp__qs_avx2_at(list, i, out);
    *out = (uint32_t)((end - i) << v->width) | rp__lowbits_at(v->low, v->width, i);
    return RP_OK;
}
#endif
