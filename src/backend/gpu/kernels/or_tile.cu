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

/* A term of the query in work, in the tile in work. */
struct alignas(16) source {
    uint64_t places, ratios, cells;
    float weight;
    uint32_t n;
    uint32_t first, end; /* its postings there */
    uint32_t rest;       /* the most that it and all after can contribute there */
    uint32_t zero;
};
static_assert(sizeof(source) == KARG_OR_SOURCE, "what launches give");

/* Shared memory of a warp: a score a document; a bit for those that may enter. Both are 0 between tiles. */
struct room {
    uint32_t *scores, *marks;
    source *sources;
};

struct work {
    karg_or_query query;
    karg_or_state *state;
    uint32_t number, size; /* of the query; documents of a tile */
    bool is_ahead;         /* nothing is kept but what it tells of the k best */
};

PRIM room lay_out(const karg_or &a)
{
    const uint32_t size = 1U << a.tile_bits, words = size + prim_div_up(size, 128) * 4;
    unsigned char *at = prim_shared() + prim_warp() * (words * 4 + a.most_terms * KARG_OR_SOURCE);
    return {(uint32_t *)at, (uint32_t *)at + size, (source *)(at + words * 4)};
}

PRIM void clear(uint32_t *at, uint32_t words)
{
    for (uint32_t i = prim_lane(); i < words / 4; i += 32)
        ((uint4 *)at)[i] = make_uint4(0, 0, 0, 0);
}

/* ---- Postings ----------------------------------------------------------------------------------- */

/* Four neighbours from `rank` on; a list's arrays may be read past its end. */
struct postings {
    uint2 places;
    uint4 ratios;
};
PRIM postings load(const source &s, uint32_t rank)
{
    postings p = {{0, 0}, {0, 0, 0, 0}};
    if (rank < s.end) {
        p.places = prim_load_once(prim_at<const uint2>(s.places) + rank / 4);
        p.ratios = prim_load_once(prim_at<const uint4>(s.ratios) + rank / 4);
    }
    return p;
}

/* Adds those of the four that are postings `first` to `first` + n - 1, the lane's first being `rank`; documents that
 * come to `need` are marked. */
PRIM void add(const room &r, const work &w, const postings &p, float weight, uint32_t from, uint32_t n, uint32_t need)
{
    const uint32_t mask = w.size - 1;
    const uint32_t at[4] = {p.places.x & mask, p.places.x >> 16 & mask, p.places.y & mask, p.places.y >> 16 & mask};
    const uint32_t ratios[4] = {p.ratios.x, p.ratios.y, p.ratios.z, p.ratios.w};
    uint32_t total[4];
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        const uint32_t fixed = bm25_weighed(weight, prim_real(ratios[e]));
        total[e] = fixed;
        if (from + e < n)
            total[e] += prim_atomic_add(&r.scores[at[e]], fixed);
    }
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        if (from + e < n && total[e] >= need)
            prim_atomic_or(&r.marks[at[e] / 32], 1U << at[e] % 32);
}

/* The lane's places in the last step of all, and how many steps there were. */
struct walked {
    uint2 places;
    uint32_t from, n, steps;
};

/* All postings in the tile of the terms before `to`. */
PRIM walked add_terms(const room &r, const work &w, uint32_t to, uint32_t need)
{
    source s = r.sources[0];
    uint32_t t = 0, base = s.first & ~3U;
    walked done = {{0, 0}, 0, 0, 0};
    auto find = [&]() {
        while (base >= s.end && ++t < to) {
            s = r.sources[t];
            base = s.first & ~3U;
        }
    };
    find();
    postings next = load(s, base + 4 * prim_lane());
    while (t < to) {
        const postings now = next;
        const float weight = s.weight;
        done = {now.places, base + 4 * prim_lane() - s.first, s.end - s.first, done.steps + 1};
        base += 128;
        find();
        if (t < to)
            next = load(s, base + 4 * prim_lane());
        add(r, w, now, weight, done.from, done.n, need);
    }
    prim_sync_tile();
    return done;
}

/* Where a tile had few postings only their scores are cleared. */
PRIM void clear_scores(const room &r, const work &w, const walked &done)
{
    const uint32_t places[4] = {done.places.x, done.places.x >> 16, done.places.y, done.places.y >> 16};
    if (done.steps > 1)
        clear(r.scores, w.size);
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        if (done.steps == 1 && done.from + e < done.n)
            r.scores[places[e] & (w.size - 1)] = 0;
}

