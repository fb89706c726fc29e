/* select_sample.cu: the k best of one large selection, by one read of it and a sample.
 * Owns:   a warp chunks of 32 scores of the sample; then a thread 16 scores at a time.
 * Moves:  a 64th, then all scores once, 16 bytes a thread, coalesced; keys of the few hundred that reach the
 *         sample's threshold. Scratch: a histogram and 4 words, left 0 as they were found, then those keys. Shared as select_block.cu.
 * Limits: k keys in shared memory. Where the sample misleads, the last block goes through all scores by itself.
 * Source: sampled thresholds as in bucketSelect (Alabi et al., 2012); the last block is radix select. */
#include "backend/gpu/kernels/prim/narrow.cuh"
#include "backend/gpu/kernels/tuning.h"

enum { DONE = BEST_BINS, FILTERED, KEPT, THRESHOLD }; /* words of scratch after the histogram */

RP_KERNEL(select_sample_kernel, karg_select)
{
    uint32_t *bins = (uint32_t *)prim_shared(), *state = prim_at<uint32_t>(a.scratch);
    const uint32_t *scores = prim_at<const uint32_t>(a.scores);
    for (uint32_t i = prim_thread(); i < BEST_BINS; i += prim_block_size())
        bins[i] = 0;
    prim_sync();
    uint32_t warps = prim_grid_size() * (prim_block_size() / 32);
    uint32_t chunks = prim_div_up(prim_div_up(a.n, 32), a.step);
#pragma unroll 4
    for (uint32_t c = prim_block() * (prim_block_size() / 32) + prim_warp(); c < chunks; c += warps) {
        uint32_t i = c * a.step * 32 + prim_lane();
        if (i < a.n)
            prim_atomic_add(&bins[best_bin(prim_load_once(&scores[i]))], 1);
    }
    prim_sync();
    for (uint32_t i = prim_thread(); i < BEST_BINS; i += prim_block_size())
        if (bins[i])
            prim_atomic_add(&state[i], bins[i]);
    if (!narrow_is_last(&state[DONE], &bins[BEST_BINS]))
        return;
    for (uint32_t i = prim_thread(); i < BEST_BINS; i += prim_block_size())
        bins[i] = prim_load_now(&state[i]);
    prim_sync();
    if (prim_warp() == 0)
        best_find(bins, a.step == 1 ? a.k : 2 * a.k / a.step + 8); /* several times k, and rarely fewer */
    prim_sync();
    if (prim_thread() == 0)
        state[THRESHOLD] = prim_max(best_edge(best_bin_range(bins[BEST_BINS])), a.least);
}

PRIM void keep(const karg_select &a, uint32_t i, uint32_t score, uint32_t *state, uint64_t *kept)
{
    uint32_t at = prim_atomic_add(&state[KEPT], 1);
    if (at < a.room)
        kept[at] = best_key(score, a.docids ? prim_at<const uint32_t>(a.docids)[i] : i);
}

PRIM void filter(const karg_select &a, uint32_t threshold, uint32_t *state, uint64_t *kept)
{
    const uint4 *fours = prim_at<const uint4>(a.scores);
    const uint32_t step = prim_grid_size() * prim_block_size(), n = a.n / 4;
    uint32_t i = prim_block() * prim_block_size() + prim_thread();
    for (; i < n; i += 4 * step) {
        uint4 v[4];
#pragma unroll
        for (uint32_t j = 0; j < 4; j++)
            v[j] = j * step < n - i ? prim_load_once(&fours[i + j * step]) : make_uint4(0, 0, 0, 0);
#pragma unroll
        for (uint32_t j = 0; j < 4; j++) {
            uint32_t most = prim_max(prim_max(v[j].x, v[j].y), prim_max(v[j].z, v[j].w));
            if (most < threshold || j * step >= n - i)
                continue;
            uint32_t s[4] = {v[j].x, v[j].y, v[j].z, v[j].w};
#pragma unroll
            for (uint32_t e = 0; e < 4; e++)
                if (s[e] >= threshold)
                    keep(a, 4 * (i + j * step) + e, s[e], state, kept);
        }
    }
    if (prim_block() == 0 && prim_thread() < (a.n & 3)) {
        uint32_t at = 4 * n + prim_thread(), s = prim_at<const uint32_t>(a.scores)[at];
        if (s >= threshold)
            keep(a, at, s, state, kept);
    }
}

/* Ranks the keys that were kept: from shared memory, where there is room for them. */
PRIM void rank(const karg_select &a, const uint64_t *kept, uint32_t n, uint32_t *bins, uint64_t *keys)
{
    uint64_t *own = keys + best_power(a.k);
    const uint64_t *from = n <= TUNE_SAMPLE_KEYS ? own : kept;
    for (uint32_t i = prim_thread(); i < n && from == own; i += prim_block_size())
        own[i] = prim_load_now64(&kept[i]);
    prim_sync();
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = (uint32_t)(prim_load_now64(&from[i]) >> 32);
        return true;
    };
    auto docid = [&](uint32_t i) { return ~(uint32_t)prim_load_now64(&from[i]); };
    best_select(score, docid, n, a.k, bins, keys, prim_at<karg_pair>(a.out), prim_at<uint32_t>(a.counts));
}

RP_KERNEL_BOUNDED(select_sample_filter_kernel, karg_select, 256, 5)
{
    uint32_t *bins = (uint32_t *)prim_shared(), *state = prim_at<uint32_t>(a.scratch);
    uint64_t *keys = (uint64_t *)(bins + BEST_WORDS), *kept = (uint64_t *)(state + KARG_SELECT_ZEROS);
    const uint32_t threshold = state[THRESHOLD];
    filter(a, threshold, state, kept);
    if (!narrow_is_last(&state[FILTERED], &bins[BEST_BINS]))
        return;
    uint32_t n = prim_load_now(&state[KEPT]);
    prim_sync();
    for (uint32_t i = prim_thread(); i <= THRESHOLD; i += prim_block_size())
        state[i] = 0;
    if (n <= a.room && (n >= a.k || threshold <= a.least)) {
        rank(a, kept, n, bins, keys);
        return;
    }
    const uint32_t *scores = prim_at<const uint32_t>(a.scores);
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = scores[i];
        return *s >= a.least;
    };
    auto docid = [&](uint32_t i) { return a.docids ? prim_at<const uint32_t>(a.docids)[i] : i; };
    best_select(score, docid, a.n, a.k, bins, keys, prim_at<karg_pair>(a.out), prim_at<uint32_t>(a.counts));
}
