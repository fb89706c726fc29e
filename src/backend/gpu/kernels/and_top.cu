/* and_top.cu: many ANDs at once: how many documents match each, and the k best of them by BM25.
 * One warp: a part of a query's shortest list, which the query's other lists are asked for (prim/alive.cuh); what is
 * left is scored, a document and word a lane, and keys go to the query's room. The last part of a query ranks them;
 * of a large k, a block of another kernel does.
 * Reads lists as they lie in the index: the blocks that are needed, or a word of bits. Shared: args.h says how much.
 * Limits: codecs of alive.cuh; any bytes. Source: Ao et al. 2011, 3 (PARA); Ding et al. 2009, 5. */
#include "backend/gpu/kernels/prim/alive.cuh"
#include "backend/gpu/kernels/prim/best_warp.cuh"
#include "backend/gpu/kernels/prim/bm25.cuh"

/* ---- What the lists leave --------------------------------------------------------------------- */

/* The first 32 words of a query, a lane each, read at once. */
struct and_top_words {
    uint64_t at, docs;
    uint32_t codec, base, n_words;
};

PRIM and_top_words and_top_open(const karg_and_word *words, uint32_t n)
{
    and_top_words mine = {0, 0, 0, 0, 0};
    if (prim_lane() < n) {
        mine.at = prim_load(&words[prim_lane()].word);
        const karg_word *word = prim_at<const karg_word>(mine.at);
        mine = {mine.at, prim_load(&word->list.docs), prim_load(&word->list.codec), prim_load(&word->base),
                prim_load(&word->n_words)};
    }
    return mine;
}

/* Lists of bits come first, in registers. */
template <int ROWS>
PRIM void and_top_ask(const karg_and_top &a, alive_tile *t, const karg_and_part &part, uint32_t *ranks)
{
    const karg_and_word *words = prim_at<const karg_and_word>(a.words) + part.word;
    and_top_words mine = and_top_open(words, part.n_words);
    uint32_t bits = prim_ballot<32>(prim_lane() > 0 && mine.codec == KARG_CODEC_BITMAP);
    alive_open(t, prim_at<const karg_word>(prim_shuffle<32>(mine.at, 0)), part.number);
    alive_few few = alive_load(*t, a.begin, a.end);
    for (uint32_t left = bits; left && prim_ballot<32>(few.in != 0); left &= left - 1) {
        uint32_t w = prim_lowest(left);
        uint64_t docs = prim_shuffle<32>(mine.docs, w);
        alive_test(&few, prim_at<const uint32_t>(docs), prim_shuffle<32>(mine.base, w),
                   prim_shuffle<32>(mine.n_words, w));
    }
    alive_put(t, few);
    for (uint32_t w = 1; w < part.n_words && t->n; w++) {
        uint64_t at = w < 32 ? prim_shuffle<32>(mine.at, w) : prim_load(&words[w].word);
        if (w >= 32 || !(bits >> w & 1))
            alive_keep<ROWS>(t, prim_at<const karg_word>(at), ranks ? ranks + (w - 1) * ALIVE_TILE : nullptr);
    }
}

/* ---- Scores ----------------------------------------------------------------------------------- */

/* What a word contributes to a document, whose rank in its list is known but of bits. */
PRIM uint32_t and_top_share(const karg_and_top &a, const karg_and_word *of, uint32_t docid, uint32_t rank,
                            karg_found *found)
{
    const karg_word *word = prim_at<const karg_word>(prim_load(&of->word));
    float norm = bm25_norm_any(a.norms, docid);
    if (prim_load(&word->list.codec) == KARG_CODEC_BITMAP)
        rank = word_find_bits(*word, docid, found);
    if (rank >= prim_load(&word->list.n))
        return 0;
    return bm25_fixed(prim_load(&of->weight), norm, word_tf(word->list, rank, found));
}

/* Of those alive, by pairs of document and word, to `sums`. */
PRIM void and_top_sum(const karg_and_top &a, const alive_tile &t, const karg_and_part &part, const uint32_t *ranks,
                      uint32_t *sums)
{
    const karg_and_word *words = prim_at<const karg_and_word>(a.words) + part.word;
    for (uint32_t i = prim_lane(); i < t.n; i += 32)
        sums[i] = 0;
    prim_sync_tile();
    for (uint32_t p = prim_lane(); p < t.n * part.n_words; p += 32) {
        uint32_t w = p / t.n, i = p - w * t.n, x = t.room->x[i], slot = t.room->slots[i];
        uint32_t rank = w ? ranks[(w - 1) * ALIVE_TILE + slot] : part.number * ALIVE_TILE + slot;
        prim_atomic_add(&sums[i], and_top_share(a, words + w, x, rank, t.found));
    }
    prim_sync_tile();
}

