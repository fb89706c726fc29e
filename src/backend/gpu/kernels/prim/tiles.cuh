/* tiles.cuh: the k best documents of many ORs, by tiles of docids whose scores lie in shared memory.
 *
 * A block of threads has one tile of one query at a time, the tiles of all queries in docid order, so that each
 * query's tiles meet what the ones before have found; a warp has a block of postings, the next one's on their way
 * while it adds up one. With `skips`, lists that cannot lift a document into the k best by themselves are read only
 * where a document of the others needs them. Shared: the scores, 4 bytes a document; a bit a document; list_keys
 * keys; KARG_OR_SHARED more; LIST::SCRATCH a warp.
 * How postings are read is a LIST: SCRATCH, bytes of shared memory for a warp; load(a, source, block, scratch), by
 * a warp: the four postings of each lane. Any bytes: blocks are cut to the list's, docids to the tile. */
#ifndef RP_KERNELS_TILES_CUH
#define RP_KERNELS_TILES_CUH

#include "backend/gpu/kernels/prim/best.cuh"
#include "backend/gpu/kernels/prim/bm25.cuh"

static_assert((int)KARG_OR_BINS == (int)BEST_BINS, "bins are looked through by best_find");

/* A term of the query in work, as far as postings are read by it. */
struct tiles_source {
    uint64_t docs, freqs, last;
    uint32_t n, first; /* postings; its first block in the tile */
    float weight;
    uint32_t list;
};
/* Shared memory of a block. Of terms: how many blocks there are in the tile of those before; the most that they
 * and all after can contribute, with a 0 at the end. */
struct tiles_room {
    tiles_source *sources;
    uint32_t *scores, *zeros, *bins, *before, *rest, *words;
    uint64_t *keys;
    unsigned char *scratch;
};
enum { TILES_TAKEN, TILES_WANTED, TILES_ENDED, TILES_KEPT, TILES_LEFT, TILES_LEAST, TILES_PUSHED }; /* words */
static_assert(sizeof(tiles_source) == 40, "KARG_OR_SHARED counts on it");

/* A tile of a query. */
struct tiles_work {
    karg_or_query query;
    karg_or_state *state;
    uint32_t number, base, size; /* of the query; the tile's first docid; its documents */
};

/* What has a fixed size comes first, so that its places are constants. */
PRIM tiles_room tiles_lay_out(const karg_or &a)
{
    tiles_room r;
    r.words = (uint32_t *)prim_shared();
    r.sources = (tiles_source *)(r.words + 8);
    r.before = (uint32_t *)(r.sources + KARG_OR_TERMS);
    r.rest = r.before + KARG_OR_TERMS + 4;
    r.bins = r.rest + KARG_OR_TERMS + 4;
    r.keys = (uint64_t *)(r.bins + BEST_WORDS);
    r.scores = (uint32_t *)(r.keys + a.list_keys);
    r.zeros = r.scores + (1U << a.tile_bits);
    r.scratch = (unsigned char *)(r.zeros + prim_div_up(1U << a.tile_bits, 128) * 4);
    return r;
}

PRIM uint32_t tiles_add_up(uint32_t x, uint32_t y) { return x + y < x ? ~0U : x + y; }

/* What postings of a tile can contribute, by the greatest bound of its blocks. */
PRIM uint32_t tiles_upper_of(const karg_or_term &term, uint32_t top)
{
    uint64_t up = (uint64_t)top * term.step + 1;
    return term.step && up < term.most ? (uint32_t)up : term.most;
}
PRIM uint32_t tiles_top_of(const karg_or &a, uint32_t term, uint32_t tile)
{
    return prim_load(prim_at<const uint32_t>(a.tops) + (uint64_t)term * a.n_tiles + tile);
}

/* ---- Which tiles -------------------------------------------------------------------------------- */

PRIM bool tiles_may_enter(const karg_or &a, uint32_t item)
{
    uint32_t tile = item / a.n_queries;
    const karg_or_query q = prim_at<const karg_or_query>(a.queries)[item % a.n_queries];
    const karg_or_state *state = prim_at<const karg_or_state>(a.states) + item % a.n_queries;
    uint32_t least = prim_max(prim_load_now(&state->least), q.least), sum = 0;
    for (uint32_t t = q.term; t < q.term + q.n_terms; t++)
        sum = tiles_add_up(sum, tiles_upper_of(prim_at<const karg_or_term>(a.terms)[t], tiles_top_of(a, t, tile)));
    return sum >= least;
}

