/* and_top.cu: many ANDs at once: how many documents match each, and the k best of them by BM25.
 * One warp: a tile of a query's shortest list, which the query's other lists are asked for (prim/alive.cuh); what is
 * left is scored, and keys go to the query's room. One block: ranks a query's keys.
 * Reads lists as they lie in the index: the blocks that are needed, or a word of bits. Shared: KARG_AND_SHARED bytes a
 * warp, and 4 * KARG_AND_TILE for each word but the first; of ranking, as best.cuh has it.
 * Limits: codecs of alive.cuh; any bytes. Source: Ao et al. 2011, 3 (PARA); Ding et al. 2009, 5. */
#include "backend/gpu/kernels/prim/alive.cuh"
#include "backend/gpu/kernels/prim/best.cuh"
#include "backend/gpu/kernels/prim/bm25.cuh"

/* What word i of a query contributes to a document, whose rank in its list is known but of bits. */
PRIM uint32_t and_top_part(const karg_and_word *of, uint32_t docid, float norm, uint32_t rank, karg_found *found)
{
    const karg_word *word = prim_at<const karg_word>(prim_load(&of->word));
    if (prim_load(&word->list.codec) == KARG_CODEC_BITMAP)
        rank = word_find_bits(*word, docid, found);
    if (rank >= prim_load(&word->list.n))
        return 0;
    return bm25_fixed(prim_load(&of->weight), norm, word_tf(word->list, rank, found));
}

/* Keys of those that score enough, side by side. */
PRIM void and_top_put(uint64_t *keys, karg_and_state *state, uint32_t docid, bool is_match, uint32_t score)
{
    uint32_t place = 0, all = prim_ballot<32>(is_match);
    if (prim_lane() == 0 && all)
        place = prim_atomic_add(&state->found.n_pairs, prim_count(all));
    place = prim_shuffle<32>(place, 0) + prim_count(all & prim_mask(prim_lane()));
    if (is_match)
        keys[place] = best_key(score, docid);
}

PRIM void and_top_score(const karg_and_top &a, const alive_tile &t, const karg_and_ask &ask, karg_and_state *state,
                        uint32_t first, const uint32_t *ranks)
{
    const karg_and_word *words = prim_at<const karg_and_word>(a.words) + ask.word;
    uint64_t *keys = prim_at<uint64_t>(a.keys) + ask.keys;
    for (uint32_t s = 0; s < t.n; s += 32) {
        uint32_t i = s + prim_lane(), x = i < t.n ? t.room->x[i] : 0, slot = i < t.n ? t.room->slots[i] : 0, sum = 0;
        bool is_match = i < t.n && x < a.end;
        float norm = is_match ? bm25_norm_any(a.norms, x) : 0;
        for (uint32_t w = 0; is_match && w < ask.n_words; w++) {
            uint32_t rank = w ? ranks[(w - 1) * ALIVE_TILE + slot] : first + slot;
            sum += and_top_part(words + w, x, norm, rank, &state->found);
        }
        and_top_put(keys, state, x, is_match, sum);
    }
}

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

/* What the lists leave of a tile: lists of bits come first, in registers. */
PRIM void and_top_ask(const karg_and_top &a, alive_tile *t, const karg_and_word *words, uint32_t n, uint32_t number,
                      uint32_t *ranks)
{
    and_top_words mine = and_top_open(words, n);
    uint32_t bits = prim_ballot<32>(prim_lane() > 0 && mine.codec == KARG_CODEC_BITMAP);
    alive_open(t, prim_at<const karg_word>(prim_shuffle<32>(mine.at, 0)), number);
    alive_few few = alive_load(*t, a.begin, a.end);
    for (uint32_t left = bits; left && prim_ballot<32>(few.in != 0); left &= left - 1) {
        uint32_t w = prim_lowest(left);
        uint64_t docs = prim_shuffle<32>(mine.docs, w);
        alive_test(&few, prim_at<const uint32_t>(docs), prim_shuffle<32>(mine.base, w),
                   prim_shuffle<32>(mine.n_words, w));
    }
    alive_put(t, few);
    for (uint32_t w = 1; w < n && t->n; w++) {
        uint64_t at = w < 32 ? prim_shuffle<32>(mine.at, w) : prim_load(&words[w].word);
        if (w >= 32 || !(bits >> w & 1))
            alive_keep(t, prim_at<const karg_word>(at), ranks ? ranks + (w - 1) * ALIVE_TILE : nullptr);
    }
}

RP_KERNEL_BOUNDED(and_top_kernel, karg_and_top, 128, 7)
{
    uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp();
    const uint32_t *firsts = prim_at<const uint32_t>(a.firsts);
    if (number >= a.n_tiles)
        return;
    auto first = [=](uint32_t i) { return prim_load(&firsts[i]); };
    uint32_t i = alive_search(first, 0, a.n_queries * a.n_phases, number + 1) - 1, phase = i / a.n_queries;
    uint32_t q = i - phase * a.n_queries;
    const karg_and_ask ask = prim_at<const karg_and_ask>(a.queries)[q];
    karg_and_state *state = prim_at<karg_and_state>(a.states) + q;
    uint32_t ranks_words = a.k ? (a.words_most - 1) * ALIVE_TILE : 0, tile = number - first(i);
    tile += (uint32_t)((uint64_t)ask.n_tiles * phase / a.n_phases);
    unsigned char *shared = prim_shared() + prim_warp() * (KARG_AND_SHARED + 4 * ranks_words);
    uint32_t *ranks = (uint32_t *)(shared + KARG_AND_SHARED);
    alive_tile t = {(alive_room *)shared, &state->found, 0};
    and_top_ask(a, &t, prim_at<const karg_and_word>(a.words) + ask.word, ask.n_words, tile, a.k ? ranks : nullptr);
    if (prim_lane() == 0 && t.n)
        prim_atomic_add(&state->found.n, t.n);
    if (a.k)
        and_top_score(a, t, ask, state, tile * ALIVE_TILE, ranks);
}

/* The k best of each query's keys. */
RP_KERNEL_BOUNDED(and_top_rank_kernel, karg_and_top, 128, 8)
{
    uint32_t *bins = (uint32_t *)prim_shared();
    uint64_t *best = (uint64_t *)(bins + BEST_WORDS);
    for (uint32_t q = prim_block(); q < a.n_queries; q += prim_grid_size()) {
        const karg_and_state *state = prim_at<const karg_and_state>(a.states) + q;
        const uint64_t *keys = prim_at<const uint64_t>(a.keys) + prim_at<const karg_and_ask>(a.queries)[q].keys;
        karg_found *count = prim_at<karg_found>(a.counts) + q;
        auto score = [&](uint32_t i, uint32_t *s) {
            *s = (uint32_t)(keys[i] >> 32);
            return true;
        };
        auto docid = [&](uint32_t i) { return ~(uint32_t)keys[i]; };
        if (prim_thread() == 0)
            *count = {state->found.n, 0, state->found.damaged, 0};
        if (a.k)
            best_select(score, docid, state->found.n_pairs, a.k, bins, best,
                        prim_at<karg_pair>(a.pairs) + (uint64_t)q * a.k, &count->n_pairs);
    }
}
