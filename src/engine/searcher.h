/* engine/searcher.h: interior of engine: what searcher.c shares with search_batch.c, explain.c and
 * snippet.c. */
#ifndef RP_ENGINE_SEARCHER_H
#define RP_ENGINE_SEARCHER_H

#include "backend/backend.h"
#include "base/arena.h"
#include "engine/engine.h"
#include "engine/gpu_child.h"
#include "engine/placement.h"
#include "engine/query_trace.h"
#include "engine/split.h"
#include "plan/plan.h"
#include "riposte/search.h"

struct rp_searcher {
    const rp_index *index;
    rp_search_options options;  /* with defaults; its strings are not kept */
    const rp__backend *backend; /* asked first; what it cannot do, `plain` does */
    const rp__backend *plain;
    void *state;             /* of the backend, for the index */
    rp__placement placement; /* of the processor `auto` */
    rp_gpu_state gpu;        /* what became of the backend's device */
    const char *processor;   /* the one that answered last */
    char *algorithm;         /* the copy that options name, if it is a GPU's; NULL: none */
    rp__trace trace;         /* of the last query */
    rp__trace_event *events; /* of the trace: RP_QUERY_TRACE_MAX; NULL: it is not traced */
    rp_kernel_count kernels[RP_QUERY_TRACE_KERNELS]; /* of the trace */
    uint64_t traced;                                 /* since when */
    rp__rank rank;
    rp__analyzer_state *analyzer;
    rp__term_table *terms; /* the index's, or one of who asks many queries */
    float *norms;          /* by length code */
    rp__arena arena;       /* emptied when a query begins */
    rp__arena shown;       /* snippet.c's: the words of a query, for its next document */
    struct rp__snippet_words *shown_words; /* NULL: none */
    rp__split *split;                      /* NULL: a query has one thread */
    struct rp__search_batch *batch; /* threads for many queries; NULL: nobody asked many yet */
    /* bytes that hits of the batch may still take; NULL: no batch, or no limit */
    _Atomic size_t *hits_left;
};

/* Makes `backend` the one that is asked first. After a failure the searcher is as before. */
rp_status rp__searcher_attach(rp_searcher *searcher, const rp__backend *backend,
                              const rp__place *place, rp_error *err);

/* Another searcher of the same options for another thread, on the plain processor. The first must
 * outlive it. */
rp_status rp__searcher_branch(const rp_searcher *of, rp_searcher **out);
void rp__searcher_branch_free(rp_searcher *branch); /* NULL is fine */

/* Empties the arena, then parses and binds; RP_LIMIT past max_work. Of andor, binding as AND counts
 * the work of both. Reads mapped memory: call it under the guard. */
rp_status rp__searcher_bind(rp_searcher *searcher, const char *query, size_t bytes, rp_mode mode,
                            rp__query *out, rp_error *err);

/* Memory for hits or steps: what the query, and the batch that it is part of, have left. NULL: too
 * little. */
void *rp__searcher_take_memory(const rp_searcher *searcher, size_t bytes);

/* Binds and runs; andor as and, then perhaps as or. *mode: the one that answered. What comes out
 * lies in the arena. Call it under the guard too. */
rp_status rp__searcher_answer(rp_searcher *searcher, const char *query, size_t bytes, rp_mode *mode,
                              rp__query *bound, rp__answer *answer, rp_error *err);

/* Adds what andor's AND took to the answer of the OR that followed. */
void rp__searcher_add_first(rp__answer *answer, uint64_t postings, rp_fallback fallback,
                            const rp_gpu_counters *gpu);
/* Whether the answer in a mode is not enough, and andor asks again as or. Where both have the same
 * answer, *mode becomes or instead. */
bool rp__searcher_asks_again(const rp_searcher *searcher, const rp__query *bound,
                             const rp__answer *answer, rp_mode *mode);
/* Under the option strict_processor: RP_UNAVAILABLE of an answer that another processor gave, or
 * for which the host decoded lists. */
rp_status rp__searcher_check_strict(const rp_searcher *searcher, rp_fallback fallback,
                                    const rp_gpu_counters *gpu, rp_error *err);
/* Whether the device was lost, and why; told once. */
void rp__searcher_note_fault(rp_searcher *searcher);
/* Hits with their names. After a failure hits->memory is still to be freed; so it is where the
 * guard leaves this. */
rp_status rp__searcher_hits(const rp_searcher *searcher, const rp__query *bound,
                            const rp__answer *answer, rp_mode mode, const char *processor,
                            rp_hits *hits);

/* Runs fn(arg) under rp__mapping_guard. `own` is where fn leaves its text; it and the status come
 * out with a text for every failure, in `err` too. */
rp_status rp__searcher_guard(const rp_searcher *searcher, rp_status (*fn)(void *arg), void *arg,
                             rp_error *own, rp_error *err);

#endif
