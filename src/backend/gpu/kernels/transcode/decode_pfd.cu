/* decode_pfd.cu: docids of lists in pfd, to device memory.
 * One warp: a tile, two blocks of 128 at a time, four slots a lane; links are walked by the warp,
 * one by one. Reads heads by lanes, payloads word by word, neighbours together; writes 16 bytes a
 * lane. Shared: 2,048 bytes a warp.
 * Limits: any bytes; a block whose arrays do not lie inside its bytes is one of zeros, links past a
 *         block wrap.
 * Source: Zukowski et al. 2006, of the method. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(decode_pfd_kernel, karg_decode)
{
    delta_decode<block_pfd, 2>(a);
}
/* Segments of 64, as Ao et al. 2011, 6.2 have them: half of the lanes have slots. */
RP_KERNEL(decode_pfd_64_kernel, karg_decode)
{
    delta_decode_segments<block_pfd>(a);
}
