/* block_raw.cuh: blocks of raw: docids as they are. */
#ifndef RP_KERNELS_BLOCK_RAW_CUH
#define RP_KERNELS_BLOCK_RAW_CUH

#include "backend/gpu/kernels/prim/block.cuh"

struct block_raw {
    static const int SCRATCH = 0;

    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t rank = b * KARG_BLOCK, there = list.docs_bytes / 4;
        uint32_t count = block_count(list, b);
        bool is_inside = rank < there && count <= there - rank;
        return block_head{is_inside ? rank : 0, is_inside, 0, count};
    }

    static PRIM_MEMBER uint32_t key(const block_head &) { return 0; }

    template <int V, int LANES, int K> struct fetched {
        uint32_t word[V];

        PRIM_MEMBER void load(const block_list &list, const block_head &head, uint32_t first)
        {
            const uint32_t *from = list.words + head.at + first;
            bool is_whole = head.shape && first + V <= head.count;
            if (prim_ballot<32>(!is_whole || (uintptr_t)from % 16) == 0) {
#pragma unroll
                for (int k = 0; k < V; k += 4) {
                    uint4 four = prim_load((const uint4 *)(from + k));
                    word[k] = four.x, word[k + 1] = four.y;
                    word[k + 2] = four.z, word[k + 3] = four.w;
                }
                return;
            }
#pragma unroll
            for (int k = 0; k < V; k++)
                word[k] = head.shape && first + k < head.count ? prim_load(from + k) : 0;
        }

        PRIM_MEMBER void docids(const block_list &, const block_head &, uint32_t, unsigned char *,
                                uint32_t *out) const
        {
#pragma unroll
            for (int k = 0; k < V; k++)
                out[k] = word[k];
        }
    };
};

#endif
