/* decode_ef128.cu: docids of lists in ef128: to device memory, and summed in registers.
 * One warp: a tile; a block or two at a time, 4 or 8 docids a lane, as many rows in flight as the name says.
 * Reads a block's bytes once; places of ones go through 160 bytes of shared memory a block; writes 16 bytes a lane.
 * Limits: tiles of a list's blocks, any bytes (block.cuh); dynamic shared memory as KARG_SHARED_EF128 says.
 * Paper: Liu et al. 2018 (Griffin), Para-EF. */
#include "backend/gpu/kernels/prim/block_decode.cuh"
#include "backend/gpu/kernels/prim/block_ef128.cuh"

static_assert(BLOCK_HEADS + 2 * block_ef128::SCRATCH == KARG_SHARED_EF128, "what a launch gives");

RP_KERNEL(decode_ef128_x1_kernel, karg_decode) { block_decode<block_ef128, 1>(a); }
RP_KERNEL(decode_ef128_x2_kernel, karg_decode) { block_decode<block_ef128, 2>(a); }
RP_KERNEL(decode_ef128_x4_kernel, karg_decode) { block_decode<block_ef128, 4>(a); }
RP_KERNEL(decode_ef128_sum4_x1_kernel, karg_decode) { block_decode_sum<block_ef128, 4, 32, 1>(a); }
RP_KERNEL(decode_ef128_sum4_x2_kernel, karg_decode) { block_decode_sum<block_ef128, 4, 32, 2>(a); }
RP_KERNEL(decode_ef128_sum8_x1_kernel, karg_decode) { block_decode_sum<block_ef128, 8, 16, 1>(a); }
RP_KERNEL(decode_ef128_sum8_x2_kernel, karg_decode) { block_decode_sum<block_ef128, 8, 16, 2>(a); }
RP_KERNEL(decode_ef128_sum8_x4_kernel, karg_decode) { block_decode_sum<block_ef128, 8, 16, 4>(a); }
RP_KERNEL(decode_ef128_ones_kernel, karg_decode) { block_decode_ones<block_ef128, 4>(a); }
