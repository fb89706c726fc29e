/* plan/cost.h: what a query is likely to cost each processor, before it is answered.
 *
 * For each processor and shape of query there is a tree of rules: an inner rule compares a feature
 * of the query with a threshold, a leaf adds up its features, all as logarithms. Trees are fitted
 * to measured queries (engine/cost_fit.h); without them built-in rules by list length hold. All is
 * done by integers, so that an estimate is the same on every machine. */
#ifndef RP_PLAN_COST_H
#define RP_PLAN_COST_H

#include "backend/backend.h"
#include "plan/plan.h"
#include "plan/policy.h"

/* The logarithm of 1 + each, with 16 fraction bits. Words of an OR that the index does not know are
 * left out. */
typedef enum rp__cost_feature {
    RP_COST_SHORTEST, /* postings of the shortest list, */
    RP_COST_SECOND,   /* of the second shortest, */
    RP_COST_TOTAL,    /* and of all lists */
    RP_COST_TERMS,
    RP_COST_READING, /* postings that the query is likely to read (plan.h, chapter 4) */
    RP_COST_K,
    /* Documents that have both words of the shortest lists, and all words, if words are
     * independent; without the 1 +, so that shares of a document count too. */
    RP_COST_PAIRS,
    RP_COST_MATCHES,
    /* Of an OR: postings of its shortest lists that together have k; before that many documents are
     * found, no list can be passed over. */
    RP_COST_FILL,
    RP_COST_FEATURES
} rp__cost_feature;

typedef struct rp__cost_facts {
    rp__auto_shape shape;
    uint64_t shortest, second, postings;
    uint64_t n_lists;
    uint64_t work; /* of plan.h, chapter 3 */
    uint64_t reading;
    int32_t features[RP_COST_FEATURES]; /* for fitted rules; built-in ones need none */
} rp__cost_facts;

/* Without features. Of a query that matches nothing, since a word has no list, shape and lists
 * alone; its estimate is by built-in rules. */
void rp__cost_look(const rp__query *query, rp__cost_facts *out);
/* Features, which take longer, of a query that was looked at; zero where it matches nothing. */
void rp__cost_measure(const rp__query *query, rp__cost_facts *facts);

enum { RP_COST_LEAVES = 32, RP_COST_RULES = 2 * RP_COST_LEAVES - 1, RP_COST_LEAF = 255 };

typedef struct rp__cost_rule {
    uint8_t feature;   /* RP_COST_LEAF: none is compared */
    uint8_t low, high; /* the rules that follow: below the threshold, and not */
    int32_t threshold;
    int32_t bias; /* of a leaf: the logarithm of nanoseconds, 16 fraction bits */
    int32_t weights[RP_COST_FEATURES];
} rp__cost_rule;

/* What is estimated. */
typedef enum rp__cost_processor {
    RP_COST_CPU,   /* one core, the whole query */
    RP_COST_GPU,   /* a card, alone */
    RP_COST_BATCH, /* a card, as one of many */
    RP_COST_PROCESSORS
} rp__cost_processor;

typedef struct rp__cost_tree {
    uint32_t n; /* rules, the first one first asked; 0: not fitted */
    rp__cost_rule rules[RP_COST_RULES];
} rp__cost_tree;

typedef struct rp__cost_model {
    rp__cost_tree trees[RP_COST_PROCESSORS][RP_AUTO_SHAPES];
    uint64_t feed_ns; /* of a core, for a query of the card; 0: the built-in number */
} rp__cost_model;

/* Every rule can be reached once, follows its parent, and ends in leaves: walking it ends. */
bool rp__cost_tree_is_sound(const rp__cost_tree *tree);
/* Nanoseconds, 1 at least and 100 s at most. The tree must be sound and not empty. */
uint64_t rp__cost_tree_estimate(const rp__cost_tree *tree, const int32_t *features);

/* Fills in the costs and the two shortest lists; arrival and deadline are the caller's. `model` may
 * be NULL. */
void rp__cost_estimate(const rp__cost_model *model, const rp__cost_facts *facts,
                       rp__policy_job *out);

/* The logarithm of 1 + x, and its inverse without the 1, with 16 fraction bits. */
int32_t rp__cost_log(uint64_t x);
uint64_t rp__cost_exp(int64_t log);

#endif
