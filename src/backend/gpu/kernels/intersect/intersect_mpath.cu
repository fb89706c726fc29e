/* intersect_mpath.cu: A and B by MergePath: the merge of both is cut into tiles of equal length.
 * One block: a tile, whose ends two warps look for on its diagonals, unless an earlier kernel found
 * them; one thread: 11 steps of the merge, from a point of the path that it finds in shared memory.
 * Reads both lists once, coalesced, into tile + 1 words of shared memory; as many for what is
 * found; writes it in order from there.
 * na + nb below 2^32; tile at most 11 a thread, and 32,767. Any content is safe: indices are held
 * in the tile.
 * Source: Liu et al. 2018, 3.1.2 and figure 6; literal. A goes first where docids are equal. */
#include "backend/gpu/kernels/prim/prim.cuh"
#include "backend/gpu/kernels/tuning.h"

/* By a warp: how many elements of A the path has passed at diagonal d. 32 probes a step. */
PRIM uint32_t mpath_diagonal(const karg_intersect &a, uint32_t d)
{
    const uint32_t *list_a = prim_at<const uint32_t>(a.a), *list_b = prim_at<const uint32_t>(a.b);
    uint32_t from = d > a.nb ? d - a.nb : 0, to = prim_min(d, a.na);
    while (from < to) {
        uint32_t step = prim_div_up(to - from + 1, 33), probe = from + (prim_lane() + 1) * step - 1;
        bool is_passed =
            probe < to && prim_load(&list_a[probe]) <= prim_load(&list_b[d - 1 - probe]);
        from += prim_count(prim_ballot<32>(is_passed)) * step;
        to = prim_min(to, from + step - 1);
    }
    return from;
}

PRIM uint32_t mpath_end(const karg_intersect &a, uint32_t tile)
{
    return (uint32_t)prim_min((uint64_t)tile * a.tile, (uint64_t)a.na + a.nb);
}

/* A warp a diagonal: splits[t]: elements of A before tile t, for t up to `tiles`. */
RP_KERNEL(intersect_mpath_splits_kernel, karg_intersect)
{
    uint32_t t = prim_block() * (prim_block_size() / 32) + prim_warp();
    if (t > a.tiles)
        return;
    uint32_t at = mpath_diagonal(a, mpath_end(a, t));
    if (prim_lane() == 0)
        prim_at<uint32_t>(a.splits)[t] = at;
}

/* A tile in shared memory: na of A, nb of B and one more. */
struct mpath_tile {
    uint32_t *a, *b;
    uint32_t na, nb, a_first, b_first;
};

PRIM mpath_tile mpath_load(const karg_intersect &a, uint32_t number, uint32_t *scratch,
                           uint32_t *lists)
{
    const uint32_t *list_a = prim_at<const uint32_t>(a.a), *list_b = prim_at<const uint32_t>(a.b);
    uint32_t begin = mpath_end(a, number), end = mpath_end(a, number + 1);
    if (prim_warp() < 2) {
        uint32_t at = a.splits ? prim_min(prim_at<uint32_t>(a.splits)[number + prim_warp()], a.na)
                               : mpath_diagonal(a, prim_warp() ? end : begin);
        if (prim_lane() == 0)
            scratch[prim_warp()] = at;
    }
    prim_sync();
    mpath_tile t;
    t.a_first = scratch[0];
    t.na = prim_min(prim_max(scratch[1], t.a_first) - t.a_first, end - begin);
    t.b_first = begin - t.a_first;
    t.nb = end - begin - t.na;
    t.a = lists;
    t.b = lists + t.na;
    for (uint32_t i = prim_thread(); i < t.na; i += prim_block_size())
        t.a[i] = prim_load_once(&list_a[t.a_first + i]);
    for (uint32_t i = prim_thread(); i <= t.nb; i += prim_block_size())
        t.b[i] = t.b_first + i < a.nb ? prim_load_once(&list_b[t.b_first + i]) : ~0U;
    prim_sync();
    return t;
}

/* By a thread, in the tile. */
PRIM uint32_t mpath_point(const mpath_tile &t, uint32_t d)
{
    uint32_t from = d > t.nb ? d - t.nb : 0, to = prim_min(d, t.na);
    while (from < to) {
        uint32_t mid = (from + to) / 2;
        if (t.a[mid] <= t.b[d - 1 - mid])
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

/* Steps from point (i, d - i): a bit for each that passed an element of A, and for each that found
 * one. */
struct mpath_walk {
    uint32_t passed, found;
};

PRIM mpath_walk mpath_merge(const mpath_tile &t, uint32_t i, uint32_t j)
{
    mpath_walk w = {0, 0};
    uint32_t x = i < t.na ? t.a[i] : ~0U, y = t.b[j];
#pragma unroll
    for (uint32_t s = 0; s < TUNE_MPATH_STEPS; s++) {
        if (i < t.na && x <= y) {
            w.passed |= 1U << s;
            w.found |= (uint32_t)(x == y) << s;
            x = ++i < t.na ? t.a[i] : ~0U;
        } else if (j < t.nb) {
            y = t.b[++j];
        }
    }
    return w;
}

RP_KERNEL_BOUNDED(intersect_mpath_kernel, karg_intersect, 256, 6)
{
    uint32_t *scratch = (uint32_t *)prim_shared(), *lists = scratch + COMPACT_SCRATCH, all;
    uint32_t *staged = lists + a.tile + 1;
    compact_tile tile = compact_begin(a.state, a.tiles, scratch);
    mpath_tile t = mpath_load(a, tile.number, scratch, lists);
    uint32_t d = prim_min(prim_thread() * TUNE_MPATH_STEPS, t.na + t.nb), i = mpath_point(t, d);
    mpath_walk w = mpath_merge(t, i, d - i);
    uint32_t at = scan_block(prim_count(w.found), scratch, &all);
    for (uint32_t left = w.found; left; left &= left - 1) {
        uint32_t s = prim_lowest(left), of_a = i + prim_count(w.passed & prim_mask(s));
        staged[at++] = of_a | (d + s - of_a) << 16;
    }
    prim_sync();
    uint32_t place = compact_before(a.state, tile, all, scratch);
    for (uint32_t k = prim_thread(); k < all && place + k < a.capacity; k += prim_block_size()) {
        uint32_t of_a = staged[k] & 0xFFFF;
        prim_at<uint32_t>(a.out)[place + k] = t.a[of_a];
        if (a.a_ranks)
            prim_at<uint32_t>(a.a_ranks)[place + k] = t.a_first + of_a;
        if (a.b_ranks)
            prim_at<uint32_t>(a.b_ranks)[place + k] = t.b_first + (staged[k] >> 16);
    }
    if (tile.number == a.tiles - 1 && prim_thread() == 0)
        *prim_at<uint32_t>(a.count) = place + all;
}
