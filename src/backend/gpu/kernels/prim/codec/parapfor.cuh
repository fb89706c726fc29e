/* parapfor.cuh: a block of parapfor (docs/format.md, chapter 6) for delta_decode.cuh: exception j
 * is lane j's. */
#ifndef RP_KERNELS_PARAPFOR_CUH
#define RP_KERNELS_PARAPFOR_CUH

#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/warp/exceptions.cuh"

struct alignas(16) parapfor_masks {
    uint32_t rank, high, unit, base; /* unit: 2^w; base: the docid before the first */
};

struct block_parapfor : delta_worked<parapfor_masks> {
    enum { SCRATCH_BYTES = KARG_SHARED_EXCEPTIONS, HEAD = 4 };

    /* The head, tighter: w in bits 0 to 5, ib 6 to 9, hb 10 to 15, exceptions 16 to 23. */
    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *used)
    {
        uint32_t w = first & 255, ib = first >> 8 & 255, hb = first >> 16 & 255, en = first >> 24;
        *used = HEAD;
        bool fits =
            bytes >= HEAD && w + hb <= 32 && ib <= 8 && en <= count &&
            HEAD + bitpack_bytes(count * w) + bitpack_bytes(en * ib) + bitpack_bytes(en * hb) <=
                bytes;
        return fits ? w | ib << 6 | hb << 10 | en << 16 : 0;
    }
    PRIM head keep(const delta_head &h)
    {
        uint32_t w = h.shape & 63, ib = h.shape >> 6 & 15, hb = h.shape >> 10 & 63,
                 en = h.shape >> 16;
        return {delta_where_of(h, w, ib, hb, en, true),
                {prim_mask(ib) % KARG_BLOCK, prim_mask(hb), w < 32 ? 1U << w : 0, h.base}};
    }

    template <int K> struct fetched {
        bitpack_quad<K> lows;
        bitpack_pair rank, high; /* of the lane's exception */
        uint32_t exceptions;

        PRIM_MEMBER void load(const uint32_t *words, kept h)
        {
            delta_where at = h->where;
            exceptions = at.fields >> 24;
            delta_load_lows(words, at, &lows);
            read(words, at, prim_lane() < exceptions ? prim_lane() : 0);
        }
        PRIM_MEMBER void read(const uint32_t *words, const delta_where &at, uint32_t j)
        {
            rank = delta_load_pair(words, at, at.bits % 65536 + j * prim_byte(at.fields, 1));
            high = delta_load_pair(words, at, (at.bits >> 16) + j * prim_byte(at.fields, 2));
        }
        PRIM_MEMBER uint32_t slot(const parapfor_masks &by) { return rank.value() & by.rank; }
        PRIM_MEMBER uint32_t add(const parapfor_masks &by)
        {
            return (high.value() & by.high) * by.unit;
        }

        PRIM_MEMBER void put_rest(const uint32_t *words, kept h, uint32_t *scratch)
        {
            prim_sync_tile();
#pragma unroll 1
            for (uint32_t j = prim_lane() + 32; j < exceptions; j += 32) {
                read(words, h->where, j);
                exceptions_put(scratch, slot(h->masks), add(h->masks));
            }
        }
        PRIM_MEMBER void docids(const uint32_t *words, kept h, unsigned char *scratch,
                                uint32_t v[4])
        {
            uint32_t *adds = (uint32_t *)scratch;
            parapfor_masks by = h->masks;
            bool rises = exceptions_rises(exceptions, slot(by));
            exceptions_clear(adds);
            if (prim_lane() < exceptions && rises)
                adds[slot(by)] = add(by);
            lows.values(prim_byte(h->where.fields, 0), v);
            if (exceptions > 32)
                put_rest(words, h, adds);
            exceptions_take(adds, v);
            delta_sum(by.base, v);
        }
    };
};

static_assert(DELTA_BLOCKS * sizeof(block_parapfor::head) == KARG_SHARED_WORKED,
              "as launches have it");

PRIM bool parapfor_is_sound(const sound_bytes &in)
{
    uint32_t w = sound_byte(in, 0), ib = sound_byte(in, 1), hb = sound_byte(in, 2),
             en = sound_byte(in, 3);
    uint32_t lows = block_parapfor::HEAD + bitpack_bytes(in.n * w), ranks = bitpack_bytes(en * ib);
    if (in.bytes < block_parapfor::HEAD || w + hb > 32 || ib > 8 || (en && hb == 0) ||
        in.bytes < lows + ranks + bitpack_bytes(en * hb))
        return false;
    return sound_positions(in, lows, en, ib);
}

#endif
