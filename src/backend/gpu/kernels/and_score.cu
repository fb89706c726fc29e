/* and_score.cu: the documents that are in all lists of a query, with their BM25 scores; and the best of them.
 * One warp: `each` documents of the shortest list, one a lane; of few, so that waits of many warps lie side by side.
 * Reads the block of the shortest list that they are in; of others a directory's words and the blocks that are needed, each
 * with its frequencies, or a word of bits. Writes pairs, a block's together. Shared memory a warp: KARG_SHARED_AND.
 * Limits: 64 words; codecs of karg_word; any bytes (word_block.cuh). Source: Ding et al. 2009, 4 and 5. */
#include "backend/gpu/kernels/prim/bm25.cuh"
#include "backend/gpu/kernels/prim/found.cuh"
#include "backend/gpu/kernels/prim/word.cuh"

/* What a warp knows of its documents, by lane. */
struct alignas(16) and_score_room {
    word_room blocks;
    float norms[KARG_NORMS_NEAR];
    uint32_t sums[32], codes[32]; /* scores so far; codes of lengths */
    uint32_t ranks[2][32];        /* of the first word, and how often it is in them, or 0; then of the others */
};
static_assert(sizeof(and_score_room) == KARG_SHARED_AND + KARG_SHARED_RANKS, "as launches have it");

PRIM and_score_room *and_score_open(const karg_flat &a)
{
    return (and_score_room *)(prim_shared() + prim_warp() * (KARG_SHARED_AND + a.n_words * KARG_SHARED_RANKS));
}

/* The table of norms is on its way to shared memory, if it is small. */
PRIM void and_score_stage_norms(const karg_norms &norms, and_score_room *room)
{
    if (norms.n_table <= KARG_NORMS_NEAR)
#pragma unroll 1
        for (uint32_t i = prim_lane(); i < prim_div_up(norms.n_table, 4); i += 32)
            prim_copy16(room->norms + 4 * i, prim_at<const float>(norms.table) + 4 * i);
}

PRIM float and_score_norm(const karg_norms &norms, uint32_t code, const and_score_room *room)
{
    return norms.n_table <= KARG_NORMS_NEAR ? room->norms[prim_min(code, norms.n_table - 1)] : bm25_norm(norms, code);
}

/* The score of each lane's document, if it matches. A lane has a word of a document: frequencies that are still to be
 * looked for are then on their way together. */
PRIM uint32_t and_score_sum(const karg_flat &a, const karg_word *words, uint32_t matches, and_score_room *room)
{
    uint32_t n = prim_count(matches), lane = prim_lane(), order = prim_count(matches & prim_mask(lane));
    uint32_t *lanes = room->blocks.docids;
    room->sums[lane] = 0;
    prim_sync_tile();
    if (matches >> lane & 1)
        lanes[order] = lane;
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t p = lane; p < n * a.n_words; p += 32) {
        uint32_t i = p / n, at = lanes[p % n], rank = room->ranks[2 * i][at], tf = room->ranks[2 * i + 1][at];
        if (tf == 0)
            tf = word_tf(words[i].list, rank, prim_at<karg_found>(a.found));
        prim_atomic_add(&room->sums[at],
                        bm25_fixed(words[i].weight, and_score_norm(a.norms, room->codes[at], room), tf));
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
        word_head h;
        if (a.pairs)
            and_score_stage_norms(a.norms, room);
        uint32_t n = word_open(words[0], first / KARG_BLOCK, &room->blocks, &h, found);
        uint32_t slot = first % KARG_BLOCK + lane, code = 0;
        bool is_match = lane < a.each && slot < n;
        x = is_match ? room->blocks.docids[slot] : 0;
        is_match &= x >= a.begin && x < a.end;
        if (is_match && a.pairs) {
            code = bm25_code_any(a.norms, x);
            room->ranks[0][lane] = first + lane;
            room->ranks[1][lane] = word_staged_tf(words[0].list, h, slot, 0, &room->blocks);
        }
        matches = prim_ballot<32>(is_match);
#pragma unroll 1
        for (uint32_t i = 1; i < a.n_words && matches; i++) {
            uint32_t tf, rank = word_find(words[i], x, is_match, &room->blocks, &tf, found);
            room->ranks[2 * i][lane] = rank;
            room->ranks[2 * i + 1][lane] = tf;
            is_match = rank != WORD_NONE;
            matches = prim_ballot<32>(is_match);
        }
        room->codes[lane] = code;
        prim_copies_wait();
        if (matches && a.pairs)
            score = and_score_sum(a, words, matches, room);
    }
    prim_sync(); /* what follows is in the rooms of all */
    found_put_block(a, x, matches >> lane & 1, score, (uint32_t *)prim_shared());
    found_end(a, (uint32_t *)prim_shared());
}

RP_KERNEL(and_score_kernel, karg_flat) { and_score(a, a.near); }
RP_KERNEL(and_score_many_kernel, karg_flat) { and_score(a, prim_at<const karg_word>(a.words)); }
