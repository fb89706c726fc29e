/* intersect_pmf.cu: Parallel Merge Find: splitters of A are found in B level by level, then every
 * element between its splitters' places; and A against the heads of B's blocks, to choose those to
 * decode. One thread: a splitter (one kernel a level, coarse to fine); or four elements of A. One
 * block: a tile of A. Reads A's splitters, then A once, coalesced; of B one word a step, then a
 * sector or two; writes places, then hits staged in shared memory.
 * Level l has every 32 * 16^l-th element of A. Places are held within nb: any content is safe.
 * Source: Ding et al. 2009, 7 and 8; literal. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

enum { PMF_EACH = 4 };

PRIM uint32_t pmf_shift(uint32_t level)
{
    return TUNE_PMF_FINEST + TUNE_PMF_FAN * level;
}

/* The places of a level's splitters. */
PRIM uint32_t *pmf_places(const karg_intersect &a, uint32_t level)
{
    uint32_t *at = prim_at<uint32_t>(a.splits);
    for (uint32_t l = 0; l < level; l++)
        at += (a.na >> pmf_shift(l)) + 1;
    return at;
}

/* Between which places of a level element i of A lies. */
PRIM void pmf_range(const karg_intersect &a, const uint32_t *places, uint32_t level, uint32_t i,
                    uint32_t *lo, uint32_t *hi)
{
    uint32_t k = i >> pmf_shift(level), next = k + 1;
    bool is_last = (uint64_t)next << pmf_shift(level) >= a.na;
    *lo = prim_min(prim_load(&places[k]), a.nb);
    *hi = is_last ? a.nb : prim_min(prim_load(&places[next]), a.nb);
}

RP_KERNEL(intersect_pmf_splits_kernel, karg_intersect)
{
    uint64_t k = (uint64_t)prim_block() * prim_block_size() + prim_thread();
    uint64_t i = k << pmf_shift(a.level);
    uint32_t lo = 0, hi = a.nb;
    if (i >= a.na)
        return;
    if (a.level + 1 < a.levels)
        pmf_range(a, pmf_places(a, a.level + 1), a.level + 1, (uint32_t)i, &lo, &hi);
    uint32_t x = prim_load(&prim_at<const uint32_t>(a.a)[i]);
    pmf_places(a, a.level)[k] = search_first(prim_at<const uint32_t>(a.b), lo, hi, x);
}

RP_KERNEL(intersect_pmf_kernel, karg_intersect)
{
    uint32_t *shared = (uint32_t *)prim_shared(), lo[PMF_EACH] = {0}, hi[PMF_EACH] = {0},
             rank[PMF_EACH];
    const uint32_t *places = pmf_places(a, 0);
    search_part<PMF_EACH> p = search_begin<PMF_EACH>(a, shared);
    /* Four side by side have the same splitters. */
    if (p.first < a.na)
        pmf_range(a, places, 0, p.first, &lo[0], &hi[0]);
#pragma unroll
    for (int e = 1; e < PMF_EACH; e++) {
        lo[e] = lo[0];
        hi[e] = p.first + e < a.na ? hi[0] : 0;
    }
    search_ranks<PMF_EACH>(prim_at<const uint32_t>(a.b), a.nb, p.x, lo, hi, rank);
    search_end<PMF_EACH>(a, p, rank, shared);
}

/* b: the heads, last docids of B's blocks, nb of them, and splits the places in them. out: numbers
 * of the blocks in which some element of A may be, rising. An element names its block if the one
 * before it lies in another. */
RP_KERNEL(intersect_pmf_heads_kernel, karg_intersect)
{
    uint32_t *shared = (uint32_t *)prim_shared(), rank[PMF_EACH], lo = 0, hi = 0;
    const uint32_t *list = prim_at<const uint32_t>(a.a), *heads = prim_at<const uint32_t>(a.b);
    search_part<PMF_EACH> p = search_begin<PMF_EACH>(a, shared);
    if (p.first < a.na)
        pmf_range(a, pmf_places(a, 0), 0, p.first, &lo, &hi);
#pragma unroll
    for (int e = 0; e < PMF_EACH; e++) {
        uint32_t i = p.first + e, block = a.nb;
        bool is_first = i == 0;
        if (i < a.na)
            block = search_first(heads, lo, hi, p.x[e]);
        if (i > 0 && block > 0 && block < a.nb)
            is_first = prim_load(&list[i - 1]) <= prim_load(&heads[block - 1]);
        rank[e] = is_first ? block : a.nb;
        p.x[e] = block;
    }
    search_end<PMF_EACH>(a, p, rank, shared);
}
