/* correct.c: words of a query that no document has, and the terms that were perhaps meant. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/searcher.h"
#include "plan/expansion.h"

enum { CORRECTIONS_MOST = 16 };

typedef struct found {
    char typed[RP_TEXT_TERM_MAX + 1]; /* the word as the query has it */
    char word[RP_TEXT_TERM_MAX + 1];  /* its term */
    char instead[RP_TEXT_TERM_MAX + 1];
    uint32_t edits, df;
} found;

typedef struct job {
    rp_searcher *searcher;
    const char *query;
    size_t query_bytes;
    uint64_t visits; /* terms that may still be looked at */
    found at[CORRECTIONS_MOST];
    size_t n;
    rp_error err;
} job;

static void copy_term(char *out, const char *term, size_t bytes)
{
    memcpy(out, term, bytes);
    out[bytes] = 0;
}

/* The term in the most documents of those so many edits away. */
static rp_status find_near(job *j, found *f, uint32_t edits)
{
    rp__expansion e;
    const size_t bytes = strlen(f->word);
    rp_status status = rp__expansion_start(&e, j->searcher->index->segment, j->searcher->analyzer,
                                           RP_SYNTAX_FUZZY, f->word, bytes, edits);
    while (status == RP_OK) {
        status = rp__expansion_next(&e, &j->visits);
        if (status != RP_OK || e.distance != edits || e.iter.entry.df <= f->df)
            continue;
        f->df = e.iter.entry.df;
        f->edits = edits;
        copy_term(f->instead, e.iter.term, e.iter.term_bytes);
    }
    return status == RP_DAMAGED ? status : RP_OK; /* at a limit, what was found so far */
}

/* Edits after which a word of so many letters is still likely to be the one that was meant. */
static uint32_t most_edits(const char *word)
{
    size_t n = 0;
    for (; *word; word++)
        n += ((unsigned char)*word & 0xC0) != 0x80;
    return n < 2 ? 0 : n < 4 ? 1 : 2;
}

static bool is_known(const job *j, const char *term, size_t bytes)
{
    rp__term entry;
    for (size_t i = 0; i < j->n; i++)
        if (strlen(j->at[i].word) == bytes && memcmp(j->at[i].word, term, bytes) == 0)
            return true; /* it was looked at */
    return rp__segment_find(j->searcher->index->segment, term, bytes, &entry) == RP_OK;
}

static bool has_term(const job *j, const char *word, size_t bytes, const char *term)
{
    rp__token token;
    rp__analyzer_begin(j->searcher->analyzer, word, bytes);
    return rp__analyzer_next(j->searcher->analyzer, &token) && token.end == bytes &&
           token.bytes == strlen(term) && memcmp(token.term, term, token.bytes) == 0;
}

/* Of a stem that was found, a word: with the ending that the typed word has beyond its own stem, if
 * that makes a word of this stem. */
static void add_ending(const job *j, found *f)
{
    char folded[RP_TEXT_TERM_MAX], word[RP_TEXT_TERM_MAX];
    const size_t bytes =
        rp__analyzer_fold(j->searcher->analyzer, f->typed, strlen(f->typed), folded);
    const size_t stem = strlen(f->word), instead = strlen(f->instead);
    size_t same = 0;
    while (same < stem && same < bytes && folded[same] == f->word[same])
        same++;
    const size_t lost = stem - same, ending = bytes - same, front = instead - lost;
    if (lost > instead || front + ending > sizeof word ||
        memcmp(f->instead + front, f->word + same, lost) != 0)
        return;
    memcpy(word, f->instead, front);
    memcpy(word + front, folded + same, ending);
    if (has_term(j, word, front + ending, f->instead))
        copy_term(f->instead, word, front + ending);
}

static rp_status correct_word(job *j, const rp__token *token, const char *typed, size_t bytes)
{
    found *f = &j->at[j->n];
    if (is_known(j, token->term, token->bytes))
        return RP_OK;
    *f = (found){0};
    copy_term(f->word, token->term, token->bytes);
    const bool is_short = bytes <= RP_TEXT_TERM_MAX;
    copy_term(f->typed, is_short ? typed : token->term, is_short ? bytes : token->bytes);
    rp_status status = RP_OK;
    for (uint32_t edits = 1; status == RP_OK && edits <= most_edits(f->word) && f->df == 0; edits++)
        status = find_near(j, f, edits);
    if (f->df > 0) {
        add_ending(j, f);
        j->n++;
    }
    return status;
}

