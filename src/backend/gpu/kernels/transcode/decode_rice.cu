/* decode_rice.cu: docids of lists in rice, to device memory: two localized prefix sums, taken as
 * one where both fit a word. One warp: a tile, two blocks of 128 at a time, four slots a lane, and
 * a 32nd of the quotients' bits. Reads heads by lanes, payloads word by word, neighbours together;
 * writes 16 bytes a lane. Shared: 896 bytes a warp.
 * Limits: any bytes; a block whose remainders do not lie inside its bytes is one of zeros, ends
 *         past a block are none.
 * Source: Ding et al. 2009, section 5. Not literal: the paper has one unary and one binary part for
 *         the whole list, with a sum beside each 128 bits and each 128 numbers. The index format
 *         keeps blocks of 128 docids whole, so both prefix sums are localized to a block. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL_BOUNDED(decode_rice_kernel, karg_decode, 128, 10)
{
    delta_decode<block_rice, 2>(a);
}
