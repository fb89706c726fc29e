/* decode_qs_li.cu: the steps of Li's merged method that decode_qs_block.cu has in a shorter way,
 * and the low bits alone; literal. Ones are counted by decode_qs_block_count_kernel, the counts of
 * the whole list summed by qs_scan.cu; then each word's ends are gathered, bit by bit. Low bits and
 * both together are two steps here, and one in decode_qs_block_combine_kernel, as in the paper.
 * One thread: a word of high bits, or a docid, and those a grid apart.
 * Reads and writes device memory in each step, 4 bytes a thread, side by side but for the gathered.
 * No shared memory.
 * Limits: any bytes; ends past the list's docids are none. a.bits is what the arrays have space
 * for. Source: Li 2014, 5.1 (low bits) and 5.2 (32 shifts and masks a thread). The index format
 * packs from the lowest bit on, so shifts are the mirror of the thesis's. */
#include "backend/gpu/kernels/transcode/qs_steps.cuh"

/* A one adds to the local sum; a zero ends a number, whose high bits are the sum. */
RP_KERNEL(decode_qs_li_gather_kernel, karg_qs)
{
    uint32_t n, *to = prim_at<uint32_t>(a.uppers);
    qs_view v = qs_steps_open(a, &n);
    const uint32_t *sums = prim_at<const uint32_t>(a.sums);
    for (uint64_t i = qs_steps_thread(); 32 * i < a.bits; i += qs_steps_threads()) {
        uint32_t word = qs_steps_word(v, i), sum = sums[i];
        for (uint32_t bit = 0; bit < 32; bit++) {
            uint64_t rank = 32 * i + bit - sum;
            if (word >> bit & 1)
                sum++;
            else if (rank < n)
                to[rank] = sum;
        }
    }
}

RP_KERNEL(decode_qs_li_lows_kernel, karg_qs)
{
    uint32_t n, *out = prim_at<uint32_t>(a.docids);
    qs_view v = qs_steps_open(a, &n);
    for (uint64_t i = qs_steps_thread(); i < n; i += qs_steps_threads())
        out[i] = qs_low(v, i);
}

/* Docids are low bits before. */
RP_KERNEL(decode_qs_li_combine_kernel, karg_qs)
{
    uint32_t n, *out = prim_at<uint32_t>(a.docids);
    qs_view v = qs_steps_open(a, &n);
    for (uint64_t i = qs_steps_thread(); i < n; i += qs_steps_threads())
        out[i] |= prim_at<const uint32_t>(a.uppers)[i] << v.l;
}
