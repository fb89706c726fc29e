/* probe_lanes_avx2.c: the probe that merges arrays with AVX2: eight docids are compared with eight
 * postings in all ways at once; the side that ends first moves on, without a branch.
 *
 * What does not fill a register at the end of either side is merged one by one. */
#include <immintrin.h>

#include "backend/cpu/probe_rows.h"
#include "base/bits.h"
#include "base/cpu.h"

enum { LANES = 8 };

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
        by_eights(&m, docids, n, probe->list, kept, ranks);
    else
        by_eights(&m, docids, n, probe->list, kept, NULL);
    one_by_one(&m, docids, n, probe->list, kept, ranks);
    probe->at = m.b;
    return m.found;
}

const rp__probe_row rp__probe_lanes_avx2_row = {"lanes", RP_CPU_AVX2, applies, find};
