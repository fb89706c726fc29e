/* or_rank.cu: the k best of what the tiles of each OR have found, best first.
 * Owns:   a block of threads a query.
 * Moves:  8 bytes a document that was found, a hundred or so; the query's state, which is 0 again. Shared: `keys` keys
 *         and KARG_BEST_SHARED.
 * Limits: k at most `keys`. A query that found more than there was room for, or with a damaged list, says so.
 * Source: as select_block.cu. */
#include "backend/gpu/kernels/prim/best.cuh"

/* All threads of a block: whether a list of the query is damaged. */
PRIM bool is_damaged(const karg_or &a, const karg_or_query &query, uint32_t *flag)
{
    if (prim_thread() == 0)
        *flag = 0;
    prim_sync();
    for (uint32_t t = prim_thread(); t < query.n_terms; t += prim_block_size()) {
        const karg_tiled *list = &prim_at<const karg_or_term>(a.terms)[query.term + t].list;
        if (prim_at<const karg_found>(list->found)->damaged)
            prim_atomic_or(flag, 1);
    }
    prim_sync();
    return *flag;
}

RP_KERNEL(or_rank_kernel, karg_or)
{
    const uint32_t number = prim_block();
    const karg_or_query query = prim_at<const karg_or_query>(a.queries)[number];
    karg_or_state *state = prim_at<karg_or_state>(a.states) + number;
    const uint64_t *found = prim_at<const uint64_t>(a.found) + (uint64_t)number * a.room;
    uint32_t *bins = (uint32_t *)prim_shared(), *count = prim_at<uint32_t>(a.counts) + number;
    uint64_t *keys = (uint64_t *)(bins + BEST_WORDS);
    karg_pair *out = prim_at<karg_pair>(a.out) + (uint64_t)number * a.k;
    const uint32_t n = state->found, least = prim_max(state->least, query.least);
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = (uint32_t)(found[i] >> 32);
        return *s >= least;
    };
    auto docid = [&](uint32_t i) { return ~(uint32_t)found[i]; };
    if (is_damaged(a, query, bins) || n > a.room) {
        if (prim_thread() == 0)
            *count = ~0U;
    } else if (n <= a.keys) {
        for (uint32_t i = prim_thread(); i < n; i += prim_block_size())
            keys[i] = found[i];
        best_write(keys, n, a.k, out, count);
    } else {
        best_select(score, docid, n, a.k, bins, keys, out, count);
    }
    prim_sync();
    for (uint32_t i = prim_thread(); i < sizeof *state / 16; i += prim_block_size())
        ((uint4 *)state)[i] = make_uint4(0, 0, 0, 0);
    if (number == 0 && prim_thread() == 0)
        *prim_at<uint32_t>(a.taken) = 0;
}
