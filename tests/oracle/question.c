/* question.c: queries by chance. See question.h.
 *
 * Boosts are powers of two, whose products are the same in any order, or so large that scores fill their 32
 * bits. */
#include "oracle/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/chance.h"

static const char *some_token(const oracle *o)
{
    const char *text = NULL;
    while (!text)
        text = oracle_token(o, chance_below(oracle_docs(o)), chance_below(1 << 20));
    return text;
}

/* Terms with nothing in them that the query language reads as its own. */
static bool is_simple(const char *text)
{
    for (; *text; text++)
        if (!((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9')))
            return false;
    return true;
}

/* By how often they stand in the text, or each as likely as another, or one nobody has. */
static void put_term(const oracle *o, char *out, size_t cap)
{
    const char *text;
    do
        text = chance_below(3) ? some_token(o) : oracle_term(o, chance_below(oracle_terms(o)));
    while (!is_simple(text));
    snprintf(out, cap, "%s%s", text, chance_below(25) ? "" : "zqxj");
}

/* Words that stand together in some document, or not quite. */
static void put_phrase(const oracle *o, oracle_node *node)
{
    size_t doc = chance_below(oracle_docs(o)), from = chance_below(1 << 20),
           n = 1 + chance_below(chance_below(4) ? 3 : 6);
    size_t step = chance_below(6) ? 1 : 2;
    for (size_t i = 0; i < n; i++) {
        const char *token = oracle_token(o, doc, from + i * step);
        char word[128];
        if (token && is_simple(token) && chance_below(15))
            snprintf(word, sizeof word, "%s", token);
        else
            put_term(o, word, sizeof word);
        size_t at = strlen(node->text);
        snprintf(node->text + at, sizeof node->text - at, "%s%s", i ? " " : "", word);
    }
    if (chance_below(2))
        node->slop = (uint32_t)(chance_below(10) ? 1 + chance_below(6) : chance_below(10000));
}

/* Powers of two: their products are the same in any order. */
static double some_boost(void)
{
    static const double boosts[] = {0, 0.125, 0.5, 2, 4, 16};
    return chance_below(5) ? 1 : boosts[chance_below(sizeof boosts / sizeof boosts[0])];
}

static oracle_node *new_node(oracle_kind kind, oracle_role role)
{
    oracle_node *node = calloc(1, sizeof *node);
    if (!node)
        abort();
    node->kind = kind;
    node->role = role;
    node->boost = some_boost();
    node->has_signs = chance_below(4) == 0;
    return node;
}

/* Puts wildcards into a word, none of them first and no '?' last. */
static void put_wildcards(char *text)
{
    size_t n = strlen(text);
    for (size_t i = 1; i + 1 < n; i++)
        if (chance_below(3) == 0)
            text[i] = text[i - 1] != '*' && chance_below(2) ? '*' : '?';
    if (n > 3 && text[n - 2] != '*' && chance_below(3) == 0)
        text[n - 1] = '*';
    if (n < 3 || strcspn(text, "*?") == strlen(text))
        strcpy(text + 1, chance_below(2) ? "*a" : "?*");
}

/* Changes a few letters, or none. */
static void put_slips(char *text)
{
    for (uint64_t i = chance_below(3); i > 0; i--) {
        size_t n = strlen(text), at = chance_below(n);
        if (chance_below(3) == 0 && n > 1)
            memmove(text + at, text + at + 1, n - at);
        else if (chance_below(2))
            memmove(text + at + 1, text + at, n - at + 1);
        text[at] = text[at] ? (char)('a' + chance_below(26)) : text[at];
    }
}

/* A word as it came, or made a pattern of some kind. */
static void make_pattern(oracle_node *node)
{
    if (node->kind == ORACLE_WILDCARD)
        put_wildcards(node->text);
    if (node->kind != ORACLE_FUZZY)
        return;
    put_slips(node->text);
    node->slop = strlen(node->text) > 4 && chance_below(2) ? 2 : 1;
}

static oracle_kind some_kind(void)
{
    uint64_t kind = chance_below(14);
    return kind == 0    ? ORACLE_PREFIX
           : kind <= 2  ? ORACLE_PHRASE
           : kind == 12 ? ORACLE_WILDCARD
           : kind == 13 ? ORACLE_FUZZY
                        : ORACLE_WORD;
}

static oracle_node *make_leaf(const oracle *o, oracle_role role)
{
    oracle_node *node = new_node(some_kind(), role);
    if (node->kind == ORACLE_PHRASE) {
        put_phrase(o, node);
        return node;
    }
    put_term(o, node->text, sizeof node->text / 2);
    size_t n = strlen(node->text);
    if (node->kind == ORACLE_PREFIX)
        node->text[1 + n / 2 + chance_below((n + 1) / 2)] = 0;
    make_pattern(node);
    if (node->kind == ORACLE_WORD && chance_below(30) == 0) { /* one word that is two terms */
        node->text[n++] = '/';
        put_term(o, node->text + n, sizeof node->text / 2);
    }
    return node;
}

static oracle_role role_in(oracle_kind group, bool is_first)
{
    if (!is_first && chance_below(7) == 0)
        return ORACLE_NOT;
    if (group == ORACLE_AND)
        return ORACLE_MUST;
    if (group == ORACLE_OR)
        return ORACLE_SHOULD;
    return chance_below(4) ? ORACLE_DEFAULT : ORACLE_MUST;
}

/* Now and then a kid is the one before it again. */
static oracle_node *make_group(const oracle *o, oracle_kind kind, oracle_role role, int depth)
{
    oracle_node *node = new_node(kind, role);
    size_t n = 1 + chance_below(chance_below(5) ? 3 : ORACLE_KIDS);
    for (size_t i = 0; i < n; i++) {
        oracle_role kid_role = role_in(kind, i == 0);
        oracle_kind inner = ORACLE_AND + (oracle_kind)chance_below(3);
        oracle_node *kid = depth > 0 && chance_below(3) == 0
                               ? make_group(o, inner, kid_role, depth - 1)
                               : make_leaf(o, kid_role);
        if (i > 0 && kid->kind == ORACLE_WORD && node->kids[i - 1]->kind == ORACLE_WORD &&
            chance_below(12) == 0)
            memcpy(kid->text, node->kids[i - 1]->text, sizeof kid->text);
        node->kids[node->n_kids++] = kid;
    }
    return node;
}

/* Flat queries, which are most of what people ask, and trees. Huge boosts are for the outermost kids
 * alone, so that products stay within a million. */
oracle_node *question_make(const oracle *o)
{
    uint64_t shape = chance_below(10);
    oracle_kind kind = shape < 4 ? ORACLE_SIDE : ORACLE_AND + (oracle_kind)chance_below(3);
    oracle_node *node = make_group(o, kind, ORACLE_MUST, shape < 5 ? 0 : 1 + (int)chance_below(3));
    node->boost = 1;
    for (size_t i = 0; i < node->n_kids && chance_below(15) == 0; i++)
        if (node->kids[i]->kind < ORACLE_AND)
            node->kids[i]->boost = chance_below(2) ? 1000000 : 4096;
    return node;
}

oracle_node *question_make_flat(const oracle *o)
{
    oracle_node *node = new_node(ORACLE_SIDE, ORACLE_MUST);
    size_t n = 1 + chance_below(chance_below(4) ? 5 : ORACLE_KIDS);
    bool has_huge = chance_below(15) == 0;
    node->boost = 1;
    for (size_t i = 0; i < n; i++) {
        oracle_node *kid = new_node(ORACLE_WORD, ORACLE_DEFAULT);
        put_term(o, kid->text, sizeof kid->text / 2);
        if (i > 0 && chance_below(12) == 0)
            memcpy(kid->text, node->kids[i - 1]->text, sizeof kid->text);
        if (has_huge && chance_below(2))
            kid->boost = chance_below(2) ? 1000000 : 4096;
        node->kids[node->n_kids++] = kid;
    }
    return node;
}

oracle_node *question_make_phrase(const oracle *o)
{
    oracle_node *node = new_node(ORACLE_SIDE, ORACLE_MUST);
    node->boost = 1;
    node->kids[node->n_kids++] = new_node(ORACLE_PHRASE, ORACLE_DEFAULT);
    put_phrase(o, node->kids[0]);
    return node;
}

oracle_node *question_make_patterns(const oracle *o)
{
    static const oracle_kind kinds[] = {ORACLE_PREFIX, ORACLE_WILDCARD, ORACLE_WILDCARD,
                                        ORACLE_FUZZY, ORACLE_FUZZY};
    oracle_node *node = question_make(o);
    for (size_t i = 0; i < node->n_kids; i++) {
        oracle_node *kid = node->kids[i];
        if (kid->kind != ORACLE_WORD || strchr(kid->text, '/') || (i > 0 && chance_below(2)))
            continue;
        kid->kind = kinds[chance_below(sizeof kinds / sizeof *kinds)];
        make_pattern(kid);
    }
    return node;
}