/* The postings in the tile of one term, as far as documents are marked: places of some steps at a time. */
PRIM void add_marked(const room &r, const work &w, uint32_t t)
{
    const source s = r.sources[t];
    const uint32_t steps = 4;
    for (uint32_t base = s.first & ~3U; base < s.end; base += 128 * steps) {
        uint2 places[steps];
#pragma unroll
        for (uint32_t i = 0; i < steps; i++) {
            const uint32_t rank = base + 128 * i + 4 * prim_lane();
            places[i] = rank < s.end ? prim_load_once(prim_at<const uint2>(s.places) + rank / 4) : make_uint2(0, 0);
        }
#pragma unroll
        for (uint32_t i = 0; i < 4 * steps; i++) {
            const uint32_t rank = base + 128 * (i / 4) + 4 * prim_lane() + i % 4;
            const uint32_t two = i % 4 < 2 ? places[i / 4].x : places[i / 4].y;
            const uint32_t at = two >> 16 * (i % 2) & (w.size - 1);
            if (rank - s.first < s.end - s.first && r.marks[at / 32] >> at % 32 & 1)
                prim_atomic_add(&r.scores[at],
                                bm25_weighed(s.weight, prim_load(prim_at<const float>(s.ratios) + rank)));
        }
    }
    prim_sync_tile();
}

/* ---- Documents that may enter ------------------------------------------------------------------- */

PRIM bool are_some_marked(const room &r, const work &w)
{
    uint32_t some = 0;
    for (uint32_t i = prim_lane(); i < w.size / 32; i += 32)
        some |= r.marks[i];
    return prim_ballot<32>(some != 0) != 0;
}

/* Calls each(place, score) for those of the lane that are marked and score at least `least`; returns how many there
 * are of all lanes. */
template <class EACH> PRIM uint32_t look_through(const room &r, const work &w, uint32_t least, EACH each)
{
    uint32_t n = 0;
    for (uint32_t i = prim_lane(); i < w.size / 32; i += 32)
        for (uint32_t set = r.marks[i]; set; set &= set - 1) {
            const uint32_t at = 32 * i + prim_lowest(set), score = r.scores[at];
            if (score >= least) {
                each(at, score);
                n++;
            }
        }
    return scan_sum<32>(n);
}
PRIM uint32_t count_marked(const room &r, const work &w, uint32_t least)
{
    return look_through(r, w, least, [](uint32_t, uint32_t) {});
}

/* Leaves marks only where documents score at least `least`; returns how many. */
PRIM uint32_t sift(const room &r, const work &w, uint32_t least)
{
    uint32_t n = 0;
    for (uint32_t i = prim_lane(); i < w.size / 32; i += 32) {
        uint32_t left = r.marks[i];
        for (uint32_t set = left; set; set &= set - 1)
            if (r.scores[32 * i + prim_lowest(set)] < least)
                left &= ~(set & -set);
        r.marks[i] = left;
        n += prim_count(left);
    }
    prim_sync_tile();
    return scan_sum<32>(n);
}

/* Of documents that are marked with this score, and of which there are more, leaves the first `n`. */
PRIM void cut_ties(const room &r, const work &w, uint32_t score, uint32_t n)
{
    uint32_t before = 0;
    for (uint32_t from = 0; from < prim_div_up(w.size / 32, 32) * 32; from += 32) {
        const uint32_t i = from + prim_lane();
        uint32_t left = i < w.size / 32 ? r.marks[i] : 0, ties = 0;
        for (uint32_t set = left; set; set &= set - 1)
            ties |= r.scores[32 * i + prim_lowest(set)] == score ? set & -set : 0;
        const uint32_t up_to = before + scan_add<32>(prim_count(ties));
        for (uint32_t over = prim_max(up_to, n) - n; over && ties; over--) {
            const uint32_t last = 1U << (prim_width(ties) - 1);
            ties &= ~last;
            left &= ~last;
        }
        if (i < w.size / 32)
            r.marks[i] = left;
        before = prim_shuffle<32>(up_to, 31);
    }
    prim_sync_tile();
}

