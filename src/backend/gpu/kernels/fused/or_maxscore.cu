/* or_maxscore.cu: the k best documents of many ORs, of k up to KARG_OR_RANKED_HERE; else those that
 * may be among them.
 * Owns:   first a block a promising tile of a query, for what that tells of the k best; blocks wait
 *         for all of these once they were taken. Then a warp a tile of a query at a time, of some
 *         that it takes, the one with the greatest bound first; all queries come abreast. The warp
 *         that ends a query's last tiles ranks what was found.
 * Moves:  6 bytes a posting once, a lane's four neighbours at a time, the next ones on their way
 *         while these are added up; 8 bytes a term and tile. Shared, a warp: 4 bytes and a bit a
 *         document of a tile; its terms.
 *         stored_or_maxscore.cu also reads lists as they are stored, by blocks that meet the tile:
 *         two blocks of shared memory a warp more. count_or_maxscore.cu also counts what matches.
 * Limits: KARG_OR_TERMS terms; long_or_maxscore.cu: KARG_OR_LONG_TERMS. Ranks are cut to the
 *         list's and to a tile's documents, places to the tile.
 * Source: MaxScore (Turtle and Flood, 1995) by tiles, with bounds of tiles (Ding and Suel,
 *         2011). */
#include "backend/gpu/kernels/prim/prim.cuh"

#ifdef RP_KERNELS_STORED
enum { WARP_SHARED = KARG_OR_SHARED + KARG_OR_SHARED_STORED, BLOCKS_MIN = 5 };
#elif defined(RP_KERNELS_LONG)
enum { WARP_SHARED = KARG_OR_SHARED, BLOCKS_MIN = 5 };
#else
enum { WARP_SHARED = KARG_OR_SHARED, BLOCKS_MIN = 6 }; /* bytes; of a multiprocessor */
#endif
enum { SIZE = 1 << KARG_OR_TILE, WORDS = SIZE + SIZE / 32 + 32 };

/* A term of the query in work, in the tile in work. Without ratios its list is read as it is
 * stored: places are a karg_or_stored, and what it has there are blocks. */
struct alignas(16) source {
    uint64_t places, ratios;
    uint32_t first, end; /* its postings there */
    float weight;
    uint32_t rest; /* with skips, the most that it and all after can contribute there */
    uint64_t cells;
    uint32_t n, tile; /* postings of its list; where that is stored, the tile in work */
};
static_assert(4 * (int)WORDS == KARG_OR_SHARED && sizeof(source) == KARG_OR_SHARED_TERM,
              "what launches give");

/* Shared memory of a warp: a score a document; a bit for those that match, where a score of 0 is
 * one too; counts of what was found, by coarse bins. All are 0 between tiles. */
struct scratch {
    uint32_t *scores, *marks, *counts;
    source *sources;
};

struct work {
    karg_or_query query;
    karg_or_state *state;
    uint32_t number; /* of the query */
    bool is_ahead;   /* it is asked what a tile tells of the k best, and nothing else */
};

PRIM scratch lay_out(const karg_or &a)
{
    unsigned char *at = prim_shared() + KARG_OR_SHARED_BLOCK +
                        prim_warp() * (WARP_SHARED + a.max_terms * KARG_OR_SHARED_TERM);
    return {(uint32_t *)at, (uint32_t *)at + SIZE, (uint32_t *)at + SIZE + SIZE / 32,
            (source *)(at + 4 * WORDS)};
}

template <int N> PRIM void clear(uint32_t *at)
{
#pragma unroll
    for (int i = 0; i < N / 128; i++)
        ((uint4 *)at)[prim_lane() + 32 * i] = make_uint4(0, 0, 0, 0);
    if (N % 128 && prim_lane() < N % 128 / 4)
        ((uint4 *)at)[prim_lane() + N / 128 * 32] = make_uint4(0, 0, 0, 0);
}

/* ---- Postings -------------------------------------------------------------------------------- */

