/* and_batch_topk.cu: many ANDs at once: how many documents match each, and the k best of them by
 * BM25.
 * Owns:   a warp owns a part of a query's shortest list: the candidates that the query's other
 *         lists reduce (prim/warp/candidates.cuh). What is left is scored, a document and term a
 *         lane, and keys go to the query's buffer. The last part of a query ranks them; of a large
 *         k blocks of another kernel do, as many as the query has found keys for.
 * Moves:  lists as they lie in the index: the blocks that are needed, or one word of bits. Shared:
 *         args.h says how much.
 * Limits: codecs of candidates.cuh; any bytes.
 * Source: Ao et al. 2011, 3 (PARA); Ding et al. 2009, 5. */
#include "backend/gpu/kernels/prim/prim.cuh"

/* ---- What the lists leave -------------------------------------------------------------------- */

/* A part in work. */
struct and_topk_part {
    uint32_t query, number; /* its number among the parts of its query */
    uint32_t term, n_terms;
    uint32_t n_parts; /* of the query */
    uint32_t keys;    /* where its keys begin */
};

/* The query that has a part: the last that does not begin after it. */
PRIM uint32_t and_topk_find(const karg_and_start *starts, uint32_t n, uint32_t part)
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

PRIM and_topk_part and_topk_take(const karg_and_topk &a, uint32_t number)
{
    const karg_and_start *starts = prim_at<const karg_and_start>(a.starts);
    uint32_t part = number, q;
    if (a.parts) {
        q = prim_load(&prim_at<const karg_and_part>(a.parts)[number].query);
        part = prim_load(&prim_at<const karg_and_part>(a.parts)[number].part);
    } else {
        q = and_topk_find(starts, a.n_queries, part);
    }
    uint32_t first = prim_load(&starts[q].part), terms = prim_load(&starts[q].terms);
    uint32_t next = prim_load(&starts[q + 1].part);
    return {q,
            part - first,
            terms % KARG_AND_TERMS,
            terms / KARG_AND_TERMS,
            next - first,
            first * KARG_AND_TILE};
}

/* The first 32 terms of a query, a lane each, read at once. */
struct and_topk_terms {
    uint64_t at, docs;
    uint32_t codec, base, n_words;
};

PRIM and_topk_terms and_topk_open(const karg_and_term *terms, uint32_t n)
{
    and_topk_terms mine = {0, 0, 0, 0, 0};
    if (prim_lane() < n) {
        mine.at = prim_load(&terms[prim_lane()].term);
        const karg_term *term = prim_at<const karg_term>(mine.at);
        mine = {mine.at, prim_load(&term->list.docs), prim_load(&term->list.codec),
                prim_load(&term->base), prim_load(&term->n_words)};
    }
    return mine;
}

/* What is kept of a part until it is scored, in shared memory behind the candidates: by slot of the
 * tile, ranks in the first list of blocks, ranks in the list in work, and scores so far. */
struct and_topk_scratch {
    uint32_t first[CANDIDATES_TILE], ranks[CANDIDATES_TILE], sums[CANDIDATES_TILE];
};
static_assert(sizeof(and_topk_scratch) == KARG_AND_SCORES, "what launches give");

static_assert(sizeof(((candidates_scratch *)nullptr)->heads) >=
                  TOPK_WARP_SCRATCH * sizeof(uint64_t),
              "keys that are sorted");

struct and_topk_tile {
    candidates_tile t;
    and_topk_part part;
    and_topk_scratch *scratch; /* NULL: only the number of documents is requested */
    karg_and_state *state;
};

/* ---- Scores ---------------------------------------------------------------------------------- */

/* What a term contributes to a document, whose rank in its list is known but of bits. */
PRIM uint32_t and_topk_share(const karg_and_topk &a, const karg_and_term *of, uint32_t docid,
                             uint32_t rank, karg_found *found)
{
    const karg_term *term = prim_at<const karg_term>(prim_load(&of->term));
    float norm = score_norm_any(a.norms, docid);
    if (prim_load(&term->list.codec) == KARG_CODEC_BITMAP)
        rank = term_find_bits(*term, docid, found);
    if (rank >= prim_load(&term->list.n))
        return 0;
    return score_fixed(prim_load(&of->weight), norm, term_tf(term->list, rank, found));
}

