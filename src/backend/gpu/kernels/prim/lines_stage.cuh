/* lines_stage.cuh: docids of a regression code's tile (lines.cuh) in registers, by way of shared memory: a tile's bytes lie
 * side by side, and are copied as they are, 16 at a time. What several lanes read of a line comes through the first-level
 * cache once.
 *
 * Safe on any bytes: what is copied lies in the payload (tile.cuh), or within 16 bytes of it; tiles that have no room, and
 * blocks that are not plain, are read where they lie (lines_walk.cuh). */
#ifndef RP_KERNELS_LINES_STAGE_CUH
#define RP_KERNELS_LINES_STAGE_CUH

#include "backend/gpu/kernels/prim/lines_walk.cuh"

enum { LINES_PAST = 32 }; /* bytes behind those of blocks that lanes read */

/* Where a tile's bytes are in shared memory. */
struct lines_stage {
    const uint32_t *words;
    uint32_t base; /* of the first, from the list's first word */
};

/* Copies the blocks of a tile, of which this lane's is at `p`, to STAGE bytes at `to`. False: they have no room, or do not
 * lie side by side. */
template <int STAGE> PRIM bool lines_copy(const tile_view &t, const tile_place &p, unsigned char *to, lines_stage *stage)
{
    uint32_t from = prim_shuffle<32>(p.from, 0), end = prim_shuffle<32>(p.from + p.bytes, t.blocks - 1);
    uint64_t first = (t.docs + from) & ~(uint64_t)15;
    uint32_t bytes = (uint32_t)(t.docs + end - first);
    bool is_inside = p.bytes > 0 && p.from >= from && p.from + p.bytes <= end;
    *stage = {(const uint32_t *)to, (uint32_t)(first - lines_words(t))};
    if (prim_ballot<32>(!is_inside) || bytes > STAGE - LINES_PAST)
        return false;
    for (uint32_t i = 16 * prim_lane(); i < bytes; i += 16 * 32)
        prim_copy16(to + i, prim_at<const void>(first + i));
    prim_copies_wait();
    prim_sync_tile();
    return true;
}

/* A row of plain blocks. */
template <int KIND, int LANES, class TAKE>
PRIM void lines_near_row(const lines_tile &t, const lines_stage &stage, uint32_t i, lines_points<KIND, LANES> &line,
                         TAKE &take)
{
    lines_plain<16, LANES> block;
    lines_head h = t.room->heads[i + prim_lane() / LANES];
    block.template load<pack_near>(stage.words, h, h.at - stage.base);
    line.turn(h);
    block.docids(h, line, take);
}

/* The docids of a tile. `bytes`: STAGE bytes of shared memory of the warp's own. */
template <int KIND, int CUT, int LANES, int STAGE, class TAKE>
PRIM void lines_near(const tile_view &of, unsigned char *bytes, TAKE &take)
{
    const uint32_t step = 32 / LANES;
    bool has = prim_lane() < of.blocks;
    lines_stage stage;
    if (of.blocks > LINES_BLOCKS)
        prim_trap();
    tile_place p = tile_block<CUT>(of, of.block + (has ? prim_lane() : 0));
    if (!lines_copy<STAGE>(of, p, bytes, &stage)) {
        lines_walk<KIND, CUT, LANES, 1>(of, UINT32_MAX, take);
        return;
    }
    lines_line list = lines_of_list<KIND>(of.docs, of.docs_bytes);
    lines_room *room = (lines_room *)prim_shared() + prim_warp();
    lines_tile t = {prim_at<const uint32_t>(lines_words(of)), list, room, of.blocks, 0, UINT32_MAX};
    uint32_t at = (uint32_t)(of.docs & 3) + p.from - stage.base;
    lines_head mine = lines_read<KIND, pack_near>(of, list, p, {stage.words + at / 4, at % 4 * 8});
    mine.shape = has ? mine.shape : 0;
    room->heads[prim_lane()] = mine;
    uint32_t others = ~prim_ballot<32>(lines_is_plain(mine.shape) && lines_width(mine.shape) <= 16);
    lines_points<KIND, LANES> line;
    line.open(list);
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t i = 0; i < of.blocks; i += step, others >>= step) {
        if (others % (1 << step) == 0)
            lines_near_row<KIND, LANES>(t, stage, i, line, take);
        else
#pragma unroll 1
            for (uint32_t k = i; k < prim_min(i + step, of.blocks); k++)
                lines_any<KIND>(t, room->heads[k], take);
    }
}

/* The sum of all docids. The last warp of a block of threads has no tile, but looks ahead. Shared memory: a room a warp, then
 * a stage a warp. */
template <int KIND, int CUT, int LANES, int STAGE, int AHEAD> PRIM void lines_sum_near(const karg_decode &a)
{
    lines_room *rooms = (lines_room *)prim_shared();
    uint32_t warps = prim_block_size() / 32 - 1, first = prim_block() * warps, number = first + prim_warp();
    if (prim_warp() == warps) {
        tile_ahead<CUT>(a, first + AHEAD);
    } else {
        lines_adder take = {0};
        unsigned char *stage = (unsigned char *)(rooms + warps) + prim_warp() * STAGE;
        if (number < a.n_tiles)
            lines_near<KIND, CUT, LANES, STAGE>(tile_open<CUT>(a, number), stage, take);
        uint32_t sum = scan_sum<32>(take.sum);
        prim_sync_tile();
        if (prim_lane() == 0)
            rooms[prim_warp()].adds[0] = sum;
    }
    prim_sync();
    if (prim_thread() == 0) {
        uint32_t sum = 0;
        for (uint32_t w = 0; w < warps; w++)
            sum += rooms[w].adds[0];
        prim_atomic_add(prim_at<uint32_t>(a.sum), sum);
    }
}

#endif
