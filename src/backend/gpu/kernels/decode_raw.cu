/* decode_raw.cu: docids of lists in raw: to device memory, and summed in registers.
 * One warp: a tile; a block at a time, four docids a lane, as many in flight as the name says.
 * Reads and writes 16 bytes a lane, coalesced.
 * Limits: tiles of a list's blocks, any bytes (block.cuh); dynamic shared memory as KARG_SHARED_BLOCKS says.
 * The yardstick of the others. */
#include "backend/gpu/kernels/prim/block_decode.cuh"
#include "backend/gpu/kernels/prim/block_raw.cuh"

static_assert(BLOCK_HEADS + 2 * block_raw::SCRATCH == KARG_SHARED_BLOCKS, "what a launch gives");

RP_KERNEL(decode_raw_x1_kernel, karg_decode) { block_decode<block_raw, 1>(a); }
RP_KERNEL(decode_raw_x4_kernel, karg_decode) { block_decode<block_raw, 4>(a); }
RP_KERNEL(decode_raw_sum_x4_kernel, karg_decode) { block_decode_sum<block_raw, 4, 32, 4>(a); }
RP_KERNEL(decode_raw_sum_x8_kernel, karg_decode) { block_decode_sum<block_raw, 4, 32, 8>(a); }
RP_KERNEL(decode_raw_ones_kernel, karg_decode) { block_decode_ones<block_raw, 4>(a); }
