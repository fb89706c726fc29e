/* or_tile.cu: the documents of many ORs that may be among the k best, with their scores.
 * Owns:   a warp one tile of one query at a time, and waits for no other. Tiles come in docid order, all queries
 *         abreast, so that each query's tiles meet what those before have found.
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

/* All postings in the tile of the terms before `to`. */
PRIM void add_terms(const room &r, const work &w, uint32_t to, uint32_t need)
{
    source s = r.sources[0];
    uint32_t t = 0, base = s.first & ~3U;
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
        const uint32_t n = s.end - s.first, from = base + 4 * prim_lane() - s.first;
        base += 128;
        find();
        if (t < to)
            next = load(s, base + 4 * prim_lane());
        add(r, w, now, weight, from, n, need);
    }
    prim_sync_tile();
}

/* The postings in the tile of one term, as far as documents are marked. */
PRIM void add_marked(const room &r, const work &w, uint32_t t)
{
    const source s = r.sources[t];
    for (uint32_t rank = (s.first & ~3U) + 4 * prim_lane(); rank < s.end; rank += 128) {
        const uint2 p = prim_load_once(prim_at<const uint2>(s.places) + rank / 4);
        const uint32_t places[4] = {p.x & 0xFFFF, p.x >> 16, p.y & 0xFFFF, p.y >> 16};
#pragma unroll
        for (uint32_t e = 0; e < 4; e++) {
            const uint32_t at = places[e] & (w.size - 1);
            bool is_in = rank + e >= s.first && rank + e < s.end;
            if (is_in && r.marks[at / 32] >> at % 32 & 1)
                prim_atomic_add(&r.scores[at], bm25_weighed(s.weight, prim_load(prim_at<const float>(s.ratios) + rank + e)));
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
PRIM_APART void cut_to_k(const room &r, const work &w, uint32_t k)
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

/* More may have become known since: the greatest score that k documents reach, to within a bin. */
PRIM void raise(const karg_or &a, const work &w)
{
    const uint32_t lane = prim_lane(), each = KARG_OR_BINS / 32, first = KARG_OR_BINS - each * (lane + 1);
    uint32_t sum = 0;
#pragma unroll 8
    for (uint32_t j = 0; j < each; j++)
        sum += prim_load_now(&w.state->bins[first + j]);
    const uint32_t up_to = scan_add<32>(sum), some = prim_ballot<32>(up_to >= a.k);
    if (!some)
        return;
    const uint32_t group = prim_lowest(some), before = prim_shuffle<32>(up_to - sum, group);
    const uint32_t bin = KARG_OR_BINS - each * group - 1 - lane;
    const uint32_t reach = prim_ballot<32>(before + scan_add<32>(prim_load_now(&w.state->bins[bin])) >= a.k);
    if (reach && lane == prim_lowest(reach))
        prim_atomic_max(&w.state->least, bin << w.query.shift);
}
static_assert(KARG_OR_BINS / 32 == 32, "a lane looks at one bin of a group");

/* The documents of the tile that begins at `base` that are marked: their keys to what the query has found. */
PRIM_APART void push(const karg_or &a, const work &w, uint32_t base, uint32_t least)
{
    const room r = lay_out(a);
    uint32_t n = sift(r, w, least), mine = 0, at = 0;
    if (n > a.k)
        cut_to_k(r, w, a.k);
    n = look_through(r, w, 0, [&](uint32_t, uint32_t) { mine++; });
    if (n == 0)
        return;
    uint64_t *found = prim_at<uint64_t>(a.found) + (uint64_t)w.number * a.room;
    if (prim_lane() == 0)
        at = prim_atomic_add(&w.state->found, n);
    at = prim_shuffle<32>(at, 0) + scan_add<32>(mine) - mine;
    look_through(r, w, 0, [&](uint32_t place, uint32_t score) {
        if (at < a.room)
            found[at] = best_key(score, base + place);
        at++;
        prim_atomic_add(&w.state->bins[prim_min(score >> w.query.shift, KARG_OR_BINS - 1U)], 1);
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
    add_terms(r, w, t, t < n ? least - r.sources[t].rest : least);
    if (are_some_marked(r, w)) {
        for (; t < n && r.sources[t].rest > 0 && sift(r, w, least - r.sources[t].rest) > 0; t++)
            add_marked(r, w, t);
        push(a, w, tile << a.tile_bits, least);
        prim_sync_tile();
        clear(r.marks, prim_div_up(w.size, 128) * 4);
    }
    clear(r.scores, w.size);
    prim_sync_tile();
}

PRIM uint32_t least_of(const work &w) { return prim_max(w.query.least, prim_load_now(&w.state->least)); }

/* A bit for each of the n tiles from `from` on that may have a document with `least`. */
PRIM uint32_t find_wanted(const karg_or &a, const room &r, const work &w, uint32_t from, uint32_t n, uint32_t least)
{
    uint32_t sum = 0;
    if (a.skips && prim_lane() < n)
#pragma unroll 4
        for (uint32_t t = 0; t < w.query.n_terms; t++) {
            const karg_cell *cells = prim_at<const karg_cell>(r.sources[t].cells);
            sum += bm25_weighed(r.sources[t].weight, prim_real(prim_load(&cells[from + prim_lane()].top)));
        }
    return prim_ballot<32>(prim_lane() < n && (!a.skips || sum >= least));
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

/* Some tiles of a query that follow each other. */
PRIM void do_group(const karg_or &a, const room &r, uint32_t group)
{
    work w;
    w.number = group % a.n_queries;
    w.query = prim_at<const karg_or_query>(a.queries)[w.number];
    w.state = prim_at<karg_or_state>(a.states) + w.number;
    w.size = 1U << a.tile_bits;
    const uint32_t from = group / a.n_queries * a.group, n = prim_min(a.n_tiles - from, a.group);
    karg_or_term term = {{0, 0, 0, 0, 0, 0}, 0, 0};
    if (prim_lane() < w.query.n_terms) {
        term = prim_at<const karg_or_term>(a.terms)[w.query.term + prim_lane()];
        r.sources[prim_lane()] = {term.list.places, term.list.ratios, term.list.cells, term.weight, term.list.n,
                                  0, 0, 0, 0};
    }
    prim_sync_tile();
    uint32_t least = least_of(w), wanted = find_wanted(a, r, w, from, n, least);
    uint32_t tile = from + (wanted ? prim_lowest(wanted) : 0);
    look next = look_up(w, term, tile);
    while (wanted) {
        const look now = next;
        const uint32_t here = tile, enough = least;
        wanted &= wanted - 1;
        put_sources(r, w, term, now);
        if (wanted) {
            tile = from + prim_lowest(wanted);
            next = look_up(w, term, tile);
            least = least_of(w);
        }
        do_tile(a, r, w, here, enough);
    }
    prim_sync_tile();
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