/* The terms of a word or a phrase, one by one: a search for others uses the same analyzer. */
static rp_status correct_leaf(job *j, const char *text, size_t bytes)
{
    rp__analyzer_state *analyzer = j->searcher->analyzer;
    rp_status status = RP_OK;
    for (size_t at = 0; status == RP_OK && j->n < CORRECTIONS_MOST;) {
        rp__token token;
        rp__analyzer_begin(analyzer, text + at, bytes - at);
        if (!rp__analyzer_next(analyzer, &token))
            return RP_OK;
        const char *typed = text + at + token.begin;
        at += token.end;
        status = correct_word(j, &token, typed, token.end - token.begin);
    }
    return status;
}

/* All leaves but those that are excluded, alone or with the group around them. */
static rp_status run(void *arg)
{
    job *j = arg;
    rp_searcher *s = j->searcher;
    rp__syntax syntax;
    rp__arena_clear(&s->arena);
    rp_status status = rp__query_parse(j->query, j->query_bytes, s->options.mode, &s->options,
                                       &s->arena, &syntax, &j->err);
    uint32_t depth = 0, out_of = 0; /* the depth at which an excluded group began; 0: none */
    for (size_t i = 0; status == RP_OK && i < syntax.n_ops; i++) {
        const rp__syntax_op *op = &syntax.ops[i];
        depth += op->kind == RP_SYNTAX_OPEN;
        if (op->kind == RP_SYNTAX_OPEN && op->role == RP_NOT && !out_of)
            out_of = depth;
        if (op->kind == RP_SYNTAX_CLOSE && depth-- == out_of)
            out_of = 0;
        if (!out_of && op->role != RP_NOT &&
            (op->kind == RP_SYNTAX_WORD || op->kind == RP_SYNTAX_PHRASE))
            status = correct_leaf(j, syntax.text + op->begin, op->end - op->begin);
    }
    return status;
}

/* The records and, behind them, their strings: one piece of memory. */
static rp_status copy_found(const job *j, rp_corrections *out)
{
    size_t bytes = 0;
    if (j->n == 0)
        return RP_OK;
    for (size_t i = 0; i < j->n; i++)
        bytes += strlen(j->at[i].typed) + strlen(j->at[i].instead) + 2;
    out->memory = rp__alloc(j->n * sizeof *out->at + bytes + 1);
    if (!out->memory)
        return RP_NO_MEMORY;
    out->at = out->memory;
    out->n = j->n;
    char *text = (char *)(out->at + j->n);
    for (size_t i = 0; i < j->n; i++) {
        const found *f = &j->at[i];
        char *instead = text + strlen(f->typed) + 1;
        copy_term(text, f->typed, strlen(f->typed));
        copy_term(instead, f->instead, strlen(f->instead));
        out->at[i] = (rp_correction){text, instead, f->edits, f->df};
        text = instead + strlen(instead) + 1;
    }
    return RP_OK;
}

rp_status rp_searcher_correct(rp_searcher *searcher, const char *query, size_t query_bytes,
                              rp_corrections *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_corrections){0};
    if (RP_MISSING(err, searcher) || RP_MISSING_ARRAY(err, query, query_bytes))
        return RP_USAGE;
    job j; /* not all zero: what was found is large, and most queries need none of it */
    j.searcher = searcher;
    j.query = query;
    j.query_bytes = query_bytes;
    j.visits = RP_EXPANSION_VISITS;
    j.n = 0;
    j.err = (rp_error){0};
    rp_status status = rp__searcher_guard(searcher, run, &j, &j.err, err);
    if (status != RP_OK)
        return status;
    return copy_found(&j, out) == RP_OK ? RP_OK : rp__error_no_memory(err);
}

void rp_corrections_free(rp_corrections *corrections)
{
    if (!corrections)
        return;
    rp__free(corrections->memory);
    *corrections = (rp_corrections){0};
}
