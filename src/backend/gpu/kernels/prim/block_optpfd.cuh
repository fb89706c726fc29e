/* block_optpfd.cuh: a block of optpfd (docs/format.md, chapter 6) for gaps.cuh; its parts are freq_optpfd.cuh's. */
#ifndef RP_KERNELS_BLOCK_OPTPFD_CUH
#define RP_KERNELS_BLOCK_OPTPFD_CUH

#include "backend/gpu/kernels/prim/freq_optpfd.cuh"
#include "backend/gpu/kernels/prim/gaps.cuh"

struct block_optpfd {
    enum { ROOM = KARG_SHARED_PATCH };

    PRIM uint32_t shape(uint32_t first, uint32_t bytes, uint32_t count, uint32_t *used)
    {
        return optpfd_shape(first, bytes, count, used);
    }

    template <int K> struct fetched {
        gaps_lows<K> lows;
        optpfd_parts parts;

        PRIM_MEMBER optpfd_place place(const uint32_t *words, const gaps_head &h)
        {
            uint32_t bytes = gaps_low_bytes<K>(h);
            return {words, h.at + bytes, gaps_bytes(h) - bytes};
        }
        PRIM_MEMBER void load(const uint32_t *words, const gaps_head &h)
        {
            lows.load(words, h);
            parts.load(place(words, h), h.shape);
        }
        PRIM_MEMBER void docids(const uint32_t *words, const gaps_head &h, unsigned char *room, uint32_t v[4])
        {
            lows.values(h, v);
            parts.add_to(place(words, h), h.shape, gaps_count<K>(h), (uint32_t *)room, v);
            gaps_sum(h.base, v);
        }
    };
};

#endif