#ifdef RP_KERNELS_STORED
PRIM bool is_stored(const source &s)
{
    return s.ratios == 0;
}
/* Whether there are postings from `rank` on that lie in arrays. */
PRIM bool has_postings(const source &s, uint32_t rank)
{
    return rank < s.end && !is_stored(s);
}
PRIM bool is_passed(const source &s, uint32_t rank)
{
    return rank >= s.end || is_stored(s);
}
#else
PRIM bool has_postings(const source &s, uint32_t rank)
{
    return rank < s.end;
}
PRIM bool is_passed(const source &s, uint32_t rank)
{
    return rank >= s.end;
}
#endif

/* The lane's four neighbours from `rank` on; a list's arrays may be read past its end. Lanes past
 * the tile's postings have places that none of the others has. */
struct postings {
    uint2 places;
    uint4 ratios;
};
PRIM postings load(const source &s, uint32_t rank)
{
    const uint32_t own = 4 * prim_lane() * 0x10001;
    postings p = {{own + 0x10000, own + 0x30002}, {0, 0, 0, 0}};
    if (has_postings(s, rank)) {
        p.places = prim_load_once(prim_at<const uint2>(s.places) + rank / 4);
        p.ratios = prim_load_once(prim_at<const uint4>(s.ratios) + rank / 4);
    }
    return p;
}
/* Where every tile is looked into, the next one's postings follow this one's: about as many are
 * asked for. */
PRIM void ask_ahead(const source &s, uint32_t rank)
{
    const uint32_t next = rank + (s.end - s.first);
    if (next < s.n) {
        prim_prefetch(prim_at<const uint2>(s.places) + next / 4);
        prim_prefetch(prim_at<const uint4>(s.ratios) + next / 4);
    }
}
/* All of the term in the tile. */
PRIM void ask_all(const source &s)
{
    for (uint32_t rank = (s.first & ~15U) + 16 * prim_lane(); has_postings(s, rank);
         rank += 16 * 32)
        prim_prefetch(prim_at<const uint16_t>(s.places) + rank);
    for (uint32_t rank = (s.first & ~7U) + 8 * prim_lane(); has_postings(s, rank); rank += 8 * 32)
        prim_prefetch(prim_at<const score_share>(s.ratios) + rank);
}
/* The document of the tile that posting e of them is of. */
PRIM uint32_t place_of(uint2 places, uint32_t e)
{
    const uint32_t two = e < 2 ? places.x : places.y;
    return (e % 2 ? two >> 16 : two) & (SIZE - 1);
}

/* Adds those of the four that are among the term's n postings in the tile, the lane's first being
 * number `from`, and 0 for the others, so that lanes stay together; whether a document comes to
 * `need`. */
PRIM bool add(const scratch &r, const postings &p, float weight, uint32_t from, uint32_t n,
              uint32_t need)
{
    const uint32_t ratios[4] = {p.ratios.x, p.ratios.y, p.ratios.z, p.ratios.w};
    uint32_t total[4];
    bool hits = false;
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        const uint32_t fixed = from + e < n ? score_weighed(weight, score_share_of(ratios[e])) : 0;
        total[e] = fixed + prim_atomic_add(&r.scores[place_of(p.places, e)], fixed);
    }
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        hits |= total[e] >= need;
    for (uint32_t e = 0; need == 0 && e < 4; e++)
        if (from + e < n) {
            const uint32_t at = place_of(p.places, e);
            prim_atomic_or(&r.marks[at / 32], 1U << at % 32);
        }
    return hits;
}

#ifdef RP_KERNELS_COUNT /* or_maxscore_count.cuh */
PRIM void mark_zeros(const scratch &r, const postings &p, float weight, uint32_t from, uint32_t n);
#else
PRIM void mark_zeros(const scratch &, const postings &, float, uint32_t, uint32_t) {}
#endif

/* The lane's places in the last step of all, and how many steps there were; whether documents came
 * to what was asked. */
