/* found.cuh: documents that match a query, on their way out: counted, those that score enough as pairs; and the answer,
 * which the last block of threads to come gives to the host.
 *
 * Few pairs go as they are; of many the best are chosen here. The counters are then as they were before. */
#ifndef RP_KERNELS_FOUND_CUH
#define RP_KERNELS_FOUND_CUH

#include "backend/gpu/kernels/prim/narrow.cuh"

/* Adds to both counts; returns how many pairs there were before. */
PRIM uint32_t found_add(karg_found *found, uint32_t n, uint32_t n_pairs)
{
    return (uint32_t)(prim_atomic_add64((uint64_t *)found, (uint64_t)n_pairs << 32 | n) >> 32);
}

PRIM bool found_is_pair(const karg_flat &a, bool is_match, uint32_t score)
{
    return is_match && a.pairs && score >= a.least;
}

/* By a warp: a document a lane, if it matches, and its score. */
PRIM void found_put(const karg_flat &a, uint32_t docid, bool is_match, uint32_t score)
{
    bool is_pair = found_is_pair(a, is_match, score);
    uint32_t all = prim_ballot<32>(is_match), pairs = prim_ballot<32>(is_pair), place = 0;
    if (prim_lane() == 0 && all)
        place = found_add(prim_at<karg_found>(a.found), prim_count(all), prim_count(pairs));
    place = prim_shuffle<32>(place, 0) + prim_count(pairs & prim_mask(prim_lane()));
    if (is_pair)
        prim_at<karg_pair>(a.pairs)[place] = {score, docid};
}

/* By a block, all its threads: the same with one addition. `shared`: a word a warp, and one more. */
PRIM void found_put_block(const karg_flat &a, uint32_t docid, bool is_match, uint32_t score, uint32_t *shared)
{
    bool is_pair = found_is_pair(a, is_match, score);
    uint32_t all = prim_ballot<32>(is_match), pairs = prim_ballot<32>(is_pair), warps = prim_block_size() / 32;
    uint32_t before = 0, both = 0; /* pairs in the high half */
    if (prim_lane() == 0)
        shared[prim_warp()] = prim_count(pairs) << 16 | prim_count(all);
    prim_sync();
    for (uint32_t w = 0; w < warps; w++) {
        before += w < prim_warp() ? shared[w] >> 16 : 0;
        both += shared[w];
    }
    if (prim_thread() == 0 && both)
        shared[warps] = found_add(prim_at<karg_found>(a.found), both & 65535, both >> 16);
    prim_sync();
    if (is_pair)
        prim_at<karg_pair>(a.pairs)[shared[warps] + before + prim_count(pairs & prim_mask(prim_lane()))] = {score, docid};
}

/* Pairs that the host gets: those of the last block's threads. */
PRIM void found_hand_over(const karg_flat &a, uint32_t n, uint32_t *shared)
{
    const uint64_t *pairs = prim_at<const uint64_t>(a.pairs);
    karg_pair *out = (karg_pair *)(prim_at<karg_answer>(a.answer) + 1);
    if (n <= KARG_ANSWER_ALL) {
        for (uint32_t i = prim_thread(); i < n; i += prim_block_size())
            ((uint64_t *)out)[i] = prim_load_now64(&pairs[i]);
        return;
    }
    if (a.k > KARG_ANSWER_MOST)
        return;
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = (uint32_t)prim_load_now64(&pairs[i]);
        return true;
    };
    auto docid = [&](uint32_t i) { return (uint32_t)(prim_load_now64(&pairs[i]) >> 32); };
    uint32_t *keys = shared + BEST_WORDS;
    best_select(score, docid, n, a.k, shared, (uint64_t *)keys, out, &shared[BEST_WORDS - 1]);
}

/* By all blocks, all threads, when they have put everything. `shared`: KARG_BEST_SHARED bytes and KARG_ANSWER_MOST
 * keys. */
PRIM void found_end(const karg_flat &a, uint32_t *shared)
{
    karg_found *found = prim_at<karg_found>(a.found);
    prim_sync();
    if (!narrow_is_last(&found->done, shared))
        return;
    uint64_t counts = prim_load_now64((const uint64_t *)found);
    uint32_t n_pairs = (uint32_t)(counts >> 32), damaged = prim_load_now(&found->damaged);
    if (n_pairs && !damaged)
        found_hand_over(a, n_pairs, shared);
    prim_fence_host();
    prim_sync();
    if (prim_thread() == 0) {
        *found = {0, 0, 0, 0};
        *prim_at<uint4>(a.answer) = make_uint4((uint32_t)counts, n_pairs, damaged, a.number);
    }
}

#endif
