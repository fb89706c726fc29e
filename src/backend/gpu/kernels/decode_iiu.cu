/* decode_iiu.cu: docids of lists in iiu: to device memory, and summed in registers.
 * One warp: a tile; a block of up to 256 at a time, 8 docids a lane.
 * Reads a block's bytes once; docids go through 1 KiB of shared memory, as blocks begin at any rank; writes 4 bytes a
 * lane, coalesced. Limits: any bytes (block.cuh); dynamic shared memory as KARG_SHARED_IIU says.
 * Paper: Heo et al. 2020 (IIU). */
#include "backend/gpu/kernels/prim/block_decode.cuh"
#include "backend/gpu/kernels/prim/block_iiu.cuh"

typedef block_walk<block_iiu, 8, 32, 1> one_row;
static_assert(one_row::SHARED + 4 * block_iiu::MOST == KARG_SHARED_IIU, "what a launch gives");

RP_KERNEL(decode_iiu_kernel, karg_decode)
{
    block_tiles(a, [&](const block_list &list, const karg_tile &tile) {
        unsigned char *shared = prim_shared() + prim_warp() * KARG_SHARED_IIU;
        uint32_t *room = (uint32_t *)(shared + one_row::SHARED);
        uint32_t *out = prim_at<uint32_t>(a.docids) + tile.out, begin = block_iiu::begin(list, tile.block);
        one_row::over(
            list, tile, shared,
            [&](uint32_t i, const block_head &head, uint32_t first, const uint32_t *docids, uint32_t) {
                uint32_t rank = block_iiu::begin(list, tile.block + i) - begin;
                uint32_t count = rank < tile.room ? prim_min(head.count, tile.room - rank) : 0;
                uint4 *to = (uint4 *)(room + first);
                to[0] = make_uint4(docids[0], docids[1], docids[2], docids[3]);
                to[1] = make_uint4(docids[4], docids[5], docids[6], docids[7]);
                prim_sync_tile();
                for (uint32_t k = prim_lane(); k < count; k += 32)
                    prim_store_once(out + rank + k, room[k]);
                prim_sync_tile();
            });
    });
}

RP_KERNEL(decode_iiu_sum_kernel, karg_decode) { block_decode_sum<one_row>(a); }
