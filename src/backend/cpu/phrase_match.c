/* phrase_match.c: documents that hold all words of a phrase, and how often they hold the phrase.
 *
 * Words meet by small-versus-small over docids; positions are decoded for documents that hold them
 * all, and no others. Of an exact phrase the rarest word gives the starts and each other word narrows
 * them, so that most documents are done after two words. What counts as a match is phrase.c's.
 * A word that comes again in the phrase is read once. */
#include "backend/cpu/cpu_run.h"

static bool is_same_list(const rp__term *a, const rp__term *b)
{
    if (a->tiny || b->tiny)
        return a->tiny == b->tiny;
    return a->df > 0 && b->df > 0 && a->list_offset == b->list_offset;
}

/* The first word that is the same as word w. */
static uint32_t first_alike(const rp__reader *readers, uint32_t w)
{
    uint32_t i = 0;
    while (i < w && !is_same_list(&readers[i].word->term, &readers[w].word->term))
        i++;
    return i;
}

/* Sets sources, and order: words by rising df, those that come again behind them. */
static void sort_words(rp__phrase_match *match)
{
    uint32_t n_again = 0;
    for (uint32_t i = 0; i < match->n_words; i++) {
        uint32_t df = match->readers[i].word->term.df, j = match->n_distinct;
        match->sources[i] = first_alike(match->readers, i);
        if (match->sources[i] != i) {
            match->order[match->n_words - ++n_again] = i;
            continue;
        }
        for (; j > 0 && match->readers[match->order[j - 1]].word->term.df > df; j--)
            match->order[j] = match->order[j - 1];
        match->order[j] = i;
        match->n_distinct++;
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
    uint32_t *numbers = rp__arena_array(arena, n, 7 * sizeof *numbers);
    match->at = rp__arena_array(arena, n, sizeof *match->at);
    if (!numbers || !match->at)
        return RP_NO_MEMORY;
    match->arena = arena;
    match->order = numbers;
    match->sources = numbers + n;
    match->ranks = numbers + 2 * (size_t)n;
    match->offsets = numbers + 3 * (size_t)n;
    match->n = numbers + 4 * (size_t)n;
    match->scratch = numbers + 5 * (size_t)n;
    for (uint32_t i = 0; i < n; i++)
        match->offsets[i] = readers[i].word->offset;
    sort_words(match);
    if (!all_are_known(match))
        return RP_OK;
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < match->n_distinct && status == RP_OK; i++)
        status = rp__reader_open_positions(&readers[match->order[i]], query, arena);
    return status;
}

rp_status rp__phrase_match_open(rp__phrase_match *match, rp__part *parts)
{
    match->parts = parts;
    match->found = rp__arena_array(match->arena, match->n_distinct, sizeof *match->found);
    return match->found ? RP_OK : RP_NO_MEMORY;
}

void rp__phrase_match_find(rp__phrase_match *match, uint32_t i, rp__candidates *c)
{
    for (; i < match->n_distinct && c->n > 0; i++) {
        rp__candidates_find(c, &match->parts[match->order[i]]);
        for (uint32_t j = 0; j < c->n; j++)
            match->found[i][c->slots[j]] = c->ranks[j];
    }
}

void rp__phrase_match_stand(rp__phrase_match *match, uint32_t slot)
{
    for (uint32_t i = 0; i < match->n_distinct; i++)
        match->ranks[match->order[i]] = match->found[i][slot];
}

/* ---- How often ------------------------------------------------------------------------------- */

/* The positions of word w in the document. */
static rp_status read_positions(rp__phrase_match *match, uint32_t w, const rp__reader **bad)
{
    uint32_t source = match->sources[w];
    *bad = &match->readers[source];
    return rp__positions_get(&match->readers[source].positions, match->ranks[source], &match->at[w],
                             &match->n[w]);
}

static rp_status begin_starts(rp__phrase_match *match, uint32_t w, uint32_t *n)
{
    if (match->starts_cap < match->n[w]) {
        size_t cap = match->n[w] + (size_t)match->n[w] / 2 + RP_BLOCK;
        match->starts = rp__arena_array(match->arena, cap, sizeof *match->starts);
        match->starts_cap = match->starts ? cap : 0;
        if (!match->starts)
            return RP_NO_MEMORY;
    }
    *n = rp__phrase_begin(match->at[w], match->n[w], match->offsets[w], match->starts);
    return RP_OK;
}

static rp_status count_exact(rp__phrase_match *match, uint32_t *tf, const rp__reader **bad)
{
    *tf = 0;
    for (uint32_t i = 0; i < match->n_words && (i == 0 || *tf > 0); i++) {
        uint32_t w = match->order[i];
        rp_status status = read_positions(match, w, bad);
        if (status == RP_OK && i == 0)
            status = begin_starts(match, w, tf);
        if (status != RP_OK)
            return status;
        if (i > 0)
            *tf =
                rp__phrase_narrow(match->starts, *tf, match->at[w], match->n[w], match->offsets[w]);
    }
    return RP_OK;
}

static rp_status count_sloppy(rp__phrase_match *match, uint32_t *tf, const rp__reader **bad)
{
    rp_status status = RP_OK;
    for (uint32_t w = 0; w < match->n_words && status == RP_OK; w++)
        status = read_positions(match, w, bad);
    if (status == RP_OK)
        *tf = rp__phrase_count(match->at, match->n, match->offsets, match->n_words, match->slop,
                               match->scratch);
    return status;
}

rp_status rp__phrase_match_count(rp__phrase_match *match, uint32_t *tf, const rp__reader **bad)
{
    return match->slop == 0 ? count_exact(match, tf, bad) : count_sloppy(match, tf, bad);
}
