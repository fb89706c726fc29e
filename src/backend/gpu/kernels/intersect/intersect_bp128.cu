/* intersect_bp128.cu: A in a compressed B of bp128: by the directory to the blocks that A needs,
 * and no others; or, for lists of like length, by slices of the universe (intersect_tile.cu), a
 * warp a block of B. One thread: an element of A; one warp: 32 of them, and the blocks they lie in,
 * one after the other. One block: a tile of A; or a slice.
 * Reads A once, coalesced; last, 64 words a step; a needed block once a warp, four values a lane,
 * with a prefix sum over the warp; it is searched in 128 words a warp of shared memory. Writes hits
 * staged there. list: blocks of 128. A block that does not lie in its payload has no docids: any
 * bytes are safe.
 * Source: Liu et al. 2018, 3.1.2; Ding et al. 2009, 8. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* ---- Single elements of A -------------------------------------------------------------------- */

/* Where x is among n docids in shared memory, else n. */
PRIM uint32_t bp128_find(const uint32_t *docids, uint32_t n, uint32_t x)
{
    uint32_t from = 0, to = n;
    while (from < to) {
        uint32_t mid = (from + to) / 2;
        if (docids[mid] < x)
            from = mid + 1;
        else
            to = mid;
    }
    return from < n && docids[from] == x ? from : n;
}

RP_KERNEL(intersect_bp128_kernel, karg_intersect)
{
    uint32_t *shared = (uint32_t *)prim_shared(), rank = a.nb;
    uint32_t *docids = shared + SEARCH_SHARED(prim_block_size(), 1) + prim_warp() * KARG_BLOCK;
    search_part<1> p = search_begin<1>(a, shared);
    uint32_t block = directory_block_warp(a.list, p.x[0]);
    block = p.first < a.na ? block : a.list.n_blocks;
    uint32_t open = prim_ballot<32>(block < a.list.n_blocks);
    while (open) {
        uint32_t b = prim_shuffle<32>(block, prim_lowest(open));
        bp128_block of_b = bp128_open(a.list, b);
        uint32_t n = of_b.count;
        ((uint4 *)docids)[prim_lane()] = bp128_docids(a.list, of_b);
        prim_sync_tile();
        if (block == b) {
            uint32_t slot = bp128_find(docids, n, p.x[0]);
            rank = slot < n ? b * KARG_BLOCK + slot : a.nb;
        }
        open &= ~prim_ballot<32>(block == b);
        prim_sync_tile();
    }
    search_end<1>(a, p, &rank, shared);
}

/* ---- Slices ---------------------------------------------------------------------------------- */

/* Bits of the docids of B in the slice. Blocks go round the warps; a lane opens every 32nd of its
 * warp's, so that a warp waits for their directory and first bytes once. */
PRIM void bp128_set(const karg_list &list, uint32_t *bits, uint32_t base, uint32_t width,
                    uint32_t from, uint32_t to)
{
    uint32_t warps = prim_block_size() / 32;
    for (uint32_t group = from + prim_warp(); group < to; group += 32 * warps) {
        uint32_t b = group + prim_lane() * warps, n = prim_min(prim_div_up(to - group, warps), 32U);
        bp128_block own = {0, 0, 0, 0};
        if (b < to)
            own = bp128_open(list, b);
        for (uint32_t k = 0; k < n; k++) {
            bp128_block block = {prim_shuffle<32>(own.first, k), prim_shuffle<32>(own.base, k),
                                 prim_shuffle<32>(own.width, k), prim_shuffle<32>(own.count, k)};
            uint4 v = bp128_docids(list, block);
            uint32_t at[4] = {v.x - base, v.y - base, v.z - base, v.w - base};
            bool is_whole = 4 * prim_lane() + 4 <= block.count && at[0] < at[3] && at[3] < width;
            if (is_whole)
                docid_bitmap_set_four(bits, width - 1, v);
#pragma unroll
            for (uint32_t i = 0; i < 4; i++)
                if (!is_whole && 4 * prim_lane() + i < block.count && at[i] < width)
                    docid_bitmap_set_one(bits, width - 1, at[i]);
        }
    }
}

RP_KERNEL_BOUNDED(intersect_bp128_tile_kernel, karg_intersect, 256, 5)
{
    uint32_t width = 1U << a.shift, words = width / 32;
    docid_bitmap_shared s = docid_bitmap_lay_out(words);
    compact_tile tile = compact_begin(a.state, a.tiles, s.scratch);
    uint64_t base = (uint64_t)tile.number << a.shift;
    const uint32_t *list_a = prim_at<const uint32_t>(a.a),
                   *last = prim_at<const uint32_t>(a.list.last);
    for (uint32_t i = prim_thread(); i < 2 * words; i += prim_block_size())
        s.of_a[i] = 0;
    if (prim_warp() < 4) {
        bool is_a = prim_warp() < 2, is_end = prim_warp() % 2;
        uint64_t x = base + (is_end ? width : 0);
        uint32_t n = is_a ? a.na : last ? a.list.n_blocks : 0;
        uint32_t at = search_warp(is_a ? list_a : last, n, x, a.universe);
        if (prim_lane() == 0)
            s.scratch[prim_warp()] = at;
    }
    prim_sync();
    docid_bitmap_set(s.of_a, width - 1, {list_a, s.scratch[0], s.scratch[1]});
    bp128_set(a.list, s.of_b, (uint32_t)base, width, s.scratch[2],
              prim_min(s.scratch[3] + 1, a.list.n_blocks));
    prim_sync();
    uint32_t *out = prim_at<uint32_t>(a.out), capacity = a.capacity, from = (uint32_t)base;
    uint32_t n = compact_bits(
        a.state, tile, [=](uint32_t i) { return docid_bitmap_both(s, i); }, words / 4, s.rest,
        s.scratch,
        [=](uint32_t place, uint32_t bit) {
            if (place < capacity)
                out[place] = from + bit;
        });
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = n;
}
