/* explain.c: the score tree of one document: what each word, phrase and group brings.
 *
 * The plain way through a bound query: every leaf is looked up for the one document by its own
 * cursor, then the ops are run once, a level of groups at a time on a stack. It shares the rank
 * room's arithmetic with the processors and nothing else. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/searcher.h"

typedef struct job {
    rp_searcher *searcher;
    const char *query;
    size_t query_bytes;
    uint32_t docid;
    rp__query bound;
    rp_explanation out;
    rp_error err;
} job;

/* One open group while the ops are run. */
typedef struct level {
    rp_explain_node *node;
    uint32_t n_must, n_should, hits_must, hits_should, hits_not;
    uint32_t fixed;
    uint8_t role;
} level;

/* ---- How often a leaf stands in the document --------------------------------------------------- */

/* Puts a cursor of the word on the document; *is_there: the word is in it. */
static rp_status seek(const job *j, const rp__word *word, rp__list *list, rp__cursor *cursor,
                      bool *is_there)
{
    *is_there = false;
    if (word->term.df == 0)
        return RP_OK;
    rp_status status = rp__segment_list(j->bound.segment, &word->term, &j->searcher->arena, list);
    if (status != RP_OK)
        return status;
    rp__cursor_open(cursor, list);
    *is_there = rp__cursor_next_geq(cursor, j->docid) == j->docid;
    return cursor->status;
}

static rp_status count_term(const job *j, const rp__leaf *leaf, uint32_t *tf)
{
    rp__list list;
    bool is_there;
    rp__cursor *cursor = rp__arena_alloc(&j->searcher->arena, sizeof *cursor);
    if (!cursor)
        return RP_NO_MEMORY;
    rp_status status = seek(j, &j->bound.words[leaf->word], &list, cursor, &is_there);
    if (status == RP_OK && is_there) {
        *tf = rp__cursor_tf(cursor);
        status = cursor->status;
    }
    return status;
}

/* What one word of a phrase needs until all have their positions. */
typedef struct place {
    rp__cursor cursor;
    rp__list list;
    rp__positions positions;
} place;

static rp_status find_positions(const job *j, const rp__word *word, place *p, const uint32_t **at,
                                uint32_t *n)
{
    bool is_there;
    *n = 0;
    rp_status status = seek(j, word, &p->list, &p->cursor, &is_there);
    if (status != RP_OK || !is_there)
        return status;
    status = rp__positions_open(&p->positions, j->bound.segment, &word->term, &p->list,
                                &j->searcher->arena);
    return status == RP_OK ? rp__positions_get(&p->positions, rp__cursor_rank(&p->cursor), at, n)
                           : status;
}

