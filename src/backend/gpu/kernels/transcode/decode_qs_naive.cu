/* decode_qs_naive.cu: docids of one list in qs, step by step: high bits to a word each; their sums
 * (qs_scan.cu); the sums at ends, gathered; low bits, and both together.
 * One thread: a bit, of the last step a docid, and those a grid apart.
 * Reads and writes device memory in each step, 4 bytes a thread, side by side but for the gathered.
 * No shared memory.
 * Limits: any bytes; ends past the list's docids are none. a.bits is what the arrays have room for.
 * Source: Li 2014, 5.1 and 5.2, the first method; literal. */
#include "backend/gpu/kernels/transcode/qs_steps.cuh"

RP_KERNEL(decode_qs_naive_unpack_kernel, karg_qs)
{
    uint32_t n, *to = prim_at<uint32_t>(a.ones);
    qs_view v = qs_steps_open(a, &n);
    for (uint64_t i = qs_steps_thread(); i < a.bits; i += qs_steps_threads())
        to[i] = i < v.bits ? qs_steps_word(v, i / 32) >> i % 32 & 1 : 1;
}

RP_KERNEL(decode_qs_naive_gather_kernel, karg_qs)
{
    uint32_t n, *to = prim_at<uint32_t>(a.uppers);
    qs_steps_open(a, &n);
    const uint32_t *ones = prim_at<const uint32_t>(a.ones), *sums = prim_at<const uint32_t>(a.sums);
    for (uint64_t i = qs_steps_thread(); i < a.bits; i += qs_steps_threads()) {
        uint64_t rank = i - sums[i];
        if (ones[i] == 0 && rank < n)
            to[rank] = sums[i];
    }
}

RP_KERNEL(decode_qs_naive_combine_kernel, karg_qs)
{
    qs_steps_combine(a);
}
