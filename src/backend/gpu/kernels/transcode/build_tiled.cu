/* build_tiled.cu: lists laid out by tiles of docids, as or_maxscore.cu reads them.
 * Owns:   a warp a block of a list, a lane four neighbours of its postings.
 * Moves:  blocks as they lie in the index once; codes of norms gathered; 6 bytes a posting out,
 *         whole lines; a word or two a tile. Shared: two blocks a warp.
 * Limits: codecs of karg_term. Any bytes (term_lookup.cuh): postings that do not rise, or are of no
 *         document, mark the list as damaged; ranks are the postings' own, tiles are cut to those
 *         there are.
 * Source: as or_maxscore.cu. */
#include "backend/gpu/kernels/prim/prim.cuh"

enum { ALONE = 4 }; /* cells that one lane writes by itself */

/* The list that has block `number` of all. */
PRIM uint32_t list_of(const karg_build_tiled &a, uint32_t number)
{
    const karg_term *terms = prim_at<const karg_term>(a.terms);
    uint32_t lo = 0, hi = a.n_lists - 1;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo + 1) / 2;
        if (prim_load(&terms[middle].before) <= number)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

/* A warp, a span a lane: tiles from..to - 1 have no posting of the list before `rank`. Long spans,
 * of sparse lists, are written together. */
PRIM void put_cells(karg_cell *cells, uint32_t from, uint32_t to, uint32_t rank)
{
    bool is_long = to > from && to - from > ALONE;
    for (uint32_t t = from; !is_long && t < to; t++)
        cells[t].first = rank;
    for (uint32_t some = prim_ballot<32>(is_long); some; some &= some - 1) {
        uint32_t lane = prim_lowest(some), end = prim_shuffle<32>(to, lane),
                 first = prim_shuffle<32>(rank, lane);
        for (uint32_t t = prim_shuffle<32>(from, lane) + prim_lane(); t < end; t += 32)
            cells[t].first = first;
    }
}

/* The docid before block b's first; b > 0. */
PRIM uint32_t docid_before(const karg_term &term, uint32_t b)
{
    if (term.list.codec == KARG_CODEC_RAW)
        return prim_load(prim_at<const uint32_t>(term.list.docs) + b * KARG_BLOCK - 1);
    return term.list.last ? prim_load(prim_at<const uint32_t>(term.list.last) + b - 1) : ~0U;
}

/* A list on its way. */
struct work {
    karg_term term;
    karg_tiled list;
    karg_cell *cells;
    karg_found *found;
};

/* Of a lane's four postings: how many there are; their tiles and ratios. */
struct four {
    uint32_t n, tile[4];
    score_share ratio[4];
};

/* A warp: cells that begin with one of these, or, after the list's last, with none. */
PRIM void put_firsts(const karg_build_tiled &a, const work &w, const four &f, uint32_t rank,
                     uint32_t before)
{
    uint32_t from = rank == 0 ? 0 : prim_min(before >> KARG_OR_TILE, a.n_tiles - 1) + 1;
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        const uint32_t to = e < f.n ? f.tile[e] + 1 : 0;
        put_cells(w.cells, from, to, rank + e);
        from = to;
        put_cells(w.cells, from, rank + e == w.list.n - 1 ? a.n_tiles + 1 : 0, w.list.n);
    }
}

/* What is greatest in each tile. Where the block is in one tile, as blocks of dense lists mostly
 * are, one lane publishes; else neighbours of one tile are published together. */
PRIM void put_tops(const work &w, const four &f)
{
    const uint32_t one = prim_shuffle<32>(f.tile[0], 0);
    const bool is_in_one = f.n == 0 || (f.n == 4 && f.tile[0] == one && f.tile[3] == one);
    uint32_t top = 0;
    if (prim_ballot<32>(!is_in_one) == 0) {
        for (uint32_t e = 0; e < f.n; e++)
            top = prim_max(top, score_word(f.ratio[e]));
        top = scan_max<32>(top);
        if (prim_lane() == 0 && f.n > 0)
            prim_atomic_max(&w.cells[one].top, top);
        return;
    }
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        top = prim_max(top, e < f.n ? score_word(f.ratio[e]) : 0);
        if (e < f.n && (e == 3 || e + 1 == f.n || f.tile[e < 3 ? e + 1 : 3] != f.tile[e])) {
            prim_atomic_max(&w.cells[f.tile[e]].top, top);
            top = 0;
        }
    }
}

/* Postings from `rank` on, of these docids; what is past the last goes to the room after the
 * arrays. */
PRIM four put_postings(const karg_build_tiled &a, const work &w, const uint32_t *docids,
                       const uint32_t *tfs, uint32_t n, uint32_t rank)
{
    four f = {n, {0, 0, 0, 0}, {0, 0, 0, 0}};
    uint32_t place[4];
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        const uint32_t docid = prim_min(docids[e], a.n_docs - 1);
        place[e] = docid & 0xFFFF;
        f.tile[e] = docid >> KARG_OR_TILE;
        f.ratio[e] = e < n ? score_ratio(score_norm_any(a.norms, docid), tfs[e]) : 0;
    }
    if (n > 0) {
        prim_store_once(prim_at<uint2>(w.list.places) + rank / 4,
                        make_uint2(place[0] | place[1] << 16, place[2] | place[3] << 16));
        prim_store_once(prim_at<uint4>(w.list.ratios) + rank / 4,
                        make_uint4(score_word(f.ratio[0]), score_word(f.ratio[1]),
                                   score_word(f.ratio[2]), score_word(f.ratio[3])));
    }
    return f;
}

/* Whether docids rise, from the one before on, and are documents. */
PRIM bool are_sound(const karg_build_tiled &a, const uint32_t *docids, uint32_t n, uint32_t before)
{
    bool is_sound = true;
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        if (e < n) {
            is_sound = is_sound && docids[e] + 1 > before + 1 && docids[e] < a.n_docs;
            before = docids[e];
        }
    return is_sound;
}

RP_KERNEL(build_tiled_kernel, karg_build_tiled)
{
    const uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp();
    uint32_t *block = (uint32_t *)prim_shared() + prim_warp() * 2 * KARG_BLOCK, tfs[4];
    if (number >= a.n_blocks)
        return;
    const uint32_t which = list_of(a, number), slot = 4 * prim_lane();
    work w = {prim_at<const karg_term>(a.terms)[which], prim_at<const karg_tiled>(a.lists)[which],
              0, 0};
    w.cells = prim_at<karg_cell>(w.list.cells);
    w.found = prim_at<karg_found>(w.list.found);
    const uint32_t b = number - w.term.before, all = term_block(w.term, b, block, w.found);
    const uint32_t n = all > slot ? prim_min(all - slot, 4U) : 0, rank = b * KARG_BLOCK + slot;
    const uint32_t before = slot ? block[slot - 1] : b ? docid_before(w.term, b) : ~0U;
    term_tfs(w.term.list, b, block + KARG_BLOCK, tfs, w.found);
    const four f = put_postings(a, w, block + slot, tfs, n, rank);
    if (!are_sound(a, block + slot, n, before))
        prim_atomic_or(&w.found->damaged, 1);
    put_firsts(a, w, f, rank, before);
    put_tops(w, f);
}
