/* decode_tiles.cuh: what decoding kernels of all codes do: docids of tiles to device memory, or
 * their sum, which shows what decoding costs where docids stay in registers. A warp has a tile at a
 * time, and walks over it (list_blocks.cuh, staged_blocks.cuh). */
#ifndef RP_KERNELS_DECODE_TILES_CUH
#define RP_KERNELS_DECODE_TILES_CUH

#include "backend/gpu/kernels/prim/warp/list_blocks.cuh"

PRIM karg_tile block_tile(const karg_decode &a, uint32_t i)
{
    const karg_tile *from = prim_at<const karg_tile>(a.tiles) + i;
    karg_tile tile = {};
    tile.list = prim_load(&from->list);
    tile.block = prim_load(&from->block);
    tile.n = prim_load(&from->n);
    tile.capacity = prim_load(&from->capacity);
    tile.out = prim_load(&from->out);
    return tile;
}

/* For each tile that is this warp's. */
template <class DO> PRIM void block_tiles(const karg_decode &a, DO what)
{
    uint32_t warps = prim_block_size() / 32;
    for (uint32_t i = prim_block() * warps + prim_warp(); i < a.n_tiles;
         i += prim_grid_size() * warps) {
        karg_tile tile = block_tile(a, i);
        what(block_list_open(prim_at<const karg_list>(a.lists) + tile.list), tile);
    }
}

enum { BLOCK_AHEAD = 32 * 640 }; /* bytes that no tile has more of */

/* What four tiles from number i on will be read for, on its way to the second-level cache: eight
 * lanes a tile. */
PRIM void block_ahead(const karg_decode &a, uint32_t i)
{
    i += prim_lane() / 8;
    if (i >= a.n_tiles)
        return;
    karg_tile tile = block_tile(a, i);
    block_list list = block_list_open(prim_at<const karg_list>(a.lists) + tile.list);
    uint32_t end = prim_min(tile.block + tile.n, list.n_blocks), from, to, past;
    for (uint32_t b = tile.block + prim_lane() % 8; b < end && list.last && list.offsets; b += 8) {
        prim_prefetch(&list.last[b]);
        near_offset_prefetch(list.offsets, b);
    }
    if (prim_lane() % 8 == 0 && tile.block < end) {
        bool is_inside =
            block_bounds(list, tile.block, &from, &past) && block_bounds(list, end - 1, &past, &to);
        if (is_inside && from < to && to - from <= BLOCK_AHEAD)
            prim_prefetch_all((const uint8_t *)list.words + list.phase + from, to - from);
    }
}

/* For each tile that is this warp's, where the last warp of a block of threads, of at most five,
 * has none. Tiles are chains of waits, most of them for device memory: record, list, offsets,
 * bytes. That warp goes through the chains of tiles AHEAD further on, so that who comes to them
 * waits for the second-level cache. */
template <int AHEAD, class DO> PRIM void block_tiles_ahead(const karg_decode &a, DO what)
{
    uint32_t warps = prim_block_size() / 32 - 1, i = prim_block() * warps;
    if (prim_warp() == warps) {
        block_ahead(a, i + AHEAD);
        return;
    }
    i += prim_warp();
    if (i < a.n_tiles) {
        karg_tile tile = block_tile(a, i);
        what(block_list_open(prim_at<const karg_list>(a.lists) + tile.list), tile);
    }
}

/* Four docids of ranks from `rank` on, of which those below `end` are there. They are evicted first
 * from the second-level cache: bytes that are still to be decoded are needed there. */
