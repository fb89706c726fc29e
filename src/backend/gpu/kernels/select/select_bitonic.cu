/* select_bitonic.cu: the k best of one large selection, by sorting tiles and going on with the best
 * of each.
 * Owns:   a block a tile of KARG_BITONIC_TILE keys; a launch a level, until one tile is left.
 * Moves:  all scores once, coalesced; then k of each tile, as keys, from one half of scratch to the
 *         other. Shared: the tile, 8 bytes a key.
 * Limits: k at most half a tile.
 * Source: Batcher's bitonic sort; per-block top-k as in Shanbhag, Pirk and Madden, SIGMOD 2018. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* `step` is the level, `room` what half of scratch holds, n the pairs (level 0) or keys of this
 * level. */
RP_KERNEL(select_bitonic_kernel, karg_select)
{
    uint64_t *keys = (uint64_t *)prim_shared(),
             *half = (uint64_t *)(prim_at<uint32_t>(a.scratch) + KARG_SELECT_ZEROS);
    const uint64_t *from = half + (a.step & 1 ? 0 : a.capacity);
    uint64_t *to = half + (a.step & 1 ? a.capacity : 0);
    const uint32_t base = prim_block() * KARG_BITONIC_TILE;
    for (uint32_t i = prim_thread(); i < KARG_BITONIC_TILE; i += prim_block_size()) {
        uint32_t at = base + i;
        uint64_t key = 0;
        if (at < a.n && a.step > 0)
            key = from[at];
        else if (at < a.n) {
            uint32_t score = prim_load_once(prim_at<const uint32_t>(a.scores) + at);
            if (score >= a.min_score)
                key = topk_key(score, a.docids ? prim_at<const uint32_t>(a.docids)[at] : at);
        }
        keys[i] = key;
    }
    topk_sort(keys, KARG_BITONIC_TILE);
    if (prim_grid_size() > 1) {
        for (uint32_t i = prim_thread(); i < a.k; i += prim_block_size())
            to[(uint64_t)prim_block() * a.k + i] = keys[i];
        return;
    }
    karg_pair *out = prim_at<karg_pair>(a.out);
    for (uint32_t i = prim_thread(); i < a.k; i += prim_block_size())
        if (keys[i])
            out[i] = topk_pair(keys[i]);
    for (uint32_t i = prim_thread(); i <= a.k; i += prim_block_size())
        if ((i == a.k || keys[i] == 0) && (i == 0 || keys[i - 1] != 0))
            prim_at<uint32_t>(a.counts)[0] = i;
}
