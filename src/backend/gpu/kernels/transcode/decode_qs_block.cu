/* decode_qs_block.cu: docids of one list in qs, by words: the ones of each are counted; the counts
 * summed (qs_scan.cu); each word's ends gathered from its sum on; then low bits, and both together.
 * One thread: a word of high bits, of the last step a docid, and those a grid apart.
 * Reads and writes device memory in each step, 4 bytes a thread, side by side but for the gathered.
 * No shared memory.
 * Limits: any bytes; ends past the list's docids are none. a.bits is what the arrays have room for.
 * Source: Li 2014, 5.2, the block-based method with blocks of 32 bits; ours in that a thread goes
 * from end to end of its word, not from bit to bit (decode_qs_li.cu). */
#include "backend/gpu/kernels/transcode/qs_steps.cuh"

RP_KERNEL(decode_qs_block_count_kernel, karg_qs)
{
    uint32_t n, *to = prim_at<uint32_t>(a.ones);
    qs_view v = qs_steps_open(a, &n);
    for (uint64_t i = qs_steps_thread(); 32 * i < a.bits; i += qs_steps_threads())
        to[i] = prim_count(qs_steps_word(v, i));
}

/* Ends of word i, of which `before` ones come first. */
PRIM void gather_word(uint32_t word, uint64_t i, uint32_t before, uint32_t n, uint32_t *to)
{
    uint64_t rank = 32 * i - before;
    for (uint32_t ends = ~word; ends && rank < n; ends &= ends - 1, rank++) {
        uint32_t bit = prim_lowest(ends);
        to[rank] = (uint32_t)(32 * i + bit - rank);
    }
}

RP_KERNEL(decode_qs_block_gather_kernel, karg_qs)
{
    uint32_t n;
    qs_view v = qs_steps_open(a, &n);
    const uint32_t *sums = prim_at<const uint32_t>(a.sums);
    for (uint64_t i = qs_steps_thread(); 32 * i < a.bits; i += qs_steps_threads())
        gather_word(qs_steps_word(v, i), i, sums[i], n, prim_at<uint32_t>(a.uppers));
}

RP_KERNEL(decode_qs_block_combine_kernel, karg_qs)
{
    qs_steps_combine(a);
}
