/* or_stored.cuh: a block of a list as it is stored, added to the scores of a tile of docids. */
#ifndef RP_KERNELS_OR_STORED_CUH
#define RP_KERNELS_OR_STORED_CUH

#include "backend/gpu/kernels/prim/thread/scoring.cuh"
#include "backend/gpu/kernels/prim/warp/term_tfs.cuh"

enum { OR_TILE = 1 << KARG_OR_TILE };

/* By a warp: those postings of block b that are in the tile, if their documents score `from` by
 * now; whether one comes to `need`. Marks lie behind scores. */
PRIM_APART bool or_add_block(uint32_t *scores, uint32_t *block, uint64_t list, uint32_t tile,
                             float weight, uint32_t b, uint32_t from, uint32_t need)
{
    const karg_or_stored *stored = prim_at<const karg_or_stored>(list);
    karg_found *found = prim_at<karg_found>(stored->found);
    uint32_t tfs[4], pending = 0;
    bool hits = false;
    const uint32_t n = term_block<true>(stored->term, b, block, found), slot = 4 * prim_lane();
    const uint4 four = *(const uint4 *)(block + slot);
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        const uint32_t docid = term_pick(four, e);
        const bool is_in = slot + e < n && docid >> KARG_OR_TILE == tile && docid < stored->n_docs;
        pending |= (uint32_t)(is_in && (from == 0 || scores[docid % OR_TILE] >= from)) << e;
    }
    if (prim_ballot<32>(pending != 0) == 0)
        return false;
    term_tfs(stored->term.list, b, block + KARG_BLOCK, tfs, found);
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        if (!(pending >> e & 1))
            continue;
        const uint32_t docid = term_pick(four, e), at = docid % OR_TILE;
        const uint32_t fixed = score_fixed(weight, score_norm_any(stored->norms, docid), tfs[e]);
        hits |= fixed + prim_atomic_add(&scores[at], fixed) >= need;
        if (need == 0)
            prim_atomic_or(&scores[OR_TILE + at / 32], 1U << at % 32);
    }
    return hits;
}

#endif