/* Warp 0, a lane a tile: words[TILES_WANTED] are those to be looked into. */
PRIM void tiles_sift(const karg_or &a, const tiles_room &r, uint32_t items)
{
    uint32_t item = r.words[TILES_TAKEN] + prim_lane();
    bool is_there = prim_lane() < a.group && item < items;
    uint32_t wanted = prim_ballot<32>(is_there && (!a.skips || tiles_may_enter(a, item)));
    if (prim_lane() == 0)
        r.words[TILES_WANTED] = wanted;
}

/* Warp 0, a lane a tile: they are done; words[TILES_ENDED] are those that were the last of their query. */
PRIM void tiles_count_done(const karg_or &a, const tiles_room &r, uint32_t items)
{
    uint32_t item = r.words[TILES_TAKEN] + prim_lane();
    bool ends = false;
    if (prim_lane() < a.group && item < items) {
        karg_or_state *state = prim_at<karg_or_state>(a.states) + item % a.n_queries;
        ends = prim_atomic_add(&state->done, 1) == a.n_tiles - 1;
    }
    uint32_t ended = prim_ballot<32>(ends);
    if (prim_lane() == 0)
        r.words[TILES_ENDED] = ended;
}

/* ---- Postings ----------------------------------------------------------------------------------- */

/* Four neighbours of a block of postings. */
struct tiles_four {
    uint4 docids, tfs;
    uint32_t rank; /* of the first */
};

template <int BYTES>
PRIM void tiles_add_four(const karg_or &a, const tiles_room &r, const tiles_work &w, tiles_four f, float weight,
                         uint32_t n)
{
    const uint32_t d[4] = {f.docids.x, f.docids.y, f.docids.z, f.docids.w};
    const uint32_t t[4] = {f.tfs.x, f.tfs.y, f.tfs.z, f.tfs.w};
    uint32_t codes[4], fixed[4];
    bool is_in[4];
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        is_in[e] = d[e] - w.base < w.size && f.rank + e < n;
        codes[e] = is_in[e] ? bm25_code<BYTES>(a.norms, d[e]) : 0;
    }
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        fixed[e] = bm25_fixed(weight, bm25_norm(a.norms, codes[e]), t[e]);
#pragma unroll
    for (uint32_t e = 0; e < 4; e++) {
        uint32_t at = d[e] - w.base;
        if (is_in[e])
            prim_atomic_add(&r.scores[at], fixed[e]);
        if (is_in[e] && fixed[e] == 0)
            prim_atomic_or(&r.zeros[at / 32], 1U << at % 32);
    }
}

/* All postings in the tile of the query's terms `from` to `to`. A warp's next block is on its way while it adds
 * up one. */
template <class LIST, int BYTES>
PRIM void tiles_add_terms(const karg_or &a, const tiles_room &r, const tiles_work &w, uint32_t from, uint32_t to)
{
    const uint32_t warps = prim_block_size() / 32, end = r.before[to];
    uint32_t c = r.before[from] + prim_warp(), t = from;
    unsigned char *scratch = r.scratch + prim_warp() * LIST::SCRATCH;
    tiles_four next = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
    auto load = [&]() {
        while (c >= r.before[t + 1])
            t++;
        return LIST::load(a, r.sources[t], r.sources[t].first + (c - r.before[t]), scratch);
    };
    if (c < end)
        next = load();
    while (c < end) {
        const tiles_four now = next;
        const uint32_t term = t;
        c += warps;
        if (c < end)
            next = load();
        tiles_add_four<BYTES>(a, r, w, now, r.sources[term].weight, r.sources[term].n);
    }
}

template <class LIST>
PRIM void tiles_accumulate(const karg_or &a, const tiles_room &r, const tiles_work &w, uint32_t from, uint32_t to)
{
    if (a.norms.code_bytes == 1)
        tiles_add_terms<LIST, 1>(a, r, w, from, to);
    else if (a.norms.code_bytes == 2)
        tiles_add_terms<LIST, 2>(a, r, w, from, to);
    else
        tiles_add_terms<LIST, 4>(a, r, w, from, to);
    prim_sync();
}

/* ---- Documents that may enter ------------------------------------------------------------------- */

PRIM void tiles_keep(const karg_or &a, const tiles_room &r, uint32_t score, uint32_t docid)
{
    uint32_t at = prim_atomic_add(&r.words[TILES_KEPT], 1);
    if (at < a.list_keys)
        r.keys[at] = best_key(score, docid);
}

/* Those with `least` so far, as keys; returns how many, though not more than list_keys are kept. At 0, those that
 * match. */
