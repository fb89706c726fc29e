/* para_compact.cu: docids of the marked elements of a batch, in order, and where those of a query
 * begin. One thread: an element. One block: a tile of them.
 * Reads a word of marks a warp, and marked elements once more; writes docids side by side. Scan and
 * compaction are one pass (ordered_compaction.cuh).
 * Source: Ao et al. 2011, 3: the scan and the compaction after the search. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(para_compact_kernel, karg_para)
{
    uint32_t *shared = (uint32_t *)prim_shared(), all;
    compact_tile tile = compact_begin(a.state, a.tiles, shared);
    uint32_t e = tile.number * prim_block_size() + prim_thread();
    bool is_in = e < a.n && (prim_load(prim_at<const uint32_t>(a.marks) + e / 32) >> e % 32 & 1);
    uint32_t before = scan_block(is_in, shared, &all);
    prim_sync();
    uint32_t place = compact_before(a.state, tile, all, shared) + before;
    if (e < a.n) {
        para_element x = para_open(a, e);
        if (is_in)
            prim_at<uint32_t>(a.docids)[place] = x.docid;
        if (prim_load(&para_queries(a)[x.query].first) == e)
            prim_at<uint32_t>(a.begins)[x.query] = place;
    }
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        prim_at<uint32_t>(a.begins)[a.n_queries] = place + all;
}
