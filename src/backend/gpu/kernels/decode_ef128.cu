/* decode_ef128.cu: docids of lists in ef128: to device memory, and summed in registers.
 * One warp: a tile; four blocks at a time, 8 docids a lane; blocks by themselves, 4 docids a lane.
 * Reads a block's bytes once; places of ones go through 160 bytes of shared memory a block; writes 16 bytes a lane.
 * Limits: tiles of a list's blocks, any bytes (block.cuh); dynamic shared memory as KARG_SHARED_EF128 says.
 * Paper: Liu et al. 2018 (Griffin), Para-EF. */
#include "backend/gpu/kernels/prim/block_decode.cuh"
#include "backend/gpu/kernels/prim/block_ef128.cuh"

typedef block_walk<block_ef128, 8, 16, 2> two_rows;
static_assert(two_rows::SHARED == KARG_SHARED_EF128, "what a launch gives");

RP_KERNEL_BOUNDED(decode_ef128_kernel, karg_decode, 128, 7) { block_decode<two_rows>(a); }
RP_KERNEL_BOUNDED(decode_ef128_sum_kernel, karg_decode, 128, 7) { block_decode_sum<two_rows>(a); }
RP_KERNEL(decode_ef128_ones_kernel, karg_decode) { block_decode_ones<block_ef128>(a); }
