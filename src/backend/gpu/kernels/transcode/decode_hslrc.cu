/* decode_hslrc.cu: docids of lists in hslrc256 and hslrc128, to device memory; posting by posting,
 * each by itself; and in registers: the sum of all.
 * One warp: a tile, two blocks of up to 256 at a time, four slots a lane, from a multiple of 16
 * bytes of the result on; of decode_hslrc_at_kernel a thread: a posting.
 * Reads heads by lanes, residuals word by word, side by side; writes 16 bytes a lane. Shared: 2,048
 * bytes a warp.
 * Limits: any bytes; residuals and exceptions that do not lie inside their block's bytes are none.
 * Source: Ao et al. 2011, 5.3; literal. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL(decode_hslrc_kernel, karg_decode)
{
    regression_decode<REGRESSION_OWN, REGRESSION_BY_HASH, 2>(a);
}
RP_KERNEL(decode_hslrc_sum_kernel, karg_decode)
{
    regression_sum<REGRESSION_OWN, REGRESSION_BY_HASH, 32, 2>(a);
}
RP_KERNEL(decode_hslrc_at_kernel, karg_decode)
{
    regression_at_all<REGRESSION_OWN, REGRESSION_BY_HASH>(a);
}
