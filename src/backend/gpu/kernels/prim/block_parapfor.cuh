/* block_parapfor.cuh: a block of parapfor (docs/format.md, chapter 6) for gaps.cuh: exception j is lane j's. */
#ifndef RP_KERNELS_BLOCK_PARAPFOR_CUH
#define RP_KERNELS_BLOCK_PARAPFOR_CUH

#include "backend/gpu/kernels/prim/patch.cuh"

struct block_parapfor {
    typedef patch_room room;
    enum { HEAD = 4 };
    pack_four lows;
    uint32_t rank, high; /* of the lane's exception */

    /* The head, tighter: w in bits 0 to 5, ib 6 to 9, hb 10 to 15, exceptions 16 to 23. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count)
    {
        uint32_t w = first & 255, ib = first >> 8 & 255, hb = first >> 16 & 255, en = first >> 24;
        bool fits = bytes >= HEAD && w + hb <= 32 && ib <= 8 &&
                    HEAD + pack_bytes(count * w) + pack_bytes(en * ib) + pack_bytes(en * hb) <= bytes;
        return fits ? w | ib << 6 | hb << 10 | en << 16 : 0;
    }
    PRIM uint32_t width(const gaps_head &h) { return h.shape & 63; }
    PRIM uint32_t exceptions(const gaps_head &h) { return h.shape >> 16 & 255; }

    PRIM_MEMBER void open(uint64_t in, const gaps_head &h)
    {
        lows = gaps_load(in + HEAD, h, width(h));
        rank = high = 0;
        if (prim_lane() < exceptions(h))
            read(in, h, prim_lane());
    }
    PRIM_MEMBER void read(uint64_t in, const gaps_head &h, uint32_t j)
    {
        uint32_t ib = h.shape >> 6 & 15, hb = h.shape >> 10 & 63;
        pack_bits ranks = pack_at(in + HEAD + pack_bytes(gaps_count(h.shape) * width(h)));
        rank = pack_one(ranks, j * ib, ib);
        high = pack_one(ranks, 8 * pack_bytes(exceptions(h) * ib) + j * hb, hb);
    }
    PRIM_MEMBER void place(uint64_t in, const gaps_head &h, room *to)
    {
        for (uint32_t j = prim_lane(); j < exceptions(h); j += 32) {
            if (j >= 32)
                read(in, h, j);
            patch_put(to, rank, high << (width(h) & 31));
        }
    }
    PRIM_MEMBER void docids(uint64_t in, const gaps_head &h, room *from, uint32_t v[4])
    {
        gaps_values(lows, in + HEAD, h, width(h), v);
        if (exceptions(h))
            patch_take(from, v);
        gaps_sum(h.base, v);
    }
};

#endif
