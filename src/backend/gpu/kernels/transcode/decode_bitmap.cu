/* decode_bitmap.cu: docids of lists in bitmap: to device memory, and summed in registers.
 * One warp: a tile; a block at a time, 8 to 32 bits a lane, two blocks in flight.
 * Reads a block's bits once; docids go through 512 bytes of shared memory a block; writes 16 bytes
 * a lane.
 * Limits: tiles of a list's blocks, any bytes (list_blocks.cuh); dynamic shared memory as
 * KARG_SHARED_BITMAP says. Layout: docs/format.md, chapter 7. */
#include "backend/gpu/kernels/prim/prim.cuh"

typedef block_walk<block_bitmap, 4, 32, 2> two_rows;
static_assert(two_rows::SHARED == KARG_SHARED_BITMAP, "what a launch gives");

RP_KERNEL(decode_bitmap_kernel, karg_decode)
{
    block_decode<two_rows>(a);
}
RP_KERNEL(decode_bitmap_sum_kernel, karg_decode)
{
    block_decode_sum<two_rows>(a);
}