struct walked {
    uint2 places;
    uint32_t from, n, steps;
    bool hits;
};

#ifdef RP_KERNELS_STORED
/* Behind the warp's terms: docids of a block, and as many words more. */
PRIM uint32_t *block_of(const karg_or &a, const scratch &r)
{
    return (uint32_t *)(r.sources + a.max_terms);
}

/* All postings in the tile of those terms before `to` whose lists are read as they are stored. All
 * scores are cleared then. */
PRIM void add_stored(const karg_or &a, const scratch &r, uint32_t to, uint32_t need, uint32_t part,
                     uint32_t parts, walked *done)
{
    for (uint32_t t = 0; t < to; t++) {
        const source s = r.sources[t];
        for (uint32_t b = s.first + part; is_stored(s) && b < s.end; b += parts) {
            done->hits |=
                or_add_block(r.scores, block_of(a, r), s.places, s.tile, s.weight, b, 0, need);
            done->steps += 2;
        }
    }
}

/* As add_reaching, of a list that is read as it is stored. */
PRIM void add_blocks_reaching(const karg_or &a, const scratch &r, const source &s, uint32_t need)
{
    for (uint32_t b = s.first; b < s.end; b++)
        (void)or_add_block(r.scores, block_of(a, r), s.places, s.tile, s.weight, b, need,
                           UINT32_MAX);
    prim_sync_tile();
}
#endif

/* All postings in the tile of the terms before `to`; of warps that share them, what this one's part
 * is. */
PRIM walked add_terms(const karg_or &a, const scratch &r, uint32_t to, uint32_t need,
                      uint32_t part = 0, uint32_t parts = 1)
{
    source s = r.sources[0];
    uint32_t t = 0, base = (s.first & ~3U) + 128 * part;
    walked done = {{0, 0}, 0, 0, 0, false};
    auto find = [&]() {
        while (is_passed(s, base) && ++t < to) {
            s = r.sources[t];
            base = (s.first & ~3U) + 128 * part;
        }
    };
    find();
    postings next = load(s, base + 4 * prim_lane());
    if (!a.skips)
        ask_ahead(s, base + 4 * prim_lane());
    while (t < to) {
        const postings now = next;
        const float weight = s.weight;
        done = {now.places, base + 4 * prim_lane() - s.first, s.end - s.first, done.steps + 1,
                done.hits};
        base += 128 * parts;
        find();
        if (t < to)
            next = load(s, base + 4 * prim_lane());
        if (t < to && !a.skips)
            ask_ahead(s, base + 4 * prim_lane());
        done.hits |= add(r, now, weight, done.from, done.n, need);
        mark_zeros(r, now, weight, done.from, done.n);
    }
    prim_sync_tile();
    return done;
}

#ifdef RP_KERNELS_STORED
PRIM walked add_any_terms(const karg_or &a, const scratch &r, uint32_t to, uint32_t need,
                          uint32_t part = 0, uint32_t parts = 1)
{
    walked done = add_terms(a, r, to, need, part, parts);
    add_stored(a, r, to, need, part, parts, &done);
    prim_sync_tile();
    return done;
}
#else
PRIM walked add_any_terms(const karg_or &a, const scratch &r, uint32_t to, uint32_t need,
                          uint32_t part = 0, uint32_t parts = 1)
{
    return add_terms(a, r, to, need, part, parts);
}
#endif

/* Where a tile had few postings only their scores are cleared. */
PRIM void clear_scores(const scratch &r, const walked &done)
{
    if (done.steps > 1) {
        clear<SIZE>(r.scores);
        return;
    }
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        if (done.from + e < done.n)
            r.scores[place_of(done.places, e)] = 0;
}

/* The postings in the tile of one term, as far as their documents score `need`, which is above 0.
 * Places of some steps come at a time, then what is wanted of their ratios; lanes that want none
 * read one that is there. */
