/* decode_vbyte.cu: docids of lists in vbyte: to device memory, and summed in registers.
 * One warp: a tile; a block at a time, a control byte a lane, as many in flight as the name says.
 * Reads a block's bytes once; writes 16 bytes a lane.
 * Limits: tiles of a list's blocks, any bytes (block.cuh); dynamic shared memory as KARG_SHARED_BLOCKS says.
 * Layout: Lemire, Kurz, Rupp 2018 (Stream VByte). */
#include "backend/gpu/kernels/prim/block_decode.cuh"
#include "backend/gpu/kernels/prim/block_vbyte.cuh"

static_assert(BLOCK_HEADS + 2 * block_vbyte::SCRATCH == KARG_SHARED_BLOCKS, "what a launch gives");

RP_KERNEL(decode_vbyte_x1_kernel, karg_decode) { block_decode<block_vbyte, 1>(a); }
RP_KERNEL(decode_vbyte_x2_kernel, karg_decode) { block_decode<block_vbyte, 2>(a); }
RP_KERNEL(decode_vbyte_x4_kernel, karg_decode) { block_decode<block_vbyte, 4>(a); }
