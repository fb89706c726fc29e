/* decode_newpfd.cu: docids of lists in newpfd, to device memory.
 * One warp: a tile, two blocks of 128 at a time, four slots a lane; a word of simple16 is one
 * lane's, and so is an exception. Reads heads by lanes, payloads word by word, neighbours together;
 * writes 16 bytes a lane. Shared: 2,048 bytes a warp.
 * Limits: any bytes; words that do not lie inside their block's bytes are none, ranks past a block
 *         wrap.
 * Source: Yan, Ding, Suel 2009, of the method. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(decode_newpfd_kernel, karg_decode)
{
    delta_decode<block_newpfd, 2>(a);
}
/* Segments of 64, as Ao et al. 2011, 6.2 have them: half of the lanes have slots. */
RP_KERNEL(decode_newpfd_64_kernel, karg_decode)
{
    delta_decode_segments<block_newpfd>(a);
}
