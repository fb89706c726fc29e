/* decode_optpfd.cu: docids of lists in optpfd, to device memory.
 * One warp: a tile, two blocks of 128 at a time, four slots a lane; a listed exception is one
 * lane's; the last warp of a block of threads has no tile but looks ahead.
 * Reads heads by lanes, payloads word by word, neighbours together; writes 16 bytes a lane. Shared:
 * 1,536 bytes a warp.
 * Limits: any bytes; parts that do not lie inside their block's bytes are none, ranks past a block
 *         wrap.
 * Source: Yan, Ding, Suel 2009, of the idea; the layout is docs/format.md's. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

RP_KERNEL_BOUNDED(decode_optpfd_kernel, karg_decode, 160, 8)
{
    delta_decode_ahead<block_optpfd, 2, TUNE_DECODE_AHEAD>(a);
}
