/* probe_hs_avx2.c: the probe by hash segmentation, with AVX2: 24 postings from where a bucket begins are compared
 * at once, without a branch; a bucket that has more, which is seldom, is walked. Three registers of 32
 * bytes: two of 64 cross more lines, and were slower on Zen 4. */
#include "backend/cpu/probe_hs.h"

#include <immintrin.h>

#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

enum { LANES = 8, WINDOW = 3 * LANES };

static bool applies(const rp__list *list, const rp__aux *hs)
{
    return rp__probe_hs_applies(list, hs) && list->n >= WINDOW;
}

static inline __m256i equal(const uint32_t *at, __m256i x)
{
    return _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(const void *)at), x);
}

/* Which of WINDOW postings it is; WINDOW: none. */
static inline uint32_t slot_of(__m256i a, __m256i b, __m256i c)
{
    uint32_t bits = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a)) |
                    (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(b)) << LANES |
                    (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(c)) << 2 * LANES;
    return (uint32_t)__builtin_ctz(bits | 1U << WINDOW);
}

/* has_ranks is known where this is inlined. */
static inline uint32_t find_with(rp__probe *probe, const uint32_t *docids, uint32_t n,
                                 uint32_t *kept, uint32_t *ranks, bool has_ranks)
{
    const rp__list *list = probe->list;
    const uint32_t *starts = probe->hs->starts, most = list->n - WINDOW;
    const uint64_t shift = probe->hs->shift;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = docids[i], h = (uint32_t)(x >> shift), lo = starts[h], hi = starts[h + 1];
        uint32_t from = lo < most ? lo : most;
        const uint32_t *at = list->docids + from;
        __m256i v = _mm256_set1_epi32((int)x);
        __m256i a = equal(at, v), b = equal(at + LANES, v), c = equal(at + 2 * LANES, v);
        __m256i any = _mm256_or_si256(_mm256_or_si256(a, b), c);
        bool is_there = !_mm256_testz_si256(any, any);
        uint32_t rank = has_ranks ? from + slot_of(a, b, c) : 0;
        if (__builtin_expect(hi - lo > WINDOW, 0)) {
            rank = rp__probe_hs_rank(list, lo, hi, x);
            is_there = rank < list->n;
        }
        kept[found] = i;
        if (has_ranks)
            ranks[found] = rank;
        found += is_there;
    }
    return found;
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    n = rp__probe_hs_inside(probe->hs, docids, n);
    rp__probe_hs_prefetch(probe, docids, n);
    return ranks ? find_with(probe, docids, n, kept, ranks, true)
                 : find_with(probe, docids, n, kept, NULL, false);
}

const rp__probe_row rp__probe_hs_avx2_row = {"hs", RP_CPU_AVX2, applies, find};
