/* intersect_lrc.cu: A in a compressed B of lrc or hslrc, whose docids are read one by one, wherever
 * they lie. One thread: an element of A. One block: a tile of A.
 * Reads A once, coalesced. lrc: the safe range of the list's line (aux: lr), then a binary search
 * over last, the heads of Algorithm 1, and in the block (heads), or over the range at once (at).
 * hslrc: its table of buckets, last, of the block the safe range of its own line.
 * Of a payload a few bytes a step; writes hits staged in shared memory.
 * Blocks that do not lie in their payload have no docids, ranks are held within the list: any bytes
 * are safe.
 * Source: Ao et al. 2011, 5.2 and 5.3, Algorithm 1; literal. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* Algorithm 1: the heads of the safe range, then one block. */
PRIM uint32_t lrc_by_heads(const karg_intersect &a, const lrc_line &line, uint32_t x)
{
    const uint32_t *last = prim_at<const uint32_t>(a.list.last);
    lr_line_range r = lr_line_find(lr_line_open(a.aux), a.nb, x);
    uint32_t b = 0;
    if (r.lo >= r.hi)
        return a.nb;
    if (last)
        b = search_first(last, r.lo / LRC_BLOCK,
                         prim_min((r.hi - 1) / LRC_BLOCK + 1, a.list.n_blocks), x);
    return b < a.list.n_blocks ? lrc_find(a.list, lrc_block_of(a.list, line, b), x, a.nb) : a.nb;
}

/* Without heads: every docid on the way is in another block, until the last few. */
PRIM uint32_t lrc_by_docids(const karg_intersect &a, const lrc_line &line, uint32_t x)
{
    lr_line_range r = lr_line_find(lr_line_open(a.aux), a.nb, x);
    while (r.lo < r.hi) {
        uint32_t mid = r.lo + (r.hi - r.lo) / 2, b = prim_min(mid / LRC_BLOCK, a.list.n_blocks - 1);
        lrc_block v = lrc_block_of(a.list, line, b);
        uint32_t at = mid - v.first < v.count ? lrc_slot(a.list, v, mid - v.first) : ~0U;
        if (at == x)
            return mid;
        if (at < x)
            r.lo = mid + 1;
        else
            r.hi = mid;
    }
    return a.nb;
}

PRIM void lrc_end(const karg_intersect &a, const search_part<1> &p, uint32_t rank)
{
    search_end<1>(a, p, &rank, (uint32_t *)prim_shared());
}

RP_KERNEL(intersect_lrc_heads_kernel, karg_intersect)
{
    search_part<1> p = search_begin<1>(a, (uint32_t *)prim_shared());
    bool is_some = p.first < a.na && a.nb > 0;
    lrc_end(a, p, is_some ? lrc_by_heads(a, lrc_open_line(a.list), p.x[0]) : a.nb);
}

RP_KERNEL(intersect_lrc_at_kernel, karg_intersect)
{
    search_part<1> p = search_begin<1>(a, (uint32_t *)prim_shared());
    bool is_some = p.first < a.na && a.nb > 0;
    lrc_end(a, p, is_some ? lrc_by_docids(a, lrc_open_line(a.list), p.x[0]) : a.nb);
}

RP_KERNEL(intersect_lrc_hs_kernel, karg_intersect)
{
    search_part<1> p = search_begin<1>(a, (uint32_t *)prim_shared());
    uint32_t b = p.first < a.na && a.nb > 0 ? lrc_bucket(a.list, p.x[0]) : a.list.n_blocks;
    bool is_some = b < a.list.n_blocks;
    lrc_end(a, p, is_some ? lrc_find_near(a.list, lrc_block_own(a.list, b), p.x[0], a.nb) : a.nb);
}