PRIM void add_reaching(const scratch &r, uint32_t t, uint32_t need)
{
    enum { STEPS = 4, EACH = 4 * STEPS };
    const source s = r.sources[t];
    for (uint32_t base = s.first & ~3U; base < s.end; base += 128 * STEPS) {
        uint2 places[STEPS];
        score_share ratios[EACH];
        uint32_t pending = 0;
        const uint32_t rank = base + 4 * prim_lane();
#pragma unroll
        for (uint32_t i = 0; i < STEPS; i++)
            places[i] = rank + 128 * i < s.end
                            ? prim_load_once(prim_at<const uint2>(s.places) + rank / 4 + 32 * i)
                            : make_uint2(0, 0);
#pragma unroll
        for (uint32_t i = 0; i < EACH; i++) {
            bool is_in = rank + 128 * (i / 4) + i % 4 - s.first < s.end - s.first;
            pending |= (uint32_t)(is_in && r.scores[place_of(places[i / 4], i % 4)] >= need) << i;
        }
        if (prim_ballot<32>(pending != 0) == 0)
            continue;
#pragma unroll
        for (uint32_t i = 0; i < EACH; i++)
            ratios[i] = prim_load(prim_at<const score_share>(s.ratios) +
                                  (pending >> i & 1 ? rank + 128 * (i / 4) + i % 4 : s.first));
#pragma unroll
        for (uint32_t i = 0; i < EACH; i++)
            if (pending >> i & 1)
                prim_atomic_add(&r.scores[place_of(places[i / 4], i % 4)],
                                score_weighed(s.weight, ratios[i]));
    }
    prim_sync_tile();
}

#ifdef RP_KERNELS_STORED
PRIM void add_any_reaching(const karg_or &a, const scratch &r, uint32_t t, uint32_t need)
{
    const source s = r.sources[t];
    if (is_stored(s))
        add_blocks_reaching(a, r, s, need);
    else
        add_reaching(r, t, need);
}
#else
PRIM void add_any_reaching(const karg_or &, const scratch &r, uint32_t t, uint32_t need)
{
    add_reaching(r, t, need);
}
#endif

/* ---- Documents that may enter ---------------------------------------------------------------- */

/* Calls each(place, score) for the lane's documents that score at least `least`; at 0: that match.
 * Few do: loops that look closer are not unrolled, since instructions that come from memory take
 * longer than they. */
template <class EACH> PRIM void look_through(const scratch &r, uint32_t min_score, EACH each)
{
    uint32_t fours = 0;
#pragma unroll 4
    for (uint32_t i = 0; i < SIZE / 128; i++) {
        const uint4 v = ((const uint4 *)r.scores)[prim_lane() + 32 * i];
        fours |= (uint32_t)(prim_max(prim_max(v.x, v.y), prim_max(v.z, v.w)) >= min_score) << i;
    }
#pragma unroll 1
    for (; fours; fours &= fours - 1)
#pragma unroll 1
        for (uint32_t e = 0; e < 4; e++) {
            const uint32_t at = 4 * (prim_lane() + 32 * prim_lowest(fours)) + e,
                           score = r.scores[at];
            if (min_score ? score >= min_score : r.marks[at / 32] >> at % 32 & 1)
                each(at, score);
        }
}

PRIM uint32_t best_score(const scratch &r)
{
    uint32_t best = 0;
#pragma unroll 4
    for (uint32_t i = prim_lane(); i < SIZE / 4; i += 32) {
        const uint4 v = ((const uint4 *)r.scores)[i];
        best = prim_max(best, prim_max(prim_max(v.x, v.y), prim_max(v.z, v.w)));
    }
    return best;
}

/* Whether a document that was added to scores `need`; those of one step are known. */
PRIM bool do_some_reach(const scratch &r, const walked &done, uint32_t need)
{
    uint32_t best = 0;
    if (done.steps > 1)
        best = best_score(r);
    else
#pragma unroll
        for (uint32_t e = 0; e < 4; e++)
            best = prim_max(best, r.scores[place_of(done.places, e)]);
    return prim_ballot<32>(best >= need) != 0;
}