PRIM uint32_t tiles_collect(const karg_or &a, const tiles_room &r, const tiles_work &w, uint32_t least)
{
    if (prim_thread() == 0)
        r.words[TILES_KEPT] = 0;
    prim_sync();
    const uint32_t from = prim_max(least, 1U);
    for (uint32_t i = prim_thread(); i < prim_div_up(w.size, 4); i += prim_block_size()) {
        const uint4 v = ((const uint4 *)r.scores)[i];
        if (prim_max(prim_max(v.x, v.y), prim_max(v.z, v.w)) < from)
            continue;
        const uint32_t s[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (uint32_t e = 0; e < 4; e++)
            if (s[e] >= from)
                tiles_keep(a, r, s[e], w.base + 4 * i + e);
    }
    for (uint32_t i = prim_thread(); least == 0 && i < prim_div_up(w.size, 32); i += prim_block_size())
        for (uint32_t set = r.zeros[i]; set; set &= set - 1) {
            uint32_t at = 32 * i + prim_lowest(set);
            if (r.scores[at] == 0)
                tiles_keep(a, r, 0, w.base + at);
        }
    prim_sync();
    return r.words[TILES_KEPT];
}

/* Too many to keep: only those that are among the k best of the tile. */
PRIM_APART uint32_t tiles_collect_best(const karg_or &a, tiles_work w, uint32_t least)
{
    const tiles_room r = tiles_lay_out(a);
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = r.scores[i];
        return *s > 0 ? *s >= least : least == 0 && (r.zeros[i / 32] >> i % 32 & 1);
    };
    auto docid = [&](uint32_t i) { return w.base + i; };
    uint64_t cut = best_cut(score, docid, w.size, a.k, r.bins);
    if (prim_thread() == 0)
        r.words[TILES_KEPT] = 0;
    prim_sync();
    for (uint32_t i = prim_thread(); i < w.size; i += prim_block_size()) {
        uint32_t s;
        if (score(i, &s) && best_key(s, docid(i)) >= cut)
            tiles_keep(a, r, s, docid(i));
    }
    prim_sync();
    return prim_min(r.words[TILES_KEPT], a.list_keys);
}

/* A warp: what a term contributes to a document of the tile, which has blocks from `from.first` to `end` - 1 there;
 * 0 where it is not in the list. */
template <class LIST>
PRIM uint32_t tiles_probe(const karg_or &a, const tiles_source &from, uint32_t end, uint32_t docid, float norm,
                    unsigned char *scratch)
{
    const uint32_t *last = prim_at<const uint32_t>(from.last);
    uint32_t block = from.first;
    for (; last && block < end; block += 32) {
        uint32_t b = block + prim_lane();
        uint32_t reach = prim_ballot<32>(b < end && prim_load(&last[prim_min(b, end - 1)]) >= docid);
        if (reach) {
            block += prim_lowest(reach);
            break;
        }
    }
    if (block >= end)
        return 0;
    const tiles_four f = LIST::load(a, from, block, scratch);
    const uint32_t d[4] = {f.docids.x, f.docids.y, f.docids.z, f.docids.w};
    const uint32_t tfs[4] = {f.tfs.x, f.tfs.y, f.tfs.z, f.tfs.w};
    uint32_t tf = 0;
    bool is_here = false;
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        if (d[e] == docid && f.rank + e < from.n) {
            tf = tfs[e];
            is_here = true;
        }
    uint32_t who = prim_ballot<32>(is_here);
    if (!who)
        return 0;
    return bm25_fixed(from.weight, norm, prim_shuffle<32>(tf, prim_lowest(who)));
}

/* Completes the scores of n keys by the terms from t on, a warp a key, the norm on its way meanwhile; a key that
 * cannot enter becomes 0. How many are left, though n where it is not 0. */
template <class LIST>
PRIM_APART uint32_t tiles_complete(const karg_or &a, tiles_work w, uint32_t n, uint32_t t, uint32_t least)
{
    const tiles_room r = tiles_lay_out(a);
    unsigned char *scratch = r.scratch + prim_warp() * LIST::SCRATCH;
    if (prim_thread() == 0)
        r.words[TILES_LEFT] = 0;
    prim_sync();
    for (uint32_t i = prim_warp(); i < n; i += prim_block_size() / 32) {
        karg_pair pair = best_pair(r.keys[i]);
        const float norm = bm25_norm_any(a.norms, pair.docid);
        uint32_t u = t;
        for (; u < w.query.n_terms && tiles_add_up(pair.score, r.rest[u]) >= least; u++) {
            uint32_t end = r.sources[u].first + (r.before[u + 1] - r.before[u]);
            pair.score += tiles_probe<LIST>(a, r.sources[u], end, pair.docid, norm, scratch);
        }
        bool enters = u == w.query.n_terms && pair.score >= least;
        prim_sync_tile();
        if (prim_lane() == 0) {
            r.keys[i] = enters ? best_key(pair.score, pair.docid) : 0;
            if (enters)
                prim_atomic_or(&r.words[TILES_LEFT], 1);
        }
    }
    prim_sync();
    return r.words[TILES_LEFT] ? n : 0;
}

