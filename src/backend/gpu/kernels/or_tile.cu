/* or_tile.cu: the documents of many ORs that may be among the k best, with their scores; before that, by a kernel of its
 * own, what some promising tiles tell of the k best.
 * Owns:   a warp one tile of one query at a time, and waits for no other. It takes some neighbours, the one with the
 *         greatest bound first; all queries come abreast, so that tiles meet what those before have found.
 * Moves:  6 bytes a posting once, a lane's four neighbours at a time, the next ones on their way while these are
 *         added up; 8 bytes a term and tile. Shared, a warp: 4 bytes and a bit a document of a tile; its terms.
 * Limits: KARG_OR_TERMS terms. Ranks are cut to the list's and to a tile's documents, places to the tile.
 * Source: MaxScore (Turtle and Flood, 1995) by tiles, with bounds of tiles (Ding and Suel, 2011). */
#include "backend/gpu/kernels/prim/best.cuh"
#include "backend/gpu/kernels/prim/bm25.cuh"
#include "backend/gpu/kernels/prim/or.cuh"

enum { SIZE = 1 << KARG_OR_TILE, WORDS = SIZE + SIZE / 32 };

/* A term of the query in work, in the tile in work. */
struct alignas(16) source {
    uint64_t places, ratios;
    uint32_t first, end; /* its postings there */
    float weight;
    uint32_t rest;       /* with skips, the most that it and all after can contribute there */
    uint64_t cells;
    uint32_t n, zero;    /* postings of its list */
};
static_assert(4 * (int)WORDS == KARG_OR_SHARED && sizeof(source) == KARG_OR_SHARED_TERM, "what launches give");

/* Shared memory of a warp: a score a document; a bit for those that match, where a score of 0 is one too. Both are 0
 * between tiles. */
struct room {
    uint32_t *scores, *marks;
    source *sources;
};

struct work {
    karg_or_query query;
    karg_or_state *state;
    uint32_t number; /* of the query */
    bool is_ahead;   /* nothing is kept but what it tells of the k best */
};

PRIM room lay_out(const karg_or &a)
{
    unsigned char *at = prim_shared() + prim_warp() * (KARG_OR_SHARED + a.most_terms * KARG_OR_SHARED_TERM);
    return {(uint32_t *)at, (uint32_t *)at + SIZE, (source *)(at + 4 * WORDS)};
}

template <int N> PRIM void clear(uint32_t *at)
{
#pragma unroll
    for (int i = 0; i < N / 128; i++)
        ((uint4 *)at)[prim_lane() + 32 * i] = make_uint4(0, 0, 0, 0);
    if (N % 128 && prim_lane() < N % 128 / 4)
        ((uint4 *)at)[prim_lane() + N / 128 * 32] = make_uint4(0, 0, 0, 0);
}

/* ---- Postings ----------------------------------------------------------------------------------- */

/* The lane's four neighbours from `rank` on; a list's arrays may be read past its end. Lanes past the tile's postings have
 * places that none of the others has. */
struct postings {
    uint2 places;
    uint4 ratios;
};
PRIM postings load(const source &s, uint32_t rank)
{
    const uint32_t own = 4 * prim_lane() * 0x10001;
    postings p = {{own + 0x10000, own + 0x30002}, {0, 0, 0, 0}};
    if (rank < s.end) {
        p.places = prim_load_once(prim_at<const uint2>(s.places) + rank / 4);
        p.ratios = prim_load_once(prim_at<const uint4>(s.ratios) + rank / 4);
    }
    return p;
}
/* Where every tile is looked into, the next one's postings follow this one's: about as many are asked for. */
PRIM void ask_ahead(const source &s, uint32_t rank)
{
    const uint32_t next = rank + (s.end - s.first);
    if (next < s.n) {
        prim_prefetch(prim_at<const uint2>(s.places) + next / 4);
        prim_prefetch(prim_at<const uint4>(s.ratios) + next / 4);
    }
}
/* The document of the tile that posting e of them is of. */
PRIM uint32_t place_of(uint2 places, uint32_t e)
{
    const uint32_t two = e < 2 ? places.x : places.y;
    return (e % 2 ? two >> 16 : two) & (SIZE - 1);
}

/* Adds those of the four that are among the term's n postings in the tile, the lane's first being number `from`, and 0
 * for the others, so that lanes stay together; whether a document comes to `need`. */
