/* probe_lanes_avx2.c: the probe that merges arrays with AVX2. Where both sides are about as dense, eight docids
 * are compared with eight postings in all ways at once; the side that ends first moves on, without a branch.
 * Where postings are denser, eight docids are compared with the ends of sixteens of postings at once,
 * then each with its own sixteen.
 *
 * What does not fill a register or a window at the end of either side is merged one by one. */
#include <immintrin.h>

#include "backend/cpu/probe_rows.h"
#include "base/bits.h"
#include "base/cpu.h"

enum {
    LANES = 8,
    SIXTEEN = 16,
    ENDS = 5,                      /* sixteens whose ends are looked at */
    WINDOW = (ENDS + 1) * SIXTEEN, /* postings in which eight docids are sought together */
};

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)hs;
    return !list->codec;
}

static inline __m256i load(const uint32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* Lanes of a that are among the four lanes of b in the same half. */
static inline __m256i among_four(__m256i a, __m256i b)
{
    __m256i c = _mm256_cmpeq_epi32(a, b);
    __m256i d = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x39)); /* lanes 1, 2, 3, 0 */
    __m256i e = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x4E)); /* 2, 3, 0, 1 */
    __m256i f = _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, 0x93)); /* 3, 0, 1, 2 */
    return _mm256_or_si256(_mm256_or_si256(c, d), _mm256_or_si256(e, f));
}

/* A bit for each lane of a that is among those of b. */
static inline uint32_t among(__m256i a, __m256i b)
{
    __m256i same = among_four(a, b);
    __m256i other = among_four(a, _mm256_permute2x128_si256(b, b, 0x01));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_or_si256(same, other)));
}

/* Writes first + the place of each bit set; room for eight. */
static inline void put_places(uint32_t *out, uint32_t first, uint32_t bits)
{
    const uint64_t each = 0x0101010101010101, iota = 0x0706050403020100;
    uint64_t places = _pext_u64(iota, _pdep_u64(bits, each) * 0xFF);
    __m256i at = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)places));
    at = _mm256_add_epi32(at, _mm256_set1_epi32((int)first));
    _mm256_storeu_si256((__m256i *)(void *)out, at);
}

/* Where both sides stand, and what is found so far. */
typedef struct merge {
    uint32_t a, b, found;
} merge;

static inline __attribute__((always_inline)) void by_eights(merge *m, const uint32_t *docids,
                                                            uint32_t n, const rp__list *list,
                                                            uint32_t *kept, uint32_t *ranks)
{
    uint32_t a = m->a, b = m->b, found = m->found;
    while (a + LANES <= n && list->n - b >= LANES) {
        const uint32_t *p = docids + a, *q = list->docids + b;
        __m256i x = load(p), y = load(q);
        uint32_t bits = among(x, y);
        put_places(kept + found, a, bits);
        if (ranks)
            put_places(ranks + found, b, among(y, x));
        found += rp__bits_count64(bits);
        a += p[LANES - 1] <= q[LANES - 1] ? LANES : 0;
        b += q[LANES - 1] <= p[LANES - 1] ? LANES : 0;
    }
    *m = (merge){a, b, found};
}

/* Whether n docids lie where there are over two postings for each, all below 2^31, so that they can be
 * compared as signed numbers. */
static inline bool are_sparse(const uint32_t *docids, uint32_t n, const rp__list *list, uint32_t b)
{
    return n > 0 && list->universe <= 1U << 31 && docids[n - 1] <= INT32_MAX &&
           list->n - b > 2 * (uint64_t)n && list->docids[b + 2 * n] < docids[n - 1];
}

/* How many of the ends of the first sixteens are below each of eight docids. */
static inline __m256i sixteens_of(const uint32_t *postings, __m256i docids)
{
    __m256i below = _mm256_setzero_si256();
#pragma GCC unroll 5
    for (uint32_t k = 0; k < ENDS; k++) {
        __m256i end = _mm256_set1_epi32((int)postings[SIXTEEN * k + SIXTEEN - 1]);
        below = _mm256_sub_epi32(below, _mm256_cmpgt_epi32(docids, end));
    }
    return below;
}

