/* expansion.c: walks the dictionary for the terms that fit a pattern: from its first letters on, and of a
 * fuzzy word past all stretches that begin too differently. */
#include "plan/expansion.h"

#include <string.h>

static rp_status start_wildcard(rp__expansion *e, const rp__segment *segment,
                                rp__analyzer_state *analyzer, const char *word, size_t bytes)
{
    rp__wildcard *w = &e->by.wildcard;
    char first[RP_WILDCARD_PARTS];
    rp__wildcard_init(w, analyzer, word, bytes);
    for (uint32_t i = 0; i < w->n_first; i++)
        first[i] = (char)w->parts[i];
    return rp__term_iter_start(&e->iter, segment, first, w->n_first);
}

rp_status rp__expansion_start(rp__expansion *e, const rp__segment *segment,
                              rp__analyzer_state *analyzer, rp__syntax_kind kind, const char *word,
                              size_t bytes, uint32_t edits)
{
    char folded[RP_TEXT_TERM_MAX];
    e->kind = kind;
    e->distance = 0;
    if (kind == RP_SYNTAX_WILDCARD)
        return start_wildcard(e, segment, analyzer, word, bytes);
    bytes = rp__analyzer_fold(analyzer, word, bytes, folded);
    if (bytes == 0)
        return RP_NOT_FOUND;
    if (kind == RP_SYNTAX_PREFIX)
        return rp__term_iter_start(&e->iter, segment, folded, bytes);
    if (!rp__fuzzy_init(&e->by.fuzzy, folded, bytes, edits))
        return RP_LIMIT;
    return rp__term_iter_start(&e->iter, segment, folded, 0);
}

rp_status rp__expansion_start_letter(rp__expansion *e, const rp__segment *segment,
                                     const char *letter, size_t bytes, uint8_t first)
{
    e->kind = RP_SYNTAX_WORD;
    e->distance = 0;
    e->by.letter.bytes = bytes;
    e->by.letter.first = first;
    memcpy(e->by.letter.at, letter, bytes);
    return rp__term_iter_start(&e->iter, segment, letter, 0);
}

/* In UTF-8 no letter begins inside another. */
static rp_status is_with_letter(rp__expansion *e, bool *fits)
{
    const rp__expansion_letter *letter = &e->by.letter;
    rp__term_iter *iter = &e->iter;
    *fits = memmem(iter->term, iter->term_bytes, letter->at, letter->bytes) != NULL;
    const bool is_before = iter->term_bytes > 0 && (uint8_t)iter->term[0] < letter->first;
    return is_before ? rp__term_iter_skip(iter, 1) : RP_OK;
}

/* Whether the current term fits; where none that begins like it does, the walk passes over them. */
static rp_status is_fit(rp__expansion *e, bool *fits)
{
    rp__term_iter *iter = &e->iter;
    *fits = true;
    if (e->kind == RP_SYNTAX_WORD)
        return is_with_letter(e, fits);
    if (e->kind == RP_SYNTAX_WILDCARD)
        *fits = rp__wildcard_fits(&e->by.wildcard, iter->term, iter->term_bytes);
    if (e->kind != RP_SYNTAX_FUZZY)
        return RP_OK;
    size_t dead;
    e->distance = rp__fuzzy_distance(&e->by.fuzzy, iter->term, iter->term_bytes, &dead);
    *fits = e->distance <= e->by.fuzzy.edits;
    return dead > 0 ? rp__term_iter_skip(iter, dead) : RP_OK;
}

rp_status rp__expansion_next(rp__expansion *e, uint64_t *visits)
{
    rp_status status = RP_OK;
    bool fits = false;
    while (status == RP_OK && !fits) {
        status = rp__term_iter_next(&e->iter);
        if (status == RP_OK && *visits == 0)
            return RP_LIMIT;
        if (status != RP_OK)
            return status;
        --*visits;
        status = is_fit(e, &fits);
    }
    return status;
}
