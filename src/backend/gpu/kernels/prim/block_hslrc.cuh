/* block_hslrc.cuh: a block of hslrc256, hslrc128 or seglrc in registers: eight slots a lane, 256 in all.
 *
 * Lane l has slots 2l and 2l + 1, and those 64, 128 and 192 further on. A pair of up to 16 bits each lies in two
 * words, and is one funnel shift, always by the same bits; 64 slots on, the line has risen by a whole number that
 * is the same for all. So a docid is half a load of each of two words, and three or four operations. */
#ifndef RP_KERNELS_BLOCK_HSLRC_CUH
#define RP_KERNELS_BLOCK_HSLRC_CUH

#include "backend/gpu/kernels/prim/lines.cuh"

enum { HSLRC_PAIRS = 4 };

/* The slot that value k of this lane, 0 to 7, is of. */
PRIM uint32_t block_hslrc_slot(uint32_t k) { return 64 * (k / 2) + 2 * prim_lane() + k % 2; }

/* 256 slots of up to 16 bits, and no exceptions. */
PRIM bool block_hslrc_is_plain(uint32_t shape) { return lines_is_plain(shape) && lines_width(shape) <= 16; }

/* A block on its way: its residuals as loaded. IS_PLAIN: it is. */
template <bool IS_PLAIN> struct block_hslrc {
    uint32_t a[HSLRC_PAIRS], b[HSLRC_PAIRS];

    PRIM_MEMBER void open(uint64_t docs, const lines_head &h)
    {
        uint32_t w = lines_width(h.shape), count = lines_count(h.shape);
        pack_bits lows = pack_at(docs + h.at);
        const uint32_t *at = lows.words + ((lows.shift + 2 * prim_lane() * w) >> 5);
#pragma unroll
        for (uint32_t k = 0; k < HSLRC_PAIRS; k++) {
            a[k] = b[k] = 0;
            if (IS_PLAIN || (w <= 16 && 64 * k + 2 * prim_lane() < count)) {
                a[k] = prim_load(at + 2 * k * w);
                b[k] = prim_load(at + 2 * k * w + 1);
            }
        }
    }
    /* Residuals of slot 64k + 2 lane, and the one after. */
    PRIM_MEMBER void pair(pack_bits lows, uint32_t shape, uint32_t k, uint32_t *x, uint32_t *y)
    {
        uint32_t w = lines_width(shape), count = lines_count(shape);
        uint32_t slot = 64 * k + 2 * prim_lane(), mask = IS_PLAIN ? (1U << w) - 1 : prim_mask(w);
        if (IS_PLAIN || w <= 16) {
            uint32_t both = prim_funnel(a[k], b[k], lows.shift + 2 * prim_lane() * w);
            *x = both & mask;
            *y = both >> w & mask;
        } else {
            *x = slot < count ? pack_word(lows, slot * w) & mask : 0;
            *y = slot + 1 < count ? pack_word(lows, (slot + 1) * w) & mask : 0;
        }
    }
    /* Docids of the lane's slots; of slots past the last, some number. Exceptions are not in them. */
    PRIM_MEMBER void docids(uint64_t docs, const lines_head &h, uint32_t v[2 * HSLRC_PAIRS])
    {
        uint64_t of_64 = h.rise, sum = of_64 * (2 * prim_lane());
        uint32_t low = h.start + (uint32_t)(sum >> 6), high = h.start + (uint32_t)((sum + of_64) >> 6);
#pragma unroll
        for (uint32_t k = 0; k < HSLRC_PAIRS; k++) {
            uint32_t x, y;
            pair(pack_at(docs + h.at), h.shape, k, &x, &y);
            v[2 * k] = low + x;
            v[2 * k + 1] = high + y;
            low += (uint32_t)of_64;
            high += (uint32_t)of_64;
        }
    }
};

/* Adds the exceptions, through the warp's room. */
PRIM void block_hslrc_patch(uint64_t docs, const lines_head &h, lines_room *room, uint32_t v[2 * HSLRC_PAIRS])
{
    lines_place(docs, h, room);
#pragma unroll
    for (uint32_t k = 0; k < 2 * HSLRC_PAIRS; k++)
        v[k] += lines_take(room, block_hslrc_slot(k));
    prim_sync_tile();
}

#endif
