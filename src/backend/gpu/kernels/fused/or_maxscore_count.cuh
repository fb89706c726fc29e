/* or_maxscore_count.cuh: the part of or_maxscore.cu that also counts the documents that match.
 *
 * Every posting's place is read, since a tile that holds no document among the k best still has
 * matches. Scores are added up only in tiles whose bound says that a document may enter. A tile in
 * which one list alone has postings is counted from that list's directory. */

/* ---- What matches in a tile ------------------------------------------------------------------ */

/* A document that matches has a mark if what a term adds to it is 0. */
PRIM void mark_zeros(const scratch &r, const postings &p, float weight, uint32_t from, uint32_t n)
{
    const uint32_t ratios[4] = {p.ratios.x, p.ratios.y, p.ratios.z, p.ratios.w};
#pragma unroll
    for (uint32_t e = 0; e < 4; e++)
        if (from + e < n && score_weighed(weight, score_share_of(ratios[e])) == 0) {
            const uint32_t at = place_of(p.places, e);
            prim_atomic_or(&r.marks[at / 32], 1U << at % 32);
        }
}

/* A byte a document of the tile, in place of the scores, which are 0 then and again later. */
PRIM unsigned char *bytes_of(const scratch &r)
{
    return (unsigned char *)r.scores;
}

/* The lane's four neighbours from `rank` on; in the next tile there are about as many. */
PRIM uint2 load_places(const source &s, uint32_t rank)
{
    const uint32_t next = rank + (s.end - s.first);
    if (next < s.n)
        prim_prefetch(prim_at<const uint2>(s.places) + next / 4);
    return rank < s.end ? prim_load_once(prim_at<const uint2>(s.places) + rank / 4)
                        : make_uint2(0, 0);
}

/* Marks the documents of all postings in the tile, the next places on their way meanwhile. Lanes
 * mark documents of one list between two meetings, so no two of them mark the same. */
PRIM void mark_all(const scratch &r, uint32_t n_terms)
{
    source s = r.sources[0];
    uint32_t t = 0, base = s.first & ~3U;
    auto find = [&]() {
        while (base >= s.end && ++t < n_terms) {
            s = r.sources[t];
            base = s.first & ~3U;
        }
    };
    find();
    uint2 next = load_places(s, base + 4 * prim_lane());
    while (t < n_terms) {
        const uint2 now = next;
        const uint32_t from = base + 4 * prim_lane() - s.first, n = s.end - s.first;
        base += 128;
        find();
        if (t < n_terms)
            next = load_places(s, base + 4 * prim_lane());
#pragma unroll
        for (uint32_t e = 0; e < 4; e++)
            if (from + e < n)
                bytes_of(r)[place_of(now, e)] = 1;
        prim_sync_tile();
    }
}

/* How many documents the lane's share of the tile has marked; all are 0 again. */
PRIM uint32_t take_marked(const scratch &r)
{
    uint32_t n = 0;
#pragma unroll
    for (uint32_t i = 0; i < SIZE / 512; i++) {
        uint4 *at = (uint4 *)r.scores + prim_lane() + 32 * i;
        const uint4 v = *at;
        n += prim_count(v.x) + prim_count(v.y) + prim_count(v.z) + prim_count(v.w);
        *at = make_uint4(0, 0, 0, 0);
    }
    prim_sync_tile();
    return n;
}

/* The same where scores were added up: a document that scores 0 has a mark. */
PRIM uint32_t count_scored(const scratch &r)
{
    uint32_t n = 0;
#pragma unroll 4
    for (uint32_t i = 0; i < SIZE / 128; i++) {
        const uint4 v = ((const uint4 *)r.scores)[prim_lane() + 32 * i];
        const uint32_t marks = r.marks[4 * i + prim_lane() / 8] >> 4 * (prim_lane() % 8) & 15;
        n += prim_count(marks | (uint32_t)(v.x != 0) | (uint32_t)(v.y != 0) << 1 |
                        (uint32_t)(v.z != 0) << 2 | (uint32_t)(v.w != 0) << 3);
    }
    return n;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

PRIM uint32_t score_tile(const karg_or &a, const scratch &r, const work &w, uint32_t tile,
                         uint32_t min_score)
{
    const walked done = add_any_terms(a, r, w.query.n_terms, min_score);
    const uint32_t n = count_scored(r);
    if (prim_ballot<32>(done.hits) != 0)
        push(a, w, tile * SIZE, min_score);
    prim_sync_tile();
    clear<SIZE / 32>(r.marks);
    clear_scores(r, done);
    prim_sync_tile();
    return n;
}

/* The lane's share of the documents that match in the tile. */
PRIM uint32_t count_tile(const karg_or &a, const scratch &r, const work &w, uint32_t tile,
                         uint32_t min_score)
{
    const uint32_t n = w.query.n_terms;
    uint32_t lists;
    const uint32_t mine = postings_of(r, n, &lists);
    if (lists && r.sources[0].rest >= min_score)
        return score_tile(a, r, w, tile, min_score);
    if ((lists & (lists - 1)) == 0) /* one at most */
        return mine;
    mark_all(r, n);
    return take_marked(r);
}

/* Some neighbouring tiles of a query, each of which is looked into. */
PRIM void count_group(const karg_or &a, const scratch &r, uint32_t group)
{
    karg_or_term term;
    const work w = open_query(a, r, group % a.n_queries, false, &term);
    const uint32_t from = group / a.n_queries * a.group, end = prim_min(from + a.group, a.n_tiles);
    uint32_t matches = 0, seen = prim_look(&w.state->min_score);
    look there = look_up(w, term, from);
    for (uint32_t tile = from; tile < end; tile++) {
        const uint32_t min_score = min_score_of(w, seen);
        put_sources(a, r, w, term, there, tile);
        if (tile + 1 < end) {
            there = look_up(w, term, tile + 1);
            seen = prim_look(&w.state->min_score);
        }
        matches += count_tile(a, r, w, tile, min_score);
    }
    matches = scan_add<32>(matches);
    if (prim_lane() == 31 && matches > 0)
        prim_atomic_add(&w.state->matches, matches);
    prim_fence();
    prim_sync_tile();
}

/* By a warp that ended a group of the query: if it was the last, the query's total goes behind all
 * counts, before its answer. */
PRIM void end_count(const karg_or &a, uint32_t number)
{
    karg_or_state *state = prim_at<karg_or_state>(a.states) + number;
    uint32_t before = 0;
    if (prim_lane() == 0)
        before = prim_atomic_add(&state->done, 1);
    prim_fence();
    if (prim_shuffle<32>(before, 0) + 1 != a.n_groups)
        return;
    if (prim_lane() == 0)
        prim_at<uint32_t>(a.counts)[a.n_queries + number] = prim_load_now(&state->matches);
    if (a.k <= KARG_OR_RANKED_HERE)
        answer(a, number);
}

PRIM void run_group(const karg_or &a, const scratch &r, uint32_t group)
{
    count_group(a, r, group);
    end_count(a, group % a.n_queries);
}
