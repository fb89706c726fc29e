/* bp128.cuh: blocks of bp128, and of other codes that are values bit by bit: docids are running
 * sums. */
#ifndef RP_KERNELS_BP128_CUH
#define RP_KERNELS_BP128_CUH

#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/thread/packed_values.cuh"
#include "backend/gpu/kernels/prim/warp/list_blocks.cuh"

/* Gaps less one of V slots a lane into docids, the first of all being base + its gap. */
template <int V, int LANES> PRIM void block_sum_gaps(uint32_t base, uint32_t *v)
{
#pragma unroll
    for (int k = 1; k < V; k++)
        v[k] += v[k - 1] + 1;
    uint32_t all = v[V - 1] + 1, before = scan_add_among<LANES>(all) - all + base;
#pragma unroll
    for (int k = 0; k < V; k++)
        v[k] += before;
}

struct block_bp128 {
    static const int RUN = 8, SCRATCH = 0, WIDEST = 32;

    /* A block of `count` values at bytes from..to of the source. */
    template <class SOURCE>
    static PRIM_MEMBER block_head head_at(const SOURCE &in, uint32_t from, uint32_t to,
                                          uint32_t count, uint32_t base)
    {
        block_head head = {from + 1, 0, base, count};
        uint32_t w = from < to ? SOURCE::load((const uint8_t *)in.words + from) : 0;
        if (w <= 32 && from < to && (count * w + 7) / 8 < to - from)
            head.shape = w;
        return head;
    }

    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t from, to, count = block_count(list, b);
        if (!block_bytes(list, b, &from, &to))
            return block_head{0, 0, block_base(list, b), count};
        return head_at(list, list.phase + from, list.phase + to, count, block_base(list, b));
    }

    static PRIM_MEMBER uint32_t key(const block_head &head) { return head.shape; }

    template <int V, int LANES, uint32_t K> struct fetched {
        block_bits<V, K> bits;

        template <class SOURCE>
        PRIM_MEMBER void load(const SOURCE &in, const block_head &head, uint32_t first)
        {
            uint32_t bit = K < BLOCK_ANY || first < head.count ? first * head.shape : 0;
            bits.load(in, head.at, bit, head.shape);
        }

        template <class SOURCE>
        PRIM_MEMBER void docids(const SOURCE &, const block_head &head, uint32_t, unsigned char *,
                                uint32_t *out) const
        {
            bits.values(head.shape, block_mask<K>(head.shape), out);
            block_sum_gaps<V, LANES>(head.base, out);
        }
    };
};

PRIM bool bp128_is_sound(const sound_bytes &in)
{
    uint32_t w = sound_byte(in, 0);
    return in.bytes > 0 && w <= 32 && bitpack_bytes(in.n * w) <= in.bytes - 1;
}

#endif
