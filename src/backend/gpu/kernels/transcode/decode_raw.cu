/* decode_raw.cu: docids of lists in raw: to device memory, and summed in registers.
 * One warp: a tile; a block at a time, four docids a lane, four or eight blocks in flight.
 * Reads and writes 16 bytes a lane, coalesced.
 * Limits: tiles of a list's blocks, any bytes (list_blocks.cuh); dynamic shared memory as
 * KARG_SHARED_BLOCKS says. The yardstick of the others. */
#include "backend/gpu/kernels/prim/prim.cuh"

static_assert(block_walk<block_raw, 4, 32, 4>::SHARED == KARG_SHARED_BLOCKS, "what a launch gives");

RP_KERNEL(decode_raw_kernel, karg_decode)
{
    block_decode<block_walk<block_raw, 4, 32, 4>>(a);
}
RP_KERNEL(decode_raw_sum_kernel, karg_decode)
{
    block_decode_sum<block_walk<block_raw, 4, 32, 8>>(a);
}
