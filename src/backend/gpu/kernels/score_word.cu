/* score_word.cu: adds what one word contributes to the BM25 scores of documents: one step of a query.
 * One warp: 32 documents, one a lane, each looked for in the word's list; or, where all documents have a score, a block of
 * the list. Reads what it needs of the list, a frequency and a norm for each that is there; adds without atomics, since a
 * document is one lane's. Shared memory a warp: KARG_SHARED_WORD.
 * Limits: codecs of karg_word; any bytes (word_block.cuh), any docids. Source: Ding et al. 2009, 4.4. */
#include "backend/gpu/kernels/prim/bm25.cuh"
#include "backend/gpu/kernels/prim/word.cuh"

/* tf 0: it is still to be looked for. */
PRIM void score_word_add(const karg_score_word &a, uint32_t docid, uint32_t rank, uint32_t tf, uint32_t *score)
{
    if (tf == 0)
        tf = word_tf(a.word.list, rank, prim_at<karg_found>(a.found));
    *score += bm25_fixed(a.word.weight, bm25_norm_any(a.norms, docid), tf);
}

RP_KERNEL(score_word_at_kernel, karg_score_word)
{
    uint32_t i = prim_block() * prim_block_size() + prim_thread();
    word_room *room = (word_room *)prim_shared() + prim_warp();
    uint32_t x = i < a.n ? prim_load(prim_at<const uint32_t>(a.docids) + i) : 0;
    bool is_asked = i < a.n && x < a.n_docs;
    if (prim_ballot<32>(is_asked) == 0)
        return;
    uint32_t tf, rank = word_find(a.word, x, is_asked, true, room, &tf, prim_at<karg_found>(a.found));
    if (rank != WORD_NONE)
        score_word_add(a, x, rank, tf, prim_at<uint32_t>(a.scores) + i);
}

RP_KERNEL(score_word_all_kernel, karg_score_word)
{
    uint32_t b = prim_block() * (prim_block_size() / 32) + prim_warp();
    uint32_t *docids = ((word_room *)prim_shared() + prim_warp())->docids;
    if (b >= a.word.list.n_blocks)
        return;
    uint32_t n = word_block(a.word, b, docids, prim_at<karg_found>(a.found));
    for (uint32_t slot = prim_lane(); slot < n; slot += 32)
        if (docids[slot] < a.n_docs)
            score_word_add(a, docids[slot], b * KARG_BLOCK + slot, 0, prim_at<uint32_t>(a.scores) + docids[slot]);
}
