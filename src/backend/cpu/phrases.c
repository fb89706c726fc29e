/* phrases.c: one phrase that is the whole query, a block of documents at a time.
 *
 * Blocks of the shortest list are searched in the others, from short to long; documents that hold all
 * words are looked into. Once k hits are known, and the total need not be exact, documents go before
 * that which could not enter were every occurrence of the rarest word a match. With slop, matches are as
 * many as the first word's occurrences, and an occurrence of another serves several: then none goes unless
 * the first word is the rarest. */
#include "backend/cpu/cpu_run.h"

#include "base/error.h"

typedef struct walk {
    rp__cpu_run *run;
    rp__phrase_match match;
    const rp__score *score;
    bool prunes;
    uint32_t (*ranks)[RP_BLOCK]; /* by part, then by where the document stood at first */
    rp__candidates c;
} walk;

/* The distinct words, the shortest list first. */
static rp_status make_parts(walk *w)
{
    rp__cpu_run *run = w->run;
    const rp__phrase_match *match = &w->match;
    uint32_t n = match->n_distinct;
    run->parts = rp__arena_array(run->arena, n, sizeof *run->parts);
    w->ranks = rp__arena_array(run->arena, n, sizeof *w->ranks);
    if (!run->parts || !w->ranks)
        return rp__error_no_memory(run->err);
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < n && status == RP_OK; i++) {
        run->parts[i] = (rp__part){.reader = &match->readers[match->order[i]], .score = w->score};
        if (i > 0)
            status = rp__part_probe(run, &run->parts[i], run->parts[0].reader->list.n);
        run->n_parts = i + 1;
    }
    return status;
}

static rp_status open_walk(walk *w)
{
    rp__cpu_run *run = w->run;
    const rp__query *query = run->query;
    uint32_t leaf = query->ops[1].leaf;
    const rp__leaf *phrase = &query->leaves[leaf];
    w->score = &run->scores[leaf];
    rp_status status =
        rp__phrase_match_init(&w->match, query, phrase, &run->readers[phrase->word], run->arena);
    if (status != RP_OK)
        return rp__cpu_run_fail(run, status, &query->words[phrase->word]);
    bool is_bounded = phrase->slop == 0 || w->match.order[0] == 0;
    w->prunes = query->k > 0 && !query->exact_total && w->score->is_plain && is_bounded;
    return RP_OK;
}

/* What a document has to score to enter; less what floats err by where a lower frequency comes out
 * higher. 0: anything may. */
static uint32_t needed(const walk *w)
{
    uint32_t least = w->run->topk.least, slack = (least >> 20) + 2;
    return w->prunes && least > slack ? least - slack : 0;
}

/* Leaves those of a run of the shortest list's postings, which start at rank `first`, that hold all
 * words. */
static rp_status find_documents(walk *w, const uint32_t *docids, uint32_t n, uint32_t first)
{
    rp__cpu_run *run = w->run;
    rp__candidates *c = &w->c;
    uint32_t need = needed(w);
    rp__candidates_fill(c, docids, n);
    if (need) {
        rp_status status = rp__candidates_score(c, run, &run->parts[0], first);
        if (status != RP_OK)
            return status;
        rp__candidates_cut(c, run->kernel, need);
        run->is_pruned |= c->n < n;
    }
    for (size_t i = 1; i < run->n_parts && c->n > 0; i++) {
        rp__candidates_find(c, &run->parts[i]);
        for (uint32_t j = 0; j < c->n; j++)
            w->ranks[i][c->slots[j]] = c->ranks[j];
    }
    return RP_OK;
}

/* Looks into the j-th document left. */
static rp_status take(walk *w, uint32_t j, uint32_t first)
{
    rp__cpu_run *run = w->run;
    const rp__reader *bad;
    uint32_t tf, docid = w->c.docids[j], slot = w->c.slots[j];
    const uint32_t *order = w->match.order;
    w->match.ranks[order[0]] = first + slot;
    for (size_t i = 1; i < run->n_parts; i++)
        w->match.ranks[order[i]] = w->ranks[i][slot];
    rp_status status = rp__phrase_match_count(&w->match, &run->budget, &tf, &bad);
    if (status != RP_OK)
        return rp__cpu_run_fail(run, status, bad->word);
    if (tf == 0)
        return RP_OK;
    run->total++;
    if (run->query->k > 0)
        rp__cpu_run_hit(run, rp__score_one(w->score, docid, tf), docid);
    return RP_OK;
}

static rp_status take_postings(walk *w, const uint32_t *docids, uint32_t n, uint32_t first)
{
    rp_status status = find_documents(w, docids, n, first);
    for (uint32_t j = 0; j < w->c.n && status == RP_OK; j++)
        status = take(w, j, first);
    return status;
}

static rp_status run_phrase(rp__cpu_run *run)
{
    walk w = {.run = run};
    rp_status status = open_walk(&w);
    rp__reader *shortest = &run->readers[0] + (w.match.order ? w.match.order[0] : 0);
    if (status != RP_OK || shortest->list.n == 0)
        return status;
    status = make_parts(&w);
    if (status != RP_OK)
        return status;
    rp__reader_start(shortest, run->query->begin);
    const uint32_t *docids;
    uint32_t n;
    while (status == RP_OK && (n = rp__reader_postings(shortest, run->query->end, &docids, NULL))) {
        status = take_postings(&w, docids, n, rp__cursor_rank(&shortest->cursor));
        rp__reader_skip(shortest, n);
        if (status == RP_OK)
            status = rp__cpu_run_check(run);
        rp__cpu_run_share(run);
    }
    return status;
}

const rp__algorithm rp__phrases_row = {"phrase", false, rp__algorithm_is_phrase, run_phrase};