/* Adds term w, whose ranks are in scratch memory, to the scores of the candidates. */
PRIM_APART void and_topk_add(const karg_and_topk &a, const and_topk_tile &m, uint32_t w)
{
    const karg_and_term *term = prim_at<const karg_and_term>(a.terms) + m.part.term + w;
    for (uint32_t i = prim_lane(); i < m.t.n; i += 32) {
        uint32_t slot = m.t.scratch->slots[i];
        m.scratch->sums[slot] +=
            and_topk_share(a, term, m.t.scratch->x[i], m.scratch->ranks[slot], m.t.found);
    }
    prim_sync_tile();
}

/* Terms that are still to be added, a bit each, by pairs of term and document, a lane each. */
PRIM void and_topk_sum(const karg_and_topk &a, const and_topk_tile &m, uint32_t which)
{
    const karg_and_term *terms = prim_at<const karg_and_term>(a.terms) + m.part.term;
    uint32_t n = m.t.n, all = n * prim_count(which), left = which;
    for (uint32_t i = 0; i < prim_lane() && left; i++)
        left &= left - 1;
    uint32_t mine = left ? prim_lowest(left) : 0; /* the lane's of them, in order */
    for (uint32_t p = 0; p < all; p += 32) {
        uint32_t at = prim_min(p + prim_lane(), all - 1), j = at / n, i = at - j * n;
        uint32_t w = prim_shuffle<32>(mine, j), slot = m.t.scratch->slots[i];
        uint32_t rank = w ? m.scratch->first[slot] : m.part.number * CANDIDATES_TILE + slot;
        if (p + prim_lane() < all)
            prim_atomic_add(&m.scratch->sums[slot],
                            and_topk_share(a, terms + w, m.t.scratch->x[i], rank, m.t.found));
    }
    prim_sync_tile();
}

/* Keys of the 32 documents from s on; none past the last. */
PRIM uint64_t and_topk_key(const and_topk_tile &m, uint32_t i)
{
    return i < m.t.n ? topk_key(m.scratch->sums[m.t.scratch->slots[i]], m.t.scratch->x[i]) : 0;
}

/* 32 keys, those that are not 0 and score enough, to the query's others. */
PRIM void and_topk_put(const karg_and_topk &a, const and_topk_tile &m, uint64_t key,
                       uint32_t min_score)
{
    bool is_put = key && key >> 32 >= min_score;
    uint32_t all = prim_ballot<32>(is_put), place = 0;
    if (prim_lane() == 0 && all)
        place = prim_atomic_add(&m.state->found.n_pairs, prim_count(all));
    place = prim_shuffle<32>(place, 0) + prim_count(all & prim_mask(prim_lane()));
    if (is_put)
        prim_at<uint64_t>(a.keys)[m.part.keys + place] = key;
}

/* No more than k of a part are among the k best of its query; none is that scores less than k
 * others. */
