/* and_score.cu: the documents that are in all lists of a query, with their BM25 scores.
 * One warp: a block of the shortest list, 32 documents at a time, one a lane; lists are searched in their own codec.
 * Reads the shortest list once; of others a directory's words and the blocks that are needed, or a word of bits. Writes
 * pairs, a warp's together. Shared memory a warp: two blocks of docids, and ranks of 32 documents in all lists.
 * Limits: 64 words; codecs of karg_word; any bytes (word.cuh). Source: Ding et al. 2009, 4 and 5. */
#include "backend/gpu/kernels/prim/bm25.cuh"
#include "backend/gpu/kernels/prim/found.cuh"
#include "backend/gpu/kernels/prim/word.cuh"

/* The score of a document, whose ranks are those of this lane. */
PRIM uint32_t and_score_sum(const karg_flat &a, uint32_t docid, const uint32_t *ranks, karg_found *found)
{
    const karg_word *words = prim_at<const karg_word>(a.words);
    float norm = bm25_norm_any(a.norms, docid);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < a.n_words; i++)
        sum += bm25_fixed(words[i].weight, norm, word_tf(words[i].list, ranks[i * 32 + prim_lane()], found));
    return sum;
}

RP_KERNEL(and_score_kernel, karg_flat)
{
    const karg_word *words = prim_at<const karg_word>(a.words);
    karg_found *found = prim_at<karg_found>(a.found);
    uint32_t b = prim_block() * (prim_block_size() / 32) + prim_warp();
    uint32_t *docids = (uint32_t *)prim_shared() + prim_warp() * (2 * KARG_BLOCK + 32 * a.n_words);
    uint32_t *room = docids + KARG_BLOCK, *ranks = room + KARG_BLOCK;
    if (b >= a.n_blocks)
        return;
    uint32_t n = word_block(words[0], b, docids, found);
    for (uint32_t at = 0; at < n; at += 32) {
        uint32_t slot = at + prim_lane(), x = slot < n ? docids[slot] : 0;
        bool is_match = slot < n && x >= a.begin && x < a.end;
        ranks[prim_lane()] = b * KARG_BLOCK + slot;
        for (uint32_t i = 1; i < a.n_words && prim_ballot<32>(is_match); i++) {
            uint32_t rank = word_find(words[i], x, is_match, room, found);
            ranks[i * 32 + prim_lane()] = rank;
            is_match = rank != WORD_NONE;
        }
        found_put(a, x, is_match, is_match && a.pairs ? and_score_sum(a, x, ranks, found) : 0);
    }
}
