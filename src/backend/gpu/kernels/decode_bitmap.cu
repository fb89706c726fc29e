/* decode_bitmap.cu: docids of lists in bitmap: to device memory, and summed in registers.
 * One warp: a tile; a block at a time, 8 to 32 bits a lane, as many in flight as the name says.
 * Reads a block's bits once; docids go through 512 bytes of shared memory a block; writes 16 bytes a lane.
 * Limits: tiles of a list's blocks, any bytes (block.cuh); dynamic shared memory as KARG_SHARED_BITMAP says.
 * Layout: docs/format.md, chapter 7. */
#include "backend/gpu/kernels/prim/block_decode.cuh"
#include "backend/gpu/kernels/prim/block_bitmap.cuh"

static_assert(BLOCK_HEADS + 2 * block_bitmap::SCRATCH == KARG_SHARED_BITMAP, "what a launch gives");

RP_KERNEL(decode_bitmap_x1_kernel, karg_decode) { block_decode<block_bitmap, 1>(a); }
RP_KERNEL(decode_bitmap_x2_kernel, karg_decode) { block_decode<block_bitmap, 2>(a); }
RP_KERNEL(decode_bitmap_sum_x1_kernel, karg_decode) { block_decode_sum<block_bitmap, 4, 32, 1>(a); }
RP_KERNEL(decode_bitmap_sum_x2_kernel, karg_decode) { block_decode_sum<block_bitmap, 4, 32, 2>(a); }
RP_KERNEL(decode_bitmap_ones_kernel, karg_decode) { block_decode_ones<block_bitmap, 4>(a); }
