/* decode_fastpfd.cu: docids of lists in fastpfd, to device memory. One warp: a tile; a block at a
 * time, four docids a lane, two blocks in flight. Reads a block's bytes once, and its group's
 * exceptions for each block; exceptions go through 512 bytes of shared memory a block; writes 16
 * bytes a lane. Limits: tiles of a list's blocks, any bytes (list_blocks.cuh): of exceptions that
 * do not lie inside all docids are UINT32_MAX; dynamic shared memory as KARG_SHARED_FASTPFD says.
 * Source: Lemire and Boytsov 2015; docs/format.md, chapter 7. */
#include "backend/gpu/kernels/prim/prim.cuh"

static_assert(block_walk<block_fastpfd, 4, 32, 2>::SHARED == KARG_SHARED_FASTPFD,
              "what a launch gives");

RP_KERNEL(decode_fastpfd_kernel, karg_decode)
{
    block_decode<block_walk<block_fastpfd, 4, 32, 2>>(a);
}
