/* decode_seglrc.cu: docids of lists in seglrc, to device memory; and posting by posting, each by itself.
 * One warp: a tile, a block of up to 256 at a time, slots 32 apart a lane; of decode_seglrc_at_kernel a thread: a posting.
 * Reads heads by lanes, residuals word by word, side by side; writes 128 bytes a warp. Shared: 2,048 bytes a warp.
 * Limits: any bytes; residuals and exceptions that do not lie inside their block's bytes are none.
 * Source: Ao et al. 2011, 5.2. */
#include "backend/gpu/kernels/prim/lines_at.cuh"

RP_KERNEL(decode_seglrc_x8_kernel, karg_decode) { lines_decode<LINES_OWN, 8>(a); }
RP_KERNEL(decode_seglrc_x4_kernel, karg_decode) { lines_decode<LINES_OWN, 4>(a); }
RP_KERNEL(decode_seglrc_at_kernel, karg_decode) { lines_at_all<LINES_OWN>(a, false); }
