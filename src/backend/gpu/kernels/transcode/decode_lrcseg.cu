/* decode_lrcseg.cu: docids of lists in lrcseg, to device memory; and posting by posting, each by
 * itself. One warp: a tile, two blocks of up to 256 at a time, four slots a lane; of
 * decode_lrcseg_at_kernel a thread: a posting. Reads heads by lanes, residuals word by word, side
 * by side; writes 16 bytes a lane. Shared: 2,048 bytes a warp.
 * Limits: any bytes; residuals and exceptions that do not lie inside their block's bytes are none.
 * Source: Ao et al. 2011, 5.2; literal. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(decode_lrcseg_kernel, karg_decode)
{
    regression_decode<REGRESSION_MOVED, REGRESSION_BY_256, 2>(a);
}
RP_KERNEL(decode_lrcseg_at_kernel, karg_decode)
{
    regression_at_all<REGRESSION_MOVED, REGRESSION_BY_256>(a);
}
