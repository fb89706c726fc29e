/* staged_blocks.cuh: the blocks of a tile by way of shared memory: their bytes lie side by side,
 * and are copied as they are, 16 at a time, before any of them is looked at. So a tile waits for
 * memory once where list_blocks.cuh's walk waits for each of its rows, and lines that several lanes
 * read are read once.
 *
 * A code for this has `head_at`, which finds a block in bytes that are there, and a `load` that
 * reads from any source. Safe on any bytes: blocks are copied only if they lie in the list's
 * docs_bytes. What is copied past the last is less than RP_PAD. */
#ifndef RP_KERNELS_STAGED_BLOCKS_CUH
#define RP_KERNELS_STAGED_BLOCKS_CUH

#include "backend/gpu/kernels/prim/warp/list_blocks.cuh"

enum {
    BLOCK_STAGE = 4608, /* bytes of shared memory for those of blocks, */
    /* which have at most so many: 15 before and 32 after them are read */
    BLOCK_STAGED = BLOCK_STAGE - 48,
};

/* Bytes in shared memory, as block_list has those in device memory. */
struct block_stage {
    const uint32_t *words;
    template <class T> static PRIM_MEMBER T load(const T *at) { return *at; }
};

/* What the directory says of a lane's block. */
struct block_place {
    uint32_t from, to; /* bytes of the payload */
    uint32_t base, count;
    bool is_sound;
};

PRIM block_place block_place_of(const block_list &list, uint32_t b)
{
    block_place p = {0, 0, 0, block_count(list, b), false};
    if (p.count > 0) {
        p.is_sound = block_bounds(list, b, &p.from, &p.to) && p.to - p.from <= BLOCK_STAGED;
        p.base = block_base(list, b);
    }
    return p;
}

/* Copies bytes from..to of the payload, which are inside; returns where in the stage byte `from`
 * then is. */
PRIM uint32_t block_copy(const block_list &list, uint32_t from, uint32_t to, unsigned char *stage)
{
    uint32_t phase = (list.phase + from) % 16;
    const unsigned char *at = (const unsigned char *)list.words + (list.phase + from - phase);
    for (uint32_t i = 16 * prim_lane(); i < phase + to - from; i += 16 * 32)
        prim_copy16(stage + i, at + i);
    prim_copies_wait();
    return phase;
}

/* As block_walk. */
template <class C, int VALUES, int LANES, int ROWS> struct block_walk_staged {
    typedef C CODE;
    static const int V = VALUES, HEADS = BLOCK_HEADS + 2 * C::SCRATCH, SHARED = HEADS + BLOCK_STAGE;

    /* Tiles that have no room, or blocks that do not lie side by side, are read where they are. */
    template <class TAKE>
    static PRIM_MEMBER void over(const block_list &list, const karg_tile &tile,
                                 unsigned char *shared, TAKE take)
    {
        bool has = prim_lane() < tile.n;
        block_place place = {0, 0, 0, 0, false};
        if (has)
            place = block_place_of(list, tile.block + prim_lane());
        uint32_t from = prim_shuffle<32>(place.from, 0),
                 to = prim_shuffle<32>(place.to, (tile.n - 1) % 32);
        bool is_inside = place.is_sound && place.from >= from && place.to <= to;
        if (tile.n > 32 || prim_ballot<32>(has && !is_inside) || to - from > BLOCK_STAGED) {
            block_walk<C, V, LANES, 1>::over(list, tile, shared, take);
            return;
        }
        uint32_t begin = block_copy(list, from, to, shared + HEADS) - from;
        prim_sync_tile();
        const block_stage stage = {(const uint32_t *)(shared + HEADS)};
        block_head mine = {0, 0, 0, 0};
        if (has)
            mine = C::head_at(stage, begin + place.from, begin + place.to, place.count, place.base);
        block_turns<C, V, LANES, ROWS>(stage, mine, 0, tile.n, 0, shared, take);
    }
};

#endif