/* A bit for each of sixteen postings that is x. */
static inline uint32_t equal_to(const uint32_t *postings, uint32_t x, bool has_ranks)
{
    const __m256i v = _mm256_set1_epi32((int)x);
    __m256i low = _mm256_cmpeq_epi32(load(postings), v);
    __m256i high = _mm256_cmpeq_epi32(load(postings + LANES), v);
    if (!has_ranks)
        return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(low, high));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(high)) << LANES;
}

/* Eight docids, all within the window at b. */
static inline __attribute__((always_inline)) void in_window(merge *m, const uint32_t *docids,
                                                            const uint32_t *postings,
                                                            uint32_t *kept, uint32_t *ranks)
{
    uint32_t sixteens[LANES], found = m->found;
    const uint32_t *p = docids + m->a, *q = postings + m->b;
    _mm256_storeu_si256((__m256i *)(void *)sixteens, sixteens_of(q, load(p)));
#pragma GCC unroll 8
    for (uint32_t k = 0; k < LANES; k++) {
        uint32_t slot = SIXTEEN * sixteens[k], bits = equal_to(q + slot, p[k], ranks);
        kept[found] = m->a + k;
        if (ranks)
            ranks[found] = m->b + slot + (uint32_t)_tzcnt_u32(bits);
        found += bits != 0;
    }
    *m = (merge){m->a + LANES, m->b + SIXTEEN * sixteens[LANES - 1], found};
}

/* Docids by eights, those that lie too far apart as by_eights does. */
static inline __attribute__((always_inline)) void by_windows(merge *at, const uint32_t *docids,
                                                             uint32_t n, const rp__list *list,
                                                             uint32_t *kept, uint32_t *ranks)
{
    merge m = *at; /* so that it stays in registers */
    while (m.a + LANES <= n && list->n - m.b >= WINDOW) {
        const uint32_t *p = docids + m.a, *q = list->docids + m.b;
        if (p[LANES - 1] <= q[WINDOW - 1])
            in_window(&m, docids, list->docids, kept, ranks);
        else if (p[0] > q[SIXTEEN - 1])
            m.b += p[0] > q[WINDOW - 1] ? WINDOW : SIXTEEN;
        else
            by_eights(&m, docids, m.a + LANES, list, kept, ranks);
    }
    *at = m;
}

static inline __attribute__((always_inline)) void by_registers(merge *m, const uint32_t *docids,
                                                               uint32_t n, const rp__list *list,
                                                               uint32_t *kept, uint32_t *ranks)
{
    if (are_sparse(docids, n, list, m->b))
        by_windows(m, docids, n, list, kept, ranks);
    by_eights(m, docids, n, list, kept, ranks);
}

static void one_by_one(merge *m, const uint32_t *docids, uint32_t n, const rp__list *list,
                       uint32_t *kept, uint32_t *ranks)
{
    while (m->a < n && m->b < list->n) {
        uint32_t x = docids[m->a], y = list->docids[m->b];
        if (x == y) {
            if (ranks)
                ranks[m->found] = m->b;
            kept[m->found++] = m->a;
        }
        m->a += x <= y;
        m->b += y <= x;
    }
}

/* probe->at is the rank that comes next. */
static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    merge m = {0, probe->at, 0};
    if (ranks)
        by_registers(&m, docids, n, probe->list, kept, ranks);
    else
        by_registers(&m, docids, n, probe->list, kept, NULL);
    one_by_one(&m, docids, n, probe->list, kept, ranks);
    probe->at = m.b;
    return m.found;
}

const rp__probe_row rp__probe_lanes_avx2_row = {"lanes", RP_CPU_AVX2, applies, find};
