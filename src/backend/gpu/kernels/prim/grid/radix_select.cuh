/* radix_select.cuh: the k best of one large selection by the whole grid: passes that narrow down
 * where the k-th is.
 *
 * A pass counts into TOPK_BINS bins the numbers of a range, and its last block goes on to one of
 * them; first over scores, then, where many share the k-th score, over docids. Once few enough are
 * left, passes do nothing, and a last one gathers. How a range is cut into bins is the method: a
 * Map with
 *   digit(lo, hi, v): the bin of v, lo <= v <= hi, rising with v; low(lo, hi, d), high(lo, hi, d):
 *   its ends. */
#ifndef RP_KERNELS_RADIX_SELECT_CUH
#define RP_KERNELS_RADIX_SELECT_CUH

#include "backend/gpu/kernels/prim/block/topk_block.cuh"

enum {
    /* words of scratch, after the bins; all 0 at first */
    RADIX_SELECT_DONE = TOPK_BINS, /* blocks, of this pass */
    RADIX_SELECT_LOW,              /* the range: ~ of its lowest number, its highest */
    RADIX_SELECT_HIGH,
    RADIX_SELECT_NEED, /* how many of the range are needed */
    /* whether it is of inverted docids, among those of RADIX_SELECT_SCORE */
    RADIX_SELECT_BY_DOCID,
    RADIX_SELECT_SCORE,
    /* keys from (RADIX_SELECT_CUT_SCORE, RADIX_SELECT_CUT_DOCID) on are to be gathered */
    RADIX_SELECT_IS_OVER,
    RADIX_SELECT_CUT_SCORE,
    RADIX_SELECT_CUT_DOCID,
    RADIX_SELECT_KEPT, /* keys gathered */
};

/* Whether this is the last of so many blocks to come here; others' writes are then seen. All
 * threads; `word`: shared. */
PRIM bool radix_select_is_last_of(uint32_t *counter, uint32_t blocks, uint32_t *word)
{
    prim_fence();
    prim_sync();
    if (prim_thread() == 0)
        *word = prim_atomic_add(counter, 1) == blocks - 1;
    prim_sync();
    bool last = *word != 0;
    prim_fence();
    prim_sync();
    return last;
}

PRIM bool radix_select_is_last(uint32_t *counter, uint32_t *word)
{
    return radix_select_is_last_of(counter, prim_grid_size(), word);
}

PRIM uint32_t radix_select_docid(const karg_select &a, uint32_t i)
{
    return a.docids ? prim_at<const uint32_t>(a.docids)[i] : i;
}

/* One thread of the last block: bins[TOPK_BINS] and on are what topk_find left there. */
template <class Map>
PRIM void radix_select_step(const karg_select &a, uint32_t *state, const uint32_t *bins)
{
    const uint32_t lo = ~state[RADIX_SELECT_LOW], hi = state[RADIX_SELECT_HIGH],
                   bin = bins[TOPK_BINS];
    const uint32_t in = bins[TOPK_BINS + 1], need = bins[TOPK_BINS + 2];
    const bool by_docid = state[RADIX_SELECT_BY_DOCID] != 0;
    const uint32_t low = in ? Map::low(lo, hi, bin) : 0, high = Map::high(lo, hi, bin);
    state[RADIX_SELECT_LOW] = ~low;
    state[RADIX_SELECT_HIGH] = high;
    state[RADIX_SELECT_NEED] = need;
    if (in == need || (!by_docid && a.k - need + in <= a.enough)) {
        state[RADIX_SELECT_IS_OVER] = 1;
        state[RADIX_SELECT_CUT_SCORE] = by_docid ? state[RADIX_SELECT_SCORE] : low;
        state[RADIX_SELECT_CUT_DOCID] = by_docid ? low : 0;
    } else if (low == high) { /* docids differ, so this is a score */
        state[RADIX_SELECT_BY_DOCID] = 1;
        state[RADIX_SELECT_SCORE] = low;
        state[RADIX_SELECT_LOW] = ~0U;
        state[RADIX_SELECT_HIGH] = ~0U;
    }
}

