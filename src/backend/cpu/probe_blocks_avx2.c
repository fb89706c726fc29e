/* probe_blocks_avx2.c: the probe by blocks, with AVX2: the block that may hold a docid by one comparison with 16
 * last docids, and within it the eighth that may, of which all 16 are compared at once. A docid that is alone
 * in its block is sought there without decoding it, where the codec can.
 *
 * Where most blocks are passed over, those of some docids are found first, so that the bytes of all are on
 * their way before the first is looked at. */
#include <immintrin.h>

#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

enum {
    LANES = 8,
    NEAR = 16,
    PLACED = 64, /* docids whose blocks are found together */
};

static bool applies(const rp__list *list, const rp__aux *hs)
{
    (void)list;
    (void)hs;
    return true;
}

static inline __m256i load(const uint32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* A bit for each of eight lanes that is all ones. */
static inline uint32_t bits_of(__m256i v)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

/* Of eight, those that are at least x. */
static inline __m256i reach(const uint32_t *p, __m256i x)
{
    __m256i v = load(p);
    return _mm256_cmpeq_epi32(_mm256_max_epu32(v, x), v);
}

static inline uint32_t seek(const rp__list *list, uint32_t from, uint32_t target)
{
    if (!list->last || list->n_blocks - from < NEAR)
        return rp__probe_block_seek(list, from, target);
    const uint32_t *last = list->last + from;
    const __m256i x = _mm256_set1_epi32((int)target);
    uint32_t reached = bits_of(reach(last, x)) | bits_of(reach(last + LANES, x)) << LANES;
    return reached ? from + (uint32_t)__builtin_ctz(reached)
                   : rp__probe_block_seek(list, from + NEAR, target);
}

/* The last docids of the eighths of RP_BLOCK slots. */
static inline __m256i ends_of(const uint32_t *p)
{
    return _mm256_setr_epi32((int)p[15], (int)p[31], (int)p[47], (int)p[63], (int)p[79], (int)p[95],
                             (int)p[111], (int)p[127]);
}

/* Docids from i on that are at most `last`, which one of RP_BLOCK slots is, the first of them with
 * this rank; returns the first that is not. The eighth that may hold a docid is found by one
 * comparison with the ends of all. One loop, whose end alone cannot be foreseen. */
static inline __attribute__((always_inline)) uint32_t
search_slots_with(const uint32_t *slots, uint32_t last, uint32_t rank, const uint32_t *docids,
                  uint32_t i, uint32_t n, uint32_t *kept, uint32_t *ranks, uint32_t *found,
                  bool has_ranks)
{
    const __m256i ends = ends_of(slots);
    uint32_t k = *found;
    for (; i < n && docids[i] <= last; i++) {
        const __m256i x = _mm256_set1_epi32((int)docids[i]);
        const uint32_t reached = bits_of(_mm256_cmpeq_epi32(_mm256_max_epu32(ends, x), ends));
        const uint32_t slot = NEAR * (uint32_t)__builtin_ctz(reached | 1U << (LANES - 1));
        const __m256i low = _mm256_cmpeq_epi32(load(slots + slot), x);
        const __m256i high = _mm256_cmpeq_epi32(load(slots + slot + LANES), x);
        kept[k] = i;
        if (!has_ranks) {
            k += bits_of(_mm256_or_si256(low, high)) != 0;
            continue;
        }
        const uint32_t bits = bits_of(low) | bits_of(high) << LANES;
        ranks[k] = rank + slot + (uint32_t)__builtin_ctz(bits | 1U << NEAR);
        k += bits != 0;
    }
    *found = k;
    return i;
}

static inline uint32_t search_slots(const uint32_t *slots, uint32_t last, uint32_t rank,
                                    const uint32_t *docids, uint32_t i, uint32_t n, uint32_t *kept,
                                    uint32_t *ranks, uint32_t *found)
{
    return ranks ? search_slots_with(slots, last, rank, docids, i, n, kept, ranks, found, true)
                 : search_slots_with(slots, last, rank, docids, i, n, kept, ranks, found, false);
}

/* Docids from i on that are at most the block's last; returns the first that is not. */
static inline uint32_t search(const rp__probe *probe, const uint32_t *slots, const uint32_t *docids,
                              uint32_t i, uint32_t n, uint32_t *kept, uint32_t *ranks,
                              uint32_t *found)
{
    const uint32_t last = slots[probe->count - 1];
    uint32_t rank = rp__list_block_first(probe->list, probe->block);
    if (probe->count > RP_BLOCK) {
        i = search_slots(slots, slots[RP_BLOCK - 1], rank, docids, i, n, kept, ranks, found);
        slots += RP_BLOCK;
        rank += RP_BLOCK;
    }
    return search_slots(slots, last, rank, docids, i, n, kept, ranks, found);
}

/* Whether a docid is the only one that may be in block b, which is not there, of a codec that can seek
 * in a block that it does not decode. */
static inline bool is_alone(const rp__probe *probe, const uint32_t *docids, uint32_t i, uint32_t n)
{
    const rp__list *list = probe->list;
    return list->codec && list->codec->seek && list->last &&
           (probe->count == 0 || probe->block != probe->at) &&
           (i + 1 == n || docids[i + 1] > list->last[probe->at]);
}

/* Seeks it there. False: the block has to be decoded. */
static inline bool find_alone(const rp__probe *probe, const uint32_t *docids, uint32_t i,
                              uint32_t *kept, uint32_t *ranks, uint32_t *found)
{
    const rp__list *list = probe->list;
    uint32_t slot, docid, b = probe->at;
    if (list->codec->seek(list, b, docids[i], &slot, &docid) ||
        slot >= rp__list_block_count(list, b) || docid < docids[i] || docid > list->last[b] ||
        docid >= list->universe)
        return false;
    kept[*found] = i;
    if (ranks)
        ranks[*found] = rp__list_block_first(list, b) + slot;
    *found += docid == docids[i];
    return true;
}

/* Whether fewer than every other block may hold one of n docids, from the first that may on. */
static inline bool lie_apart(const rp__probe *probe, const uint32_t *docids, uint32_t n)
{
    const rp__list *list = probe->list;
    if (!rp__list_has_offsets(list) || n == 0 || list->n_blocks - probe->at < 2 * n)
        return false;
    return list->last[probe->at + 2 * n - 1] < docids[n - 1];
}

/* The first blocks, from `from` on, that may hold the docids; asks for their bytes. */
static void place(const rp__list *list, uint32_t from, const uint32_t *docids, uint32_t n,
                  uint32_t *blocks)
{
    enum { LINE = 64 };
    for (uint32_t i = 0; i < n; i++) {
        blocks[i] = from = seek(list, from, docids[i]);
        if (from == list->n_blocks)
            continue;
        const uint8_t *at =
            list->docs + rp__list_offset(list, from); /* of damaged bytes, anywhere */
        __builtin_prefetch(at);
        __builtin_prefetch(at + LINE);
    }
}

/* probe->at is the first block that may hold what comes next. */
static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    const bool is_far = lie_apart(probe, docids, n);
    uint32_t found = 0, first = 0, placed = 0, blocks[PLACED]; /* of docids first to placed - 1 */
    for (uint32_t i = 0; i < n && probe->at < list->n_blocks;) {
        if (is_far && i >= placed) {
            first = i;
            placed = n - i < PLACED ? n : i + PLACED;
            place(list, probe->at, docids + i, placed - i, blocks);
        }
        probe->at = is_far ? blocks[i - first] : seek(list, probe->at, docids[i]);
        if (probe->at == list->n_blocks)
            break;
        if (is_alone(probe, docids, i, n) && find_alone(probe, docids, i, kept, ranks, &found)) {
            i++;
            continue;
        }
        const uint32_t *slots = rp__probe_block_load(probe, probe->at);
        if (!slots)
            return 0;
        uint32_t end = search(probe, slots, docids, i, n, kept, ranks, &found);
        if (end == i && list->last)
            return rp__probe_block_damaged(probe);
        if (end == i) /* past the one block there is */
            probe->at = list->n_blocks;
        i = end;
    }
    return found;
}

const rp__probe_row rp__probe_blocks_avx2_row = {"blocks", RP_CPU_AVX2, applies, find};