PRIM_APART void and_top_score(const karg_and_top &a, const alive_tile &t, const karg_and_part &part, karg_and_state *state,
                        const uint32_t *ranks)
{
    uint32_t *sums = (uint32_t *)(t.room + 1), place = 0;
    uint64_t *keys = prim_at<uint64_t>(a.keys) + state->keys;
    and_top_sum(a, t, part, ranks, sums);
    if (prim_lane() == 0)
        place = prim_atomic_add(&state->found.n_pairs, t.n);
    place = prim_shuffle<32>(place, 0);
    for (uint32_t i = prim_lane(); i < t.n; i += 32)
        keys[place + i] = best_key(sums[i], t.room->x[i]);
}

/* ---- Answers ---------------------------------------------------------------------------------- */

/* By the warp that ends a part: whether it was the query's last, and sees what the others have written. */
PRIM bool and_top_is_last(karg_and_state *state)
{
    uint32_t before = 0;
    prim_fence();
    prim_sync_tile();
    if (prim_lane() == 0)
        before = prim_atomic_add(&state->done, 1);
    prim_fence();
    return prim_shuffle<32>(before, 0) + 1 == state->n_parts;
}

PRIM void and_top_answer(const karg_and_top &a, uint32_t q, const karg_and_state *state)
{
    const uint64_t *keys = prim_at<const uint64_t>(a.keys) + state->keys;
    uint32_t n = prim_load_now(&state->found.n), n_keys = prim_load_now(&state->found.n_pairs);
    uint32_t damaged = prim_load_now(&state->found.damaged);
    if (prim_lane() == 0)
        prim_at<karg_found>(a.counts)[q] = {n, prim_min(n_keys, a.k), damaged, 0};
    if (a.k == 0 || n_keys == 0)
        return;
    uint64_t best = best_warp_of([=](uint32_t i) { return prim_load_now64(&keys[i]); }, n_keys, a.k);
    if (prim_lane() < prim_min(n_keys, a.k))
        prim_at<karg_pair>(a.pairs)[(uint64_t)q * a.k + prim_lane()] = best_pair(best);
}

template <int ROWS> PRIM void and_top_run(const karg_and_top &a)
{
    uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp();
    if (number >= a.n_parts)
        return;
    uint4 four = prim_load(prim_at<const uint4>(a.parts) + number);
    const karg_and_part part = {four.x, four.y, four.z, four.w};
    karg_and_state *state = prim_at<karg_and_state>(a.states) + part.query;
    uint32_t ranks_bytes = a.k ? (a.words_most - 1) * ALIVE_TILE * 4 : 0, bytes = KARG_AND_SHARED + ROWS * KARG_BLOCK * 4;
    unsigned char *shared = prim_shared() + prim_warp() * (bytes + ranks_bytes);
    uint32_t *ranks = a.k ? (uint32_t *)(shared + bytes) : nullptr;
    alive_tile t = {(alive_room *)shared, &state->found, 0};
    and_top_ask<ROWS>(a, &t, part, ranks);
    if (prim_lane() == 0 && t.n)
        prim_atomic_add(&state->found.n, t.n);
    if (a.k && t.n)
        and_top_score(a, t, part, state, ranks);
    if (a.k <= KARG_AND_RANKED && and_top_is_last(state))
        and_top_answer(a, part.query, state);
}

RP_KERNEL_BOUNDED(and_top_x2_kernel, karg_and_top, 128, 7) { and_top_run<2>(a); }
RP_KERNEL_BOUNDED(and_top_x4_kernel, karg_and_top, 128, 6) { and_top_run<4>(a); }
RP_KERNEL_BOUNDED(and_top_x8_kernel, karg_and_top, 128, 5) { and_top_run<8>(a); }

/* The k best of each query's keys, where k is large. */
RP_KERNEL_BOUNDED(and_top_rank_kernel, karg_and_top, 128, 8)
{
    uint32_t *bins = (uint32_t *)prim_shared();
    uint64_t *best = (uint64_t *)(bins + BEST_WORDS);
    for (uint32_t q = prim_block(); q < a.n_queries; q += prim_grid_size()) {
        const karg_and_state *state = prim_at<const karg_and_state>(a.states) + q;
        const uint64_t *keys = prim_at<const uint64_t>(a.keys) + state->keys;
        karg_found *count = prim_at<karg_found>(a.counts) + q;
        auto score = [&](uint32_t i, uint32_t *s) {
            *s = (uint32_t)(keys[i] >> 32);
            return true;
        };
        auto docid = [&](uint32_t i) { return ~(uint32_t)keys[i]; };
        if (prim_thread() == 0)
            *count = {state->found.n, 0, state->found.damaged, 0};
        best_select(score, docid, state->found.n_pairs, a.k, bins, best,
                    prim_at<karg_pair>(a.pairs) + (uint64_t)q * a.k, &count->n_pairs);
    }
}
