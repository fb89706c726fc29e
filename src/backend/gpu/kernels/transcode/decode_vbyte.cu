/* decode_vbyte.cu: docids of lists in vbyte: to device memory.
 * One warp: a tile; a block at a time, a control byte a lane, two blocks in flight.
 * Reads a block's bytes once; writes 16 bytes a lane.
 * Limits: tiles of a list's blocks, any bytes (list_blocks.cuh); dynamic shared memory as
 * KARG_SHARED_BLOCKS says. Layout: Lemire, Kurz, Rupp 2018 (Stream VByte). */
#include "backend/gpu/kernels/prim/prim.cuh"

static_assert(block_walk<block_vbyte, 4, 32, 2>::SHARED == KARG_SHARED_BLOCKS,
              "what a launch gives");

RP_KERNEL(decode_vbyte_kernel, karg_decode)
{
    block_decode<block_walk<block_vbyte, 4, 32, 2>>(a);
}
