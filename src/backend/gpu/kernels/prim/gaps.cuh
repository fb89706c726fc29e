/* gaps.cuh: docids of blocks of up to 128 gaps less one, a warp a tile, four slots a lane: what the kernels of
 * codes made of gaps share.
 *
 * A lane reads the head of one block, and leaves it in shared memory, so that a head is read once and not by all
 * lanes; then the blocks are worked on U at a time: loads of all, then what goes through shared memory, then sums and
 * stores. A code is a struct of what a lane has loaded of a block, with
 *   room      shared memory of a block, cleared once at the start; the code leaves it so, where it needs that
 *   shape     a block's head in 24 bits, or 0, which is a block of zeros, where it does not fit its bytes
 *   open      loads what the head says is there
 *   place     writes to the room what lanes have for other lanes' slots
 *   docids    the lane's four, from the docid before the block on. */
#ifndef RP_KERNELS_GAPS_CUH
#define RP_KERNELS_GAPS_CUH

#include "backend/gpu/kernels/prim/pack.cuh"
#include "backend/gpu/kernels/prim/scan.cuh"
#include "backend/gpu/kernels/prim/tile.cuh"

enum { GAPS_BLOCKS = 32 }; /* of a tile at most: a lane each */

struct alignas(16) gaps_head {
    uint32_t at, bytes;   /* of the block in the payload */
    uint32_t base, shape; /* the count is bits 24 to 31 of the shape */
};

static_assert(GAPS_BLOCKS * sizeof(gaps_head) == KARG_SHARED_HEADS, "as launches have it");

PRIM uint32_t gaps_count(uint32_t shape) { return shape >> 24; }
PRIM uint32_t gaps_slot() { return 4 * prim_lane(); }

/* The bit at which this lane's slots of w bits begin; 0 for lanes without any, so that they read what is there. */
PRIM uint32_t gaps_bit(uint32_t count, uint32_t w) { return gaps_slot() < count ? gaps_slot() * w : 0; }

template <class CODE> PRIM gaps_head gaps_read(const tile_view &t, uint32_t b)
{
    tile_place p = tile_block(t, b);
    uint32_t count = p.count <= KARG_BLOCK ? p.count : 0;
    tile_prefetch(t, p);
    uint32_t first = count && p.bytes ? pack_word(pack_at(t.docs + p.from), 0) : 0;
    return {p.from, p.bytes, p.base, CODE::shape(first, p.bytes, count) | count << 24};
}

/* The lane's slots of w bits of a block whose lows begin at an address: loaded; and taken apart. */
PRIM pack_four gaps_load(uint64_t lows, const gaps_head &h, uint32_t w)
{
    return pack_load(pack_at(lows), gaps_bit(gaps_count(h.shape), w));
}
PRIM void gaps_values(const pack_four &four, uint64_t lows, const gaps_head &h, uint32_t w, uint32_t v[4])
{
    pack_values(four, pack_at(lows), gaps_bit(gaps_count(h.shape), w), w, v);
}

/* The lane's gaps less one become docids. */
PRIM void gaps_sum(uint32_t base, uint32_t v[4])
{
    uint32_t all = v[0] + v[1] + v[2] + v[3] + 4, sum = base + scan_add<32>(all) - all;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        v[k] = sum += v[k] + 1;
}

/* Blocks whose heads are `heads`, U of them. */
template <class CODE, int U>
PRIM void gaps_step(uint64_t docs, const gaps_head *heads, uint32_t *to, typename CODE::room *rooms)
{
    gaps_head h[U] = {};
    CODE blocks[U] = {};
#pragma unroll
    for (uint32_t u = 0; u < U; u++) {
        h[u] = heads[u];
        blocks[u].open(docs + h[u].at, h[u]);
    }
#pragma unroll
    for (uint32_t u = 0; u < U; u++)
        blocks[u].place(docs + h[u].at, h[u], &rooms[u]);
    prim_sync_tile();
#pragma unroll
    for (uint32_t u = 0; u < U; u++) {
        uint32_t v[4];
        blocks[u].docids(docs + h[u].at, h[u], &rooms[u], v);
        tile_store(to + u * KARG_BLOCK, gaps_slot(), gaps_count(h[u].shape), v);
    }
    prim_sync_tile();
}

/* Shared memory of a warp: heads, then U rooms. */
template <class CODE, int U> PRIM void gaps_decode(const karg_decode &a)
{
    const uint32_t room_words = U * sizeof(typename CODE::room) / 4;
    uint32_t number = tile_number();
    if (number >= a.n_tiles)
        return;
    tile_view t = tile_open(a, number);
    if (t.blocks > GAPS_BLOCKS)
        prim_trap();
    gaps_head *heads = (gaps_head *)(prim_shared() + prim_warp() * (KARG_SHARED_HEADS + 4 * room_words));
    typename CODE::room *rooms = (typename CODE::room *)(heads + GAPS_BLOCKS);
    gaps_head mine = {0, 0, 0, 0}; /* of no postings, for lanes past the last block */
    if (prim_lane() < t.blocks)
        mine = gaps_read<CODE>(t, t.block + prim_lane());
    heads[prim_lane()] = mine;
    for (uint32_t i = prim_lane(); i < room_words; i += 32)
        ((uint32_t *)rooms)[i] = 0;
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t k = 0; k < t.blocks; k += U)
        gaps_step<CODE, U>(t.docs, heads + k, t.out + k * KARG_BLOCK, rooms);
}

#endif
