/* decode_parapfor.cu: docids of lists in parapfor, to device memory.
 * One warp: a tile, two blocks of 128 at a time, four slots a lane; an exception is one lane's; the
 * last warp of a block of threads has no tile but looks ahead.
 * Reads heads by lanes, payloads word by word, neighbours together; writes 16 bytes a lane. Shared:
 * 1,536 bytes a warp.
 * Limits: any bytes; a block whose arrays do not lie inside its bytes is one of zeros, ranks past a
 *         block wrap.
 * Source: Ao et al. 2011, 5.1, Algorithm 2; literal. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

RP_KERNEL_BOUNDED(decode_parapfor_kernel, karg_decode, 160, 8)
{
    delta_decode_ahead<block_parapfor, 2, TUNE_DECODE_AHEAD>(a);
}
/* Segments of 64, as Ao et al. 2011, 6.2 have them: half of the lanes have slots. */
RP_KERNEL(decode_parapfor_64_kernel, karg_decode)
{
    delta_decode_segments<block_parapfor>(a);
}