/* A score that k documents of the tile reach, if each lane's best are among them; 0: nobody
 * knows. */
PRIM uint32_t known_score(const scratch &r, uint32_t k)
{
    const uint32_t best = best_score(r);
    uint32_t better = 0;
    if (k > 32)
        return 0;
#pragma unroll 8
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t other = prim_shuffle<32>(best, lane);
        better += other > best || (other == best && lane < prim_lane());
    }
    return prim_shuffle<32>(best, prim_lowest(prim_ballot<32>(better == k - 1)));
}

/* ---- What a query has found ------------------------------------------------------------------ */

/* A warp: the bin from the top in which the need-th number is, of 32 whose counts are `mine`, the
 * highest bin lane 0's. 32: there are fewer. *before: how many are in those above. */
PRIM uint32_t find_bin(uint32_t mine, uint32_t need, uint32_t *before)
{
    const uint32_t up_to = scan_add<32>(mine), some = prim_ballot<32>(up_to >= need);
    const uint32_t lane = some ? prim_lowest(some) : 0;
    *before = prim_shuffle<32>(up_to - mine, lane);
    return some ? 31 - lane : 32;
}

/* More may have become known since: the greatest score that k documents reach, to within a bin. */
PRIM void raise(const karg_or &a, const work &w)
{
    karg_or_bins *bins = &w.state->bins[w.is_ahead];
    uint32_t before, in;
    const uint32_t group = find_bin(prim_look(&bins->coarse[31 - prim_lane()]), a.k, &before);
    if (group == 32)
        return;
    const uint32_t *fine = bins->fine + 32 * group;
    const uint32_t bin = find_bin(prim_look(&fine[31 - prim_lane()]), a.k - before, &in);
    if (bin < 32 && prim_lane() == 0)
        prim_atomic_max(&w.state->min_score, (32 * group + bin) << w.query.shift);
}
static_assert(KARG_OR_BINS == 32 * 32, "as find_bin wants them");

/* What lane 0 sees holds for all. */
PRIM uint32_t min_score_of(const work &w, uint32_t seen)
{
    return prim_max(w.query.min_score, prim_shuffle<32>(seen, 0));
}

/* The documents of the tile, which begins at `base`, that may be among the k best: their keys to
 * what the query has found, unless they will be found again; and what they tell of the k best. */
PRIM_APART void push(const karg_or &a, work w, uint32_t base, uint32_t min_score)
{
    const scratch r = lay_out(a);
    karg_or_bins *bins = &w.state->bins[w.is_ahead];
    uint32_t mine = 0, at = 0;
    min_score = prim_max(min_score, known_score(r, a.k));
    look_through(r, min_score, [&](uint32_t, uint32_t) { mine++; });
    const uint32_t up_to = scan_add<32>(mine), n = prim_shuffle<32>(up_to, 31);
    if (n == 0)
        return;
    uint64_t *found = prim_at<uint64_t>(a.found) + (uint64_t)w.number * a.capacity;
    if (prim_lane() == 0 && !w.is_ahead)
        at = prim_atomic_add(&w.state->found, n);
    at = prim_shuffle<32>(at, 0) + up_to - mine;
    look_through(r, min_score, [&](uint32_t place, uint32_t score) {
        const uint32_t bin = prim_min(score >> w.query.shift, KARG_OR_BINS - 1U);
        if (at < a.capacity && !w.is_ahead)
            found[at] = topk_key(score, base + place);
        at++;
        prim_atomic_add(&r.counts[bin / 32], 1);
        prim_atomic_add(&bins->fine[bin], 1);
    });
    prim_sync_tile();
    if (r.counts[prim_lane()])
        prim_atomic_add(&bins->coarse[prim_lane()], r.counts[prim_lane()]);
    r.counts[prim_lane()] = 0;
    prim_fence();
    prim_sync_tile();
    raise(a, w);
}

