/* select_sample.cu: the k best of one large selection, by one read of it and a sample.
 * Owns:   a thread 32 scores. The first blocks to come look at a sample as well, and tell all what
 *         to look for; others wait for that with their scores on their way. Then one block ranks.
 * Moves:  all scores once, 16 bytes a load, eight in flight a thread, coalesced; a sample of
 *         262,144; keys of some hundreds or thousands that reach the threshold. Scratch: a
 *         histogram and a few words, left 0 as they were found, then those keys. Shared: a
 *         histogram; of the block that ranks, cursors and `enough` keys too.
 * Limits: 2k keys in shared memory. Where the sample misleads, that block narrows the keys, or goes
 *         through all scores.
 * Source: sampled thresholds as in bucketSelect (Alabi et al., 2012); ranking by buckets, else
 *         radix select. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

/* Words of scratch, after the samplers' histogram; the threshold is stored plus one. */
enum { SAMPLE_TICKET = TOPK_BINS, SAMPLE_DONE, SAMPLE_THRESHOLD, SAMPLE_KEPT, SAMPLE_WORDS };

/* ---- The threshold --------------------------------------------------------------------------- */

/* The best of a thread's part of the sample, which lies evenly among all scores. */
PRIM uint32_t sample_best(const karg_select &a, uint32_t number)
{
    const uint32_t threads = a.samplers * prim_block_size(),
                   t = number * prim_block_size() + prim_thread();
    const uint32_t fours = a.n / 4, taken = prim_min(fours, TUNE_SAMPLE_EACH * threads);
    const uint4 *from = prim_at<const uint4>(a.scores);
    uint32_t best = 0;
#pragma unroll
    for (uint32_t j = 0; j < TUNE_SAMPLE_EACH; j++) {
        uint32_t i = j * threads + t;
        uint4 v =
            i < taken ? prim_load(&from[(uint64_t)i * fours / taken]) : make_uint4(0, 0, 0, 0);
        best = prim_max(best, prim_max(prim_max(v.x, v.y), prim_max(v.z, v.w)));
    }
    return best;
}

/* What the step-th of those that are counted reaches. */
PRIM uint32_t sample_edge(const karg_select &a, uint32_t *bins)
{
    prim_sync();
    if (prim_warp() == 0)
        topk_find(bins, a.step);
    prim_sync();
    return topk_edge(topk_bin_range(bins[TOPK_BINS]));
}

/* A sampler's part: its threads' bests, of which the step best are enough to find the step-th of
 * all. What the step-th of its own reaches, and so no more than that of all, is its threshold: it
 * has few scores of its own. */
PRIM uint32_t sample_part(const karg_select &a, uint32_t number, uint32_t *bins)
{
    for (uint32_t i = prim_thread(); i < TOPK_BINS; i += prim_block_size())
        bins[i] = 0;
    prim_sync();
    prim_atomic_add(&bins[topk_bin(sample_best(a, number))], 1);
    uint32_t edge = sample_edge(a, bins);
    for (uint32_t i = bins[TOPK_BINS] + prim_thread(); i < TOPK_BINS; i += prim_block_size())
        if (bins[i])
            prim_atomic_add(&prim_at<uint32_t>(a.scratch)[i], bins[i]);
    return edge;
}

/* The last sampler to come here tells all. */
PRIM void sample_tell(const karg_select &a, uint32_t *bins)
{
    uint32_t *state = prim_at<uint32_t>(a.scratch);
    if (!radix_select_is_last_of(&state[SAMPLE_DONE], a.samplers, &bins[TOPK_BINS + 5]))
        return;
    for (uint32_t i = prim_thread(); i < TOPK_BINS; i += prim_block_size())
        bins[i] = prim_load_now(&state[i]);
    uint32_t edge = sample_edge(a, bins);
    if (prim_thread() == 0)
        prim_atomic_max(&state[SAMPLE_THRESHOLD], edge + 1);
}

/* For all threads of a block. The first blocks to come are samplers, and wait for nobody; others
 * wait for these. */
PRIM uint32_t sample_threshold(const karg_select &a, uint32_t *bins)
{
    uint32_t *state = prim_at<uint32_t>(a.scratch), *published = bins + TOPK_BINS + 3,
             *number = published + 1;
    if (prim_thread() == 0)
        *published = prim_look(&state[SAMPLE_THRESHOLD]);
    if (prim_thread() == 32)
        *number = prim_atomic_add(&state[SAMPLE_TICKET], 1);
    prim_sync();
    if (*published)
        return *published - 1;
    if (*number < a.samplers) {
        uint32_t edge = sample_part(a, *number, bins);
        sample_tell(a, bins);
        return edge;
    }
    prim_sync();
    if (prim_thread() == 0)
        while ((*published = prim_look(&state[SAMPLE_THRESHOLD])) == 0)
            ;
    prim_sync();
    return *published - 1;
}

