/* decode_iiu.cu: docids of lists in iiu: to device memory, and summed in registers.
 * One warp: a tile; a block of up to 256 at a time, 8 docids a lane.
 * Reads a block's bytes once; docids go through 1 KiB of shared memory, as blocks begin at any
 * rank; writes 4 bytes a lane, coalesced. Limits: any bytes (list_blocks.cuh); dynamic shared
 * memory as KARG_SHARED_IIU says. Paper: Heo et al. 2020 (IIU). */
#include "backend/gpu/kernels/prim/prim.cuh"

typedef block_walk<block_iiu, 8, 32, 1> one_row;
static_assert(one_row::SHARED + 4 * block_iiu::MAX == KARG_SHARED_IIU, "what a launch gives");

RP_KERNEL(decode_iiu_kernel, karg_decode)
{
    block_decode_cut<one_row>(a, KARG_SHARED_IIU);
}
RP_KERNEL(decode_iiu_sum_kernel, karg_decode)
{
    block_decode_sum<one_row>(a);
}