/* ---- A tile ---------------------------------------------------------------------------------- */

#ifdef RP_KERNELS_LONG
#include "backend/gpu/kernels/fused/or_maxscore_long.cuh"
#else
#include "backend/gpu/kernels/fused/or_maxscore_short.cuh"
#endif

/* Terms are added up in turn; once those left cannot lift a document by themselves, they are added
 * only to documents that they can lift. */
PRIM void do_tile(const karg_or &a, const scratch &r, const work &w, uint32_t tile,
                  uint32_t min_score)
{
    const uint32_t n = w.query.n_terms;
    uint32_t t = read_wholly(a, r, n, min_score);
    if (t == 0)
        return;
    const walked done = add_any_terms(a, r, t, t < n ? min_score - r.sources[t].rest : min_score);
    bool is_some = prim_ballot<32>(done.hits) != 0;
    for (; is_some && t < n && r.sources[t].rest > 0; t++) {
        add_any_reaching(a, r, t, min_score - r.sources[t].rest);
        is_some = do_some_reach(r, done, t + 1 < n ? min_score - r.sources[t + 1].rest : min_score);
    }
    if (is_some)
        push(a, w, tile * SIZE, min_score);
    prim_sync_tile();
    if (min_score == 0)
        clear<SIZE / 32>(r.marks);
    clear_scores(r, done);
    prim_sync_tile();
}

/* The most that a document of a tile can score; a lane a tile. */
PRIM uint32_t bound_of(const scratch &r, const work &w, uint32_t tile)
{
    uint32_t sum = 0;
#pragma unroll 4
    for (uint32_t t = 0; t < w.query.n_terms; t++) {
        const karg_cell *cells = prim_at<const karg_cell>(r.sources[t].cells);
        sum += score_weighed(r.sources[t].weight, score_share_of(prim_load(&cells[tile].top)));
    }
    return sum;
}

/* Of the lanes that are wanted, a bit each, the one whose tile promises most: what it holds lets
 * others be passed over. */
PRIM uint32_t best_tiles(const karg_or &a, uint32_t pending, uint32_t bound)
{
    if (!a.skips) /* there are no bounds */
        return prim_lowest(pending);
    const uint32_t mine = pending >> prim_lane() & 1 ? bound : 0;
    return prim_lowest(pending & prim_ballot<32>(mine == scan_max<32>(mine)));
}

/* Some tiles of a query: neighbours where each is looked into; else they lie as far from each other
 * as can be, since one that has much to tell has neighbours that have. */
PRIM void do_group(const karg_or &a, const scratch &r, uint32_t group)
{
    karg_or_term term;
    const work w = open_query(a, r, group % a.n_queries, false, &term);
    const uint32_t number = group / a.n_queries, apart = a.skips ? a.n_groups : 1;
    const uint32_t from = a.skips ? number : number * a.group;
    const uint32_t n = prim_min(prim_div_up(a.n_tiles - from, apart), a.group),
                   mine = from + prim_lane() * apart;
    uint32_t seen = prim_look(&w.state->min_score);
    const uint32_t bound = a.skips && prim_lane() < n ? bound_of(r, w, mine) : 0;
    uint32_t min_score = min_score_of(w, seen),
             pending = prim_ballot<32>(prim_lane() < n && (!a.skips || bound >= min_score));
    uint32_t next = pending ? best_tiles(a, pending, bound) : 0,
             tile = prim_shuffle<32>(mine, next);
    look there = look_up(w, term, tile);
    while (pending) {
        const uint32_t here = tile, enough = min_score;
        put_sources(a, r, w, term, there, here);
        pending &= ~(1U << next);
        if (pending) {
            next = best_tiles(a, pending, bound);
            tile = prim_shuffle<32>(mine, next);
            there = look_up(w, term, tile);
            seen = prim_look(&w.state->min_score);
        }
        do_tile(a, r, w, here, enough);
        min_score = min_score_of(w, seen);
        pending &= prim_ballot<32>(!a.skips || bound >= min_score);
    }
    prim_fence();
    prim_sync_tile();
}