/* More than k are marked: leaves the k best of them. The k-th score is found bit by bit. */
PRIM_APART void cut_to_k(room r, work w, uint32_t k)
{
    uint32_t least = 0;
    for (uint32_t bit = 1U << 31; bit; bit /= 2)
        if (count_marked(r, w, least | bit) >= k)
            least |= bit;
    uint32_t above = least == ~0U ? 0 : count_marked(r, w, least + 1);
    sift(r, w, least);
    cut_ties(r, w, least, k - above);
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

/* The documents of the tile that begins at `base` that are marked: their keys to what the query has found. */
PRIM_APART void push(const karg_or &a, work w, uint32_t base, uint32_t least)
{
    const room r = lay_out(a);
    uint32_t n = sift(r, w, prim_max(least, prim_shuffle<32>(prim_load_now(&w.state->least), 0))), mine = 0, at = 0;
    if (n > a.k)
        cut_to_k(r, w, a.k);
    n = look_through(r, w, 0, [&](uint32_t, uint32_t) { mine++; });
    if (n == 0)
        return;
    uint64_t *found = prim_at<uint64_t>(a.found) + (uint64_t)w.number * a.room;
    if (prim_lane() == 0 && !w.is_ahead)
        at = prim_atomic_add(&w.state->found, n);
    at = prim_shuffle<32>(at, 0) + scan_add<32>(mine) - mine;
    look_through(r, w, 0, [&](uint32_t place, uint32_t score) {
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
    uint32_t t = 0;
    while (t < n && (!a.skips || r.sources[t].rest >= least))
        t++;
    if (t == 0)
        return;
    const walked done = add_terms(r, w, t, t < n ? least - r.sources[t].rest : least);
    if (are_some_marked(r, w)) {
        for (; t < n && r.sources[t].rest > 0 && sift(r, w, least - r.sources[t].rest) > 0; t++)
            add_marked(r, w, t);
        push(a, w, tile << a.tile_bits, least);
        prim_sync_tile();
        clear(r.marks, prim_div_up(w.size, 128) * 4);
    }
    clear_scores(r, w, done);
    prim_sync_tile();
}

/* What lane 0 sees holds for all. */
PRIM uint32_t least_of(const work &w, uint32_t seen) { return prim_max(w.query.least, prim_shuffle<32>(seen, 0)); }

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
PRIM void put_sources(const room &r, const work &w, const karg_or_term &term, look l)
{
    const uint32_t up = prim_lane() < w.query.n_terms ? bm25_weighed(term.weight, prim_real(l.top)) : 0;
    const uint32_t up_to = scan_add<32>(up), all = prim_shuffle<32>(up_to, 31);
    const uint32_t end = prim_min(prim_min(l.end, term.list.n), l.first + w.size);
    prim_sync_tile();
    if (prim_lane() < w.query.n_terms) {
        source *s = &r.sources[prim_lane()];
        s->first = l.first < end ? l.first : 0;
        s->end = l.first < end ? end : 0;
        s->rest = all - (up_to - up);
    }
    prim_sync_tile();
}

/* A query, and, of lane t, its term t; all are told where its lists lie. */
PRIM work open_query(const karg_or &a, const room &r, uint32_t number, karg_or_term *term)
{
    work w;
    w.number = number;
    w.query = prim_at<const karg_or_query>(a.queries)[number];
    w.state = prim_at<karg_or_state>(a.states) + number;
    w.size = 1U << a.tile_bits;
    w.is_ahead = false;
    *term = {{0, 0, 0, 0, 0, 0}, 0, 0};
    if (prim_lane() < w.query.n_terms) {
        *term = prim_at<const karg_or_term>(a.terms)[w.query.term + prim_lane()];
        r.sources[prim_lane()] = {term->list.places, term->list.ratios, term->list.cells, term->weight,
                                  term->list.n, 0, 0, 0, 0};
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
        put_sources(r, w, term, there);
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
    clear(r.scores, (1U << a.tile_bits) + prim_div_up(1U << a.tile_bits, 128) * 4);
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
    put_sources(r, w, term, look_up(w, term, tile));
    do_tile(a, r, w, tile, least);
}

RP_KERNEL_BOUNDED(or_tile_kernel, karg_or, 128, 6)
{
    const room r = lay_out(a);
    const uint32_t groups = prim_div_up(a.n_tiles, a.group) * a.n_queries;
    auto take = [&]() { return prim_lane() == 0 ? prim_atomic_add(prim_at<uint32_t>(a.taken), 1) : 0; };
    uint32_t ticket = take();
    clear(r.scores, (1U << a.tile_bits) + prim_div_up(1U << a.tile_bits, 128) * 4);
    for (;;) {
        const uint32_t group = prim_shuffle<32>(ticket, 0);
        if (group >= groups)
            return;
        ticket = take();
        do_group(a, r, group);
    }
}