PRIM bool add(const room &r, const postings &p, float weight, uint32_t from, uint32_t n, uint32_t need)
{
    const uint32_t ratios[4] = {p.ratios.x, p.ratios.y, p.ratios.z, p.ratios.w};
    uint32_t total[4];
    bool hits = false;
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        const uint32_t fixed = from + e < n ? bm25_weighed(weight, prim_real(ratios[e])) : 0;
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

/* The lane's places in the last step of all, and how many steps there were; whether documents came to what was asked. */
struct walked {
    uint2 places;
    uint32_t from, n, steps;
    bool hits;
};

/* All postings in the tile of the terms before `to`. */
PRIM walked add_terms(const karg_or &a, const room &r, uint32_t to, uint32_t need)
{
    source s = r.sources[0];
    uint32_t t = 0, base = s.first & ~3U;
    walked done = {{0, 0}, 0, 0, 0, false};
    auto find = [&]() {
        while (base >= s.end && ++t < to) {
            s = r.sources[t];
            base = s.first & ~3U;
        }
    };
    find();
    postings next = load(s, base + 4 * prim_lane());
    if (!a.skips)
        ask_ahead(s, base + 4 * prim_lane());
    while (t < to) {
        const postings now = next;
        const float weight = s.weight;
        done = {now.places, base + 4 * prim_lane() - s.first, s.end - s.first, done.steps + 1, done.hits};
        base += 128;
        find();
        if (t < to)
            next = load(s, base + 4 * prim_lane());
        if (t < to && !a.skips)
            ask_ahead(s, base + 4 * prim_lane());
        done.hits |= add(r, now, weight, done.from, done.n, need);
    }
    prim_sync_tile();
    return done;
}

/* Where a tile had few postings only their scores are cleared. */
PRIM void clear_scores(const room &r, const walked &done)
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

/* The postings in the tile of one term, as far as their documents score `need`, which is above 0. Places of some steps
 * come at a time, then what is wanted of their ratios; lanes that want none read one that is there. */
PRIM void add_reaching(const room &r, uint32_t t, uint32_t need)
{
    enum { STEPS = 4, EACH = 4 * STEPS };
    const source s = r.sources[t];
    for (uint32_t base = s.first & ~3U; base < s.end; base += 128 * STEPS) {
        uint2 places[STEPS];
        float ratios[EACH];
        uint32_t wanted = 0;
        const uint32_t rank = base + 4 * prim_lane();
#pragma unroll
        for (uint32_t i = 0; i < STEPS; i++)
            places[i] = rank + 128 * i < s.end ? prim_load_once(prim_at<const uint2>(s.places) + rank / 4 + 32 * i)
                                               : make_uint2(0, 0);
#pragma unroll
        for (uint32_t i = 0; i < EACH; i++) {
            bool is_in = rank + 128 * (i / 4) + i % 4 - s.first < s.end - s.first;
            wanted |= (uint32_t)(is_in && r.scores[place_of(places[i / 4], i % 4)] >= need) << i;
        }
        if (prim_ballot<32>(wanted != 0) == 0)
            continue;
#pragma unroll
        for (uint32_t i = 0; i < EACH; i++)
            ratios[i] = prim_load(prim_at<const float>(s.ratios) +
                                  (wanted >> i & 1 ? rank + 128 * (i / 4) + i % 4 : s.first));
#pragma unroll
        for (uint32_t i = 0; i < EACH; i++)
            if (wanted >> i & 1)
                prim_atomic_add(&r.scores[place_of(places[i / 4], i % 4)], bm25_weighed(s.weight, ratios[i]));
    }
    prim_sync_tile();
}

/* ---- Documents that may enter ------------------------------------------------------------------- */

/* Calls each(place, score) for the lane's documents that score at least `least`; at 0: that match. */
template <class EACH> PRIM void look_through(const room &r, uint32_t least, EACH each)
{
#pragma unroll 2
    for (uint32_t i = prim_lane(); i < SIZE / 4; i += 32) {
        const uint4 v = ((const uint4 *)r.scores)[i];
        if (least && prim_max(prim_max(v.x, v.y), prim_max(v.z, v.w)) < least)
            continue;
        const uint32_t scores[4] = {v.x, v.y, v.z, v.w}, marks = r.marks[i / 8] >> 4 * (i % 8);
#pragma unroll
        for (uint32_t e = 0; e < 4; e++)
            if (least ? scores[e] >= least : marks >> e & 1)
                each(4 * i + e, scores[e]);
    }
}

PRIM uint32_t best_score(const room &r)
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
PRIM bool do_some_reach(const room &r, const walked &done, uint32_t need)
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

/* A score that k documents of the tile reach, if each lane's best are among them; 0: nobody knows. */
PRIM uint32_t known_score(const room &r, uint32_t k)
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

/* ---- What a query has found --------------------------------------------------------------------- */

/* A warp: the bin from the top in which the need-th number is, of 32 whose counts are `mine`, the highest bin lane 0's.
 * 32: there are fewer. *before: how many are in those above. */
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
    const uint32_t group = find_bin(prim_load_now(&bins->coarse[31 - prim_lane()]), a.k, &before);
    if (group == 32)
        return;
    const uint32_t *fine = bins->fine + 32 * group;
    const uint32_t bin = find_bin(prim_load_now(&fine[31 - prim_lane()]), a.k - before, &in);
    if (bin < 32 && prim_lane() == 0)
        prim_atomic_max(&w.state->least, (32 * group + bin) << w.query.shift);
}
static_assert(KARG_OR_BINS == 32 * 32, "as find_bin wants them");

