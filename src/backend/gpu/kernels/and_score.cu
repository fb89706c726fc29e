/* and_score.cu: the documents that are in all lists of a query, with their BM25 scores; and the best of them.
 * One warp: `each` documents of the shortest list, one a lane; of few, so that waits of many warps lie side by side. Where
 * there are very few, some warps have the same documents, and look for them in other lists than their neighbours. Parts
 * that follow each other are different blocks'. One kernel stays, and answers what comes to its door.
 * Reads the block of the shortest list that they are in; of others a directory's words and the blocks that are needed, each
 * with its frequencies, or a word of bits. Writes pairs, a block's together. Shared memory a warp: KARG_SHARED_AND.
 * Limits: 64 words; codecs of karg_word; any bytes (word_block.cuh). Source: Ding et al. 2009, 4 and 5. */
#include "backend/gpu/kernels/prim/bm25.cuh"
#include "backend/gpu/kernels/prim/told.cuh"
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

/* Adds what words contribute whose frequencies are still to be looked for, to the sums of documents that match. A lane has
 * such a word of a document: so they are on their way together. */
PRIM void and_score_late(const karg_flat &a, const karg_word *words, uint32_t matches, uint64_t late, and_score_room *room,
                         karg_found *found)
{
    uint32_t n = prim_count(matches), lane = prim_lane(), order = prim_count(matches & prim_mask(lane));
    uint32_t *lanes = room->blocks.docids;
    prim_copies_wait(); /* of norms */
    prim_sync_tile();
    if (matches >> lane & 1)
        lanes[order] = lane;
    prim_sync_tile();
#pragma unroll 1
    for (; late; late &= late - 1) {
        uint32_t i = prim_lowest64(late);
        if (lane < n) {
            uint32_t at = lanes[lane], rank = room->ranks[2 * i][at], tf = room->ranks[2 * i + 1][at];
            if (tf == 0) {
                tf = word_tf(words[i].list, rank, found);
                room->sums[at] += bm25_fixed(words[i].weight, and_score_norm(a.norms, room->codes[at], room), tf);
            }
        }
    }
    prim_sync_tile();
}

/* A warp's share: documents from `first` on, UINT32_MAX: none; and of the words after the first one in `width` from
 * `word` on. */
struct and_score_share {
    uint32_t first, word;
};

/* What all warps of the same documents found, to the first of them; others have no matches then. */
PRIM void and_score_join(const karg_flat &a, uint32_t word, uint32_t *matches, uint32_t *score, and_score_room *room)
{
    room->sums[prim_lane()] = *score;
    room->codes[prim_lane()] = *matches;
    prim_sync();
    uint32_t all = word == 1 ? *matches : 0, sum = *score;
#pragma unroll 1
    for (uint32_t w = 1; all && w < a.width; w++) {
        room = (and_score_room *)((unsigned char *)room + KARG_SHARED_AND + a.n_words * KARG_SHARED_RANKS);
        all &= room->codes[0];
        sum += room->sums[prim_lane()];
    }
    *matches = all;
    *score = sum;
}

