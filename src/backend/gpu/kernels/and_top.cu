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

/* A part in work. */
struct and_top_part {
    uint32_t query, number;        /* the how manieth it is of its query */
    uint32_t word, n_words;
    uint32_t n_parts; /* of the query */
    uint32_t keys;    /* where its keys begin */
};

/* The query that has a part: the last that does not begin after it. */
PRIM uint32_t and_top_find(const karg_and_start *starts, uint32_t n, uint32_t part)
{
    uint32_t q = 0;
#pragma unroll 1
    while (n > 1) {
        uint32_t half = n / 2;
        q += prim_load(&starts[q + half].part) <= part ? half : 0;
        n -= half;
    }
    return q;
}

PRIM and_top_part and_top_take(const karg_and_top &a, uint32_t number)
{
    const karg_and_start *starts = prim_at<const karg_and_start>(a.starts);
    uint32_t part = number, q;
    if (a.parts) {
        q = prim_load(&prim_at<const karg_and_part>(a.parts)[number].query);
        part = prim_load(&prim_at<const karg_and_part>(a.parts)[number].part);
    } else {
        q = and_top_find(starts, a.n_queries, part);
    }
    uint32_t first = prim_load(&starts[q].part), words = prim_load(&starts[q].words);
    uint32_t next = prim_load(&starts[q + 1].part);
    return {q, part - first, words % KARG_AND_WORDS, words / KARG_AND_WORDS, next - first, first * KARG_AND_TILE};
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

/* What is kept of a part until it is scored, in shared memory behind the alive: by slot of the tile, ranks in the first
 * list of blocks, ranks in the list in work, and scores so far. */
struct and_top_room {
    uint32_t first[ALIVE_TILE], ranks[ALIVE_TILE], sums[ALIVE_TILE];
};
static_assert(sizeof(and_top_room) == KARG_AND_SCORES, "what launches give");

static_assert(sizeof(((alive_room *)nullptr)->heads) >= BEST_WARP_ROOM * sizeof(uint64_t), "keys that are sorted");

struct and_top_tile {
    alive_tile t;
    and_top_part part;
    and_top_room *room; /* NULL: the number alone is wanted */
    karg_and_state *state;
};

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

/* Word w, whose ranks are in the room, is added to the scores of those alive. */
PRIM_APART void and_top_add(const karg_and_top &a, const and_top_tile &m, uint32_t w)
{
    const karg_and_word *word = prim_at<const karg_and_word>(a.words) + m.part.word + w;
    for (uint32_t i = prim_lane(); i < m.t.n; i += 32) {
        uint32_t slot = m.t.room->slots[i];
        m.room->sums[slot] += and_top_share(a, word, m.t.room->x[i], m.room->ranks[slot], m.t.found);
    }
    prim_sync_tile();
}

/* Words that are still to be added, a bit each, by pairs of word and document, a lane each. */
PRIM void and_top_sum(const karg_and_top &a, const and_top_tile &m, uint32_t which)
{
    const karg_and_word *words = prim_at<const karg_and_word>(a.words) + m.part.word;
    uint32_t n = m.t.n, all = n * prim_count(which), left = which;
    for (uint32_t i = 0; i < prim_lane() && left; i++)
        left &= left - 1;
    uint32_t mine = left ? prim_lowest(left) : 0; /* the lane's of them, in order */
    for (uint32_t p = 0; p < all; p += 32) {
        uint32_t at = prim_min(p + prim_lane(), all - 1), j = at / n, i = at - j * n;
        uint32_t w = prim_shuffle<32>(mine, j), slot = m.t.room->slots[i];
        uint32_t rank = w ? m.room->first[slot] : m.part.number * ALIVE_TILE + slot;
        if (p + prim_lane() < all)
            prim_atomic_add(&m.room->sums[slot], and_top_share(a, words + w, m.t.room->x[i], rank, m.t.found));
    }
    prim_sync_tile();
}

/* Keys of the 32 documents from s on; none past the last. */
PRIM uint64_t and_top_key(const and_top_tile &m, uint32_t i)
{
    return i < m.t.n ? best_key(m.room->sums[m.t.room->slots[i]], m.t.room->x[i]) : 0;
}

/* 32 keys, those that are not 0 and score enough, to the query's others. */
PRIM void and_top_put(const karg_and_top &a, const and_top_tile &m, uint64_t key, uint32_t least)
{
    bool is_put = key && key >> 32 >= least;
    uint32_t all = prim_ballot<32>(is_put), place = 0;
    if (prim_lane() == 0 && all)
        place = prim_atomic_add(&m.state->found.n_pairs, prim_count(all));
    place = prim_shuffle<32>(place, 0) + prim_count(all & prim_mask(prim_lane()));
    if (is_put)
        prim_at<uint64_t>(a.keys)[m.part.keys + place] = key;
}

/* No more than k of a part are among the k best of its query; none is that scores less than k others. */
PRIM_APART void and_top_score(const karg_and_top &a, const and_top_tile &m, uint32_t which)
{
    uint32_t least = prim_look(&m.state->least);
    and_top_sum(a, m, which);
    if (a.k > KARG_AND_RANKED || m.t.n < a.k) {
        for (uint32_t s = 0; s < m.t.n; s += 32)
            and_top_put(a, m, and_top_key(m, s + prim_lane()), least);
        return;
    }
    uint64_t *room = (uint64_t *)m.t.room->heads;
    uint64_t best = best_warp_of<1>([&](uint32_t i) { return and_top_key(m, i); }, m.t.n, a.k, least, room);
    uint32_t reached = (uint32_t)(prim_shuffle<32>(best, a.k - 1) >> 32);
    if (prim_lane() == 0 && reached > least)
        prim_atomic_max(&m.state->least, reached);
    and_top_put(a, m, prim_lane() < a.k ? best : 0, prim_max(least, reached));
}

/* ---- Lists ------------------------------------------------------------------------------------ */

/* What the lists leave: those of bits come first, in registers. Returns the words that are not in the scores yet. */
PRIM uint32_t and_top_ask(const karg_and_top &a, and_top_tile *m)
{
    const karg_and_word *words = prim_at<const karg_and_word>(a.words) + m->part.word;
    and_top_words mine = and_top_open(words, m->part.n_words);
    uint32_t bits = prim_ballot<32>(prim_lane() > 0 && mine.codec == KARG_CODEC_BITMAP), left = bits | 1;
    alive_open(&m->t, prim_at<const karg_word>(prim_shuffle<32>(mine.at, 0)), m->part.number);
    alive_few few = alive_load(m->t, a.begin, a.end);
    for (uint32_t next = bits; next && prim_ballot<32>(few.in != 0); next &= next - 1) {
        uint32_t w = prim_lowest(next);
        uint64_t docs = prim_shuffle<32>(mine.docs, w);
        alive_test(&few, prim_at<const uint32_t>(docs), prim_shuffle<32>(mine.base, w),
                   prim_shuffle<32>(mine.n_words, w));
    }
    alive_put(&m->t, few);
    for (uint32_t w = 1; w < m->part.n_words && m->t.n; w++) {
        uint64_t at = w < 32 ? prim_shuffle<32>(mine.at, w) : prim_load(&words[w].word);
        if (w < 32 && (bits >> w & 1))
            continue;
        bool is_first = w < 32 && left == (bits | 1);
        alive_keep(&m->t, prim_at<const karg_word>(at),
                   !m->room ? nullptr : is_first ? m->room->first : m->room->ranks);
        left |= is_first ? 1U << w : 0;
        if (m->room && !is_first)
            and_top_add(a, *m, w);
    }
    return left;
}

/* ---- Answers ---------------------------------------------------------------------------------- */

/* By the warp that ends a part: whether it was the query's last, and sees what the others have written. */
PRIM bool and_top_is_last(const and_top_tile &m)
{
    uint32_t before = 0;
    prim_fence();
    prim_sync_tile();
    if (prim_lane() == 0)
        before = prim_atomic_add(&m.state->done, 1);
    prim_fence();
    return prim_shuffle<32>(before, 0) + 1 == m.part.n_parts;
}

PRIM void and_top_clear(karg_and_state *state) { *state = {{0, 0, 0, 0}, 0, 0, {0, 0}}; }

PRIM_APART void and_top_answer(const karg_and_top &a, const and_top_tile &m)
{
    const karg_and_state *state = m.state;
    const uint64_t *keys = prim_at<const uint64_t>(a.keys) + m.part.keys;
    uint32_t n = prim_load_now(&state->found.n), n_keys = prim_load_now(&state->found.n_pairs), q = m.part.query;
    uint32_t damaged = prim_load_now(&state->found.damaged), least = prim_load_now(&state->least);
    prim_sync_tile();
    if (prim_lane() == 0) {
        prim_at<karg_found>(a.counts)[q] = {n, prim_min(n_keys, a.k), damaged, 0};
        and_top_clear(m.state);
    }
    if (a.k == 0 || n_keys == 0)
        return;
    auto key = [=](uint32_t i) { return prim_load_now64(&keys[i]); };
    uint64_t best = best_warp_of<8>(key, n_keys, a.k, least, (uint64_t *)m.t.room->heads);
    if (prim_lane() < prim_min(n_keys, a.k))
        prim_at<karg_pair>(a.pairs)[(uint64_t)q * a.k + prim_lane()] = best_pair(best);
}

/* By the warp that has answered a query: the last of all says so. */
PRIM void and_top_end(const karg_and_top &a)
{
    uint32_t *answered = prim_at<uint32_t>(a.answered);
    prim_fence_host();
    prim_sync_tile();
    if (prim_lane() == 0 && prim_atomic_add(answered, 1) + 1 == a.n_queries) {
        *answered = 0;
        prim_fence_host();
        *prim_at<volatile uint32_t>(a.ended) = a.number;
    }
}

RP_KERNEL_BOUNDED(and_top_kernel, karg_and_top, 128, 8)
{
    uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp();
    if (number >= a.n_parts)
        return;
    unsigned char *shared = prim_shared() + prim_warp() * (KARG_AND_SHARED + (a.k ? KARG_AND_SCORES : 0));
    and_top_part part = and_top_take(a, number);
    karg_and_state *state = prim_at<karg_and_state>(a.states) + part.query;
    and_top_tile m = {{(alive_room *)shared, &state->found, 0},
                      part,
                      a.k ? (and_top_room *)(shared + KARG_AND_SHARED) : nullptr,
                      state};
    if (a.k)
        for (uint32_t i = prim_lane(); i < ALIVE_TILE; i += 32)
            m.room->sums[i] = 0;
    uint32_t left = and_top_ask(a, &m);
    if (prim_lane() == 0 && m.t.n)
        prim_atomic_add(&state->found.n, m.t.n);
    if (a.k && m.t.n)
        and_top_score(a, m, left);
    if (a.k <= KARG_AND_RANKED && and_top_is_last(m)) {
        and_top_answer(a, m);
        and_top_end(a);
    }
}

/* The k best of each query's keys, where k is large. */
RP_KERNEL_BOUNDED(and_top_rank_kernel, karg_and_top, 128, 8)
{
    uint32_t *bins = (uint32_t *)prim_shared();
    uint64_t *best = (uint64_t *)(bins + BEST_WORDS);
    for (uint32_t q = prim_block(); q < a.n_queries; q += prim_grid_size()) {
        karg_and_state *state = prim_at<karg_and_state>(a.states) + q;
        uint32_t first = prim_load(&prim_at<const karg_and_start>(a.starts)[q].part);
        const uint64_t *keys = prim_at<const uint64_t>(a.keys) + (uint64_t)first * KARG_AND_TILE;
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
        prim_sync();
        if (prim_thread() == 0)
            and_top_clear(state);
    }
}
