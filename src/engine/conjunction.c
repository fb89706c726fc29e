/* conjunction.c: the lists that every match of a query is in.
 *
 * Only the outermost group is looked at. Terms that groups inside it must match would narrow further, but these groups
 * are seldom there: binding flattens what it can. */
#include "engine/conjunction.h"

typedef struct found {
    const rp__query *query;
    uint32_t n; /* lists so far */
    rp__op *ops;
    rp__leaf *leaves;
    rp__word *words;
    bool *scored, *met;
} found;

/* Sorted by length; of equal ones the first stays first. */
static void add_list(found *f, const rp__leaf *leaf, const rp__word *word, bool is_scored)
{
    uint32_t i = f->n++;
    for (; i > 0 && f->words[i - 1].term.df > word->term.df; i--) {
        f->words[i] = f->words[i - 1];
        f->leaves[i] = f->leaves[i - 1];
        f->scored[i] = f->scored[i - 1];
    }
    f->words[i] = *word;
    f->leaves[i] = (rp__leaf){.weight = leaf->weight, .n_words = 1};
    f->scored[i] = is_scored;
}

static void add_leaf(found *f, const rp__op *op)
{
    const rp__leaf *leaf = &f->query->leaves[op->leaf];
    const bool is_scored = op->kind == RP_OP_TERM;
    f->met[op->leaf] = is_scored;
    for (uint32_t i = 0; i < leaf->n_words; i++)
        add_list(f, leaf, &f->query->words[leaf->word + i], is_scored);
}

/* A child that is optional must match where there is no other. */
static bool is_alone(const rp__query *query)
{
    size_t n = 0;
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        const rp__op *op = &query->ops[i];
        n += op->role != RP_NOT;
        i = op->kind == RP_OP_OPEN ? op->leaf : i;
    }
    return n == 1;
}

static void find_lists(found *f)
{
    const rp__query *query = f->query;
    const bool alone = is_alone(query);
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        const rp__op *op = &query->ops[i];
        const bool must = op->role == RP_MUST || (op->role == RP_SHOULD && alone);
        if (op->kind == RP_OP_OPEN)
            i = op->leaf;
        else if (must)
            add_leaf(f, op);
    }
}

/* The program of an AND. */
static void put_ops(found *f)
{
    const uint32_t close = f->n + 1;
    f->ops[0] = (rp__op){RP_OP_OPEN, RP_MUST, close};
    for (uint32_t i = 0; i < f->n; i++) {
        f->ops[i + 1] = (rp__op){RP_OP_TERM, RP_MUST, i};
        f->leaves[i].word = i;
    }
    f->ops[close] = (rp__op){RP_OP_CLOSE, RP_MUST, 0};
}

rp_status rp__conjunction_find(const rp__query *query, rp__arena *arena, rp__conjunction *out)
{
    const size_t max = query->n_words;
    found f = {.query = query,
               .ops = rp__arena_array(arena, max + 2, sizeof *f.ops),
               .leaves = rp__arena_array(arena, max, sizeof *f.leaves),
               .words = rp__arena_array(arena, max, sizeof *f.words),
               .scored = rp__arena_array(arena, max, sizeof *f.scored),
               .met = rp__arena_zero(arena, query->n_leaves, sizeof *f.met)};
    *out = (rp__conjunction){0};
    if (!f.ops || !f.leaves || !f.words || !f.scored || !f.met)
        return RP_NO_MEMORY;
    find_lists(&f);
    put_ops(&f);
    *out = (rp__conjunction){.query = *query, .n = f.n, .scored = f.scored, .met = f.met};
    out->query.ops = f.ops;
    out->query.leaves = f.leaves;
    out->query.words = f.words;
    out->query.n_ops = f.n + (size_t)2;
    out->query.n_leaves = out->query.n_words = f.n;
    out->query.depth = 1;
    out->is_all = query->n_ops - 2 == f.n;
    for (uint32_t i = 0; i < f.n; i++)
        out->is_all = out->is_all && f.scored[i];
    return RP_OK;
}
