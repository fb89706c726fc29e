/* select_block.cu: the k best of each of many small selections.
 * Owns:   a block a query, and the next one a grid further on.
 * Moves:  a query's scores two to four times, the first from device memory, coalesced; docids of
 *         the k best alone. Shared: TOPK_WORDS words, then a power of two of keys, at least k.
 * Limits: k keys in shared memory. Radix select (RadiK, 2025), by histograms of 10 bits. */
#include "backend/gpu/kernels/prim/prim.cuh"

RP_KERNEL_BOUNDED(select_block_kernel, karg_select, 512, 2)
{
    uint32_t *bins = (uint32_t *)prim_shared();
    uint64_t *keys = (uint64_t *)(bins + TOPK_WORDS);
    const uint32_t *begins = prim_at<const uint32_t>(a.begins);
    for (uint32_t q = prim_block(); q < a.n_queries; q += prim_grid_size()) {
        uint32_t begin = begins ? begins[q] : 0, n = (begins ? begins[q + 1] : a.n) - begin;
        const uint32_t *scores = prim_at<const uint32_t>(a.scores) + begin;
        const uint32_t *docids = a.docids ? prim_at<const uint32_t>(a.docids) + begin : nullptr;
        auto score = [&](uint32_t i, uint32_t *s) {
            *s = prim_load(&scores[i]);
            return *s >= a.min_score;
        };
        auto docid = [&](uint32_t i) { return docids ? prim_load(&docids[i]) : i; };
        topk_select(score, docid, n, a.k, bins, keys, prim_at<karg_pair>(a.out) + (uint64_t)q * a.k,
                    prim_at<uint32_t>(a.counts) + q);
    }
}
