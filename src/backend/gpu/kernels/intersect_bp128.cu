/* intersect_bp128.cu: A in a compressed B of bp128: by the directory to the blocks that A needs, and no others.
 * One thread: an element of A; one warp: 32 of them, and the blocks they lie in, one after the other. One block:
 * a tile of A.
 * Reads A once, coalesced; last_far and last, a word a step; a needed block once a warp, four values a lane, with
 * a prefix sum over the warp; it is searched in 128 words a warp of shared memory. Writes hits staged there.
 * list: blocks of 128. A block that does not lie in its payload has no docids: any bytes are safe.
 * Source: Liu et al. 2018, 3.1.2; Ding et al. 2009, 8. */
#include "backend/gpu/kernels/prim/directory.cuh"

enum { BP128_EACH = KARG_BLOCK / 32 };

/* By a warp: block b's docids to `out`; returns how many. */
PRIM uint32_t bp128_decode(const karg_list &list, uint32_t b, uint32_t *out)
{
    uint32_t begin = directory_offset(list, b), count = prim_min(list.n - b * KARG_BLOCK, (uint32_t)KARG_BLOCK);
    uint32_t base = b ? directory_last(list, b - 1) : ~0U, sum = 0, v[BP128_EACH];
    uint32_t width = directory_bits(list, 8ULL * begin) & 255;
    if (width > 32 || (uint64_t)begin + 1 + (count * width + 7) / 8 > list.docs_bytes)
        return 0;
    uint64_t first = 8ULL * begin + 8;
#pragma unroll
    for (uint32_t k = 0; k < BP128_EACH; k++) {
        uint32_t i = prim_lane() * BP128_EACH + k;
        v[k] = i < count ? directory_bits(list, first + (uint64_t)i * width) & prim_mask(width) : 0;
    }
#pragma unroll
    for (uint32_t k = 0; k < BP128_EACH; k++)
        v[k] = sum += v[k] + 1;
    uint32_t before = base + scan_add<32>(sum) - sum;
    ((uint4 *)out)[prim_lane()] = make_uint4(before + v[0], before + v[1], before + v[2], before + v[3]);
    prim_sync_tile();
    return count;
}

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
    uint32_t block = p.first < a.na ? directory_block(a.list, p.x[0]) : a.list.n_blocks;
    uint32_t open = prim_ballot<32>(block < a.list.n_blocks);
    while (open) {
        uint32_t b = prim_shuffle<32>(block, prim_lowest(open));
        uint32_t n = bp128_decode(a.list, b, docids);
        if (block == b) {
            uint32_t slot = bp128_find(docids, n, p.x[0]);
            rank = slot < n ? b * KARG_BLOCK + slot : a.nb;
        }
        open &= ~prim_ballot<32>(block == b);
        prim_sync_tile();
    }
    search_end<1>(a, p, &rank, shared);
}
