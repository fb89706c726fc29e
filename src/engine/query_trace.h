/* engine/query_trace.h: interior of engine: what was done for a query, as its hits have it. */
#ifndef RP_ENGINE_QUERY_TRACE_H
#define RP_ENGINE_QUERY_TRACE_H

#include "backend/backend.h"
#include "riposte/search.h"

enum {
    RP_QUERY_TRACE_MAX = 160,    /* operators of one query that are kept: the first ones */
    RP_QUERY_TRACE_KERNELS = 64, /* kernels, likewise */
};

/* Where an executor sent a query, and what came of it there. */
typedef struct rp__decision {
    const char *processor; /* NULL: none took it */
    const char *reason;    /* of the policy: static */
    uint64_t began;        /* when it was taken, or put into the queue */
    uint64_t queued_ns, estimated_ns, took_ns;
} rp__decision;

/* The searcher traces its queries from now on. */
rp_status rp__query_trace_new(rp_searcher *searcher);
/* Empties the trace: a query begins now. */
void rp__query_trace_begin(rp_searcher *searcher);
/* The query that is bound is traced; NULL: it is not. */
void rp__query_trace_bind(rp_searcher *searcher, rp__trace *trace, rp__query *bound);
/* Where what the host does for a query is noted; NULL: nobody asks. */
rp__trace *rp__query_trace_get(rp_searcher *searcher);
/* A stage of the host that ends now: "parse", "look-up", "names". */
void rp__query_trace_host(rp__trace *trace, const char *stage, uint64_t begin, uint64_t elements);
/* Decisions and the searcher's trace become the steps of the hits, and what was counted their
 * reads. RP_NO_MEMORY: the hits have none, or reads alone. */
rp_status rp__query_trace_add(const rp_searcher *searcher, const rp__decision *decisions, size_t n,
                              rp_hits *hits);

#endif