PRIM void block_store(uint32_t *out, uint32_t rank, uint32_t end, const uint32_t *docids)
{
    if (rank + 4 <= end) {
        prim_store_once((uint4 *)(out + rank),
                        make_uint4(docids[0], docids[1], docids[2], docids[3]));
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (rank + k < end)
            out[rank + k] = docids[k];
}

/* Blocks of KARG_BLOCK, in runs of four. */
template <class WALK>
PRIM void block_decode_tile(const karg_decode &a, const block_list &list, const karg_tile &tile)
{
    static_assert(block_run<typename WALK::CODE, WALK::V>() == 4, "what a lane stores at a time");
    uint32_t *out = prim_at<uint32_t>(a.docids) + tile.out;
    WALK::over(
        list, tile, prim_shared() + prim_warp() * WALK::SHARED,
        [&](uint32_t i, const block_head &, uint32_t first, const uint32_t *docids, uint32_t n) {
            uint32_t rank = i * KARG_BLOCK + first;
            block_store(out, rank, prim_min(rank + n, tile.capacity), docids);
        });
}

template <class WALK> PRIM void block_decode(const karg_decode &a)
{
    block_tiles(a, [&](const block_list &list, const karg_tile &tile) {
        block_decode_tile<WALK>(a, list, tile);
    });
}

template <class WALK, int AHEAD> PRIM void block_decode_ahead(const karg_decode &a)
{
    block_tiles_ahead<AHEAD>(a, [&](const block_list &list, const karg_tile &tile) {
        block_decode_tile<WALK>(a, list, tile);
    });
}

/* Blocks that begin at any rank, of up to 256, 8 a lane: by way of shared memory, 1 KiB behind the
 * walk's, of which a warp has `bytes`. */
template <class WALK> PRIM void block_decode_cut(const karg_decode &a, uint32_t bytes)
{
    typedef typename WALK::CODE CODE;
    block_tiles(a, [&](const block_list &list, const karg_tile &tile) {
        unsigned char *shared = prim_shared() + prim_warp() * bytes;
        uint32_t *scratch = (uint32_t *)(shared + WALK::SHARED);
        uint32_t *out = prim_at<uint32_t>(a.docids) + tile.out,
                 begin = CODE::begin(list, tile.block);
        WALK::over(list, tile, shared,
                   [&](uint32_t i, const block_head &head, uint32_t first, const uint32_t *docids,
                       uint32_t) {
                       uint32_t rank = CODE::begin(list, tile.block + i) - begin;
                       uint32_t count =
                           rank < tile.capacity ? prim_min(head.count, tile.capacity - rank) : 0;
                       uint4 *to = (uint4 *)(scratch + first);
                       to[0] = make_uint4(docids[0], docids[1], docids[2], docids[3]);
                       to[1] = make_uint4(docids[4], docids[5], docids[6], docids[7]);
                       prim_sync_tile();
                       for (uint32_t k = prim_lane(); k < count; k += 32)
                           prim_store_once(out + rank + k, scratch[k]);
                       prim_sync_tile();
                   });
    });
}

PRIM void block_add(const karg_decode &a, uint32_t sum)
{
    sum = scan_sum<32>(sum);
    if (prim_lane() == 0)
        prim_atomic_add(prim_at<uint32_t>(a.sum), sum);
}

template <class WALK> PRIM void block_decode_sum(const karg_decode &a)
{
    uint32_t sum = 0;
    block_tiles(a, [&](const block_list &list, const karg_tile &tile) {
        WALK::over(list, tile, prim_shared() + prim_warp() * WALK::SHARED,
                   [&](uint32_t, const block_head &, uint32_t, const uint32_t *docids, uint32_t n) {
#pragma unroll
                       for (uint32_t k = 0; k < block_run<typename WALK::CODE, WALK::V>(); k++)
                           sum += k < n ? docids[k] : 0;
                   });
    });
    block_add(a, sum);
}

/* The same, each block found and decoded by itself, as a search for a docid does it. */
template <class CODE> PRIM void block_decode_ones(const karg_decode &a)
{
    uint32_t sum = 0;
    block_tiles(a, [&](const block_list &list, const karg_tile &tile) {
        for (uint32_t b = tile.block; b < tile.block + tile.n; b++) {
            uint32_t docids[4];
            block_one<CODE, 4>(list, b, prim_shared() + prim_warp() * CODE::SCRATCH, docids);
#pragma unroll
            for (int k = 0; k < 4; k++)
                sum += docids[k] < UINT32_MAX ? docids[k] : 0;
            prim_sync_tile();
        }
    });
    block_add(a, sum);
}

#endif
