/* block_pfd.cuh: a block of pfd (docs/format.md, chapter 6) for gaps.cuh. Links are walked one by one, as the method
 * has it, by shuffles: all lanes know where the walk is, and lane j remembers where exception j lies. */
#ifndef RP_KERNELS_BLOCK_PFD_CUH
#define RP_KERNELS_BLOCK_PFD_CUH

#include "backend/gpu/kernels/prim/patch.cuh"

struct block_pfd {
    typedef patch_room room;
    pack_four lows;
    uint32_t value; /* of the lane's exception */

    /* The head as it is, of blocks with exceptions; byte 0 alone of others. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count)
    {
        uint32_t w = first & 63, code = first >> 6 & 3, en = code ? (first >> 8 & 255) + 1 : 0;
        uint32_t used = (code ? 3 : 1) + pack_bytes(count * w) + (code ? en << (code - 1) : 0);
        bool fits = w <= 32 && en <= count && used <= bytes;
        return fits ? first & (code ? 0xFFFFFF : 0xFF) : 0;
    }
    PRIM uint32_t width(const gaps_head &h) { return h.shape & 63; }
    PRIM uint32_t exceptions(const gaps_head &h) { return h.shape & 192 ? (h.shape >> 8 & 255) + 1 : 0; }
    PRIM uint64_t begin(uint64_t in, const gaps_head &h) { return in + (h.shape & 192 ? 3 : 1); }

    PRIM_MEMBER void open(uint64_t in, const gaps_head &h)
    {
        lows = gaps_load(begin(in, h), h, width(h));
        value = 0;
        if (prim_lane() < exceptions(h))
            read(in, h, prim_lane());
    }
    PRIM_MEMBER void read(uint64_t in, const gaps_head &h, uint32_t j)
    {
        uint32_t bits = 4U << (h.shape >> 6 & 3);
        value = pack_one(pack_at(begin(in, h) + pack_bytes(gaps_count(h.shape) * width(h))), j * bits, bits);
    }
    /* Walks `steps` links from slot *at on, which goes on: the slot that is this lane's, and *link, what it holds. */
    PRIM_MEMBER uint32_t walk(const uint32_t v[4], uint32_t steps, uint32_t *at, uint32_t *link)
    {
        uint32_t mine = *link = 0;
        for (uint32_t k = 0; k < steps; k++) {
            uint32_t here = *at % KARG_BLOCK, i = here % 4;
            uint32_t low = i < 2 ? (i == 0 ? v[0] : v[1]) : i == 2 ? v[2] : v[3];
            low = prim_shuffle<32>(low, here / 4);
            mine = prim_lane() == k ? here : mine;
            *link = prim_lane() == k ? low : *link;
            *at = here + low + 1;
        }
        return mine;
    }
    PRIM_MEMBER void place(uint64_t in, const gaps_head &h, room *to)
    {
        uint32_t at = h.shape >> 16 & 255, v[4], link;
        if (exceptions(h) == 0)
            return;
        gaps_values(lows, begin(in, h), h, width(h), v);
        for (uint32_t j = 0; j < exceptions(h); j += 32) {
            uint32_t steps = prim_min(exceptions(h) - j, 32U), slot = walk(v, steps, &at, &link);
            if (prim_lane() < steps) {
                if (j)
                    read(in, h, j + prim_lane());
                patch_put(to, slot, value - link);
            }
        }
    }
    PRIM_MEMBER void docids(uint64_t in, const gaps_head &h, room *from, uint32_t v[4])
    {
        gaps_values(lows, begin(in, h), h, width(h), v);
        if (exceptions(h))
            patch_take(from, v);
        gaps_sum(h.base, v);
    }
};

#endif
