/* and_para.cu: which docids of the shortest list of each of many queries are in all its other
 * lists. One warp: a tile of 256 docids, 8 a lane, looked up together, so that 8 loads are in
 * flight where one waits. Reads the tile coalesced, then two or more words a docid and list: a
 * bucket's bounds, and its docids by halving; or one word of bits. Writes 8 words of bits a tile
 * and one atomic addition. No shared memory. Ranks are held within the list whatever the buckets
 * say. Source: Ao et al. 2011, sections 3 and 4.4. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { EACH = KARG_AND_TILE / 32 };

/* Where each x, if alive, may stand in the list: [lo, hi). */
PRIM void and_batch_ranges(const karg_para_term &t, const uint32_t *x, uint32_t candidates,
                           uint32_t *lo, uint32_t *hi)
{
    const uint32_t *starts = prim_at<const uint32_t>(t.starts);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        uint32_t bucket = x[e] >> t.shift;
        bool is_in = (candidates >> e & 1) && bucket < t.n_buckets;
        lo[e] = t.starts ? is_in ? prim_load(&starts[bucket]) : 0 : 0;
        hi[e] = t.starts ? is_in ? prim_load(&starts[bucket + 1]) : 0 : t.n;
    }
}

PRIM uint32_t and_batch_search(const karg_para_term &t, const uint32_t *x, uint32_t candidates)
{
    const uint32_t *docids = prim_at<const uint32_t>(t.docids);
    uint32_t lo[EACH], hi[EACH], found = 0;
    and_batch_ranges(t, x, candidates, lo, hi);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        uint32_t l = lo[e], end = prim_min(hi[e], t.n), h = end;
        while (l < h) {
            uint32_t middle = l + (h - l) / 2;
            if (prim_load(&docids[middle]) < x[e])
                l = middle + 1;
            else
                h = middle;
        }
        found |= (uint32_t)(l < end && prim_load(&docids[l]) == x[e]) << e;
    }
    return found & candidates;
}

PRIM uint32_t and_batch_test(const karg_para_term &t, const uint32_t *x, uint32_t candidates)
{
    const uint32_t *words = prim_at<const uint32_t>(t.docids);
    uint32_t found = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        uint32_t at = x[e] - t.base;
        bool is_in = (candidates >> e & 1) && x[e] >= t.base && at / 32 < t.n;
        uint32_t word = is_in ? prim_load(&words[at / 32]) : 0;
        found |= (word >> at % 32 & 1) << e;
    }
    return found;
}

RP_KERNEL_BOUNDED(and_para_kernel, karg_and, 256, 4)
{
    uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp(), lane = prim_lane();
    if (number >= a.n_tiles)
        return;
    karg_and_tile tile = prim_at<const karg_and_tile>(a.tiles)[number];
    karg_and_query query = prim_at<const karg_and_query>(a.queries)[tile.query];
    const karg_para_term *terms = prim_at<const karg_para_term>(a.terms) + query.term;
    const uint32_t *shortest = prim_at<const uint32_t>(terms[0].docids);
    uint32_t x[EACH], candidates = 0, n = terms[0].n;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        uint32_t rank = tile.first + (uint32_t)e * 32 + lane;
        x[e] = rank < n ? prim_load_once(&shortest[rank]) : 0;
        candidates |= (uint32_t)(rank < n) << e;
    }
    for (uint32_t i = 1; i < query.n_terms; i++) {
        karg_para_term t = terms[i];
        candidates = t.form == KARG_BITS ? and_batch_test(t, x, candidates)
                                         : and_batch_search(t, x, candidates);
        if (prim_ballot<32>(candidates != 0) == 0)
            break;
    }
    uint32_t *found = prim_at<uint32_t>(a.found) + query.out + tile.first / 32, mine = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        uint32_t word = prim_ballot<32>(candidates >> e & 1);
        mine = lane == (uint32_t)e ? word : mine;
    }
    if (lane < EACH && tile.first + lane * 32 < n)
        found[lane] = mine;
    uint32_t count = scan_sum<32>(prim_count(candidates));
    if (lane == 0 && count > 0)
        prim_atomic_add(prim_at<uint32_t>(a.counts) + tile.query, count);
}
