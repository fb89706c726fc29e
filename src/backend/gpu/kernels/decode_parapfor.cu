/* decode_parapfor.cu: docids of lists in parapfor, to device memory.
 * One warp: a tile, two blocks of 128 at a time, four slots a lane; an exception is one lane's.
 * Reads heads by lanes, payloads word by word, neighbours together; writes 16 bytes a lane. Shared: 1,024 bytes a warp.
 * Limits: any bytes; a block whose arrays do not lie inside its bytes is one of zeros, ranks past a block wrap.
 * Source: Ao et al. 2011, 5.1. */
#include "backend/gpu/kernels/prim/block_parapfor.cuh"

RP_KERNEL(decode_parapfor_kernel, karg_decode) { gaps_decode<block_parapfor, 2>(a); }
