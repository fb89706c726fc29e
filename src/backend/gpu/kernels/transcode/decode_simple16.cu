/* decode_simple16.cu: docids of lists in simple16, to device memory. One warp: a tile, a block of
 * 128 at a time: a word a lane, a sum over the words' counts says which values it holds; they go
 * through 1 KiB of shared memory. Reads words once; writes 16 bytes a lane. Limits: any bytes;
 * words that do not lie inside their block's bytes are none. Source: Zhang, Long, Suel 2008; the
 * cuts are docs/format.md's. */
#include "backend/gpu/kernels/prim/prim.cuh"

static_assert(4 * NEWPFD_NUMBERS == KARG_SHARED_SIMPLE16, "what a launch gives");

RP_KERNEL(decode_simple16_kernel, karg_decode)
{
    uint32_t *numbers = (uint32_t *)prim_shared() + prim_warp() * NEWPFD_NUMBERS;
    if (tile_number() >= a.n_tiles)
        return;
    tile_view t = tile_open<KARG_BLOCK>(a, tile_number());
    for (uint32_t i = 0; i < t.blocks; i++) {
        tile_place p = tile_block<KARG_BLOCK>(t, t.block + i);
        uint32_t v[4], slot = delta_slot();
        newpfd_expand_all(bitpack_at(t.docs + p.from), p.bytes / 4, p.count, numbers);
        prim_sync_tile();
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = slot + k < p.count ? numbers[slot + k] : 0;
        delta_sum(tile_base(t, t.block + i), v);
        tile_store(t.out + i * KARG_BLOCK, slot, p.count, v);
        prim_sync_tile();
    }
}
