/* qs_scan.cu: the sum of all numbers before each, in three launches: sums of parts; their sums, by
 * one block; each number's. One block: a part of 16 numbers a thread; of qs_scan_top_kernel all
 * parts' sums.
 * Reads and writes 16 bytes a thread, four times, 64 bytes apart. Shared: a word a warp and one
 * more.
 * Limits: blocks of whole warps; n below 2^32 parts; `to` has room for whole parts, and so has
 *         `from`.
 * Source: Li 2014, 5.2, which has a library for it. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { EACH = 16 };

PRIM uint32_t load_sum(const karg_scan &a, uint64_t from, uint4 v[EACH / 4])
{
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t k = 0; k < EACH / 4; k++) {
        uint64_t i = from + 4 * k;
        const uint32_t *at = prim_at<const uint32_t>(a.from) + i;
        v[k] = i + 4 <= a.n ? *(const uint4 *)at
                            : make_uint4(i < a.n ? at[0] : 0, i + 1 < a.n ? at[1] : 0,
                                         i + 2 < a.n ? at[2] : 0, 0);
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    return sum;
}

PRIM uint64_t first_of()
{
    return ((uint64_t)prim_block() * prim_block_size() + prim_thread()) * EACH;
}

RP_KERNEL(qs_scan_sum_kernel, karg_scan)
{
    uint4 v[EACH / 4];
    uint32_t all;
    scan_block(load_sum(a, first_of(), v), (uint32_t *)prim_shared(), &all);
    if (prim_thread() == 0)
        prim_at<uint32_t>(a.parts)[prim_block()] = all;
}

/* One block. */
RP_KERNEL(qs_scan_top_kernel, karg_scan)
{
    uint32_t before = 0, all, *parts = prim_at<uint32_t>(a.parts);
    for (uint32_t from = 0; from < a.n_parts; from += prim_block_size()) {
        uint32_t i = from + prim_thread(), v = i < a.n_parts ? parts[i] : 0;
        uint32_t sum = scan_block(v, (uint32_t *)prim_shared(), &all);
        if (i < a.n_parts)
            parts[i] = before + sum;
        before += all;
        prim_sync();
    }
}

RP_KERNEL(qs_scan_add_kernel, karg_scan)
{
    uint4 v[EACH / 4];
    uint32_t all;
    uint64_t first = first_of();
    uint32_t sum = scan_block(load_sum(a, first, v), (uint32_t *)prim_shared(), &all);
    sum += prim_at<const uint32_t>(a.parts)[prim_block()];
#pragma unroll
    for (uint32_t k = 0; k < EACH / 4; k++) {
        uint4 to =
            make_uint4(sum, sum + v[k].x, sum + v[k].x + v[k].y, sum + v[k].x + v[k].y + v[k].z);
        *(uint4 *)(prim_at<uint32_t>(a.to) + first + 4 * k) = to;
        sum = to.w + v[k].w;
    }
}