/* ---- Ahead of all others --------------------------------------------------------------------- */

/* What all threads of a block tell each other. */
struct shared_words {
    uint32_t taken, zero[3];
    uint2 choices[4]; /* of each warp: what a tile promises, and which it is */
};
static_assert(sizeof(shared_words) == KARG_OR_SHARED_BLOCK && 4 * 32 == KARG_OR_THREADS,
              "what launches give");

/* All threads of a block: the tile that promises most of number `from` and those n_ahead apart from
 * it. */
PRIM uint32_t choose(const karg_or &a, const scratch &r, const work &w, uint32_t from)
{
    shared_words *words = (shared_words *)prim_shared();
    uint32_t tile = from, bound = 0;
    for (uint32_t i = from + prim_thread() * a.n_ahead; i < a.n_tiles;
         i += prim_block_size() * a.n_ahead) {
        const uint32_t this_bound = bound_of(r, w, i);
        tile = this_bound > bound ? i : tile;
        bound = prim_max(bound, this_bound);
    }
    const uint32_t best = scan_max<32>(bound), lane = prim_lowest(prim_ballot<32>(bound == best));
    if (prim_lane() == lane)
        words->choices[prim_warp()] = make_uint2(bound, tile);
    prim_sync();
    uint2 choice = words->choices[0];
    for (uint32_t i = 1; i < prim_block_size() / 32; i++)
        choice = words->choices[i].x > choice.x ? words->choices[i] : choice;
    return choice.y;
}

/* All threads of a block, whose warps share a promising tile: what it tells of the k best of its
 * query. */
