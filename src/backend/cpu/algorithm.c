/* algorithm.c: the algorithms of the cpu, one row each, and which of them answers a query soonest. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

static const rp__algorithm *const rows[] = {
    &rp__and_row,     &rp__passes_row, &rp__maxscore_row, &rp__maxscore_bmm_row,
    &rp__bmw_row,     &rp__wand_row,   &rp__windows_row,  &rp__count_row,
    &rp__phrases_row, &rp__flat_row,   &rp__tree_row, /* applies to everything */
};

const rp__algorithm *rp__algorithm_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? rows[i] : NULL;
}

const rp__algorithm *rp__algorithm_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(rows[i]->name, name))
            return rows[i];
    return NULL;
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static bool are_words(const rp__query *query, uint8_t role)
{
    for (size_t i = 1; i + 1 < query->n_ops; i++)
        if (query->ops[i].kind != RP_OP_TERM || query->ops[i].role != role)
            return false;
    return query->n_ops > 2;
}

static bool is_one_word(const rp__query *query)
{
    return query->n_ops == 3 && query->ops[1].kind == RP_OP_TERM && query->ops[1].role != RP_NOT;
}

bool rp__algorithm_is_and(const rp__query *query)
{
    return is_one_word(query) || are_words(query, RP_MUST);
}

bool rp__algorithm_is_or(const rp__query *query)
{
    return is_one_word(query) || are_words(query, RP_SHOULD);
}

bool rp__algorithm_is_phrase(const rp__query *query)
{
    return query->n_ops == 3 && query->ops[1].kind == RP_OP_PHRASE && query->ops[1].role != RP_NOT;
}

bool rp__algorithm_is_flat(const rp__query *query)
{
    size_t n[RP_NOT + 1] = {0};
    for (size_t i = 1; i + 1 < query->n_ops; i++) {
        const rp__op *op = &query->ops[i];
        if (op->kind == RP_OP_OPEN)
            return false;
        n[op->role]++;
    }
    return n[RP_MUST] > 0 || n[RP_SHOULD] == 1;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

enum { PASSES_MOST = 12 }; /* words; each pass searches the lists of all others */

const rp__algorithm *rp__algorithm_choose(const rp__query *query)
{
    size_t n = query->n_ops - 2;
    if (rp__algorithm_is_or(query))
        return query->k == 0      ? &rp__count_row
               : n <= PASSES_MOST ? &rp__passes_row
                                  : &rp__maxscore_row;
    if (rp__algorithm_is_phrase(query))
        return &rp__phrases_row;
    if (rp__algorithm_is_and(query))
        return &rp__and_row;
    return rp__algorithm_is_flat(query) ? &rp__flat_row : &rp__tree_row;
}
