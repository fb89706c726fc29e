/* engine/conjunction.h: interior of engine: the lists that every match of a query is in, as a query
 * of their own, so that processors can intersect them list by list (rp__steps). */
#ifndef RP_ENGINE_CONJUNCTION_H
#define RP_ENGINE_CONJUNCTION_H

#include "backend/backend.h"

typedef struct rp__conjunction {
    rp__query query; /* an AND of terms, the shortest list first */
    uint32_t n;      /* lists; below 2 the rest means nothing */
    bool is_all;     /* the query has nothing else */
    const bool
        *scored;     /* by list; the others are of phrases, whose score is not the sum of terms */
    const bool *met; /* by leaf of the query: it is one of the lists, and scored */
} rp__conjunction;

/* Terms that the outermost group must match, and the terms of phrases that it must; the query has
 * ops. What comes out is in the arena. */
rp_status rp__conjunction_find(const rp__query *query, rp__arena *arena, rp__conjunction *out);

static inline uint32_t rp__conjunction_length(const rp__conjunction *c, uint32_t list)
{
    return c->query.words[list].term.df;
}

#endif
