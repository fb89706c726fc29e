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
    rp__part *first; /* the shortest list */
    bool prunes;
    rp__candidates c;
} walk;

static rp_status open_match(walk *w)
{
    rp__cpu_run *run = w->run;
    const rp__leaf *leaf = &run->query->leaves[run->query->ops[1].leaf];
    rp__reader *readers = &run->readers[leaf->word];
    rp_status status = rp__phrase_match_init(&w->match, run->query, leaf, readers, run->arena);
    if (status == RP_OK)
        status = rp__phrase_match_open(&w->match, &run->parts[leaf->word]);
    return status == RP_OK ? RP_OK : rp__cpu_run_fail(run, status, readers->word);
}

static rp_status open_walk(walk *w)
{
    rp__cpu_run *run = w->run;
    const rp__query *query = run->query;
    rp_status status = rp__part_words(run);
    if (status == RP_OK)
        status = open_match(w);
    if (status != RP_OK)
        return status;
    w->first = &w->match.parts[w->match.order[0]];
    bool is_bounded = w->match.slop == 0 || w->match.order[0] == 0;
    w->prunes = query->k > 0 && !query->exact_total && w->first->score->is_plain && is_bounded;
    uint32_t n = w->first->reader->list.n; /* 0: nothing matches */
    for (uint32_t i = 1; i < w->match.n_distinct && n > 0 && status == RP_OK; i++)
        status = rp__part_probe(run, &w->match.parts[w->match.order[i]], n);
    rp__reader_start(w->first->reader, query->begin);
    return status;
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
        rp_status status = rp__candidates_score(c, run, w->first, first);
        if (status != RP_OK)
            return status;
        rp__candidates_cut(c, run->kernel, need);
        run->is_pruned |= c->n < n;
    }
    for (uint32_t slot = 0; slot < n; slot++)
        w->match.found[0][slot] = first + slot;
    rp__phrase_match_find(&w->match, 1, c);
    return RP_OK;
}

/* Looks into the j-th document left. */
static rp_status take(walk *w, uint32_t j)
{
    rp__cpu_run *run = w->run;
    const rp__reader *bad;
    uint32_t tf, docid = w->c.docids[j];
    rp__phrase_match_stand(&w->match, w->c.slots[j]);
    rp_status status = rp__phrase_match_count(&w->match, &tf, &bad);
    if (status != RP_OK)
        return rp__cpu_run_fail(run, status, bad->word);
    if (tf == 0)
        return RP_OK;
    run->total++;
    if (run->query->k > 0)
        rp__cpu_run_hit(run, rp__score_one(w->first->score, docid, tf), docid);
    return RP_OK;
}

static rp_status take_postings(walk *w, const uint32_t *docids, uint32_t n, uint32_t first)
{
    rp_status status = find_documents(w, docids, n, first);
    for (uint32_t j = 0; j < w->c.n && status == RP_OK; j++)
        status = take(w, j);
    return status == RP_OK ? rp__cpu_run_check(w->run) : status;
}

static rp_status run_phrase(rp__cpu_run *run)
{
    walk *w = rp__arena_alloc(run->arena, sizeof *w);
    if (!w)
        return rp__error_no_memory(run->err);
    w->run = run;
    rp_status status = open_walk(w);
    const uint32_t *docids;
    while (status == RP_OK) {
        rp__reader *reader = w->first->reader;
        uint32_t n = rp__reader_postings(reader, run->query->end, &docids, NULL);
        if (n == 0)
            break;
        status = take_postings(w, docids, n, rp__cursor_rank(&reader->cursor));
        rp__reader_skip(reader, n);
        rp__cpu_run_share(run);
    }
    return status;
}

const rp__algorithm rp__phrases_row = {"phrase", false, rp__algorithm_is_phrase, run_phrase, false};
