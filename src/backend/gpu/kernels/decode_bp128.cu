/* decode_bp128.cu: docids of lists in bp128: to device memory, and summed in registers.
 * One warp: a tile; a block or two at a time, 4 or 8 docids a lane, as many rows in flight as the name says.
 * Reads a block's bytes once from device memory (words are shared by lanes in L1), its 8 bytes of directory a lane each; writes 16 bytes a lane.
 * Limits: tiles of a list's blocks, any bytes (block.cuh); dynamic shared memory as KARG_SHARED_BLOCKS says.
 * Layout: docs/format.md, chapter 6. */
#include "backend/gpu/kernels/prim/block_decode.cuh"
#include "backend/gpu/kernels/prim/block_bp128.cuh"

static_assert(BLOCK_HEADS + 2 * block_bp128::SCRATCH == KARG_SHARED_BLOCKS, "what a launch gives");

RP_KERNEL(decode_bp128_x1_kernel, karg_decode) { block_decode<block_bp128, 1>(a); }
RP_KERNEL(decode_bp128_x2_kernel, karg_decode) { block_decode<block_bp128, 2>(a); }
RP_KERNEL(decode_bp128_x4_kernel, karg_decode) { block_decode<block_bp128, 4>(a); }
RP_KERNEL(decode_bp128_x8_kernel, karg_decode) { block_decode<block_bp128, 8>(a); }
RP_KERNEL(decode_bp128_sum4_x1_kernel, karg_decode) { block_decode_sum<block_bp128, 4, 32, 1>(a); }
RP_KERNEL(decode_bp128_sum4_x2_kernel, karg_decode) { block_decode_sum<block_bp128, 4, 32, 2>(a); }
RP_KERNEL(decode_bp128_sum4_x4_kernel, karg_decode) { block_decode_sum<block_bp128, 4, 32, 4>(a); }
RP_KERNEL(decode_bp128_sum8_x1_kernel, karg_decode) { block_decode_sum<block_bp128, 8, 16, 1>(a); }
RP_KERNEL(decode_bp128_sum8_x2_kernel, karg_decode) { block_decode_sum<block_bp128, 8, 16, 2>(a); }
RP_KERNEL(decode_bp128_sum8_x4_kernel, karg_decode) { block_decode_sum<block_bp128, 8, 16, 4>(a); }
RP_KERNEL(decode_bp128_ones_kernel, karg_decode) { block_decode_ones<block_bp128, 4>(a); }
