/* raw.cuh: blocks of raw: docids as they are. */
#ifndef RP_KERNELS_RAW_CUH
#define RP_KERNELS_RAW_CUH

#include "backend/gpu/kernels/prim/warp/list_blocks.cuh"

struct block_raw {
    static const int RUN = 8, SCRATCH = 0, WIDEST = 8;

    /* at: the first word; shape: 0 if it can be read by 16 bytes; base: whether it can be read. */
    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t rank = b * KARG_BLOCK, there = list.docs_bytes / 4;
        uint32_t count = block_count(list, b);
        bool is_inside = rank < there && count <= there - rank;
        bool is_aligned = (uintptr_t)block_words(list) % 16 == 0; /* not so in a short list */
        return block_head{rank, is_inside && is_aligned ? 0U : BLOCK_ANY, is_inside, count};
    }

    static PRIM_MEMBER uint32_t key(const block_head &head) { return head.shape; }

    template <int V, int LANES, uint32_t K> struct fetched {
        uint32_t word[V];

        PRIM_MEMBER void load(const block_list &list, const block_head &head, uint32_t first)
        {
            const uint32_t *from = block_words(list) + head.at + first;
            if (K < BLOCK_ANY) {
#pragma unroll
                for (int k = 0; k < V; k += 4) {
                    uint4 four = prim_load((const uint4 *)(from + k));
                    word[k] = four.x, word[k + 1] = four.y;
                    word[k + 2] = four.z, word[k + 3] = four.w;
                }
            } else {
#pragma unroll
                for (int k = 0; k < V; k++)
                    word[k] = head.base && first + k < head.count ? prim_load(from + k) : 0;
            }
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

/* Block b of a list in raw. */
PRIM bool raw_is_sound(const block_list &list, uint32_t b)
{
    return 4 * ((uint64_t)b * KARG_BLOCK + block_count(list, b)) <= list.docs_bytes;
}

#endif
