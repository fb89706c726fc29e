/* probe_blocks_avx512.c: the probe by blocks, with AVX-512: the block that may hold a docid by one comparison
 * with 16 last docids, then all docids that fall into it together.
 *
 * A few of them are looked up one by one: the eighth of the block that may hold it, by 16 docids at
 * once. Many are compared eight by eight with all of the block; lists move on without a branch, since which
 * one does cannot be foreseen. Compression goes through a register: to memory it is slow on Zen 4. */
#include <immintrin.h>

#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

enum {
    LANES = 16,
    PAIR = 8,   /* docids of each side that are compared with each other */
    DENSE = 32, /* from so many docids of a block on, pairs are faster */
};

/* Docids that are sought, those found so far. */
typedef struct search {
    const uint32_t *docids;
    uint32_t *kept, *ranks; /* ranks NULL: not asked for */
    uint32_t n, found;
} search;

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)list;
    (void)hs;
    return true;
}

static inline uint32_t seek(const rp__list *list, uint32_t from, uint32_t target)
{
    if (!list->last || list->n_blocks - from < LANES)
        return rp__probe_block_seek(list, from, target);
    __m512i last = _mm512_loadu_si512(list->last + from);
    __mmask16 reach = _mm512_cmpge_epu32_mask(last, _mm512_set1_epi32((int)target));
    return reach ? from + (uint32_t)__builtin_ctz(reach)
                 : rp__probe_block_seek(list, from + LANES, target);
}

/* How many of the docids from `i` on are at most `last`: i + that many. */
static inline uint32_t end_of_group(const search *s, uint32_t i, uint32_t last)
{
    const __m512i bound = _mm512_set1_epi32((int)last);
    for (; i < s->n; i += LANES) {
        uint32_t left = s->n - i;
        __mmask16 lanes = (__mmask16)(left < LANES ? (1U << left) - 1 : 0xFFFFU);
        __m512i v = _mm512_maskz_loadu_epi32(lanes, s->docids + i);
        uint32_t within = _mm512_mask_cmple_epu32_mask(lanes, v, bound);
        if (within != 0xFFFF)
            return i + (uint32_t)__builtin_popcount(within);
    }
    return s->n;
}

/* Docids i to end - 1 one by one. */
static inline void find_few(search *s, uint32_t i, uint32_t end, const uint32_t *block,
                            uint32_t count, uint32_t first)
{
    for (; i < end; i++) {
        uint32_t x = s->docids[i];
        const uint32_t *p = block;
        if (count > RP_BLOCK && p[RP_BLOCK - 1] < x)
            p += RP_BLOCK;
        p += LANES * ((p[15] < x) + (p[31] < x) + (p[47] < x) + (p[63] < x) + (p[79] < x) +
                      (p[95] < x) + (p[111] < x));
        uint32_t at = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(p), _mm512_set1_epi32((int)x));
        s->kept[s->found] = i;
        if (s->ranks)
            s->ranks[s->found] =
                first + (uint32_t)(p - block) + (uint32_t)__builtin_ctz(at | 1U << LANES);
        s->found += at != 0;
    }
}

/* Which of eight docids are among eight others. */
static inline __mmask8 among(__m256i v, const uint32_t *others)
{
    __m256i eq = _mm256_setzero_si256();
    for (uint32_t k = 0; k < PAIR; k++)
        eq = _mm256_or_si256(eq, _mm256_cmpeq_epi32(v, _mm256_set1_epi32((int)others[k])));
    return _mm256_movepi32_mask(eq);
}

/* Eight numbers from `first` on, those of the mask alone, to out. */
static inline void put(uint32_t *out, uint32_t first, __mmask8 mask)
{
    const __m256i step = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i at = _mm256_add_epi32(step, _mm256_set1_epi32((int)first));
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_maskz_compress_epi32(mask, at));
}

/* Docids from i on, eight at a time while there are as many before `end`; returns where that ends. */
static inline uint32_t find_many(search *s, uint32_t i, uint32_t end, const uint32_t *block,
                                 uint32_t first)
{
    for (uint32_t slot = 0; i + PAIR <= end;) {
        const uint32_t *a = s->docids + i, *b = block + slot;
        __m256i va = _mm256_loadu_si256((const __m256i *)(const void *)a);
        __mmask8 common = among(va, b);
        put(s->kept + s->found, i, common);
        if (s->ranks) {
            __m256i vb = _mm256_loadu_si256((const __m256i *)(const void *)b);
            put(s->ranks + s->found, first + slot, among(vb, a));
        }
        s->found += (uint32_t)__builtin_popcount(common);
        uint32_t last_a = a[PAIR - 1], last_b = b[PAIR - 1];
        i += last_a <= last_b ? PAIR : 0;
        slot += last_b <= last_a ? PAIR : 0;
    }
    return i;
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    search s = {docids, kept, ranks, n, 0};
    for (uint32_t i = 0; i < n;) {
        probe->at = probe->at < list->n_blocks ? seek(list, probe->at, docids[i]) : list->n_blocks;
        if (probe->at == list->n_blocks)
            break;
        const uint32_t *block = rp__probe_block_load(probe, probe->at);
        if (!block)
            return 0;
        uint32_t end = end_of_group(&s, i, block[probe->count - 1]);
        uint32_t first = rp__list_block_first(list, probe->at);
        if (end == i && list->last)
            return rp__probe_block_damaged(probe);
        if (end == i) /* past the one block there is */
            probe->at = list->n_blocks;
        if (end - i >= DENSE)
            i = find_many(&s, i, end, block, first);
        find_few(&s, i, end, block, probe->count, first);
        i = end;
    }
    return s.found;
}

const rp__probe_row rp__probe_blocks_avx512_row = {"blocks", RP_CPU_AVX512, applies, find};