/* ---- What reaches it ------------------------------------------------------------------------- */

PRIM uint64_t *sample_kept(const karg_select &a)
{
    return (uint64_t *)(prim_at<uint32_t>(a.scratch) + KARG_SELECT_ZEROS);
}

PRIM void sample_keep(const karg_select &a, uint32_t i, uint32_t score)
{
    uint32_t at = prim_atomic_add(&prim_at<uint32_t>(a.scratch)[SAMPLE_KEPT], 1);
    if (at < a.capacity)
        sample_kept(a)[at] = topk_key(score, radix_select_docid(a, i));
}

RP_KERNEL_BOUNDED(select_sample_kernel, karg_select, 512, 2)
{
    uint32_t *bins = (uint32_t *)prim_shared(), threshold;
    const uint4 *fours = prim_at<const uint4>(a.scores);
    const uint32_t step = prim_block_size(), n = a.n / 4;
    uint32_t first = prim_block() * TUNE_SAMPLE_LOADS * step + prim_thread();
    uint4 v[TUNE_SAMPLE_LOADS];
#pragma unroll
    for (uint32_t j = 0; j < TUNE_SAMPLE_LOADS; j++)
        v[j] = first + j * step < n ? prim_load_once(&fours[first + j * step])
                                    : make_uint4(0, 0, 0, 0);
    threshold = prim_max(sample_threshold(a, bins), a.min_score);
#pragma unroll
    for (uint32_t j = 0; j < TUNE_SAMPLE_LOADS; j++) {
        uint32_t limit = prim_max(prim_max(v[j].x, v[j].y), prim_max(v[j].z, v[j].w)),
                 i = first + j * step;
        if (limit < threshold || i >= n)
            continue;
        uint32_t scores[4] = {v[j].x, v[j].y, v[j].z, v[j].w};
#pragma unroll
        for (uint32_t e = 0; e < 4; e++)
            if (scores[e] >= threshold)
                sample_keep(a, 4 * i + e, scores[e]);
    }
    uint32_t last = 4 * n + prim_thread();
    if (prim_block() == 0 && last < a.n && prim_at<const uint32_t>(a.scores)[last] >= threshold)
        sample_keep(a, last, prim_at<const uint32_t>(a.scores)[last]);
}

/* ---- Which are best -------------------------------------------------------------------------- */

/* Shared memory of the block that ranks. */
struct sample_shared {
    uint32_t *bins, *cursors, *words; /* TOPK_WORDS; TOPK_BINS; 64 */
    uint64_t *keys;
};
enum {              /* of its words */
       SAMPLE_BINS, /* buckets that the k best lie in, */
       SAMPLE_BEST, /* their keys, */
       SAMPLE_MAX,  /* and those of the largest of them */
       SAMPLE_SCAN, /* room for a scan */
};

/* Keys to shared memory, and how many are in which bucket: by how far they are above the threshold.
 * Some that samplers have kept are below it, and become 0. */
PRIM void sample_fetch(const karg_select &a, const sample_shared &s, uint32_t threshold, uint32_t n)
{
    const uint64_t *kept = sample_kept(a);
    const uint32_t step = prim_block_size();
    for (uint32_t i = prim_thread(); i < TOPK_BINS; i += step)
        s.bins[i] = 0;
    if (prim_thread() < 3)
        s.words[SAMPLE_BINS + prim_thread()] = 0;
    prim_sync();
    for (uint32_t i = prim_thread(); i < n; i += 8 * step) {
        uint64_t key[8];
#pragma unroll
        for (uint32_t j = 0; j < 8; j++)
            key[j] = i + j * step < n ? prim_load_now64(&kept[i + j * step]) : 0;
#pragma unroll
        for (uint32_t j = 0; j < 8; j++)
            if (i + j * step < n) {
                bool is_high = key[j] >> 32 >= threshold;
                s.keys[i + j * step] = is_high ? key[j] : 0;
                if (is_high)
                    prim_atomic_add(&s.bins[topk_bin((uint32_t)(key[j] >> 32) - threshold)], 1);
            }
    }
    prim_sync();
}

/* Where buckets begin, the best first, to `cursors`; in which of them the k best lie; returns how
 * many keys they have. */
PRIM uint32_t sample_lay_buckets(const karg_select &a, const sample_shared &s)
{
    uint32_t before = 0;
    for (uint32_t i = prim_thread(); i < TOPK_BINS; i += prim_block_size()) {
        uint32_t bin = TOPK_BINS - 1 - i, in = s.bins[bin], all;
        uint32_t begin = before + scan_block(in, s.words + SAMPLE_SCAN, &all);
        s.cursors[bin] = begin;
        if (in && begin < a.k) {
            prim_atomic_max(&s.words[SAMPLE_BINS], i + 1);
            prim_atomic_max(&s.words[SAMPLE_BEST], begin + in);
            prim_atomic_max(&s.words[SAMPLE_MAX], in);
        }
        before += all;
        prim_sync();
    }
    return before;
}

