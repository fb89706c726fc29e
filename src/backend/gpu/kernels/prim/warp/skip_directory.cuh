/* skip_directory.cuh: a list's directory, and the bits of its payload, read by single threads.
 *
 * Any bytes are safe: blocks and offsets are held within the list's numbers, which are trusted;
 * payloads have 16 readable bytes behind them and begin at a multiple of 4. */
#ifndef RP_KERNELS_SKIP_DIRECTORY_CUH
#define RP_KERNELS_SKIP_DIRECTORY_CUH

#include "backend/gpu/kernels/prim/thread/near_offset.cuh"
#include "backend/gpu/kernels/prim/warp/warp_search.cuh"

enum { DIRECTORY_FAR = 64 }; /* blocks between entries of last_far */

/* The block that may hold x: the first of them whose last docid is at least x, else n_blocks. By
 * far entries first: a list of 10 million has 1,200 of them, which stay in the cache. */
PRIM uint32_t directory_block(const karg_list &list, uint32_t x)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    const uint32_t *far = prim_at<const uint32_t>(list.last_far);
    if (!last)
        return 0;
    uint32_t group = search_first(far, 0, prim_div_up(list.n_blocks, DIRECTORY_FAR), x);
    uint32_t from = group * DIRECTORY_FAR;
    return search_first(last, prim_min(from, list.n_blocks),
                        prim_min(from + DIRECTORY_FAR, list.n_blocks), x);
}

/* The same by a warp whose lanes have rising docids side by side: lane 0's block is found by all,
 * and the next 32 heads, one a lane, mostly hold the others'. Four waits, where lane by lane they
 * are as many as a binary search has steps. */
PRIM uint32_t directory_block_warp(const karg_list &list, uint32_t x)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    if (!last)
        return 0;
    uint32_t first = search_warp(last, list.n_blocks, prim_shuffle<32>(x, 0), list.universe), k = 0;
    uint32_t own =
        first + prim_lane() < list.n_blocks ? prim_load(&last[first + prim_lane()]) : ~0U;
#pragma unroll
    for (uint32_t step = 16; step > 0; step /= 2)
        k += prim_shuffle<32>(own, k + step - 1) < x ? step : 0;
    bool is_near = prim_shuffle<32>(own, k) >= x;
    uint32_t far = prim_min(first + 32, list.n_blocks);
    return prim_min(is_near ? first + k : search_first(last, far, list.n_blocks, x), list.n_blocks);
}

/* The last docid of block b, b at least 1 and the list of more than one. */
PRIM uint32_t directory_last(const karg_list &list, uint32_t b)
{
    return prim_load(&prim_at<const uint32_t>(list.last)[b]);
}

/* Where block b begins in the payload, at most docs_bytes. */
PRIM uint32_t directory_offset(const karg_list &list, uint32_t b)
{
    return list.offsets ? prim_min(near_offset(list.offsets, b), list.docs_bytes) : 0;
}

/* The rank of block b's first posting; b may be n_blocks. */
PRIM uint32_t directory_first(const karg_list &list, uint32_t b)
{
    const uint32_t *first = prim_at<const uint32_t>(list.first);
    if (b >= list.n_blocks)
        return list.n;
    return prim_min(first ? prim_load(&first[b]) : b * KARG_BLOCK, list.n);
}

/* 32 bits of the payload from a bit on, whose byte is at most docs_bytes + 4. */
PRIM uint32_t directory_bits(const karg_list &list, uint64_t bit)
{
    const uint32_t *words = prim_at<const uint32_t>(list.docs) + (bit >> 5);
    return prim_funnel(prim_load(&words[0]), prim_load(&words[1]), (uint32_t)bit & 31);
}

#endif
