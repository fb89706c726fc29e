/* block_stage.cuh: the blocks of a tile by way of shared memory: their bytes lie side by side, and are copied as they
 * are, 16 at a time, before any of them is looked at. So a tile waits for memory once where block.cuh's walk waits for
 * each of its rows, and lines that several lanes read are read once.
 *
 * A code for this has `head_at`, which finds a block in bytes that are there, and a `load` that reads from any source.
 * Safe on any bytes: a block is copied only if it lies in the list's docs_bytes, else it is one without bytes. What is
 * copied past the last block is less than RP_PAD. */
#ifndef RP_KERNELS_BLOCK_STAGE_CUH
#define RP_KERNELS_BLOCK_STAGE_CUH

#include "backend/gpu/kernels/prim/block.cuh"

enum {
    BLOCK_STAGE = 4608,               /* bytes of shared memory for those of blocks, */
    BLOCK_STAGED = BLOCK_STAGE - 48,  /* which have at most so many: 15 before and 32 after them are read */
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

/* Copies bytes from..to of the payload, which are inside; returns where in the stage byte `from` then is. */
PRIM uint32_t block_copy(const block_list &list, uint32_t from, uint32_t to, unsigned char *stage)
{
    uint32_t phase = (list.phase + from) % 16;
    const unsigned char *at = (const unsigned char *)list.words + (list.phase + from - phase);
    for (uint32_t i = 16 * prim_lane(); i < phase + to - from; i += 16 * 32)
        prim_copy16(stage + i, at + i);
    prim_copies_wait();
    return phase;
}

/* How many blocks from lane p's on, of n in all, lie side by side and have room. */
PRIM uint32_t block_fits(const block_place &place, uint32_t p, uint32_t n)
{
    uint32_t from = prim_shuffle<32>(place.from, p);
    bool fits = place.is_sound && place.from >= from && place.to - from <= BLOCK_STAGED;
    uint32_t others = ~prim_ballot<32>(fits) >> p;
    return prim_min(others ? prim_lowest(others) : 32, n - p);
}

/* As block_walk. */
template <class C, int VALUES, int LANES, int ROWS> struct block_walk_staged {
    typedef C CODE;
    static const int V = VALUES, HEADS = BLOCK_HEADS + 2 * C::SCRATCH, SHARED = HEADS + BLOCK_STAGE;
    static const uint32_t STEP = ROWS * (32 / LANES);

    /* The blocks from lane p's on that fit, in whole turns if they are not the last; returns how many. */
    template <class TAKE>
    static PRIM_MEMBER uint32_t some(const block_list &list, const block_place &place, uint32_t p, uint32_t n,
                                     uint32_t done, unsigned char *shared, TAKE take)
    {
        uint32_t run = block_fits(place, p, n), from = prim_shuffle<32>(place.from, p), begin = 0;
        run = run > STEP && run < n - p ? run - run % STEP : run;
        if (run > 0)
            begin = block_copy(list, from, prim_shuffle<32>(place.to, p + run - 1), shared + HEADS);
        run = prim_max<uint32_t>(run, 1);
        prim_sync_tile();
        const block_stage stage = {(const uint32_t *)(shared + HEADS)};
        block_head mine = {0, 0, 0, 0};
        if (prim_lane() - p < run)
            mine = C::head_at(stage, begin + place.from - from, place.is_sound ? begin + place.to - from : 0,
                              place.count, place.base);
        block_turns<C, V, LANES, ROWS>(stage, mine, p, run, done + p, shared, take);
        return run;
    }

    template <class TAKE>
    static PRIM_MEMBER void over(const block_list &list, const karg_tile &tile, unsigned char *shared, TAKE take)
    {
        for (uint32_t done = 0; done < tile.n; done += 32) {
            uint32_t n = prim_min<uint32_t>(tile.n - done, 32);
            block_place place = {0, 0, 0, 0, false};
            if (prim_lane() < n)
                place = block_place_of(list, tile.block + done + prim_lane());
            for (uint32_t p = 0; p < n;)
                p += some(list, place, p, n, done, shared, take);
        }
    }
};

#endif