static rp_status count_phrase(const job *j, const rp__leaf *leaf, uint32_t *tf)
{
    rp__arena *arena = &j->searcher->arena;
    uint32_t n_words = leaf->n_words;
    place *places = rp__arena_array(arena, n_words, sizeof *places);
    const uint32_t **at = rp__arena_array(arena, n_words, sizeof *at);
    uint32_t *n = rp__arena_array(arena, n_words, 4 * sizeof *n);
    if (!places || !at || !n)
        return RP_NO_MEMORY;
    uint32_t *offsets = n + n_words, *scratch = offsets + n_words;
    for (uint32_t i = 0; i < n_words; i++) {
        const rp__word *word = &j->bound.words[leaf->word + i];
        rp_status status = find_positions(j, word, &places[i], &at[i], &n[i]);
        if (status != RP_OK || n[i] == 0)
            return status;
        offsets[i] = word->offset;
    }
    *tf = rp__phrase_count(at, n, offsets, n_words, leaf->slop, scratch);
    return RP_OK;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static const char *sign(uint8_t role)
{
    return role == RP_NOT ? "NOT " : "";
}

typedef struct label {
    char *at;
    size_t n, cap;
} label;

/* Appends as many whole characters as fit. */
static void append(label *l, const char *text, size_t bytes)
{
    size_t n = bytes;
    if (n > l->cap - 1 - l->n)
        for (n = l->cap - 1 - l->n; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;)
            n--;
    memcpy(l->at + l->n, text, n);
    l->n += n;
    l->at[l->n] = 0;
}

/* term WORD, or phrase "WORD WORD"~SLOP. */
static void label_leaf(const job *j, const rp__op *op, const rp__leaf *leaf, char *at, size_t cap)
{
    bool is_phrase = op->kind == RP_OP_PHRASE;
    const char *kind = is_phrase ? "phrase \"" : "term ";
    label l = {.at = at, .cap = cap};
    append(&l, sign(op->role), strlen(sign(op->role)));
    append(&l, kind, strlen(kind));
    for (uint32_t i = 0; i < leaf->n_words; i++) {
        const rp__word *word = &j->bound.words[leaf->word + i];
        append(&l, " ", i > 0);
        append(&l, word->text, word->text_bytes);
    }
    char slop[16] = "\"";
    if (leaf->slop)
        snprintf(slop, sizeof slop, "\"~%u", leaf->slop);
    append(&l, slop, is_phrase ? strlen(slop) : 0);
}

static uint32_t least_df(const job *j, const rp__leaf *leaf)
{
    uint32_t df = UINT32_MAX;
    for (uint32_t i = 0; i < leaf->n_words; i++) {
        uint32_t one = j->bound.words[leaf->word + i].term.df;
        df = one < df ? one : df;
    }
    return df;
}

static rp_status fill_leaf(const job *j, const rp__op *op, float norm, rp_explain_node *node)
{
    const rp__leaf *leaf = &j->bound.leaves[op->leaf];
    rp__arena_mark mark = rp__arena_get_mark(&j->searcher->arena);
    rp_status status = op->kind == RP_OP_PHRASE ? count_phrase(j, leaf, &node->tf)
                                                : count_term(j, leaf, &node->tf);
    rp__arena_rewind(&j->searcher->arena, mark);
    if (status != RP_OK)
        return status;
    label_leaf(j, op, leaf, node->label, sizeof node->label);
    node->matches = node->tf > 0;
    node->df = least_df(j, leaf);
    node->weight = leaf->weight.weight;
    node->norm = norm;
    if (node->matches && op->role != RP_NOT)
        node->fixed = rp__rank_contribution(j->bound.rank->ranking->kind, &leaf->weight, norm,
                                            node->tf, j->bound.fraction_bits);
    return RP_OK;
}

/* ---- The tree -------------------------------------------------------------------------------- */

static void count_child(level *l, uint8_t role, const rp_explain_node *node)
{
    l->n_must += role == RP_MUST;
    l->n_should += role == RP_SHOULD;
    l->hits_must += role == RP_MUST && node->matches;
    l->hits_should += role == RP_SHOULD && node->matches;
    l->hits_not += role == RP_NOT && node->matches;
    if (role != RP_NOT)
        l->fixed += node->fixed;
}

static void end_level(const level *l)
{
    rp_explain_node *node = l->node;
    bool is_enough = l->n_must ? l->hits_must == l->n_must : l->hits_should > 0;
    node->matches = is_enough && l->hits_not == 0;
    node->fixed = node->matches && l->role != RP_NOT ? l->fixed : 0;
    snprintf(node->label, sizeof node->label, "%s%s", sign(l->role),
             l->n_must == 0     ? "OR"
             : l->n_should == 0 ? "AND"
                                : "AND, others optional");
}

/* Runs the ops; a node for each that is not a closer, in order. */
static rp_status fill_nodes(job *j, level *levels)
{
    const rp__query *q = &j->bound;
    float norm = q->norms[rp__lengths_code(&q->lengths, j->docid)];
    uint32_t depth = 0;
    for (size_t i = 0; i < q->n_ops; i++) {
        const rp__op *op = &q->ops[i];
        const rp_explain_node *done;
        if (op->kind == RP_OP_CLOSE) {
            end_level(&levels[--depth]);
            done = levels[depth].node;
        } else {
            rp_explain_node *node = &j->out.at[j->out.n++];
            node->level = depth;
            done = node;
            if (op->kind == RP_OP_OPEN) {
                levels[depth++] = (level){.node = node, .role = op->role};
                continue;
            }
            rp_status status = fill_leaf(j, op, norm, node);
            if (status != RP_OK)
                return status;
        }
        if (depth > 0)
            count_child(&levels[depth - 1], op->role, done);
    }
    for (size_t i = 0; i < j->out.n; i++)
        j->out.at[i].score = rp__rank_score(j->out.at[i].fixed, q->fraction_bits);
    return RP_OK;
}

static rp_status explain_in_mode(job *j, rp_mode mode)
{
    rp_status status =
        rp__searcher_bind(j->searcher, j->query, j->query_bytes, mode, &j->bound, &j->err);
    if (status != RP_OK)
        return status;
    if (j->docid >= j->bound.lengths.n_docs)
        return rp__error_set(&j->err, RP_NOT_FOUND, "document %u: the index has only %u", j->docid,
                             j->bound.lengths.n_docs);
    level *levels = rp__arena_array(&j->searcher->arena, j->bound.depth, sizeof *levels);
    j->out.at = rp__alloc_zero(j->bound.n_ops + 1, sizeof *j->out.at);
    if (!levels || !j->out.at)
        return RP_NO_MEMORY;
    return fill_nodes(j, levels);
}

/* Whether andor answers by AND or by OR is a matter of how many match, so it is asked again. */
static rp_status run_job(void *arg)
{
    job *j = arg;
    rp_mode mode = j->searcher->options.mode;
    rp__answer answer;
    if (mode == RP_MODE_ANDOR) {
        rp_status status = rp__searcher_answer(j->searcher, j->query, j->query_bytes, &mode,
                                               &j->bound, &answer, &j->err);
        if (status != RP_OK)
            return status;
    }
    return explain_in_mode(j, mode);
}

rp_status rp_searcher_explain(rp_searcher *searcher, const char *query, size_t query_bytes,
                              uint32_t docid, rp_explanation *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp_explanation){0};
    if (RP_MISSING(err, searcher) || RP_MISSING_ARRAY(err, query, query_bytes))
        return RP_USAGE;
    job j = {.searcher = searcher, .query = query, .query_bytes = query_bytes, .docid = docid};
    rp_status status = rp__searcher_guard(searcher, run_job, &j, &j.err, err);
    if (status != RP_OK) {
        rp_explanation_free(&j.out);
        return status;
    }
    *out = j.out;
    return RP_OK;
}

void rp_explanation_free(rp_explanation *explanation)
{
    if (!explanation)
        return;
    rp__free(explanation->at);
    *explanation = (rp_explanation){0};
}
