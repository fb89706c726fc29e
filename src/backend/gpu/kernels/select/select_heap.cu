/* select_heap.cu: the k best of one large selection, by a tree of 32 children a node: each holds
 * its best key.
 * Owns:   to build, a warp a node; to take the best out, one warp, a level after the other.
 * Moves:  all scores once, then a key for 32, and so on; of each key taken, 32 of each level. No
 *         shared memory.
 * Limits: serial in k. Scratch: room for a key of each node. Taken keys need no mark: what is left
 *         of a node's children is below what was taken last.
 * Source: ours, of the high-degree heap of Ding et al. 2009, section 8 (select_heap512.cu). */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { DEGREE = 32 };

PRIM uint64_t best_of(uint64_t key)
{
#pragma unroll
    for (uint32_t by = DEGREE / 2; by > 0; by /= 2)
        key = prim_max(key, prim_shuffle_xor<DEGREE>(key, by));
    return key;
}

/* Level `step`, from 1, of the one below; level 0 are the pairs. */
RP_KERNEL(select_heap_build_kernel, karg_select)
{
    uint32_t nodes, below = a.n;
    uint64_t *to = heap_level<DEGREE>(a, a.step, &nodes);
    const uint64_t *from = a.step > 1 ? heap_level<DEGREE>(a, a.step - 1, &below) : nullptr;
    const uint32_t warps = prim_grid_size() * (prim_block_size() / 32);
    for (uint32_t i = prim_block() * (prim_block_size() / 32) + prim_warp(); i < nodes;
         i += warps) {
        uint32_t child = i * DEGREE + prim_lane();
        uint64_t key = best_of(!from ? heap_key(a, child) : child < below ? from[child] : 0);
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
        const uint64_t best = prim_load_now64(heap_level<DEGREE>(a, a.step, &nodes));
        if (best == 0)
            break;
        uint32_t node = 0;
        for (uint32_t level = a.step; level > 1; level--) {
            const uint64_t *keys = heap_level<DEGREE>(a, level - 1, &nodes);
            uint32_t child = node * DEGREE + prim_lane();
            node = node * DEGREE + prim_lowest(prim_ballot<32>(
                                       child < nodes && prim_load_now64(&keys[child]) == best));
        }
        uint64_t key = heap_key(a, node * DEGREE + prim_lane());
        key = best_of(key < best ? key : 0);
        for (uint32_t level = 1;; level++) {
            uint64_t *keys = heap_level<DEGREE>(a, level, &nodes);
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