/* ---- What a query has found --------------------------------------------------------------------- */

/* More may have become known since: the greatest score that k documents reach, to within a bin. */
PRIM void tiles_raise(const karg_or &a, const tiles_room &r, const tiles_work &w)
{
    prim_fence();
    for (uint32_t i = prim_thread(); i < BEST_BINS; i += prim_block_size())
        r.bins[i] = prim_load_now(&w.state->bins[i]);
    prim_sync();
    if (prim_warp() == 0)
        best_find(r.bins, a.k);
    prim_sync();
    if (prim_thread() == 0 && r.bins[BEST_BINS + 1])
        prim_atomic_max(&w.state->least, r.bins[BEST_BINS] << w.query.shift);
}

/* n keys of the tile, of which no more than k matter. */
PRIM_APART void tiles_push(const karg_or &a, tiles_work w, uint32_t n)
{
    const tiles_room r = tiles_lay_out(a);
    if (n > a.k) {
        uint32_t power = best_power(n);
        for (uint32_t i = n + prim_thread(); i < power; i += prim_block_size())
            r.keys[i] = 0;
        best_sort(r.keys, power);
        n = a.k;
    }
    if (prim_thread() == 0)
        r.words[TILES_PUSHED] = 0;
    prim_sync();
    const uint32_t least = prim_max(prim_load_now(&w.state->least), w.query.least);
    uint64_t *found = prim_at<uint64_t>(a.found) + (uint64_t)w.number * a.room;
    for (uint32_t i = prim_thread(); i < n; i += prim_block_size()) {
        const uint64_t key = r.keys[i];
        const uint32_t score = (uint32_t)(key >> 32);
        if (key == 0 || score < least)
            continue;
        uint32_t at = prim_atomic_add(&w.state->found, 1);
        if (at < a.room)
            found[at] = key;
        prim_atomic_add(&w.state->bins[prim_min(score >> w.query.shift, KARG_OR_BINS - 1U)], 1);
        prim_atomic_or(&r.words[TILES_PUSHED], 1);
    }
    prim_sync();
    if (r.words[TILES_PUSHED])
        tiles_raise(a, r, w);
}

PRIM_APART void tiles_merge(const karg_or &a, uint32_t number)
{
    const tiles_room r = tiles_lay_out(a);
    const karg_or_state *state = prim_at<const karg_or_state>(a.states) + number;
    const uint64_t *found = prim_at<const uint64_t>(a.found) + (uint64_t)number * a.room;
    const uint32_t n = prim_load_now(&state->found), least = prim_load_now(&state->least);
    uint32_t *count = prim_at<uint32_t>(a.counts) + number;
    if (n > a.room) {
        if (prim_thread() == 0)
            *count = ~0U;
        return;
    }
    auto score = [&](uint32_t i, uint32_t *s) {
        *s = (uint32_t)(prim_load_now64(&found[i]) >> 32);
        return *s >= least;
    };
    auto docid = [&](uint32_t i) { return ~(uint32_t)prim_load_now64(&found[i]); };
    best_select(score, docid, n, a.k, r.bins, r.keys, prim_at<karg_pair>(a.out) + (uint64_t)number * a.k, count);
}

/* ---- A tile ------------------------------------------------------------------------------------- */

PRIM void tiles_clear(const karg_or &a, const tiles_room &r)
{
    const uint32_t size = 1U << a.tile_bits;
    for (uint32_t i = prim_thread(); i < size / 4; i += prim_block_size())
        ((uint4 *)r.scores)[i] = make_uint4(0, 0, 0, 0);
    for (uint32_t i = prim_thread(); i < prim_div_up(size, 32); i += prim_block_size())
        r.zeros[i] = 0;
    prim_sync();
}