/* What lane 0 sees holds for all. */
PRIM uint32_t least_of(const work &w, uint32_t seen) { return prim_max(w.query.least, prim_shuffle<32>(seen, 0)); }

/* The documents of the tile, which begins at `base`, that may be among the k best: their keys to what the query has
 * found, which tells of the k best too. */
PRIM_APART void push(const karg_or &a, work w, uint32_t base, uint32_t least)
{
    const room r = lay_out(a);
    uint32_t mine = 0, at = 0;
    least = prim_max(prim_max(least, least_of(w, prim_load_now(&w.state->least))), known_score(r, a.k));
    look_through(r, least, [&](uint32_t, uint32_t) { mine++; });
    const uint32_t up_to = scan_add<32>(mine), n = prim_shuffle<32>(up_to, 31);
    if (n == 0)
        return;
    uint64_t *found = prim_at<uint64_t>(a.found) + (uint64_t)w.number * a.room;
    if (prim_lane() == 0 && !w.is_ahead)
        at = prim_atomic_add(&w.state->found, n);
    at = prim_shuffle<32>(at, 0) + up_to - mine;
    look_through(r, least, [&](uint32_t place, uint32_t score) {
        const uint32_t bin = prim_min(score >> w.query.shift, KARG_OR_BINS - 1U);
        if (at < a.room && !w.is_ahead)
            found[at] = best_key(score, base + place);
        at++;
        prim_atomic_add(&w.state->bins[w.is_ahead].coarse[bin / 32], 1);
        prim_atomic_add(&w.state->bins[w.is_ahead].fine[bin], 1);
    });
    prim_fence();
    prim_sync_tile();
    raise(a, w);
}

/* ---- A tile ------------------------------------------------------------------------------------- */

/* Terms are added up in turn; once those left cannot lift a document by themselves, they are added only to documents
 * that they can lift. */
PRIM void do_tile(const karg_or &a, const room &r, const work &w, uint32_t tile, uint32_t least)
{
    const uint32_t n = w.query.n_terms;
    uint32_t t = a.skips ? 0 : n;
    while (t < n && r.sources[t].rest >= least)
        t++;
    if (t == 0)
        return;
    const walked done = add_terms(a, r, t, t < n ? least - r.sources[t].rest : least);
    bool is_some = prim_ballot<32>(done.hits) != 0;
    for (; is_some && t < n && r.sources[t].rest > 0; t++) {
        add_reaching(r, t, least - r.sources[t].rest);
        is_some = do_some_reach(r, done, t + 1 < n ? least - r.sources[t + 1].rest : least);
    }
    if (is_some)
        push(a, w, tile * SIZE, least);
    prim_sync_tile();
    if (least == 0)
        clear<SIZE / 32>(r.marks);
    clear_scores(r, done);
    prim_sync_tile();
}

/* The most that a document of a tile can score; a lane a tile. */
PRIM uint32_t bound_of(const room &r, const work &w, uint32_t tile)
{
    uint32_t sum = 0;
#pragma unroll 4
    for (uint32_t t = 0; t < w.query.n_terms; t++) {
        const karg_cell *cells = prim_at<const karg_cell>(r.sources[t].cells);
        sum += bm25_weighed(r.sources[t].weight, prim_real(prim_load(&cells[tile].top)));
    }
    return sum;
}

/* Of the tiles that are wanted, a bit each, the one that promises most: what it holds lets others be passed over. */
PRIM uint32_t most_promising(const karg_or &a, uint32_t wanted, uint32_t bound)
{
    if (!a.skips)
        return prim_lowest(wanted);
    const uint32_t mine = wanted >> prim_lane() & 1 ? bound : 0;
    return prim_lowest(wanted & prim_ballot<32>(mine == scan_max<32>(mine)));
}

/* What lane t knows of term t in a tile. */
struct look {
    uint32_t first, top, end;
};
PRIM look look_up(const work &w, const karg_or_term &term, uint32_t tile)
{
    if (prim_lane() >= w.query.n_terms)
        return {0, 0, 0};
    const uint2 *cells = prim_at<const uint2>(term.list.cells);
    const uint2 here = prim_load(&cells[tile]), after = prim_load(&cells[tile + 1]);
    return {here.x, here.y, after.x};
}

