/* or_accumulate.cu: the documents that are in any list of a query, with their BM25 scores.
 * One warp: a block of a list, four postings a lane, added to one score a document; then 32
 * documents, one a lane. Reads each list once; scores are atomic additions, in any order with the
 * same sum, and marks tell who was met: a contribution may be 0. Shared memory a warp: a block of
 * docids. Writes pairs, a warp's together.
 * Limits: KARG_MAX_TERMS terms; codecs of karg_term; any bytes (term_block.cuh). Source: Ding et
 *         al. 2009, 4.4. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* A posting of the term, in a requested document. */
PRIM void or_accumulate_add(const karg_query &a, const karg_term &term, uint32_t docid,
                            uint32_t rank, karg_found *found)
{
    uint32_t at = docid - a.begin;
    prim_atomic_or(prim_at<uint32_t>(a.marks) + at / 32, 1U << at % 32);
    if (a.pairs)
        prim_atomic_add(prim_at<uint32_t>(a.scores) + at,
                        score_fixed(term.weight, score_norm_any(a.norms, docid),
                                    term_tf(term.list, rank, found)));
}

/* Whether documents asked about may be in block b, by the directory. */
PRIM bool or_accumulate_reaches(const karg_query &a, const karg_list &list, uint32_t b)
{
    const uint32_t *last = prim_at<const uint32_t>(list.last);
    return !last || (prim_load(&last[b]) >= a.begin && (b == 0 || prim_load(&last[b - 1]) < a.end));
}

PRIM void or_accumulate(const karg_query &a, const karg_term *terms)
{
    karg_found *found = prim_at<karg_found>(a.found);
    uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp(), i = a.n_terms - 1;
    uint32_t *docids = (uint32_t *)prim_shared() + prim_warp() * KARG_BLOCK;
    if (number >= a.n_blocks)
        return;
    while (terms[i].before > number)
        i--;
    uint32_t b = number - terms[i].before;
    if (!or_accumulate_reaches(a, terms[i].list, b))
        return;
    uint32_t n = term_block(terms[i], b, docids, found);
    for (uint32_t slot = prim_lane(); slot < n; slot += 32)
        if (docids[slot] >= a.begin && docids[slot] < a.end)
            or_accumulate_add(a, terms[i], docids[slot], b * KARG_BLOCK + slot, found);
}

RP_KERNEL(or_accumulate_kernel, karg_query)
{
    or_accumulate(a, a.inline_terms);
}
RP_KERNEL(or_accumulate_many_kernel, karg_query)
{
    or_accumulate(a, prim_at<const karg_term>(a.terms));
}

#ifndef RP_KERNELS_IIU /* it scores nothing: one kernel serves all rankings */
RP_KERNEL(or_accumulate_gather_kernel, karg_query)
{
    uint32_t warps = prim_grid_size() * (prim_block_size() / 32), n = a.end - a.begin;
    const uint32_t *scores = prim_at<const uint32_t>(a.scores),
                   *marks = prim_at<const uint32_t>(a.marks);
    for (uint32_t w = prim_block() * (prim_block_size() / 32) + prim_warp(); w < prim_div_up(n, 32);
         w += warps) {
        uint32_t at = w * 32 + prim_lane(), set = marks[w];
        bool is_match = set >> prim_lane() & 1;
        if (set)
            result_put(a, a.begin + at, is_match, is_match && a.pairs ? scores[at] : 0);
    }
    result_end(a, (uint32_t *)prim_shared());
}
#endif
