/* decode_ef128.cu: docids of lists in ef128: to device memory, and summed in registers.
 * One warp: a tile; four blocks at a time, 8 docids a lane; blocks by themselves, 4 docids a lane.
 * To memory the last warp of a block of threads has no tile but looks ahead (decode_tiles.cuh).
 * Reads a block's bytes once, to memory by way of shared memory; places of ones go through 160
 * bytes of shared memory a block; writes 16 bytes a lane. Limits: tiles of a list's blocks, any
 * bytes (staged_blocks.cuh, list_blocks.cuh); dynamic shared memory as KARG_SHARED_EF128 and
 * _STAGED say. Paper: Liu et al. 2018 (Griffin), Para-EF. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

typedef block_walk_staged<block_ef128, 8, 16, 2> to_memory;
typedef block_walk<block_ef128, 8, 16, 2> in_registers;
static_assert(to_memory::SHARED == KARG_SHARED_EF128_STAGED &&
                  in_registers::SHARED == KARG_SHARED_EF128,
              "what a launch gives");

RP_KERNEL_BOUNDED(decode_ef128_kernel, karg_decode, 160, 6)
{
    block_decode_ahead<to_memory, TUNE_DECODE_AHEAD / 2>(a);
}
RP_KERNEL_BOUNDED(decode_ef128_sum_kernel, karg_decode, 128, 7)
{
    block_decode_sum<in_registers>(a);
}
RP_KERNEL(decode_ef128_ones_kernel, karg_decode)
{
    block_decode_ones<block_ef128>(a);
}
