/* result_writer.cuh: how the documents that match a query leave a launch: all are counted, those
 * that score enough are written as pairs, and the last block of threads writes the answer to the
 * host.
 *
 * The first pairs are written as they are found. Of more pairs than fit, the best are selected. The
 * counters are reset afterwards. */
#ifndef RP_KERNELS_RESULT_WRITER_CUH
#define RP_KERNELS_RESULT_WRITER_CUH

#include "backend/gpu/kernels/prim/grid/radix_select.cuh"

/* Adds to both counts; returns how many pairs there were before. */
PRIM uint32_t result_add(karg_found *found, uint32_t n, uint32_t n_pairs)
{
    return (uint32_t)(prim_atomic_add64((uint64_t *)found, (uint64_t)n_pairs << 32 | n) >> 32);
}

PRIM bool result_is_pair(const karg_query &a, bool is_match, uint32_t score)
{
    return is_match && a.pairs && score >= a.min_score;
}

/* By a warp: a document a lane, if it matches, and its score. */
PRIM void result_put(const karg_query &a, uint32_t docid, bool is_match, uint32_t score)
{
    bool is_pair = result_is_pair(a, is_match, score);
    uint32_t all = prim_ballot<32>(is_match), pairs = prim_ballot<32>(is_pair), place = 0;
    if (prim_lane() == 0 && all)
        place = result_add(prim_at<karg_found>(a.found), prim_count(all), prim_count(pairs));
    place = prim_shuffle<32>(place, 0) + prim_count(pairs & prim_mask(prim_lane()));
    if (is_pair)
        prim_at<karg_pair>(a.pairs)[place] = {score, docid};
    if (is_pair && place < KARG_ANSWER_ALL) {
        ((karg_pair *)(prim_at<karg_answer>(a.answer) + 1))[place] = {score, docid};
        prim_fence_host();
    }
}

/* What a block's threads have found: matches of all, pairs of all, and pairs before this
 * thread's. */
struct result_counts {
    uint32_t all, pairs, before;
};

/* By a block, all its threads, which wait for each other. `shared`: a word a warp. */
PRIM result_counts result_count_block(bool is_match, bool is_pair, uint32_t *shared)
{
    uint32_t all = prim_ballot<32>(is_match), pairs = prim_ballot<32>(is_pair),
             warps = prim_block_size() / 32;
    uint32_t before = 0, both = 0; /* pairs in the high half */
    if (prim_lane() == 0)
        shared[prim_warp()] = prim_count(pairs) << 16 | prim_count(all);
    prim_sync();
#pragma unroll 1
    for (uint32_t w = 0; w < warps; w++) {
        before += w < prim_warp() ? shared[w] >> 16 : 0;
        both += shared[w];
    }
    return {both & 65535, both >> 16, before + prim_count(pairs & prim_mask(prim_lane()))};
}

/* By a block, all its threads: the same with one addition. `shared`: a word a warp, and one
 * more. */
PRIM void result_put_block(const karg_query &a, uint32_t docid, bool is_match, uint32_t score,
                           uint32_t *shared)
{
    bool is_pair = result_is_pair(a, is_match, score);
    result_counts c = result_count_block(is_match, is_pair, shared);
    uint32_t *from = shared + prim_block_size() / 32;
    if (prim_thread() == 0 && c.all)
        *from = result_add(prim_at<karg_found>(a.found), c.all, c.pairs);
    prim_sync();
    uint32_t place = *from + c.before;
    if (is_pair)
        prim_at<karg_pair>(a.pairs)[place] = {score, docid};
    if (is_pair && place < KARG_ANSWER_ALL) {
        ((karg_pair *)(prim_at<karg_answer>(a.answer) + 1))[place] = {score, docid};
        prim_fence_host();
    }
}

/* The k best of more pairs than the host has got. */
PRIM void result_rank(const karg_query &a, uint32_t n, uint32_t *shared)
{
    const uint64_t *pairs = prim_at<const uint64_t>(a.pairs);
    karg_pair *out = (karg_pair *)(prim_at<karg_answer>(a.answer) + 1);
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = (uint32_t)prim_load_now64(&pairs[i]);
        return true;
    };
    auto docid = [&](uint32_t i) { return (uint32_t)(prim_load_now64(&pairs[i]) >> 32); };
    uint32_t *keys = shared + TOPK_WORDS;
    topk_select(score, docid, n, a.k, shared, (uint64_t *)keys, out, &shared[TOPK_WORDS - 1]);
    prim_fence_host();
}

/* The answer is complete; one thread. */
PRIM void result_tell(const karg_query &a, uint64_t counts, uint32_t damaged)
{
    *prim_at<uint4>(a.answer) =
        make_uint4((uint32_t)counts, (uint32_t)(counts >> 32), damaged, a.number);
}

/* By all blocks that share the query, all threads, when they have put everything. `shared`:
 * KARG_TOPK_SHARED bytes and KARG_ANSWER_MAX_K keys. */
PRIM void result_end(const karg_query &a, uint32_t *shared)
{
    karg_found *found = prim_at<karg_found>(a.found);
    uint64_t counts = 0;
    uint32_t damaged = 0;
    prim_fence();
    prim_sync();
    if (prim_thread() == 0) {
        prim_fence();
        bool is_last = prim_atomic_add(&found->done, 1) == a.blocks - 1, must_rank = false;
        if (is_last) { /* and the counters are 0 before the host knows */
            prim_fence();
            counts = prim_atomic_swap64((uint64_t *)found, 0);
            damaged = (uint32_t)prim_atomic_swap64((uint64_t *)&found->damaged, 0);
            must_rank = counts >> 32 > KARG_ANSWER_ALL && a.k <= KARG_ANSWER_MAX_K && !damaged;
            if (!must_rank)
                result_tell(a, counts, damaged);
        }
        shared[0] = must_rank ? (uint32_t)(counts >> 32) : 0;
    }
    prim_sync();
    uint32_t n = shared[0];
    prim_sync();
    if (n == 0)
        return;
    prim_fence();
    result_rank(a, n, shared);
    prim_sync();
    if (prim_thread() == 0)
        result_tell(a, counts, damaged);
}

#endif