/* Tells all lanes. */
PRIM void put_sources(const karg_or &a, const room &r, const work &w, const karg_or_term &term, look l)
{
    uint32_t rest = 0;
    if (a.skips) {
        const uint32_t up = prim_lane() < w.query.n_terms ? bm25_weighed(term.weight, prim_real(l.top)) : 0;
        const uint32_t up_to = scan_add<32>(up);
        rest = prim_shuffle<32>(up_to, 31) - (up_to - up);
    }
    const uint32_t end = prim_min(prim_min(l.end, term.list.n), l.first + SIZE);
    prim_sync_tile();
    if (prim_lane() < w.query.n_terms) {
        source *s = &r.sources[prim_lane()];
        s->first = l.first < end ? l.first : 0;
        s->end = l.first < end ? end : 0;
        s->rest = rest;
    }
    prim_sync_tile();
}

/* A query, and, of lane t, its term t; all are told where its lists lie. */
PRIM work open_query(const karg_or &a, const room &r, uint32_t number, karg_or_term *term)
{
    work w;
    w.number = number;
    w.query = or_queries(a)[number];
    w.state = prim_at<karg_or_state>(a.states) + number;
    w.is_ahead = false;
    *term = {{0, 0, 0, 0, 0, 0}, 0, 0};
    if (prim_lane() < w.query.n_terms) {
        *term = or_terms(a)[w.query.term + prim_lane()];
        r.sources[prim_lane()] = {term->list.places, term->list.ratios, 0, 0, term->weight, 0, term->list.cells,
                                  term->list.n, 0};
    }
    prim_sync_tile();
    return w;
}

/* Some tiles of a query that follow each other. */
PRIM void do_group(const karg_or &a, const room &r, uint32_t group)
{
    karg_or_term term;
    const work w = open_query(a, r, group % a.n_queries, &term);
    const uint32_t from = group / a.n_queries * a.group, n = prim_min(a.n_tiles - from, a.group);
    uint32_t seen = prim_load_now(&w.state->least);
    const uint32_t bound = a.skips && prim_lane() < n ? bound_of(r, w, from + prim_lane()) : 0;
    uint32_t least = least_of(w, seen), wanted = prim_ballot<32>(prim_lane() < n && (!a.skips || bound >= least));
    uint32_t next = wanted ? most_promising(a, wanted, bound) : 0;
    look there = look_up(w, term, from + next);
    while (wanted) {
        const uint32_t here = next, enough = least;
        put_sources(a, r, w, term, there);
        wanted &= ~(1U << here);
        if (wanted) {
            next = most_promising(a, wanted, bound);
            there = look_up(w, term, from + next);
            seen = prim_load_now(&w.state->least);
        }
        do_tile(a, r, w, from + here, enough);
        least = least_of(w, seen);
        wanted &= prim_ballot<32>(!a.skips || bound >= least);
    }
    prim_sync_tile();
}

/* One of `ahead` tiles, that which promises most: what it holds raises the query's threshold. */
RP_KERNEL_BOUNDED(or_tile_ahead_kernel, karg_or, 128, 6)
{
    const room r = lay_out(a);
    const uint32_t number = prim_block() * (prim_block_size() / 32) + prim_warp(), from = number / a.n_queries * a.ahead;
    if (from >= a.n_tiles)
        return;
    clear<WORDS>(r.scores);
    karg_or_term term;
    work w = open_query(a, r, number % a.n_queries, &term);
    w.is_ahead = true;
    uint32_t best = 0, tile = from;
    for (uint32_t i = from + prim_lane(); i < prim_min(from + a.ahead, a.n_tiles); i += 32) {
        const uint32_t bound = bound_of(r, w, i);
        tile = bound > best ? i : tile;
        best = prim_max(best, bound);
    }
    const uint32_t most = scan_max<32>(best), least = least_of(w, prim_load_now(&w.state->least));
    tile = prim_shuffle<32>(tile, prim_lowest(prim_ballot<32>(best == most)));
    if (most < least)
        return;
    put_sources(a, r, w, term, look_up(w, term, tile));
    do_tile(a, r, w, tile, least);
}

RP_KERNEL_BOUNDED(or_tile_kernel, karg_or, 128, 6)
{
    const room r = lay_out(a);
    const uint32_t groups = prim_div_up(a.n_tiles, a.group) * a.n_queries;
    auto take = [&]() { return prim_lane() == 0 ? prim_atomic_add(prim_at<uint32_t>(a.taken), 1) : 0; };
    uint32_t ticket = take();
    clear<WORDS>(r.scores);
    for (;;) {
        const uint32_t group = prim_shuffle<32>(ticket, 0);
        if (group >= groups)
            return;
        ticket = take();
        do_group(a, r, group);
    }
}
