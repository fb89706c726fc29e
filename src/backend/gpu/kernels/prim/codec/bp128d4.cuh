/* bp128d4.cuh: blocks of bp128d4: the bytes of bp128, but values of full blocks are differences of
 * stride four. Lane p has docids 4p to 4p + 3, so that four sums over the lanes, none of them
 * inside a lane, give them all. */
#ifndef RP_KERNELS_BP128D4_CUH
#define RP_KERNELS_BP128D4_CUH

#include "backend/gpu/kernels/prim/codec/bp128.cuh"

struct block_bp128d4 : block_bp128 {
    template <int V, int LANES, uint32_t K> struct fetched : block_bp128::fetched<V, LANES, K> {
        static_assert(V == 4 && LANES == 32, "a warp a block, of which a lane has a row");

        PRIM_MEMBER void docids(const block_list &, const block_head &head, uint32_t,
                                unsigned char *, uint32_t *out) const
        {
            this->bits.values(head.shape, block_mask<K>(head.shape), out);
            if (K < BLOCK_ANY || head.count == KARG_BLOCK) {
#pragma unroll
                for (uint32_t k = 0; k < 4; k++)
                    out[k] = head.base - 4 + k + scan_add_among<32>(out[k]);
            } else
                block_sum_gaps<4, 32>(head.base, out);
        }
    };
};

#endif