/* Ranks n keys of shared memory by buckets: among those of its own, each key looks at all
 * others. */
PRIM void sample_rank(const karg_select &a, const sample_shared &s, uint32_t threshold, uint32_t n,
                      uint32_t high)
{
    uint64_t *best = s.keys + a.enough - 2 * topk_power(a.k);
    uint32_t min_score = TOPK_BINS - s.words[SAMPLE_BINS], many = s.words[SAMPLE_BEST];
    for (uint32_t i = prim_thread(); i < n; i += prim_block_size()) {
        uint64_t key = s.keys[i];
        uint32_t bin = topk_bin((uint32_t)(key >> 32) - threshold);
        if (key && bin >= min_score)
            best[prim_atomic_add(&s.cursors[bin], 1)] = key;
    }
    prim_sync();
    for (uint32_t i = prim_thread(); i < many; i += prim_block_size()) {
        uint64_t key = best[i];
        uint32_t bin = topk_bin((uint32_t)(key >> 32) - threshold), end = s.cursors[bin],
                 rank = end - s.bins[bin];
        for (uint32_t j = rank; j < end; j++)
            rank += best[j] > key;
        if (rank < a.k)
            prim_at<karg_pair>(a.out)[rank] = topk_pair(key);
    }
    if (prim_thread() == 0)
        *prim_at<uint32_t>(a.counts) = prim_min(high, a.k);
}

/* By buckets; false: the sample has misled, or many share a score. */
PRIM bool sample_end(const karg_select &a, const sample_shared &s, uint32_t threshold, uint32_t n)
{
    if (n > prim_min(a.capacity, a.enough - 2 * topk_power(a.k)))
        return false;
    sample_fetch(a, s, threshold, n);
    uint32_t high = sample_lay_buckets(a, s);
    if ((high < a.k && threshold > a.min_score) || s.words[SAMPLE_BEST] > 2 * topk_power(a.k) ||
        s.words[SAMPLE_MAX] > TUNE_SAMPLE_BUCKET)
        return false;
    sample_rank(a, s, threshold, n, high);
    return true;
}

/* How many of n keys reach the threshold. */
PRIM uint32_t sample_high(const karg_select &a, const sample_shared &s, uint32_t threshold,
                          uint32_t n)
{
    uint32_t high = 0, all;
    for (uint32_t i = prim_thread(); i < n; i += prim_block_size())
        high += prim_load_now64(&sample_kept(a)[i]) >> 32 >= threshold;
    scan_block(high, s.words, &all);
    prim_sync();
    return all;
}

/* By narrowing: of the keys that were kept, or, where these are too many or too few, of all
 * scores. */
PRIM void sample_narrow(const karg_select &a, const sample_shared &s, uint32_t threshold,
                        uint32_t n)
{
    const uint64_t *kept = sample_kept(a);
    const uint32_t *scores = prim_at<const uint32_t>(a.scores);
    bool is_kept =
        n <= a.capacity && (threshold <= a.min_score || sample_high(a, s, threshold, n) >= a.k);
    uint32_t min_score = is_kept ? threshold : a.min_score;
    auto score = [&](uint32_t i, uint32_t *v) {
        *v = is_kept ? (uint32_t)(prim_load_now64(&kept[i]) >> 32) : scores[i];
        return *v >= min_score;
    };
    auto docid = [&](uint32_t i) {
        return is_kept ? ~(uint32_t)prim_load_now64(&kept[i]) : radix_select_docid(a, i);
    };
    topk_select(score, docid, is_kept ? n : a.n, a.k, s.bins, s.keys, prim_at<karg_pair>(a.out),
                prim_at<uint32_t>(a.counts));
}

RP_KERNEL_BOUNDED(select_sample_rank_kernel, karg_select, 1024, 1)
{
    uint32_t *bins = (uint32_t *)prim_shared(), *state = prim_at<uint32_t>(a.scratch);
    sample_shared s = {bins, bins + TOPK_WORDS, bins + TOPK_WORDS + TOPK_BINS,
                       (uint64_t *)(bins + TOPK_WORDS + TOPK_BINS + 64)};
    uint32_t n = state[SAMPLE_KEPT], threshold = prim_max(state[SAMPLE_THRESHOLD] - 1, a.min_score);
    prim_sync();
    for (uint32_t i = prim_thread(); i < SAMPLE_WORDS; i += prim_block_size())
        state[i] = 0;
    if (sample_end(a, s, threshold, n))
        return;
    prim_sync();
    sample_narrow(a, s, threshold, n);
}
