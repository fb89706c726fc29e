/* decode_interpolative.cu: docids of lists in interpolative, to device memory. One warp: a tile, a
 * block a lane, since each number needs those before. Reads bits as they come; writes docids one by
 * one. No shared memory. Limits: any bytes; of a block that is not sound some docids are not
 * written. The yardstick of size, not of speed. Source: Moffat, Stuiver 2000. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(decode_interpolative_kernel, karg_decode)
{
    if (tile_number() >= a.n_tiles)
        return;
    tile_view t = tile_open<KARG_BLOCK>(a, tile_number());
    for (uint32_t i = prim_lane(); i < t.blocks; i += 32) {
        tile_place p = tile_block<KARG_BLOCK>(t, t.block + i);
        uint32_t *to = t.out + i * KARG_BLOCK, base = tile_base(t, t.block + i) + 1;
        if (p.count)
            interpolative_walk(
                {t.docs + p.from, p.bytes, p.count},
                [&](uint32_t rank, uint64_t sum) { to[rank] = base + rank + (uint32_t)sum; });
    }
}
