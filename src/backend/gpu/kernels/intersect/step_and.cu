/* step_and.cu: one step of an AND: documents that match so far, rising, with their scores.
 * One warp: a block of a list, whose documents become candidates; or 32 candidates, one a lane,
 * looked for in each of up to KARG_INLINE_TERMS lists. Those that are not there may be dropped,
 * others may gain score. One block: a tile of them, in the order of ordered_compaction.cuh.
 * Reads what it needs of the lists, and for each document that is scored a frequency and a norm;
 * writes those that are left. Shared memory: KARG_SCRATCH words and, a warp, KARG_SHARED_TERM
 * bytes.
 * Limits: codecs of karg_term; any bytes (term_block.cuh), any docids. Source: Ding et al. 2009, 4;
 *         Liu et al. 2018. */
#include "backend/gpu/kernels/prim/prim.cuh"

PRIM term_scratch *step_and_scratch(uint32_t *shared)
{
    return (term_scratch *)(shared + COMPACT_SCRATCH) + prim_warp();
}

/* Where what this thread keeps goes, if `n` of its own are kept. The last tile tells how many there
 * are. */
PRIM uint32_t step_and_place(const karg_candidates &a, compact_tile tile, uint32_t n,
                             uint32_t *shared)
{
    uint32_t all;
    prim_sync();
    uint32_t before = scan_block(n, shared, &all);
    prim_sync();
    uint32_t place = compact_before(a.state, tile, all, shared);
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = place + all;
    return place + before;
}

#ifndef RP_KERNELS_IIU                    /* it scores nothing: one kernel serves all rankings */
enum { STEP_AND_EACH = KARG_BLOCK / 32 }; /* postings of a block that a lane has */

RP_KERNEL(step_and_start_kernel, karg_candidates)
{
    uint32_t *shared = (uint32_t *)prim_shared(), hits = 0, n = 0;
    compact_tile tile = compact_begin(a.state, a.tiles, shared);
    const uint32_t *docids = step_and_scratch(shared)->docids;
    uint32_t b = tile.number * (prim_block_size() / 32) + prim_warp(),
             first = prim_lane() * STEP_AND_EACH;
    if (b < a.near[0].list.n_blocks)
        n = term_block(a.near[0], b, step_and_scratch(shared)->docids,
                       prim_at<karg_found>(a.found));
#pragma unroll
    for (uint32_t e = 0; e < STEP_AND_EACH; e++)
        if (first + e < n && docids[first + e] >= a.begin && docids[first + e] < a.end)
            hits |= 1U << e;
    uint32_t place = step_and_place(a, tile, prim_count(hits), shared);
#pragma unroll 1
    for (; hits; hits &= hits - 1)
        prim_at<uint32_t>(a.to_docids)[place++] = docids[first + prim_lowest(hits)];
}
#endif

RP_KERNEL(step_and_narrow_kernel, karg_candidates)
{
    uint32_t *shared = (uint32_t *)prim_shared();
    compact_tile tile = compact_begin(a.state, a.tiles, shared);
    term_scratch *scratch = step_and_scratch(shared);
    karg_found *found = prim_at<karg_found>(a.found);
    uint32_t i = tile.number * prim_block_size() + prim_thread();
    uint32_t x = i < a.n ? prim_load(prim_at<const uint32_t>(a.docids) + i) : 0;
    uint32_t score = i < a.n && a.scores ? prim_load(prim_at<const uint32_t>(a.scores) + i) : 0;
    bool is_match = i < a.n && x < a.end;
    float norm = is_match && a.adds ? score_norm_any(a.norms, x) : 0;
#pragma unroll 1
    for (uint32_t w = 0; w < a.n_words && prim_ballot<32>(is_match); w++) {
        const karg_term &word = a.near[w];
        uint32_t tf, rank = term_find(word, x, is_match, a.adds != 0, scratch, &tf, found);
        if (rank != TERM_NONE && a.adds)
            score += score_fixed(word.weight, norm, tf ? tf : term_tf(word.list, rank, found));
        is_match = is_match && (rank != TERM_NONE || !a.drops);
    }
    uint32_t place = step_and_place(a, tile, is_match, shared);
    if (!is_match)
        return;
    prim_at<uint32_t>(a.to_docids)[place] = x;
    if (a.to_scores)
        prim_at<uint32_t>(a.to_scores)[place] = score;
}
