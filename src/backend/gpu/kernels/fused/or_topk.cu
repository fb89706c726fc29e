/* or_topk.cu: the k best of what the tiles of each OR have found, best first; of a k that
 * or_maxscore.cu does not rank itself.
 * Owns:   a block of threads a query.
 * Moves:  8 bytes a document that was found, a hundred or so; the query's state, which is 0 again;
 *         the answers to where the host sees them, and, when all are there, their number. Shared:
 *         `keys` keys and KARG_TOPK_SHARED.
 * Limits: k at most `keys`. A query that found more than there was room for, or with a damaged
 *         list, says so.
 * Source: as select_block.cu. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { DAMAGED, KEPT }; /* words of shared memory */

/* All threads of a block: whether a list of the query is damaged; and, of n keys, if there is room
 * for them, those that score `least`, to `keys`. */
PRIM void look_through(const karg_or &a, const karg_or_query &query, const uint64_t *found,
                       uint32_t n, uint32_t min_score, uint32_t *words, uint64_t *keys)
{
    if (prim_thread() < 2)
        words[prim_thread()] = 0;
    prim_sync();
    for (uint32_t t = prim_thread(); t < query.n_terms; t += prim_block_size()) {
        const karg_tiled *list = &or_terms(a)[query.term + t].list;
        if (prim_at<const karg_found>(list->found)->damaged)
            prim_atomic_or(&words[DAMAGED], 1);
    }
    for (uint32_t i = prim_thread(); n <= a.keys && i < n; i += prim_block_size())
        if (found[i] >> 32 >= min_score)
            keys[prim_atomic_add(&words[KEPT], 1)] = found[i];
    prim_sync();
}

RP_KERNEL(or_topk_kernel, karg_or)
{
    const uint32_t number = prim_block();
    const karg_or_query query = or_queries(a)[number];
    karg_or_state *state = prim_at<karg_or_state>(a.states) + number;
    const uint64_t *found = prim_at<const uint64_t>(a.found) + (uint64_t)number * a.capacity;
    uint32_t *bins = (uint32_t *)prim_shared(), *count = prim_at<uint32_t>(a.counts) + number;
    uint64_t *keys = (uint64_t *)(bins + TOPK_WORDS);
    karg_pair *out = prim_at<karg_pair>(a.out) + (uint64_t)number * a.k;
    const uint32_t n = state->found, min_score = prim_max(state->min_score, query.min_score);
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = (uint32_t)(found[i] >> 32);
        return *s >= min_score;
    };
    auto docid = [&](uint32_t i) { return ~(uint32_t)found[i]; };
    look_through(a, query, found, n, min_score, bins, keys);
    const uint32_t is_damaged = bins[DAMAGED], kept = bins[KEPT];
    if (is_damaged || n > a.capacity) {
        if (prim_thread() == 0)
            *count = ~0U;
    } else if (n <= a.keys) {
        topk_write(keys, kept, a.k, out, count);
    } else {
        prim_sync();
        topk_select(score, docid, n, a.k, bins, keys, out, count);
    }
    prim_fence_host();
    prim_sync();
    for (uint32_t i = prim_thread(); i < sizeof *state / 16; i += prim_block_size())
        ((uint4 *)state)[i] = make_uint4(0, 0, 0, 0);
    if (prim_warp() == 0)
        or_tell(a);
}
