/* bp128.cuh: blocks of bp128 (docs/format.md, chapter 6): a byte has the width, then values lie bit
 * by bit. Of docids they are gaps less one, so that docids are running sums. Blocks of a tile
 * (block_bp128), values without the sum (freq_bp128_*), and one block by the directory
 * (bp128_block). */
#ifndef RP_KERNELS_BP128_CUH
#define RP_KERNELS_BP128_CUH

#include "backend/gpu/kernels/prim/thread/bitpack.cuh"
#include "backend/gpu/kernels/prim/thread/block_bytes.cuh"
#include "backend/gpu/kernels/prim/thread/packed_values.cuh"
#include "backend/gpu/kernels/prim/warp/list_blocks.cuh"
#include "backend/gpu/kernels/prim/warp/skip_directory.cuh"

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

/* ---- Values ---------------------------------------------------------------------------------- */

/* Value i of the n in these bytes; i is below n. Any bytes: 0 where the values do not lie
 * inside. */
PRIM uint32_t freq_bp128_at(uint64_t in, uint32_t bytes, uint32_t n, uint32_t i)
{
    uint32_t w = bytes ? prim_load(prim_at<const uint8_t>(in)) : 0;
    if (w > 32 || 1 + bitpack_bytes(n * w) > bytes)
        return 0;
    return bitpack_one(bitpack_at(in + 1), i * w, w);
}

/* Those from 4 times the lane's number on; what is past the last is some number. Any bytes: 0 where
 * they do not lie inside. */
PRIM void freq_bp128_four(uint64_t in, uint32_t bytes, uint32_t n, uint32_t v[4])
{
    uint32_t w = bytes ? prim_load(prim_at<const uint8_t>(in)) : 0;
    if (w > 32 || 1 + bitpack_bytes(n * w) > bytes)
        w = 0;
    const uint32_t bit = 4 * prim_lane() < n ? 4 * prim_lane() * w : 0;
    const bitpack_bits at = bitpack_at(in + 1);
    bitpack_values(bitpack_load(at, bit), at, bit, w, v);
}

/* ---- One block by the directory -------------------------------------------------------------- */

/* A block of a list, proved to lie in its payload, else count is 0. */
struct bp128_block {
    uint64_t first; /* bit of its values */
    uint32_t base, width, count;
};

PRIM bp128_block bp128_open(const karg_list &list, uint32_t b)
{
    uint32_t begin = directory_offset(list, b);
    uint32_t width = directory_bits(list, 8ULL * begin) & 255;
    uint32_t count = prim_min(list.n - b * KARG_BLOCK, (uint32_t)KARG_BLOCK);
    bool is_inside =
        width <= 32 && (uint64_t)begin + 1 + (count * width + 7) / 8 <= list.docs_bytes;
    return {8ULL * begin + 8, b ? directory_last(list, b - 1) : ~0U, width, is_inside ? count : 0};
}

/* By a warp: the lane's four docids; those from count on mean nothing. */
PRIM uint4 bp128_docids(const karg_list &list, const bp128_block &block)
{
    uint32_t v[4], sum = 0, i = 4 * prim_lane();
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        v[k] = i + k < block.count
                   ? directory_bits(list, block.first + (uint64_t)(i + k) * block.width) &
                         prim_mask(block.width)
                   : 0;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
        v[k] = sum += v[k] + 1;
    uint32_t before = block.base + scan_add<32>(sum) - sum;
    return make_uint4(before + v[0], before + v[1], before + v[2], before + v[3]);
}

#endif
