/* block_parapfor.cuh: a block of parapfor (docs/format.md, chapter 6) for gaps.cuh: exception j is lane j's. */
#ifndef RP_KERNELS_BLOCK_PARAPFOR_CUH
#define RP_KERNELS_BLOCK_PARAPFOR_CUH

#include "backend/gpu/kernels/prim/patch.cuh"

struct block_parapfor {
    enum { ROOM = KARG_SHARED_PATCH, HEAD = 4 };

    /* The head, tighter: w in bits 0 to 5, ib 6 to 9, hb 10 to 15, exceptions 16 to 23, bytes of their ranks 24 to 31. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *used)
    {
        uint32_t w = first & 255, ib = first >> 8 & 255, hb = first >> 16 & 255, en = first >> 24;
        *used = HEAD;
        bool fits = bytes >= HEAD && w + hb <= 32 && ib <= 8 && en <= count &&
                    HEAD + pack_bytes(count * w) + pack_bytes(en * ib) + pack_bytes(en * hb) <= bytes;
        return fits ? w | ib << 6 | hb << 10 | en << 16 | pack_bytes(en * ib) << 24 : 0;
    }
    PRIM uint32_t exceptions(const gaps_head &h) { return h.shape >> 16 & 255; }

    template <int K> struct fetched {
        gaps_lows<K> lows;
        pack_pair rank, high; /* of the lane's exception */

        PRIM_MEMBER void load(const uint32_t *words, const gaps_head &h)
        {
            lows.load(words, h);
            read(words, h, prim_lane() < exceptions(h) ? prim_lane() : 0);
        }
        PRIM_MEMBER void read(const uint32_t *words, const gaps_head &h, uint32_t j)
        {
            uint32_t at = h.at + gaps_low_bytes<K>(h);
            rank.load(words, at, j * (h.shape >> 6 & 15));
            high.load(words, at, 8 * (h.shape >> 24) + j * (h.shape >> 10 & 63));
        }
        PRIM_MEMBER uint32_t slot(const gaps_head &h) { return rank.value() & prim_mask(h.shape >> 6 & 15); }
        PRIM_MEMBER uint32_t add(const gaps_head &h)
        {
            return (high.value() & prim_mask(h.shape >> 10 & 63)) << (h.shape & 31);
        }
        PRIM_MEMBER void put_rest(const uint32_t *words, const gaps_head &h, uint32_t *room)
        {
            prim_sync_tile();
#pragma unroll 1
            for (uint32_t j = prim_lane() + 32; j < exceptions(h); j += 32) {
                read(words, h, j);
                patch_put(room, slot(h), add(h));
            }
        }
        PRIM_MEMBER void docids(const uint32_t *words, const gaps_head &h, unsigned char *room, uint32_t v[4])
        {
            uint32_t *adds = (uint32_t *)room;
            lows.values(h, v);
            if (exceptions(h)) {
                patch_clear(adds);
                patch_put_rising(adds, exceptions(h), slot(h), add(h));
                if (exceptions(h) > 32)
                    put_rest(words, h, adds);
                patch_take(adds, v);
            }
            gaps_sum(h.base, v);
        }
    };
};

#endif