PRIM_APART void and_topk_score(const karg_and_topk &a, const and_topk_tile &m, uint32_t which)
{
    uint32_t min_score = prim_look(&m.state->min_score);
    and_topk_sum(a, m, which);
    if (a.k > KARG_AND_RANKED || m.t.n < a.k) {
        for (uint32_t s = 0; s < m.t.n; s += 32)
            and_topk_put(a, m, and_topk_key(m, s + prim_lane()), min_score);
        return;
    }
    uint64_t *scratch = (uint64_t *)m.t.scratch->heads;
    uint64_t best = topk_warp_of<1>([&](uint32_t i) { return and_topk_key(m, i); }, m.t.n, a.k,
                                    min_score, scratch);
    uint32_t reached = (uint32_t)(prim_shuffle<32>(best, a.k - 1) >> 32);
    if (prim_lane() == 0 && reached > min_score)
        prim_atomic_max(&m.state->min_score, reached);
    and_topk_put(a, m, prim_lane() < a.k ? best : 0, prim_max(min_score, reached));
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* What the lists leave: those of bits come first, in registers. Returns the terms that are not in
 * the scores yet. */
PRIM uint32_t and_topk_ask(const karg_and_topk &a, and_topk_tile *m)
{
    const karg_and_term *terms = prim_at<const karg_and_term>(a.terms) + m->part.term;
    and_topk_terms mine = and_topk_open(terms, m->part.n_terms);
    uint32_t bits = prim_ballot<32>(prim_lane() > 0 && mine.codec == KARG_CODEC_BITMAP),
             left = bits | 1;
    candidates_open(&m->t, prim_at<const karg_term>(prim_shuffle<32>(mine.at, 0)), m->part.number);
    candidates_few few = candidates_load(m->t, a.begin, a.end);
    for (uint32_t next = bits; next && prim_ballot<32>(few.in != 0); next &= next - 1) {
        uint32_t w = prim_lowest(next);
        uint64_t docs = prim_shuffle<32>(mine.docs, w);
        candidates_test(&few, prim_at<const uint32_t>(docs), prim_shuffle<32>(mine.base, w),
                        prim_shuffle<32>(mine.n_words, w));
    }
    candidates_put(&m->t, few);
    for (uint32_t w = 1; w < m->part.n_terms && m->t.n; w++) {
        uint64_t at = w < 32 ? prim_shuffle<32>(mine.at, w) : prim_load(&terms[w].term);
        if (w < 32 && (bits >> w & 1))
            continue;
        bool is_first = w < 32 && left == (bits | 1);
        candidates_keep(&m->t, prim_at<const karg_term>(at),
                        !m->scratch ? nullptr
                        : is_first  ? m->scratch->first
                                    : m->scratch->ranks);
        left |= is_first ? 1U << w : 0;
        if (m->scratch && !is_first)
            and_topk_add(a, *m, w);
    }
    return left;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* By the warp that ends a part: whether it was the query's last, and sees what the others have
 * written. */
PRIM bool and_topk_is_last(const and_topk_tile &m)
{
    uint32_t before = 0;
    prim_fence();
    prim_sync_tile();
    if (prim_lane() == 0)
        before = prim_atomic_add(&m.state->done, 1);
    prim_fence();
    return prim_shuffle<32>(before, 0) + 1 == m.part.n_parts;
}

PRIM void and_topk_clear(karg_and_state *state)
{
    *state = {{0, 0, 0, 0}, 0, 0, 0, 0};
}

PRIM_APART void and_topk_answer(const karg_and_topk &a, const and_topk_tile &m)
{
    const karg_and_state *state = m.state;
    const uint64_t *keys = prim_at<const uint64_t>(a.keys) + m.part.keys;
    uint32_t n = prim_load_now(&state->found.n), n_keys = prim_load_now(&state->found.n_pairs),
             q = m.part.query;
    uint32_t damaged = prim_load_now(&state->found.damaged),
             min_score = prim_load_now(&state->min_score);
    prim_sync_tile();
    if (prim_lane() == 0) {
        prim_at<karg_found>(a.counts)[q] = {n, prim_min(n_keys, a.k), damaged, 0};
        and_topk_clear(m.state);
    }
    if (a.k == 0 || n_keys == 0)
        return;
    auto key = [=](uint32_t i) { return prim_load_now64(&keys[i]); };
    uint64_t best = topk_warp_of<8>(key, n_keys, a.k, min_score, (uint64_t *)m.t.scratch->heads);
    if (prim_lane() < prim_min(n_keys, a.k))
        prim_at<karg_pair>(a.pairs)[(uint64_t)q * a.k + prim_lane()] = topk_pair(best);
}

/* By the warp that has answered a query: the last of all says so. */
PRIM void and_topk_end(const karg_and_topk &a)
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

RP_KERNEL_BOUNDED(and_batch_topk_kernel, karg_and_topk, 128, 8)
{
    uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp();
    if (number >= a.n_parts)
        return;
    unsigned char *shared =
        prim_shared() + prim_warp() * (KARG_AND_SHARED + (a.k ? KARG_AND_SCORES : 0));
    and_topk_part part = and_topk_take(a, number);
    karg_and_state *state = prim_at<karg_and_state>(a.states) + part.query;
    and_topk_tile m = {{(candidates_scratch *)shared, &state->found, 0},
                       part,
                       a.k ? (and_topk_scratch *)(shared + KARG_AND_SHARED) : nullptr,
                       state};
    if (a.k)
        for (uint32_t i = prim_lane(); i < CANDIDATES_TILE; i += 32)
            m.scratch->sums[i] = 0;
    uint32_t left = and_topk_ask(a, &m);
    if (prim_lane() == 0 && m.t.n)
        prim_atomic_add(&state->found.n, m.t.n);
    if (a.k && m.t.n)
        and_topk_score(a, m, left);
    if (a.k <= KARG_AND_RANKED && and_topk_is_last(m)) {
        and_topk_answer(a, m);
        and_topk_end(a);
    }
}

#ifndef RP_KERNELS_IIU /* it scores nothing: one kernel serves all rankings */
/* ---- A large k ------------------------------------------------------------------------------- */

/* Few keys are ranked where they are, in shared memory. Many are shared out: each block drops those
 * of its share that are below a cut, and the last block of the query ranks what all have kept. All
 * blocks of a query take the cut from the same sample of its keys, so that nobody waits. */

enum {
    RANK_SHARE = KARG_AND_RANK_PARTS * KARG_AND_TILE, /* keys of a block */
    RANK_SAMPLE = 2048,                               /* keys that the cut is taken from */
    RANK_EACH = 8,                                    /* keys of a thread on their way at a time */
};
static_assert((int)RANK_SAMPLE <= (int)KARG_AND_RANK_KEYS, "the sample is in shared memory");

/* A query's keys, and those that reached the cut. */
struct and_rank_query {
    const uint64_t *keys;
    uint64_t *kept;
    karg_and_state *state;
    uint32_t number, n, capacity; /* of kept */
};

/* Shared memory: KARG_AND_RANK_KEYS keys; behind them, the best: a power of two, at least k. Where
 * these are as many, both lie in one place. */
struct and_rank_space {
    uint32_t *bins;
    uint64_t *keys;
};
PRIM bool and_rank_has_two(uint32_t k)
{
    return topk_power(k) < KARG_AND_RANK_KEYS;
}

/* Blocks of the queries before q: each has enough for its parts, at most one more. */
PRIM uint32_t and_rank_before(const karg_and_start *starts, uint32_t q)
{
    return prim_load(&starts[q].part) / KARG_AND_RANK_PARTS + q;
}

/* The query of a block. */
PRIM uint32_t and_rank_find(const karg_and_topk &a)
{
    const karg_and_start *starts = prim_at<const karg_and_start>(a.starts);
    uint32_t q = 0, n = a.n_queries;
#pragma unroll 1
    while (n > 1) {
        uint32_t half = n / 2;
        q += and_rank_before(starts, q + half) <= prim_block() ? half : 0;
        n -= half;
    }
    return q;
}

/* A block that has no share may come when the state is cleared: its query then has no keys. */
PRIM and_rank_query and_rank_open(const karg_and_topk &a, uint32_t q)
{
    const karg_and_start *starts = prim_at<const karg_and_start>(a.starts);
    uint32_t first = prim_load(&starts[q].part), parts = prim_load(&starts[q + 1].part) - first;
    uint64_t *keys = prim_at<uint64_t>(a.keys);
    uint64_t *kept = keys + (uint64_t)a.n_parts * KARG_AND_TILE;
    karg_and_state *state = prim_at<karg_and_state>(a.states) + q;
    return {keys + (uint64_t)first * KARG_AND_TILE,
            kept + (uint64_t)first * KARG_AND_RANK_KEPT,
            state,
            q,
            prim_look(&state->found.n_pairs),
            parts * KARG_AND_RANK_KEPT};
}

/* All threads of a block: the least of the `need` best of n keys, in memory of any kind, or a
 * number with no key between them and the others. */
PRIM_APART uint64_t and_rank_cut(const uint64_t *keys, uint32_t n, uint32_t need, uint32_t *bins)
{
    auto score = [=](uint32_t i, uint32_t *v) {
        *v = (uint32_t)(prim_load_now64(&keys[i]) >> 32);
        return true;
    };
    auto docid = [=](uint32_t i) { return ~(uint32_t)prim_load_now64(&keys[i]); };
    return topk_cut(score, docid, n, need, bins);
}

/* All threads of a block: those of n keys that reach the cut, to shared memory, `capacity` of them.
 * Returns their number. */
PRIM_APART uint32_t and_rank_filter(const uint64_t *keys, uint32_t n, uint64_t cut, uint64_t *to,
                                    uint32_t capacity, uint32_t *bins)
{
    if (prim_thread() == 0)
        bins[0] = 0;
    prim_sync();
    for (uint32_t from = 0; from < n; from += RANK_EACH * prim_block_size()) {
        uint64_t mine[RANK_EACH];
#pragma unroll
        for (uint32_t e = 0; e < RANK_EACH; e++) {
            uint32_t i = from + e * prim_block_size() + prim_thread();
            mine[e] = i < n ? prim_load_now64(&keys[i]) : 0;
        }
#pragma unroll
        for (uint32_t e = 0; e < RANK_EACH; e++) {
            bool is_kept = mine[e] && mine[e] >= cut;
            uint32_t all = prim_ballot<32>(is_kept), place = 0;
            if (prim_lane() == 0 && all)
                place = prim_atomic_add(&bins[0], prim_count(all));
            place = prim_shuffle<32>(place, 0) + prim_count(all & prim_mask(prim_lane()));
            if (is_kept && place < capacity)
                to[place] = mine[e];
        }
    }
    prim_sync();
    uint32_t kept = bins[0];
    prim_sync();
    return kept;
}

/* A key that k of the query's reach, but for bad luck, and some more: of a sample, as many as are
 * expected to be among the k best, three deviations and two. */
PRIM uint64_t and_rank_sample(const and_rank_query &q, uint32_t k, const and_rank_space &s)
{
    const uint32_t expected = (uint32_t)((uint64_t)k * RANK_SAMPLE / q.n) + 1;
    const uint32_t need = expected + (3U << (prim_width(expected) + 1) / 2) + 2;
#pragma unroll 8
    for (uint32_t i = prim_thread(); i < RANK_SAMPLE; i += KARG_AND_RANK_BLOCK)
        s.keys[i] = prim_load(&q.keys[(uint64_t)i * q.n / RANK_SAMPLE]);
    prim_sync();
    return and_rank_cut(s.keys, RANK_SAMPLE, need, s.bins);
}

/* A block's share, to what others of the query have kept. */
PRIM void and_rank_keep(const and_rank_query &q, uint32_t share, uint32_t k,
                        const and_rank_space &s)
{
    const uint32_t first = share * RANK_SHARE, n = prim_min(q.n - first, (uint32_t)RANK_SHARE);
    const uint64_t cut = and_rank_sample(q, k, s);
    const uint32_t found =
        and_rank_filter(q.keys + first, n, cut, s.keys, KARG_AND_RANK_KEYS, s.bins);
    const uint32_t kept = prim_min(found, (uint32_t)KARG_AND_RANK_KEYS);
    if (prim_thread() == 0) {
        s.bins[1] = prim_atomic_add(&q.state->kept, kept);
        if (found > kept)
            prim_atomic_or(&q.state->is_crowded, 1);
    }
    prim_sync();
    const uint32_t place = s.bins[1];
    for (uint32_t i = prim_thread(); i < kept; i += prim_block_size())
        if (place + i < q.capacity)
            q.kept[place + i] = s.keys[i];
}

/* By a block that has kept its share: whether it was the query's last, and sees what the others
 * have kept. */
PRIM bool and_rank_is_last(const and_rank_query &q, uint32_t shares, uint32_t *bins)
{
    prim_fence();
    prim_sync();
    if (prim_thread() == 0)
        bins[0] = prim_atomic_add(&q.state->done, 1) + 1 == shares;
    prim_fence();
    prim_sync();
    bool is_last = bins[0] != 0;
    prim_sync();
    return is_last;
}

/* Blocks that have no share may look at it meanwhile. */
PRIM void and_rank_clear(karg_and_state *state)
{
    for (uint32_t i = 0; i < sizeof *state / sizeof(uint32_t); i++)
        prim_store_now((uint32_t *)state + i, 0);
}

/* If too few or too many keys were kept, all are looked at again. */
PRIM void and_rank_answer(const karg_and_topk &a, const and_rank_query &q, const and_rank_space &s)
{
    const uint32_t kept = prim_load_now(&q.state->kept);
    const bool is_cut = q.n > KARG_AND_RANK_KEYS && kept >= a.k && kept <= q.capacity &&
                        !prim_load_now(&q.state->is_crowded);
    const uint64_t *from = is_cut ? q.kept : q.keys;
    const uint32_t n = is_cut ? kept : q.n;
    karg_found *count = prim_at<karg_found>(a.counts) + q.number;
    if (prim_thread() == 0)
        *count = {prim_load_now(&q.state->found.n), 0, prim_load_now(&q.state->found.damaged), 0};
    const uint32_t few = and_rank_has_two(a.k) ? (uint32_t)KARG_AND_RANK_KEYS : topk_power(a.k);
    uint32_t left = n;
    if (n <= few)
        left = and_rank_filter(from, n, 0, s.keys, few, s.bins);
    from = n <= few ? s.keys : from;
    uint64_t *best = s.keys;
    if (left > topk_power(a.k)) {
        best += and_rank_has_two(a.k) ? (uint32_t)KARG_AND_RANK_KEYS : 0;
        left = and_rank_filter(from, n, and_rank_cut(from, n, a.k, s.bins), best, a.k, s.bins);
        left = prim_min(left, a.k); /* damaged lists may repeat a document */
    }
    topk_write(best, left, a.k, prim_at<karg_pair>(a.pairs) + (uint64_t)q.number * a.k,
               &count->n_pairs);
    prim_sync();
    if (prim_thread() == 0)
        and_rank_clear(q.state);
}

/* By all blocks, so that none looks at anything when the host goes on: the last says so. */
PRIM void and_rank_end(const karg_and_topk &a)
{
    uint32_t *answered = prim_at<uint32_t>(a.answered);
    prim_fence_host();
    prim_sync();
    if (prim_thread() == 0 && prim_atomic_add(answered, 1) + 1 == prim_grid_size()) {
        *answered = 0;
        prim_fence_host();
        *prim_at<volatile uint32_t>(a.ended) = a.number;
    }
}

/* The k best of each query's keys, where k is large. */
RP_KERNEL_BOUNDED(and_batch_topk_rank_kernel, karg_and_topk, KARG_AND_RANK_BLOCK, 4)
{
    uint32_t *bins = (uint32_t *)prim_shared();
    const and_rank_space s = {bins, (uint64_t *)(bins + TOPK_WORDS)};
    const uint32_t number = and_rank_find(a);
    const and_rank_query q = and_rank_open(a, number);
    const uint32_t share =
        prim_block() - and_rank_before(prim_at<const karg_and_start>(a.starts), number);
    const uint32_t shares = q.n <= KARG_AND_RANK_KEYS ? 1 : (q.n - 1) / RANK_SHARE + 1;
    if (share < shares) {
        bool is_last = true;
        if (q.n > KARG_AND_RANK_KEYS) {
            and_rank_keep(q, share, a.k, s);
            is_last = and_rank_is_last(q, shares, bins);
        }
        if (is_last)
            and_rank_answer(a, q, s);
    }
    and_rank_end(a);
}
#endif
