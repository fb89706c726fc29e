/* decode_optpfd.cu: docids of lists in optpfd, to device memory.
 * One warp: a tile, two blocks of 128 at a time, four slots a lane; a listed exception is one lane's.
 * Reads heads by lanes, payloads word by word, neighbours together; writes 16 bytes a lane. Shared: 1,024 bytes a warp.
 * Limits: any bytes; parts that do not lie inside their block's bytes are none, ranks past a block wrap.
 * Source: Yan, Ding, Suel 2009, of the idea; the layout is docs/format.md's. */
#include "backend/gpu/kernels/prim/block_optpfd.cuh"

RP_KERNEL(decode_optpfd_kernel, karg_decode) { gaps_decode<block_optpfd, 2>(a); }
