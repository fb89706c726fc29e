/* or_maxscore_short.cuh: the part of or_maxscore.cu that knows which lane has which term: of up to
 * KARG_OR_TERMS terms, lane t has term t. */

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

#ifdef RP_KERNELS_STORED
/* Of a list that is read as it is stored: from the block that has the tile's first docid to the one
 * that has the next one's. Cells have numbers from 1 on; 0: the list has ended. No tile has more
 * blocks than documents for them, and one at each end. */
PRIM look look_at_blocks(const karg_or_term &term, look l)
{
    const uint32_t n = prim_div_up(term.list.n, KARG_BLOCK), first = l.first ? l.first - 1 : n;
    return {first, l.top, prim_min(prim_min(l.end ? l.end : n, n), first + SIZE / KARG_BLOCK + 2)};
}
PRIM uint32_t end_of(const karg_or_term &term, look &l)
{
    if (term.list.ratios)
        return prim_min(prim_min(l.end, term.list.n), l.first + SIZE);
    l = look_at_blocks(term, l);
    return l.end;
}
PRIM void put_tile(source *s, uint32_t tile)
{
    s->tile = tile;
}
#else
PRIM uint32_t end_of(const karg_or_term &term, const look &l)
{
    return prim_min(prim_min(l.end, term.list.n), l.first + SIZE);
}
PRIM void put_tile(source *, uint32_t) {}
#endif

/* Tells all lanes. */
PRIM void put_sources(const karg_or &a, const scratch &r, const work &w, const karg_or_term &term,
                      look l, uint32_t tile)
{
    uint32_t rest = 0;
    if (a.skips) {
        const uint32_t up =
            prim_lane() < w.query.n_terms ? score_weighed(term.weight, score_share_of(l.top)) : 0;
        const uint32_t up_to = scan_add<32>(up);
        rest = prim_shuffle<32>(up_to, 31) - (up_to - up);
    }
    const uint32_t end = end_of(term, l);
    prim_sync_tile();
    if (prim_lane() < w.query.n_terms) {
        source *s = &r.sources[prim_lane()];
        s->first = l.first < end ? l.first : 0;
        s->end = l.first < end ? end : 0;
        s->rest = rest;
        put_tile(s, tile);
    }
    prim_sync_tile();
}

/* A query, and, of lane t, its term t; all lanes get the addresses of its lists. */
PRIM work open_query(const karg_or &a, const scratch &r, uint32_t number, bool is_ahead,
                     karg_or_term *term)
{
    work w;
    w.number = number;
    w.is_ahead = is_ahead;
    w.query = or_queries(a)[number];
    w.state = prim_at<karg_or_state>(a.states) + number;
    *term = {{0, 0, 0, 0, 0, 0}, 0, 0};
    if (prim_lane() < w.query.n_terms) {
        *term = or_terms(a)[w.query.term + prim_lane()];
        r.sources[prim_lane()] = {term->list.places, term->list.ratios, 0, 0, term->weight, 0,
                                  term->list.cells,  term->list.n,      0};
    }
    prim_sync_tile();
    return w;
}

/* The first terms of a tile whose postings are all read; the others cannot lift a document by
 * themselves. */
PRIM uint32_t read_wholly(const karg_or &a, const scratch &r, uint32_t n_terms, uint32_t min_score)
{
    uint32_t t = a.skips ? 0 : n_terms;
    while (t < n_terms && r.sources[t].rest >= min_score)
        t++;
    return t;
}

/* Not 0: a list of the query is damaged, as far as the lane knows. */
PRIM uint32_t damage_of(const karg_or &a, const karg_or_query &query)
{
    const karg_tiled *list =
        &or_terms(a)[query.term + prim_min(prim_lane(), query.n_terms - 1)].list;
    return prim_at<const karg_found>(list->found)->damaged;
}

#ifdef RP_KERNELS_COUNT
/* How many postings the lane's list has in the tile; *lists: a bit for each that has any. */
PRIM uint32_t postings_of(const scratch &r, uint32_t n_terms, uint32_t *lists)
{
    const uint32_t lane = prim_lane();
    const uint32_t mine = lane < n_terms ? r.sources[lane].end - r.sources[lane].first : 0;
    *lists = prim_ballot<32>(mine > 0);
    return mine;
}
#endif
