/* decode_efsum.cu: docids of blocks in efsum, a code of frequencies, to device memory. One warp: a
 * tile, a block of 128 at a time, four slots a lane. Reads a block's bytes once; steps go through
 * shared memory; writes 16 bytes a lane. Limits: any bytes (ef128.cuh); ranks past a block
 * wrap; dynamic shared memory as KARG_SHARED_EFSUM says. Source: Vigna 2013, of the idea; the
 * layout is docs/format.md's. */
#include "backend/gpu/kernels/prim/prim.cuh"

static_assert(sizeof(efsum_scratch) <= KARG_SHARED_EFSUM, "what a launch gives");

RP_KERNEL(decode_efsum_kernel, karg_decode)
{
    efsum_scratch *scratch = (efsum_scratch *)(prim_shared() + prim_warp() * KARG_SHARED_EFSUM);
    block_tiles(a, [&](const block_list &list, const karg_tile &tile) {
        uint32_t *out = prim_at<uint32_t>(a.docids) + tile.out;
        for (uint32_t i = 0; i < tile.n; i++) {
            uint32_t b = tile.block + i, count = block_count(list, b), from = 0, to = 0, v[4];
            bool is_inside = block_bytes(list, b, &from, &to);
            efsum_docids(list, is_inside ? list.phase + from : 0, is_inside ? list.phase + to : 0,
                         count, block_base(list, b), scratch, v);
            tile_store(out + i * KARG_BLOCK, delta_slot(), count, v);
        }
    });
}
