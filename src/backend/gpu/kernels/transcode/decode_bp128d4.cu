/* decode_bp128d4.cu: docids of lists in bp128d4, to device memory. One warp: a tile; a block at a
 * time, four docids a lane, two blocks in flight. Reads a block's bytes once, lanes share words in
 * L1; writes 16 bytes a lane. Limits: tiles of a list's blocks, any bytes (list_blocks.cuh);
 * dynamic shared memory as KARG_SHARED_BLOCKS says. Source of the stride: Lemire, Boytsov and Kurz
 * 2016; docs/format.md, chapter 7. */
#include "backend/gpu/kernels/prim/prim.cuh"

static_assert(block_walk<block_bp128d4, 4, 32, 2>::SHARED == KARG_SHARED_BLOCKS,
              "what a launch gives");

RP_KERNEL(decode_bp128d4_kernel, karg_decode)
{
    block_decode<block_walk<block_bp128d4, 4, 32, 2>>(a);
}