PRIM void tiles_look_up_term(const karg_or &a, const tiles_room &r, uint32_t t, uint32_t number, uint32_t tile)
{
    const karg_or_term term = prim_at<const karg_or_term>(a.terms)[number];
    const uint32_t *firsts = prim_at<const uint32_t>(a.firsts) + (uint64_t)number * (a.n_tiles + 1) + tile;
    uint32_t first = prim_min(prim_load(&firsts[0]), term.n_blocks);
    uint32_t end = prim_min(tiles_add_up(prim_load(&firsts[1]), 1), term.n_blocks);
    r.sources[t] = {term.docs, term.freqs, term.last, term.n, first, term.weight, term.list};
    r.before[t + 1] = end > first ? end - first : 0;
    r.rest[t] = tiles_upper_of(term, tiles_top_of(a, number, tile));
}

/* Fills what the room has of terms, and, in words[TILES_LEAST], what a document must reach. */
PRIM void tiles_look_up(const karg_or &a, const tiles_room &r, const tiles_work &w, uint32_t tile)
{
    for (uint32_t t = prim_thread(); t < w.query.n_terms; t += prim_block_size())
        tiles_look_up_term(a, r, t, w.query.term + t, tile);
    if (prim_thread() == prim_block_size() - 1)
        r.words[TILES_LEAST] = prim_max(prim_load_now(&w.state->least), w.query.least);
    prim_sync();
    if (prim_thread() == 0) {
        r.before[0] = r.rest[w.query.n_terms] = 0;
        for (uint32_t t = 0; t < w.query.n_terms; t++)
            r.before[t + 1] += r.before[t];
        for (uint32_t t = w.query.n_terms; t-- > 0;)
            r.rest[t] = tiles_add_up(r.rest[t], r.rest[t + 1]);
    }
    prim_sync();
}

/* Keys of the documents that may enter, with their whole scores; how many. Terms are added up in turn; once
 * those left cannot lift a document by themselves, they are only looked up for documents that they can lift. */
template <class LIST>
PRIM uint32_t tiles_score(const karg_or &a, const tiles_room &r, const tiles_work &w, uint32_t least)
{
    uint32_t t = 0;
    while (t < w.query.n_terms && (!a.skips || r.rest[t] >= least))
        t++;
    tiles_accumulate<LIST>(a, r, w, 0, t);
    for (; t < w.query.n_terms; t++) {
        uint32_t n = tiles_collect(a, r, w, least - r.rest[t]);
        if (n == 0)
            return 0;
        if (n <= a.list_keys && n <= r.before[t + 1] - r.before[t])
            return tiles_complete<LIST>(a, w, n, t, least);
        prim_sync();
        tiles_accumulate<LIST>(a, r, w, t, t + 1);
    }
    uint32_t n = tiles_collect(a, r, w, least);
    return n <= a.list_keys ? n : tiles_collect_best(a, w, least);
}

template <class LIST> PRIM void tiles_do(const karg_or &a, const tiles_room &r, uint32_t item)
{
    const uint32_t tile = item / a.n_queries;
    tiles_work w;
    w.number = item % a.n_queries;
    w.query = prim_at<const karg_or_query>(a.queries)[w.number];
    w.state = prim_at<karg_or_state>(a.states) + w.number;
    w.base = tile << a.tile_bits;
    w.size = prim_min(1U << a.tile_bits, a.n_docs - w.base);
    tiles_look_up(a, r, w, tile);
    const uint32_t least = r.words[TILES_LEAST];
    if (!a.skips || r.rest[0] >= least) {
        uint32_t n = tiles_score<LIST>(a, r, w, least);
        if (n > 0)
            tiles_push(a, w, n);
        tiles_clear(a, r);
    }
    prim_sync();
}

/* All threads of the grid. */
template <class LIST> PRIM void tiles_run(const karg_or &a)
{
    const tiles_room r = tiles_lay_out(a);
    const uint32_t items = a.n_tiles * a.n_queries;
    tiles_clear(a, r);
    for (;;) {
        if (prim_thread() == 0)
            r.words[TILES_TAKEN] = prim_atomic_add(prim_at<uint32_t>(a.taken), a.group);
        prim_sync();
        const uint32_t first = r.words[TILES_TAKEN];
        if (first >= items)
            return;
        if (prim_warp() == 0)
            tiles_sift(a, r, items);
        prim_sync();
        for (uint32_t some = r.words[TILES_WANTED]; some; some &= some - 1)
            tiles_do<LIST>(a, r, first + prim_lowest(some));
        prim_fence();
        prim_sync();
        if (prim_warp() == 0)
            tiles_count_done(a, r, items);
        prim_sync();
        prim_fence();
        for (uint32_t some = r.words[TILES_ENDED]; some; some &= some - 1)
            tiles_merge(a, (first + prim_lowest(some)) % a.n_queries);
        prim_sync();
    }
}

#endif
