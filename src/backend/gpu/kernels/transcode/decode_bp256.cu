/* decode_bp256.cu: docids of lists in bp256, to device memory: blocks of bp128, of 256 postings.
 * One warp: a tile; a block at a time, 8 docids a lane. Reads a block's bytes once; docids go
 * through 1 KiB of shared memory, so that 4 bytes a lane are written, coalesced. Limits: any bytes
 * (list_blocks.cuh); dynamic shared memory as KARG_SHARED_BP256 says. Layout: docs/format.md,
 * chapter 6.
 * */
#include "backend/gpu/kernels/prim/prim.cuh"

struct block_bp256 : block_bp128 {
    static const int MAX = 256;

    static PRIM_MEMBER uint32_t begin(const block_list &list, uint32_t b)
    {
        return b >= list.n_blocks ? list.n : list.first ? prim_load(&list.first[b]) : 0;
    }

    static PRIM_MEMBER block_head head(const block_list &list, uint32_t b)
    {
        uint32_t first = begin(list, b), next = begin(list, b + 1), base = block_base(list, b),
                 from, to;
        uint32_t count = first <= next && next <= list.n && next - first <= MAX ? next - first : 0;
        if (!block_bytes(list, b, &from, &to))
            return block_head{0, 0, base, count};
        return head_at(list, list.phase + from, list.phase + to, count, base);
    }
};

typedef block_walk<block_bp256, 8, 32, 1> one_row;
static_assert(one_row::SHARED + 4 * block_bp256::MAX == KARG_SHARED_BP256, "what a launch gives");

RP_KERNEL(decode_bp256_kernel, karg_decode)
{
    block_decode_cut<one_row>(a, KARG_SHARED_BP256);
}
