/* engine/split.h: interior of engine: one query on several threads, each with ranges of docids. */
#ifndef RP_ENGINE_SPLIT_H
#define RP_ENGINE_SPLIT_H

#include "backend/backend.h"
#include "engine/engine.h"

/* Threads and their memory, for one query at a time. */
typedef struct rp__split rp__split;

/* `memory`: the most that a query may use, on all threads together. */
rp_status rp__split_new(const rp_index *index, uint32_t threads, size_t memory, rp__split **out);
void rp__split_free(rp__split *split); /* NULL is fine */
/* Answers as the stateless backend's `run` does, which it calls for ranges of docids. The answer
 * lies in `arena`. */
rp_status rp__split_run(rp__split *split, const rp__backend *backend, const rp__query *query,
                        rp__arena *arena, rp__answer *answer, rp_error *err);

#endif
