/* decode_bp128v.cu: docids of lists in bp128v, to device memory. One warp: a tile; a block at a
 * time, four docids a lane, two blocks in flight. Reads a value by two or four words, neighbours
 * together; writes 16 bytes a lane. Limits: tiles of a list's blocks, any bytes (list_blocks.cuh);
 * dynamic shared memory as KARG_SHARED_BLOCKS says. Layout: Lemire and Boytsov 2015;
 * docs/format.md, chapter 6. */
#include "backend/gpu/kernels/prim/prim.cuh"

static_assert(block_walk<block_bp128v, 4, 32, 2>::SHARED == KARG_SHARED_BLOCKS,
              "what a launch gives");

RP_KERNEL(decode_bp128v_kernel, karg_decode)
{
    block_decode<block_walk<block_bp128v, 4, 32, 2>>(a);
}