template <class Map>
PRIM void radix_select_count(const karg_select &a, const uint32_t *state, uint32_t *bins)
{
    const uint32_t *scores = prim_at<const uint32_t>(a.scores),
                   step = prim_grid_size() * prim_block_size();
    const uint32_t lo = ~state[RADIX_SELECT_LOW], hi = state[RADIX_SELECT_HIGH],
                   score = state[RADIX_SELECT_SCORE];
    const bool by_docid = state[RADIX_SELECT_BY_DOCID] != 0;
#pragma unroll 8
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step) {
        uint32_t v = prim_load_once(&scores[i]);
        bool is_in = v >= a.min_score;
        if (by_docid && is_in && (is_in = v == score))
            v = ~radix_select_docid(a, i);
        if (is_in && v >= lo && v <= hi)
            prim_atomic_add(&bins[Map::digit(lo, hi, v)], 1);
    }
}

/* A pass, by all threads of the grid; the range must be set. */
template <class Map> PRIM void radix_select_pass(const karg_select &a)
{
    uint32_t *bins = (uint32_t *)prim_shared(), *state = prim_at<uint32_t>(a.scratch);
    if (state[RADIX_SELECT_IS_OVER])
        return;
    for (uint32_t i = prim_thread(); i < TOPK_BINS; i += prim_block_size())
        bins[i] = 0;
    prim_sync();
    radix_select_count<Map>(a, state, bins);
    prim_sync();
    for (uint32_t i = prim_thread(); i < TOPK_BINS; i += prim_block_size())
        if (bins[i])
            prim_atomic_add(&state[i], bins[i]);
    if (!radix_select_is_last(&state[RADIX_SELECT_DONE], &bins[TOPK_BINS]))
        return;
    for (uint32_t i = prim_thread(); i < TOPK_BINS; i += prim_block_size()) {
        bins[i] = prim_load_now(&state[i]);
        state[i] = 0;
    }
    prim_sync();
    if (prim_warp() == 0)
        topk_find(bins, state[RADIX_SELECT_NEED] ? state[RADIX_SELECT_NEED] : a.k);
    prim_sync();
    if (prim_thread() == 0) {
        state[RADIX_SELECT_DONE] = 0;
        radix_select_step<Map>(a, state, bins);
    }
}

/* After the passes: keys from the cut on go to `kept`, and the last block, where k keys fit into
 * shared memory (`fits`), ranks them. */
PRIM void radix_select_gather(const karg_select &a, bool fits)
{
    uint32_t *bins = (uint32_t *)prim_shared(), *state = prim_at<uint32_t>(a.scratch);
    uint64_t *keys = (uint64_t *)(bins + TOPK_WORDS),
             *kept = (uint64_t *)(state + KARG_SELECT_ZEROS);
    const uint32_t *scores = prim_at<const uint32_t>(a.scores),
                   step = prim_grid_size() * prim_block_size();
    const uint32_t min_score = prim_max(state[RADIX_SELECT_CUT_SCORE], a.min_score);
    const uint64_t cut =
        (uint64_t)state[RADIX_SELECT_CUT_SCORE] << 32 | state[RADIX_SELECT_CUT_DOCID];
#pragma unroll 8
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step) {
        uint32_t v = prim_load_once(&scores[i]);
        if (v < min_score)
            continue;
        uint64_t key = topk_key(v, radix_select_docid(a, i));
        uint32_t at = key >= cut ? prim_atomic_add(&state[RADIX_SELECT_KEPT], 1) : a.capacity;
        if (at < a.capacity)
            kept[at] = key;
    }
    if (!radix_select_is_last(&state[RADIX_SELECT_DONE], &bins[TOPK_BINS]) || !fits)
        return;
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = (uint32_t)(prim_load_now64(&kept[i]) >> 32);
        return true;
    };
    auto docid = [&](uint32_t i) { return ~(uint32_t)prim_load_now64(&kept[i]); };
    const uint32_t n = prim_min(prim_load_now(&state[RADIX_SELECT_KEPT]), a.capacity);
    topk_select(score, docid, n, a.k, bins, keys, prim_at<karg_pair>(a.out),
                prim_at<uint32_t>(a.counts));
}

#endif