/* By a block, each warp its share. `out` is where documents go. */
template <class Out>
PRIM void and_score_part(const karg_flat &a, const karg_word *words, and_score_share part, bool is_final, const Out &out)
{
    karg_found *found = out.found();
    and_score_room *room = and_score_open(a);
    uint32_t x = 0, score = 0, matches = 0, lane = prim_lane();
    if (part.first < words[0].list.n) {
        word_head h;
        uint4 v;
        if (a.pairs)
            and_score_stage_norms(a.norms, room);
        if (part.word < a.n_words && words[part.word].list.last)
            word_search_soon(prim_at<const uint32_t>(words[part.word].list.last), words[part.word].list.n_blocks);
        const bool wants_tf = a.pairs != 0;
        bool is_counted = wants_tf && part.word == 1; /* the first word */
        uint32_t n = word_open(words[0], part.first / KARG_BLOCK, is_counted, &room->blocks, &h, &v, found);
        uint32_t slot = part.first % KARG_BLOCK + lane, code = 0, rank = part.first + lane, tf = 0, i = 0;
        bool is_match = lane < a.each && slot < n;
        x = word_docid(v, slot);
        is_match &= x >= a.begin && x < a.end;
        if (is_match && wants_tf)
            code = bm25_code_any(a.norms, x);
        if (is_match && is_counted)
            tf = word_staged_tf(words[0].list, h, slot, 0, &room->blocks);
        uint64_t late = 0; /* words, a bit each, whose frequencies some lane lacks */
        matches = prim_ballot<32>(is_match);
#pragma unroll 1
        for (uint32_t next = part.word;; next += a.width) {
            if (is_counted) {
                score += tf ? bm25_fixed(words[i].weight, and_score_norm(a.norms, code, room), tf) : 0;
                room->ranks[2 * i][lane] = rank;
                room->ranks[2 * i + 1][lane] = tf;
                late |= (uint64_t)(prim_ballot<32>(is_match && tf == 0) != 0) << i;
            }
            i = next;
            if (i >= a.n_words || matches == 0)
                break;
            is_counted = wants_tf;
            rank = word_find(words[i], x, is_match, wants_tf, &room->blocks, &tf, found);
            is_match = rank != WORD_NONE;
            matches = prim_ballot<32>(is_match);
        }
        if (matches && late) {
            room->codes[lane] = code;
            room->sums[lane] = score;
            and_score_late(a, words, matches, late, room, found);
            score = room->sums[lane];
        }
    }
    if (a.width > 1)
        and_score_join(a, part.word, &matches, &score, room);
    prim_copies_wait(); /* norms may still come to a room that nobody has read them from */
    prim_sync();        /* what follows is in the rooms of all */
    out.put(x, matches >> lane & 1, score, is_final, (uint32_t *)prim_shared());
}

/* By block number `block` of those that share the query. */
template <class Out> PRIM void and_score(const karg_flat &a, const karg_word *words, uint32_t block, const Out &out)
{
    const uint32_t groups = prim_block_size() / 32 / a.width, group = prim_warp() / a.width;
    const uint32_t parts = prim_div_up(words[0].list.n, a.each), step = a.blocks * groups;
#pragma unroll 1
    for (uint32_t round = 0; round < parts; round += step) {
        uint32_t part = round + group * a.blocks + block;
        bool is_there = group < groups && part < parts;
        and_score_part(a, words, {is_there ? part * a.each : UINT32_MAX, 1 + prim_warp() % a.width}, round + step >= parts,
                       out);
        prim_sync();
    }
    out.end((uint32_t *)prim_shared());
}

/* Of a launch of its own. */
struct and_score_found {
    const karg_flat &a;
    PRIM_MEMBER karg_found *found() const { return prim_at<karg_found>(a.found); }
    PRIM_MEMBER void put(uint32_t docid, bool is_match, uint32_t score, bool, uint32_t *shared) const
    {
        found_put_block(a, docid, is_match, score, shared);
    }
    PRIM_MEMBER void end(uint32_t *shared) const { found_end(a, shared); }
};

RP_KERNEL(and_score_kernel, karg_flat) { and_score(a, a.near, prim_block(), and_score_found{a}); }
RP_KERNEL(and_score_many_kernel, karg_flat)
{
    and_score(a, prim_at<const karg_word>(a.words), prim_block(), and_score_found{a});
}

/* Of a kernel that stays. */
struct and_score_told {
    const karg_stay &a;
    PRIM_MEMBER karg_found *found() const { return &door_shared()->found; }
    PRIM_MEMBER void put(uint32_t docid, bool is_match, uint32_t score, bool is_final, uint32_t *shared) const
    {
        told_put(a, door_shared(), docid, is_match, score, is_final, shared);
    }
    PRIM_MEMBER void end(uint32_t *shared) const { told_end(a, door_shared(), shared); }
};

RP_KERNEL_BOUNDED(and_score_stay_kernel, karg_stay, 32 * KARG_STAY_WARPS, 1)
{
    bool has_come = false;
    door_open(a, door_shared());
    do {
        const karg_flat &query = door_shared()->ring.query;
        if (door_shared()->place < query.blocks)
            and_score(query, query.near, door_shared()->place, and_score_told{a});
        if (!has_come)
            door_come(a, door_shared());
        has_come = true;
    } while (door_wait(a, door_shared()));
    door_leave(a);
}
