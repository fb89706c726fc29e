/* iiu.cuh: blocks of iiu: up to 256 postings, each a gap and a frequency; docids are running sums
 * of the gaps on the block's skip value. Source: Heo et al. 2020 (IIU), 3. */
#ifndef RP_KERNELS_IIU_CUH
#define RP_KERNELS_IIU_CUH

#include "backend/gpu/kernels/prim/thread/packed_values.cuh"
#include "backend/gpu/kernels/prim/warp/list_blocks.cuh"

struct block_iiu {
    static const int RUN = 8, SCRATCH = 0, WIDEST = 62, MAX = 256;

    static PRIM_MEMBER uint32_t begin(const block_list &list, uint32_t b)
    {
        return b >= list.n_blocks ? list.n : list.first ? prim_load(&list.first[b]) : 0;
    }

    /* Postings of block b; 0 where the directory cannot be. */
    static PRIM_MEMBER uint32_t count(const block_list &list, uint32_t b)
    {
        uint32_t from = begin(list, b), to = begin(list, b + 1);
        return from <= to && to <= list.n && to - from <= MAX ? to - from : 0;
    }

    /* shape: bits 0 to 4 the gaps' width, 8 to 13 the pairs', 16 to 18 the first bit in its
     * byte. */
    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t bits_at = 12 * list.n_blocks, n = count(list, b);
        if (list.docs_bytes / 12 < list.n_blocks)
            return block_head{0, 0, 0, n};
        const uint32_t *words = block_words(list), *meta = words + 2 * b;
        uint32_t low = prim_load(meta), skip = prim_load(words + 2 * list.n_blocks + b);
        uint64_t offset = ((uint64_t)prim_load(meta + 1) << 32 | low) >> 21;
        uint32_t gap = low & 31, pair = gap + (low >> 5 & 31);
        block_head head = {0, 0, skip, n};
        if (offset + n * pair <= 8 * (uint64_t)(list.docs_bytes - bits_at) && pair > 0) {
            head.at = list.phase + bits_at + (uint32_t)(offset / 8);
            head.shape = gap | pair << 8 | (uint32_t)(offset % 8) << 16;
        }
        return head;
    }

    static PRIM_MEMBER uint32_t key(const block_head &head) { return head.shape >> 8 & 255; }

    template <int V, int LANES, uint32_t K> struct fetched {
        block_bits<V, K == BLOCK_ANY ? 64 : K> bits;

        PRIM_MEMBER void load(const block_list &list, const block_head &head, uint32_t first)
        {
            uint32_t pair = head.shape >> 8 & 255;
            uint32_t bit = K < BLOCK_ANY || first < head.count ? first * pair : 0;
            bits.load(list, head.at, (head.shape >> 16) + bit, pair);
        }

        PRIM_MEMBER void docids(const block_list &, const block_head &head, uint32_t,
                                unsigned char *, uint32_t *out) const
        {
            bits.values(head.shape >> 8 & 255, prim_mask(head.shape & 31), out);
#pragma unroll
            for (int k = 1; k < V; k++)
                out[k] += out[k - 1];
            uint32_t before = scan_add_among<LANES>(out[V - 1]) - out[V - 1] + head.base;
#pragma unroll
            for (int k = 0; k < V; k++)
                out[k] += before;
        }
    };
};

/* Block b of a list in iiu. */
PRIM bool iiu_is_sound(const block_list &list, uint32_t b)
{
    uint32_t bits_at = 12 * list.n_blocks, n = block_iiu::count(list, b);
    if (list.docs_bytes / 12 < list.n_blocks)
        return false;
    const uint32_t *meta = block_words(list) + 2 * b;
    uint64_t all = (uint64_t)prim_load(meta + 1) << 32 | prim_load(meta);
    uint32_t pair = (uint32_t)(all & 31) + (uint32_t)(all >> 5 & 31);
    return n > 0 && (all >> 10 & 2047) == n &&
           (all >> 21) + n * pair <= 8 * (uint64_t)(list.docs_bytes - bits_at);
}

#endif
