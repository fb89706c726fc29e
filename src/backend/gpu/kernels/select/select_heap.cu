/* select_heap.cu: the k best of one large selection, by a tree of 32 children a node: each holds
 * its best key.
 * Owns:   to build, a warp a node; to take the best out, one warp, a level after the other.
 * Moves:  all scores once, then a key for 32, and so on; of each key taken, 32 of each level. No
 *         shared memory.
 * Limits: serial in k. Scratch: room for a key of each node. Taken keys need no mark: what is left
 *         of a node's children is below what was taken last.
 * Source: the high-degree heap of Ding et al., WWW 2009, 4.5. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { DEGREE = 32 };

PRIM uint64_t best_of(uint64_t key)
{
#pragma unroll
    for (uint32_t by = DEGREE / 2; by > 0; by /= 2)
        key = prim_max(key, prim_shuffle_xor<DEGREE>(key, by));
    return key;
}

/* Pair i as a key; 0: it does not count. */
PRIM uint64_t key_at(const karg_select &a, uint32_t i)
{
    if (i >= a.n)
        return 0;
    uint32_t score = prim_at<const uint32_t>(a.scores)[i];
    return score >= a.min_score
               ? topk_key(score, a.docids ? prim_at<const uint32_t>(a.docids)[i] : i)
               : 0;
}

/* How many nodes the levels from 1 on below `level` have; and this one, at least one. */
PRIM uint32_t nodes_before(uint32_t n, uint32_t level, uint32_t *nodes)
{
    uint32_t before = 0, here = n;
    for (uint32_t l = 1; l <= level; l++) {
        before += l > 1 ? here : 0;
        here = prim_max(prim_div_up(here, DEGREE), 1U);
    }
    *nodes = here;
    return before;
}

PRIM uint64_t *level_of(const karg_select &a, uint32_t level, uint32_t *nodes)
{
    uint64_t *keys = (uint64_t *)(prim_at<uint32_t>(a.scratch) + KARG_SELECT_ZEROS);
    return keys + nodes_before(a.n, level, nodes);
}

/* Level `step`, from 1, of the one below; level 0 are the pairs. */
RP_KERNEL(select_heap_build_kernel, karg_select)
{
    uint32_t nodes, below = a.n;
    uint64_t *to = level_of(a, a.step, &nodes);
    const uint64_t *from = a.step > 1 ? level_of(a, a.step - 1, &below) : nullptr;
    const uint32_t warps = prim_grid_size() * (prim_block_size() / 32);
    for (uint32_t i = prim_block() * (prim_block_size() / 32) + prim_warp(); i < nodes;
         i += warps) {
        uint32_t child = i * DEGREE + prim_lane();
        uint64_t key = best_of(!from ? key_at(a, child) : child < below ? from[child] : 0);
        if (prim_lane() == 0)
            to[i] = key;
    }
}

/* One warp; `step` is the level of the root. Goes down to the root's key, then up, leaving it
 * out. */
RP_KERNEL(select_heap_take_kernel, karg_select)
{
    karg_pair *out = prim_at<karg_pair>(a.out);
    uint32_t taken = 0, nodes;
    for (; taken < a.k; taken++) {
        const uint64_t best = prim_load_now64(level_of(a, a.step, &nodes));
        if (best == 0)
            break;
        uint32_t node = 0;
        for (uint32_t level = a.step; level > 1; level--) {
            const uint64_t *keys = level_of(a, level - 1, &nodes);
            uint32_t child = node * DEGREE + prim_lane();
            node = node * DEGREE + prim_lowest(prim_ballot<32>(
                                       child < nodes && prim_load_now64(&keys[child]) == best));
        }
        uint64_t key = key_at(a, node * DEGREE + prim_lane());
        key = best_of(key < best ? key : 0);
        for (uint32_t level = 1;; level++) {
            uint64_t *keys = level_of(a, level, &nodes);
            if (prim_lane() == 0)
                keys[node] = key;
            prim_fence();
            prim_sync_tile();
            if (level == a.step)
                break;
            node /= DEGREE;
            uint32_t child = node * DEGREE + prim_lane();
            key = best_of(child < nodes ? prim_load_now64(&keys[child]) : 0);
        }
        if (prim_lane() == 0)
            out[taken] = topk_pair(best);
    }
    if (prim_lane() == 0)
        prim_at<uint32_t>(a.counts)[0] = taken;
}
