/* select_heap512.cu: the k best of one large selection, by a tree of 512 children a node; literal.
 * Owns:   a block of 512 threads a group of 512: to build, one of a level; to take the best out,
 *         one block, a level after the other.
 * Moves:  all scores once, then a key for 512, and so on; of each key taken, 512 of each level.
 *         Shared: a key a warp, and a word.
 * Limits: serial in k. Scratch: space for a key of each node. Taken keys need no mark: what is left
 *         of a group is below what was taken last.
 * Source: Ding et al. 2009, section 8, choosing top-k documents: groups of 512, their maxima in
 *         groups of 512 again, two or three levels; then the maximum is taken k times, and the
 *         branch that it came from is brought up to date. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { DEGREE = 512, WARPS = DEGREE / 32 };

struct heap_shared {
    uint64_t bests[WARPS];
    uint32_t child; /* of those of a node, the one that was looked for */
};

static_assert(sizeof(heap_shared) <= KARG_SHARED_HEAP512, "what a launch gives");

PRIM uint64_t best_of_warp(uint64_t key)
{
#pragma unroll
    for (uint32_t by = 16; by > 0; by /= 2)
        key = prim_max(key, prim_shuffle_xor<32>(key, by));
    return key;
}

/* The greatest key of a block, for all its threads. */
PRIM uint64_t best_of_group(uint64_t key, heap_shared *shared)
{
    key = best_of_warp(key);
    prim_sync();
    if (prim_lane() == 0)
        shared->bests[prim_warp()] = key;
    prim_sync();
    return best_of_warp(shared->bests[prim_lane() % WARPS]);
}

/* Level `step`, from 1, of the one below. */
RP_KERNEL(select_heap512_build_kernel, karg_select)
{
    heap_shared *shared = (heap_shared *)prim_shared();
    uint32_t nodes, below = a.n;
    uint64_t *to = heap_level<DEGREE>(a, a.step, &nodes);
    const uint64_t *from = a.step > 1 ? heap_level<DEGREE>(a, a.step - 1, &below) : nullptr;
    for (uint32_t i = prim_block(); i < nodes; i += prim_grid_size()) {
        uint32_t child = i * DEGREE + prim_thread();
        uint64_t key = best_of_group(!from           ? heap_key(a, child)
                                     : child < below ? from[child]
                                                     : 0,
                                     shared);
        if (prim_thread() == 0)
            to[i] = key;
    }
}

/* The child of a node on `level` that has this key. */
PRIM uint32_t find_child(const karg_select &a, uint32_t level, uint32_t node, uint64_t key,
                         heap_shared *shared)
{
    uint32_t nodes, child = node * DEGREE + prim_thread();
    const uint64_t *keys = heap_level<DEGREE>(a, level - 1, &nodes);
    if (child < nodes && prim_load_now64(&keys[child]) == key)
        shared->child = child;
    prim_sync();
    child = shared->child;
    prim_sync();
    return child;
}

/* From a leaf's group to the root: what is left of each. */
PRIM void update_branch(const karg_select &a, uint32_t node, uint64_t taken, heap_shared *shared)
{
    uint64_t key = heap_key(a, node * DEGREE + prim_thread());
    key = best_of_group(key < taken ? key : 0, shared);
    for (uint32_t level = 1;; level++) {
        uint32_t nodes;
        uint64_t *keys = heap_level<DEGREE>(a, level, &nodes);
        if (prim_thread() == 0)
            keys[node] = key;
        prim_fence();
        prim_sync();
        if (level == a.step)
            return;
        node /= DEGREE;
        uint32_t child = node * DEGREE + prim_thread();
        key = best_of_group(child < nodes ? prim_load_now64(&keys[child]) : 0, shared);
    }
}

/* One block; `step` is the level of the root. */
RP_KERNEL(select_heap512_take_kernel, karg_select)
{
    heap_shared *shared = (heap_shared *)prim_shared();
    karg_pair *out = prim_at<karg_pair>(a.out);
    uint32_t taken = 0, nodes;
    for (; taken < a.k; taken++) {
        const uint64_t best = prim_load_now64(heap_level<DEGREE>(a, a.step, &nodes));
        if (best == 0)
            break;
        uint32_t node = 0;
        for (uint32_t level = a.step; level > 1; level--)
            node = find_child(a, level, node, best, shared);
        update_branch(a, node, best, shared);
        if (prim_thread() == 0)
            out[taken] = topk_pair(best);
    }
    if (prim_thread() == 0)
        prim_at<uint32_t>(a.counts)[0] = taken;
}
