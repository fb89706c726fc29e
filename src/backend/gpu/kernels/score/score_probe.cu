/* score_probe.cu: scores of candidates that are in all of some lists. Those are in a regression
 * code, as they are stored; or some blocks of them were decoded (intersect_chosen.cu); or they are
 * plain. One thread: a candidate, and the next one a grid further on.
 * Reads docids once, coalesced; of a list its directory or docids of chosen blocks by halving, then
 * of one block its head, and a residual a step; a frequency where it lies; a norm. Writes scores,
 * coalesced. No shared memory.
 * Limits: frequencies in bp128, optpfd, efsum or u32; any bytes. Candidates that are no documents
 * have a score of 0; a list that does not have a candidate, which only a damaged one does, adds
 * nothing.
 * Source: Ao et al. 2011, 5.2, Algorithm 1; Ding et al. 2009, 8. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* The last of n tiles that begins at most at docid `at` of the chosen ones. */
PRIM uint32_t probe_tile(const karg_tile *tiles, uint32_t n, uint32_t at)
{
    uint32_t from = 0;
    while (n > 1) {
        uint32_t half = n / 2;
        from += prim_load(&tiles[from + half].out) <= at ? half : 0;
        n -= half;
    }
    return from;
}

/* By docids of the chosen blocks: the rank of x in the list, else its length. */
PRIM uint32_t probe_chosen(const karg_probe_list &l, uint32_t x)
{
    const uint32_t *docids = prim_at<const uint32_t>(l.chosen);
    const karg_tile *tiles = prim_at<const karg_tile>(l.tiles);
    uint32_t at = search_first(docids, 0, l.n_chosen, x);
    if (at >= l.n_chosen || prim_load(&docids[at]) != x || l.n_tiles == 0)
        return l.list.n;
    const karg_tile *tile = tiles + probe_tile(tiles, l.n_tiles, at);
    uint32_t b = prim_load(&tile->block);
    return b < l.list.n_blocks ? directory_first(l.list, b) + (at - (uint32_t)prim_load(&tile->out))
                               : l.list.n;
}

PRIM uint32_t probe_docids(const karg_list &list, uint32_t x)
{
    const uint32_t *docids = prim_at<const uint32_t>(list.docs);
    uint32_t rank = search_first(docids, 0, list.n, x);
    return rank < list.n && prim_load(&docids[rank]) == x ? rank : list.n;
}

/* In a regression code: the block by the directory, or by the list's own buckets. */
PRIM uint32_t probe_regression(const karg_list &list, uint32_t x)
{
    bool is_hashed = list.codec == KARG_CODEC_HSLRC256 || list.codec == KARG_CODEC_HSLRC128;
    uint32_t b = is_hashed ? lrc_bucket(list, x) : directory_block(list, x);
    if (b >= list.n_blocks)
        return list.n;
    switch (list.codec) {
    case KARG_CODEC_LRC:
        return lrc_find(list, lrc_block_of(list, lrc_open_line(list), b), x, list.n);
    case KARG_CODEC_LRCSEG:
        return regression_rank<REGRESSION_MOVED>(list, b, x);
    case KARG_CODEC_SEGLRC:
        return regression_rank<REGRESSION_OWN>(list, b, x);
    default:
        return lrc_find(list, lrc_block_own(list, b), x, list.n);
    }
}

PRIM uint32_t probe_rank(const karg_probe_list &l, uint32_t x)
{
    if (l.tiles)
        return probe_chosen(l, x);
    return l.list.codec == KARG_CODEC_RAW ? probe_docids(l.list, x) : probe_regression(l.list, x);
}

RP_KERNEL(score_probe_kernel, karg_probe)
{
    const uint32_t *docids = prim_at<const uint32_t>(a.docids);
    uint32_t *scores = prim_at<uint32_t>(a.scores);
    karg_found *found = prim_at<karg_found>(a.found);
    uint32_t step = prim_grid_size() * prim_block_size();
    for (uint32_t i = prim_block() * prim_block_size() + prim_thread(); i < a.n; i += step) {
        uint32_t x = prim_load(&docids[i]), score = a.adds ? scores[i] : 0;
        float norm = x < a.n_docs ? score_norm_any(a.norms, x) : 0;
#pragma unroll 1
        for (uint32_t w = 0; w < a.n_lists && x < a.n_docs; w++) {
            const karg_probe_list &l = a.lists[w];
            uint32_t rank = probe_rank(l, x);
            if (rank < l.list.n)
                score += score_fixed(l.weight, norm, term_tf(l.list, rank, found));
        }
        scores[i] = score;
    }
}