PRIM void look_ahead(const karg_or &a, const scratch &r, uint32_t group)
{
    karg_or_term term;
    const work w = open_query(a, r, group % a.n_queries, true, &term);
    const uint32_t tile = choose(a, r, w, group / a.n_queries), warp = prim_warp(),
                   warps = prim_block_size() / 32;
    uint32_t *scores = (uint32_t *)(prim_shared() + KARG_OR_SHARED_BLOCK);
    const scratch first = {scores, scores + SIZE, nullptr, r.sources};
    put_sources(a, r, w, term, look_up(w, term, tile), tile);
    for (uint32_t t = warp; t < w.query.n_terms; t += warps)
        ask_all(r.sources[t]);
    add_any_terms(a, first, w.query.n_terms, w.query.min_score, warp, warps);
    prim_sync();
    if (warp == 0) {
        push(a, w, tile * SIZE, w.query.min_score);
        prim_sync_tile();
        clear<WORDS>(first.scores);
        prim_fence();
    }
    prim_sync();
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* By the warp that did the query's last tiles: the k best, at most 32, of what was found, to the
 * host, and when all queries have come so far, their number. The state is 0 again. */
PRIM_APART void answer(const karg_or &a, uint32_t number)
{
    const scratch r = lay_out(a);
    const karg_or_query query = or_queries(a)[number];
    karg_or_state *state = prim_at<karg_or_state>(a.states) + number;
    const uint64_t *found = prim_at<const uint64_t>(a.found) + (uint64_t)number * a.capacity;
    const uint32_t n = prim_load_now(&state->found),
                   min_score = prim_max(prim_load_now(&state->min_score), query.min_score);
    const bool is_lost = prim_ballot<32>(damage_of(a, query)) || n > a.capacity;
    auto key = [=](uint32_t i) { return prim_load_now64(&found[i]); };
    const uint64_t best =
        is_lost ? 0 : topk_warp_of<1, 1>(key, n, a.k, min_score, (uint64_t *)r.scores);
    const uint32_t there = prim_ballot<32>(best != 0 && prim_lane() < a.k);
    if (there >> prim_lane() & 1)
        prim_at<karg_pair>(a.out)[(uint64_t)number * a.k + prim_lane()] = topk_pair(best);
    if (prim_lane() == 0)
        prim_at<uint32_t>(a.counts)[number] = is_lost ? ~0U : prim_count(there);
#pragma unroll 1
    for (uint32_t i = prim_lane(); i < sizeof *state / 16; i += 32)
        ((uint4 *)state)[i] = make_uint4(0, 0, 0, 0);
    prim_sync_tile();
    clear<2 * TOPK_WARP_SCRATCH>(r.scores);
    prim_fence_host();
    prim_sync_tile();
    or_tell(a);
}

/* By a warp that ended a group of the query, which answers it if it was the last. */
PRIM void end_group(const karg_or &a, uint32_t number)
{
    karg_or_state *state = prim_at<karg_or_state>(a.states) + number;
    uint32_t before = 0;
    if (prim_lane() == 0)
        before = prim_atomic_add(&state->done, 1);
    prim_fence();
    if (prim_shuffle<32>(before, 0) + 1 == a.n_groups)
        answer(a, number);
}

/* ---- A launch -------------------------------------------------------------------------------- */

/* All threads of a block: how many were taken of what `counter` counts, before this block took
 * `n`. */
PRIM uint32_t take_together(const karg_or &a, uint32_t counter, uint32_t n)
{
    shared_words *words = (shared_words *)prim_shared();
    prim_sync();
    if (prim_thread() == 0)
        words->taken = prim_atomic_add(or_counter(a, counter), n) - a.before[counter];
    prim_sync();
    return words->taken;
}

/* By a block that has looked into a promising tile: if it was the last, all blocks are notified,
 * each where it looks. */
PRIM void end_ahead(const karg_or &a)
{
    uint32_t before = 0;
    if (prim_warp() > 0)
        return;
    if (prim_lane() == 0)
        before = prim_atomic_add(or_counter(a, KARG_OR_AHEAD), 1) - a.before[KARG_OR_AHEAD];
    prim_fence();
    if (prim_shuffle<32>(before, 0) == a.n_ahead * a.n_queries - 1)
        prim_store_now(or_bell(a, prim_lane()), a.number);
}

/* All threads of a block: promising tiles, until all were taken; then waits until it is known what
 * they tell. The block's first groups of tiles. */
PRIM uint32_t look_ahead_all(const karg_or &a, const scratch &r)
{
    for (uint32_t group;
         (group = take_together(a, KARG_OR_TAKEN_AHEAD, 1)) < a.n_ahead * a.n_queries;) {
        look_ahead(a, r, group);
        end_ahead(a);
    }
    const uint32_t taken = take_together(a, KARG_OR_TAKEN, prim_block_size() / 32);
    while (prim_thread() == 0 && prim_look(or_bell(a, prim_block() % KARG_OR_BELLS)) != a.number)
        prim_rest();
    prim_sync();
    return taken;
}

#ifdef RP_KERNELS_COUNT
#include "backend/gpu/kernels/fused/or_maxscore_count.cuh"
#else
PRIM void run_group(const karg_or &a, const scratch &r, uint32_t group)
{
    do_group(a, r, group);
    if (a.k <= KARG_OR_RANKED_HERE)
        end_group(a, group % a.n_queries);
}
#endif

RP_KERNEL_BOUNDED(or_maxscore_kernel, karg_or, KARG_OR_THREADS, BLOCKS_MIN)
{
    const scratch r = lay_out(a);
    uint32_t ticket = 0;
    clear<WORDS>(r.scores);
    prim_sync();
    uint32_t group = look_ahead_all(a, r) + prim_warp();
    while (group < a.n_groups * a.n_queries) {
        if (prim_lane() == 0)
            ticket = prim_atomic_add(or_counter(a, KARG_OR_TAKEN), 1);
        run_group(a, r, group);
        group = prim_shuffle<32>(ticket, 0) - a.before[KARG_OR_TAKEN];
    }
}
