/* backend/gpu/exec/launch_policy.h: which row of the launch table answers a query.
 *
 * Pure functions: they read the query and nothing of a device, so they can be called, and tested,
 * without one. */
#ifndef RP_BACKEND_GPU_EXEC_LAUNCH_POLICY_H
#define RP_BACKEND_GPU_EXEC_LAUNCH_POLICY_H

#include "backend/backend.h"
#include "backend/gpu/exec/launch_table.h"

/* What the choice depends on. */
typedef struct rp__launch_request {
    rp__shape shape;
    uint32_t n_terms;  /* also those that the index does not know */
    uint32_t shortest; /* postings of the shortest list */
    size_t k;
    size_t max_ranked; /* so many a block of the card ranks; 0: any k that the row takes */
    bool exact_total;
    bool is_part;                /* it is about a part of the documents */
    bool is_whole;               /* the residency has all sections of the index */
    bool in_group;               /* it is one of a group, whose queries share launches */
    const rp__launch_row *named; /* that answers the algorithm it names; NULL: it names none */
} rp__launch_request;

/* Numbers that are tuned by measuring. Benchmarks and tests may change them while no query is under
 * way. */
typedef struct rp__launch_tuning {
    /* postings of the shortest list from which a single AND takes and-batch */
    uint32_t and_batch_from;
    uint32_t or_maxscore_from; /* postings of a single term from which it takes or-maxscore */
    bool or_counts;            /* ORs take or-maxscore also where their total is to be exact */
} rp__launch_tuning;
extern rp__launch_tuning rp__launch_policy_tuning;

/* Whether it is flat: terms alone, each in the role. */
bool rp__launch_policy_is_flat(const rp__query *query, uint8_t role);
/* The query as the policy sees it. */
rp__launch_request rp__launch_policy_request(const rp__query *query, bool is_whole, bool in_group);
/* The row. NULL: the card does not answer it, and *why says why not. A shape that matches nothing
 * has none, and RP_FALLBACK_NONE. The row and-persistent is a proposal: where the persistent kernel
 * is not there, and-single answers. */
const rp__launch_row *rp__launch_policy_choose(const rp__launch_request *request, rp_fallback *why);
/* Whether and-batch is the row of a query of a group, found in few instructions: true only where
 * rp__launch_policy_choose would choose it, and for all whose terms must be there and are in the
 * index. Then *shortest is the request's. */
bool rp__launch_policy_is_group_and(const rp__query *query, uint32_t *shortest);
/* The row that answers a query alone, with the least memory: where another one had none. */
const rp__launch_row *rp__launch_policy_last(rp__shape shape);
/* The row of an algorithm that a query names, with or without options; NULL: there is none. */
const rp__launch_row *rp__launch_policy_find(const char *algorithm);
/* How many the blocks of a card with so much shared memory rank, each by itself. */
size_t rp__launch_policy_max_ranked(uint32_t shared_bytes);
/* Why the card does not answer queries of this kind, whatever their terms; RP_FALLBACK_NONE: it
 * does. */
rp_fallback rp__launch_policy_check(const rp__query *query);

#endif
