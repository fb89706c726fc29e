/* phrase_match.c: documents that hold all words of a phrase, and how often they hold the phrase.
 *
 * Words meet by small-versus-small over docids; positions are decoded for documents that hold them
 * all, and no others. What counts as a match is phrase.c's. */
#include "backend/cpu/cpu_run.h"

static void sort_by_df(const rp__phrase_match *match)
{
    for (uint32_t i = 0; i < match->n_words; i++) {
        uint32_t df = match->readers[i].word->term.df, j = i;
        for (; j > 0 && match->readers[match->order[j - 1]].word->term.df > df; j--)
            match->order[j] = match->order[j - 1];
        match->order[j] = i;
    }
}

static bool all_are_known(const rp__phrase_match *match)
{
    return match->readers[match->order[0]].word->term.df > 0;
}

rp_status rp__phrase_match_init(rp__phrase_match *match, const rp__query *query,
                                const rp__leaf *leaf, rp__reader *readers, rp__arena *arena)
{
    uint32_t n = leaf->n_words;
    *match = (rp__phrase_match){.readers = readers, .n_words = n, .slop = leaf->slop};
    uint32_t *numbers = rp__arena_array(arena, n, 5 * sizeof *numbers);
    match->at = rp__arena_array(arena, n, sizeof *match->at);
    if (!numbers || !match->at)
        return RP_NO_MEMORY;
    match->order = numbers;
    match->offsets = numbers + n;
    match->n = numbers + 2 * (size_t)n;
    match->scratch = numbers + 3 * (size_t)n;
    for (uint32_t i = 0; i < n; i++)
        match->offsets[i] = readers[i].word->offset;
    sort_by_df(match);
    if (!all_are_known(match))
        return RP_OK;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < n && status == RP_OK; i++)
        status = rp__reader_open_positions(&readers[i], query, arena);
    return status;
}

uint32_t rp__phrase_match_next(rp__phrase_match *match, uint32_t docid)
{
    uint32_t agreed = 0;
    while (agreed < match->n_words && docid != RP_NO_DOC) {
        uint32_t got = rp__reader_next_geq(&match->readers[match->order[agreed]], docid);
        agreed = got == docid ? agreed + 1 : 0;
        docid = got;
    }
    return docid;
}

rp_status rp__phrase_match_count(rp__phrase_match *match, uint64_t *budget, uint32_t *tf,
                                 const rp__reader **bad)
{
    for (uint32_t i = 0; i < match->n_words; i++) {
        rp__reader *reader = &match->readers[i];
        rp_status status = rp__positions_get(&reader->positions, rp__cursor_rank(&reader->cursor),
                                             &match->at[i], &match->n[i]);
        if (status != RP_OK) {
            *bad = reader;
            return status;
        }
    }
    uint64_t cost = rp__phrase_cost(match->n, match->n_words, match->slop);
    *bad = &match->readers[0];
    if (cost > *budget)
        return RP_LIMIT;
    *budget -= cost;
    *tf = rp__phrase_count(match->at, match->n, match->offsets, match->n_words, match->slop,
                           match->scratch);
    return RP_OK;
}
