/* bp128t.cuh: blocks of bp128t and of bp128v: the bytes of bp128, but full blocks have their
 * values in another order. */
#ifndef RP_KERNELS_BP128T_CUH
#define RP_KERNELS_BP128T_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"

/* Values of a lane where each lies by itself: AT::load has the 32 bits of one on their way. */
template <class AT> struct block_scattered : block_bp128 {
    static const int RUN = 4, WIDEST = 8;

    static PRIM_MEMBER uint32_t key(const block_head &) { return 0; }

    template <int V, int LANES, uint32_t K> struct fetched {
        static_assert(V == 4 && LANES == 32, "a warp a block");
        uint32_t value[4];

        PRIM_MEMBER void load(const block_list &list, const block_head &head, uint32_t first)
        {
            bool is_full = K < BLOCK_ANY || head.count == KARG_BLOCK;
            bitpack_bits bits = {list.words + head.at / 4, head.at % 4 * 8};
#pragma unroll
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t rank = first + k < head.count ? first + k : 0;
                value[k] = is_full ? AT::load(bits, rank, head.shape)
                                   : bitpack_word(bits, rank * head.shape);
            }
        }

        PRIM_MEMBER void docids(const block_list &, const block_head &head, uint32_t,
                                unsigned char *, uint32_t *out) const
        {
#pragma unroll
            for (int k = 0; k < 4; k++)
                out[k] = value[k] & prim_mask(head.shape);
            block_sum_gaps<4, 32>(head.base, out);
        }
    };
};

/* 8 rows of 16: slot 16r + l has rank 8l + r. */
struct bp128t_at {
    static PRIM_MEMBER uint32_t load(bitpack_bits bits, uint32_t rank, uint32_t w)
    {
        return bitpack_word(bits, (16 * (rank % 8) + rank / 8) * w);
    }
};

/* Four lanes of words: lane l has the values l, l + 4, ... in word l of groups of four. */
struct bp128v_at {
    static PRIM_MEMBER uint32_t load(bitpack_bits bits, uint32_t rank, uint32_t w)
    {
        uint32_t bit = rank / 4 * w, word = 32 * (bit / 32 * 4 + rank % 4), start = bit % 32;
        uint32_t low = bitpack_word(bits, word),
                 high = start + w > 32 ? bitpack_word(bits, word + 128) : 0;
        return prim_funnel(low, high, start);
    }
};

typedef block_scattered<bp128t_at> block_bp128t;
typedef block_scattered<bp128v_at> block_bp128v;

#endif
