/* decode_seglrc.cu: docids of lists in seglrc: to device memory; posting by posting, each by
 * itself; and in registers: the sum of all.
 * One warp: a tile, two blocks of up to 256 at a time, four slots a lane; in registers half a warp
 * has a block, and two are on their way; of decode_seglrc_at_kernel a thread: a posting.
 * Reads heads by lanes, residuals word by word, side by side; writes 16 bytes a lane. Shared: 2,048
 * bytes a warp.
 * Limits: any bytes; residuals and exceptions that do not lie inside their block's bytes are none.
 * Source: Ao et al. 2011, 5.2; literal. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(decode_seglrc_kernel, karg_decode)
{
    regression_decode<REGRESSION_OWN, REGRESSION_BY_256, 2>(a);
}
RP_KERNEL(decode_seglrc_at_kernel, karg_decode)
{
    regression_at_all<REGRESSION_OWN, REGRESSION_BY_256>(a);
}
RP_KERNEL(decode_seglrc_sum_kernel, karg_decode)
{
    regression_sum<REGRESSION_OWN, REGRESSION_BY_256, 16, 2>(a);
}
