/* and_score.cu: the documents that are in all lists of a query, with their BM25 scores; and the best of them.
 * One warp: `each` documents of the shortest list, one a lane; of few, so that waits of many warps lie side by side.
 * Reads the block of the shortest list that they are in; of others a directory's words and the blocks that are needed, or
 * a word of bits. Writes pairs, a block's together. Shared memory a warp: KARG_SHARED_WORD and KARG_SHARED_RANKS.
 * Limits: 64 words; codecs of karg_word; any bytes (word_block.cuh). Source: Ding et al. 2009, 4 and 5. */
#include "backend/gpu/kernels/prim/bm25.cuh"
#include "backend/gpu/kernels/prim/found.cuh"
#include "backend/gpu/kernels/prim/word.cuh"

/* What a warp knows of its documents, by lane. */
struct and_score_room {
    word_room blocks;
    uint32_t docids[32], sums[32];
    uint32_t ranks[32]; /* and so many more for each other word */
};

PRIM and_score_room *and_score_open(const karg_flat &a)
{
    return (and_score_room *)(prim_shared() +
                              prim_warp() * (KARG_SHARED_WORD + (a.n_words + 2) * KARG_SHARED_RANKS));
}

/* The score of each lane's document, if it matches. A lane has a word of a document: frequencies of all words of all
 * documents are then on their way together. */
PRIM uint32_t and_score_sum(const karg_flat &a, const karg_word *words, uint32_t matches, and_score_room *room)
{
    uint32_t n = prim_count(matches), lane = prim_lane(), order = prim_count(matches & prim_mask(lane));
    uint32_t *lanes = room->blocks.docids;
    room->sums[lane] = 0;
    if (matches >> lane & 1)
        lanes[order] = lane;
    prim_sync_tile();
    for (uint32_t p = lane; p < n * a.n_words; p += 32) {
        uint32_t i = p / n, at = lanes[p % n], rank = room->ranks[i * 32 + at];
        uint32_t code = bm25_code_any(a.norms, room->docids[at]);
        uint32_t tf = word_tf(words[i].list, rank, prim_at<karg_found>(a.found));
        prim_atomic_add(&room->sums[at], bm25_fixed(words[i].weight, bm25_norm(a.norms, code), tf));
    }
    prim_sync_tile();
    return room->sums[lane];
}

PRIM void and_score(const karg_flat &a, const karg_word *words)
{
    karg_found *found = prim_at<karg_found>(a.found);
    uint32_t first = (prim_block() * (prim_block_size() / 32) + prim_warp()) * a.each, lane = prim_lane();
    and_score_room *room = and_score_open(a);
    uint32_t x = 0, score = 0, matches = 0;
    if (first < words[0].list.n) {
        uint32_t n = word_block(words[0], first / KARG_BLOCK, room->blocks.docids, found);
        uint32_t slot = first % KARG_BLOCK + lane;
        bool is_match = lane < a.each && slot < n;
        x = is_match ? room->blocks.docids[slot] : 0;
        is_match &= x >= a.begin && x < a.end;
        room->ranks[lane] = first + lane;
        room->docids[lane] = x;
        matches = prim_ballot<32>(is_match);
        for (uint32_t i = 1; i < a.n_words && matches; i++) {
            uint32_t rank = word_find(words[i], x, is_match, &room->blocks, found);
            room->ranks[i * 32 + lane] = rank;
            is_match = rank != WORD_NONE;
            matches = prim_ballot<32>(is_match);
        }
        prim_sync_tile();
        if (matches && a.pairs)
            score = and_score_sum(a, words, matches, room);
    }
    prim_sync(); /* what follows is in the rooms of all */
    found_put_block(a, x, matches >> lane & 1, score, (uint32_t *)prim_shared());
    found_end(a, (uint32_t *)prim_shared());
}

RP_KERNEL(and_score_kernel, karg_flat) { and_score(a, a.near); }
RP_KERNEL(and_score_many_kernel, karg_flat) { and_score(a, prim_at<const karg_word>(a.words)); }
