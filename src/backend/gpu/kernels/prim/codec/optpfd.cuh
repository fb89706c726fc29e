/* optpfd.cuh: a block of optpfd (docs/format.md, chapter 6) for delta_decode.cuh; its parts are
 * optpfd_values.cuh's. */
#ifndef RP_KERNELS_OPTPFD_CUH
#define RP_KERNELS_OPTPFD_CUH

#include "backend/gpu/kernels/prim/codec/optpfd_values.cuh"
#include "backend/gpu/kernels/prim/warp/delta_decode.cuh"

struct alignas(16) optpfd_masks {
    uint32_t parts;      /* of a rank, in the high half of a listed part */
    uint32_t shape;      /* as optpfd_shape has it */
    uint32_t unit, base; /* 2^b; the docid before the first */
};

struct block_optpfd : delta_worked<optpfd_masks> {
    enum { SCRATCH_BYTES = KARG_SHARED_EXCEPTIONS };

    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *used)
    {
        return optpfd_shape(first, bytes, count, used);
    }
    PRIM head keep(const delta_head &h)
    {
        uint32_t b = optpfd_low_width(h.shape), w = optpfd_rank_width(h.shape),
                 high = optpfd_high_width(h.shape);
        return {delta_where_of(h, b, w, high, optpfd_listed(h.shape), false),
                {prim_mask(w) % KARG_BLOCK | prim_mask(high) << 16, h.shape, b < 32 ? 1U << b : 0,
                 h.base}};
    }

    template <int K> struct fetched {
        bitpack_quad<K> lows;
        optpfd_parts parts;
        uint32_t listed;

        PRIM_MEMBER void load(const uint32_t *words, kept h)
        {
            delta_where at = h->where;
            listed = at.fields >> 24;
            uint32_t j = prim_lane() < listed ? prim_lane() : 0;
            uint32_t step = optpfd_has_bitmap(h->masks.shape) ? prim_lane() / 8 * 32
                                                              : j * prim_byte(at.fields, 1);
            delta_load_lows(words, at, &lows);
            parts.rank = delta_load_pair(words, at, at.bits % 65536 + step);
            parts.part = delta_load_pair(words, at, (at.bits >> 16) + j * prim_byte(at.fields, 2));
        }
        /* Far parts, and those of a bitmap. */
        PRIM_MEMBER void add_rest(const uint32_t *words, kept h, uint32_t *scratch, uint32_t v[4])
        {
            delta_where at = h->where;
            uint32_t shape = h->masks.shape, n = K < 32 ? (uint32_t)KARG_BLOCK : at.counts & 255;
            uint32_t used =
                bitpack_bytes(listed * (optpfd_rank_width(shape) + optpfd_high_width(shape)));
            optpfd_place in = {words, 4 * at.word + at.bits % 65536 / 8,
                               (at.counts >> 8) - bitpack_bytes(n * optpfd_low_width(shape))};
            if (optpfd_has_bitmap(shape))
                used = parts.add_marked(in, shape, n, v);
            if (optpfd_far(shape))
                parts.add_far({words, in.at + used, in.bytes - prim_min(used, in.bytes)}, shape,
                              scratch, v);
        }
        PRIM_MEMBER void docids(const uint32_t *words, kept h, unsigned char *scratch,
                                uint32_t v[4])
        {
            optpfd_masks by = h->masks;
            lows.values(prim_byte(h->where.fields, 0), v);
            if (listed)
                parts.add_listed(parts.rank.value() & by.parts % 65536,
                                 (parts.part.value() & by.parts >> 16) * by.unit, listed,
                                 (uint32_t *)scratch, v);
            if (optpfd_far(by.shape) || optpfd_has_bitmap(by.shape))
                add_rest(words, h, (uint32_t *)scratch, v);
            delta_sum(by.base, v);
        }
    };
};

static_assert(DELTA_BLOCKS * sizeof(block_optpfd::head) == KARG_SHARED_WORKED,
              "as launches have it");

#endif
