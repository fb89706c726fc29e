/* or_maxscore_long.cuh: the part of or_maxscore.cu that knows which lane has which term, for
 * queries of up to KARG_OR_LONG_TERMS terms: lane t has term t and every 32nd after it. What a tile
 * has of the first 32 terms is on its way while the tile before is in work; of the others it is
 * read when the tile begins, near where its bound was read. */

/* What lane t knows of term t, or of one 32 or more behind it, in a tile. */
struct look {
    uint32_t first, top, end;
};
PRIM look look_at(uint64_t cells_at, uint32_t tile)
{
    const uint2 *cells = prim_at<const uint2>(cells_at);
    const uint2 here = prim_load(&cells[tile]), after = prim_load(&cells[tile + 1]);
    return {here.x, here.y, after.x};
}
PRIM look look_up(const work &w, const karg_or_term &term, uint32_t tile)
{
    return prim_lane() < w.query.n_terms ? look_at(term.list.cells, tile) : look{0, 0, 0};
}

/* Tells all lanes, the last terms first: of each, what it and all after can contribute. */
PRIM void put_sources(const karg_or &a, const scratch &r, const work &w, const karg_or_term &,
                      look l, uint32_t tile)
{
    const uint32_t n = w.query.n_terms;
    uint32_t behind = 0;
    prim_sync_tile();
#pragma unroll 1
    for (uint32_t left = prim_div_up(n, 32); left-- > 0;) {
        const uint32_t t = 32 * left + prim_lane();
        const bool is_term = t < n;
        source *s = &r.sources[prim_min(t, n - 1)];
        const look here = left == 0 ? l : is_term ? look_at(s->cells, tile) : look{0, 0, 0};
        const uint32_t end = prim_min(prim_min(here.end, s->n), here.first + SIZE);
        const uint32_t up =
            is_term && a.skips ? score_weighed(s->weight, score_share_of(here.top)) : 0;
        const uint32_t up_to = scan_add<32>(up), sum = prim_shuffle<32>(up_to, 31);
        if (is_term) {
            s->first = here.first < end ? here.first : 0;
            s->end = here.first < end ? end : 0;
            s->rest = behind + sum - (up_to - up);
        }
        behind += sum;
    }
    prim_sync_tile();
}

/* A query; of lane t, its term t; all lanes get the addresses of its lists. */
PRIM work open_query(const karg_or &a, const scratch &r, uint32_t number, bool is_ahead,
                     karg_or_term *term)
{
    work w;
    w.number = number;
    w.is_ahead = is_ahead;
    w.query = or_queries(a)[number];
    w.state = prim_at<karg_or_state>(a.states) + number;
    *term = {{0, 0, 0, 0, 0, 0}, 0, 0};
    for (uint32_t t = prim_lane(); t < w.query.n_terms; t += 32) {
        const karg_or_term of = or_terms(a)[w.query.term + t];
        r.sources[t] = {of.list.places, of.list.ratios, 0, 0, of.weight, 0,
                        of.list.cells,  of.list.n,      0};
        if (t < 32)
            *term = of;
    }
    prim_sync_tile();
    return w;
}

/* All terms of a tile, or none, if no document can come to `min_score`: many lists have few
 * postings in it each, and reading these costs less than asking which of them is still wanted. */
PRIM uint32_t read_wholly(const karg_or &a, const scratch &r, uint32_t n_terms, uint32_t min_score)
{
    return !a.skips || r.sources[0].rest >= min_score ? n_terms : 0;
}

/* Not 0: a list of the query is damaged, as far as the lane knows. */
PRIM uint32_t damage_of(const karg_or &a, const karg_or_query &query)
{
    uint32_t damaged = 0;
    for (uint32_t t = prim_lane(); t < query.n_terms; t += 32)
        damaged |= prim_at<const karg_found>(or_terms(a)[query.term + t].list.found)->damaged;
    return damaged;
}

#ifdef RP_KERNELS_COUNT
/* How many postings the lane's lists have in the tile; *lists: a bit for each of the first two that
 * have any. */
PRIM uint32_t postings_of(const scratch &r, uint32_t n_terms, uint32_t *lists)
{
    uint32_t mine = 0, n_lists = 0;
    for (uint32_t t = prim_lane(); t < n_terms; t += 32) {
        const uint32_t n = r.sources[t].end - r.sources[t].first;
        mine += n;
        n_lists += n > 0;
    }
    *lists = prim_mask(prim_min(scan_sum<32>(n_lists), 2U));
    return mine;
}
#endif
