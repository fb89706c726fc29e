/* decode_bp128.cu: docids of lists in bp128: to device memory, and summed in registers.
 * One warp: a tile; to memory a block at a time, 4 docids a lane, and the last warp of a block of
 * threads has no tile but looks ahead (decode_tiles.cuh); in registers four blocks, 8 docids a
 * lane.
 * Reads a block's bytes once (to memory by way of shared memory, else lanes share words in L1), its
 * 8 bytes of directory a lane each; writes 16 bytes a lane. Limits: tiles of a list's blocks, any
 * bytes (staged_blocks.cuh, list_blocks.cuh); dynamic shared memory as KARG_SHARED_BP128 and
 * _BLOCKS say. Layout: docs/format.md, chapter 6. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

typedef block_walk_staged<block_bp128, 4, 32, 2> to_memory;
typedef block_walk<block_bp128, 8, 16, 2> in_registers;
static_assert(to_memory::SHARED == KARG_SHARED_BP128 && in_registers::SHARED == KARG_SHARED_BLOCKS,
              "what a launch gives");

RP_KERNEL_BOUNDED(decode_bp128_kernel, karg_decode, 160, 8)
{
    block_decode_ahead<to_memory, TUNE_DECODE_AHEAD>(a);
}
RP_KERNEL(decode_bp128_sum_kernel, karg_decode)
{
    block_decode_sum<in_registers>(a);
}
RP_KERNEL(decode_bp128_ones_kernel, karg_decode)
{
    block_decode_ones<block_bp128>(a);
}
