/* probe_unordered_avx512.c: the probe of blocks decoded in an order of their own, with AVX-512: each docid is
 * compared with all postings of its block. Where most blocks are needed, a run of them is decoded at once,
 * which takes half as long, and no branch depends on where one ends. */
#include "backend/cpu/probe_unordered.h"

#include <immintrin.h>

#include "backend/cpu/probe_block.h"
#include "backend/cpu/probe_place_avx512.h"
#include "backend/cpu/probe_rows.h"
#include "base/cpu.h"

enum {
    LANES = 8,
    RUN = 16, /* blocks decoded at once: 8 KiB, a part of the smallest L1 */
};

/* Whether x is in any of the slots. */
static inline bool is_any(const uint32_t *slots, __m256i x)
{
    const __m256i *p = (const __m256i *)(const void *)slots;
    __m256i any = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (uint32_t k = 0; k < RP_BLOCK / LANES; k += 2) {
        __m256i a = _mm256_cmpeq_epi32(_mm256_load_si256(p + k), x);
        __m256i b = _mm256_cmpeq_epi32(_mm256_load_si256(p + k + 1), x);
        any = _mm256_ternarylogic_epi32(any, a, b, 0xFE); /* or */
    }
    return !_mm256_testz_si256(any, any);
}

/* Decodes full blocks from b up to `end`, and counts them; false: RP_DAMAGED. */
static bool fill_run(rp__probe *probe, uint32_t b, uint32_t end, uint32_t *run)
{
    const rp__list *list = probe->list;
    bool is_sound = list->codec->unordered(list, b, end - b, run) == RP_OK;
    for (uint32_t k = 0; is_sound && b + k < end; k++) {
        uint32_t last = run[(k + 1) * RP_BLOCK - 1];
        is_sound = last == list->last[b + k] && last < list->universe;
    }
    probe->decoded += (uint64_t)(end - b) * RP_BLOCK;
    probe->n_read += end - b;
    return is_sound || rp__probe_block_damaged(probe);
}

/* Docids from *i on that fall into a run of full blocks from blocks[*i] up to full. Returns how many are found. */
static uint32_t find_in_run(rp__probe *probe, const uint32_t *docids, const uint32_t *blocks,
                            uint32_t *i, uint32_t n, uint32_t full, uint32_t *kept)
{
    _Alignas(64) uint32_t run[RUN * RP_BLOCK + RP_BLOCK_CAPACITY];
    uint32_t b = blocks[*i], count = full - b < RUN ? full - b : RUN, found = 0, a = *i;
    if (!fill_run(probe, b, b + count, run))
        return 0;
    for (; a < n && blocks[a] - b < count; a++) { /* one before b, of damaged bytes, is far after */
        const uint32_t *slots = run + (size_t)(blocks[a] - b) * RP_BLOCK;
        kept[found] = a;
        found += is_any(slots, _mm256_set1_epi32((int)docids[a]));
    }
    *i = a;
    return found;
}

/* The same for one docid and its block, which is kept for the next batch. */
static uint32_t find_in_block(rp__probe *probe, const uint32_t *docids, const uint32_t *blocks,
                              uint32_t *i, uint32_t *kept)
{
    uint32_t b = blocks[*i];
    if ((probe->count == 0 || probe->block != b) && !rp__probe_unordered_fill(probe, b))
        return 0;
    kept[0] = *i;
    return is_any(probe->docs, _mm256_set1_epi32((int)docids[(*i)++]));
}

/* Where postings stand is known sooner from blocks in order; one that is brought in is not kept then, as the next
 * call may want it otherwise. */
static uint32_t find_ranks(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                           uint32_t *ranks)
{
    probe->count = 0;
    uint32_t found = rp__probe_blocks_avx512_row.find(probe, docids, n, kept, ranks);
    probe->count = 0;
    return found;
}

static uint32_t find(rp__probe *probe, const uint32_t *docids, uint32_t n, uint32_t *kept,
                     uint32_t *ranks)
{
    const rp__list *list = probe->list;
    uint32_t blocks[RP_PLACES], found = 0, full = list->n / RP_BLOCK;
    if (n == 0 || probe->at == list->n_blocks)
        return 0;
    if (ranks)
        return find_ranks(probe, docids, n, kept, ranks);
    probe->at = rp__probe_place_avx512(list, probe->at, docids, n, blocks);
    bool is_crowded = probe->at - blocks[0] < n && probe->at > blocks[0];
    for (uint32_t i = 0; i < n && blocks[i] < list->n_blocks && !probe->status;) {
        if (is_crowded && blocks[i] < full)
            found += find_in_run(probe, docids, blocks, &i, n, full, kept + found);
        else
            found += find_in_block(probe, docids, blocks, &i, kept + found);
    }
    return probe->status ? 0 : found;
}

const rp__probe_row rp__probe_unordered_avx512_row = {"unordered", RP_CPU_AVX512,
                                                      rp__probe_unordered_applies, find};
