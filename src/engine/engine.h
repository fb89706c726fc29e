/* engine/engine.h: interior of engine: what an open index is. */
#ifndef RP_ENGINE_ENGINE_H
#define RP_ENGINE_ENGINE_H

#include "index/index.h"
#include "text/text.h"

struct rp_index {
    rp__segment *segment;
    rp__analyzer *analyzer;
    rp__term_table *terms; /* of all its searchers */
};

/* Runs fn(arg) under rp__mapping_guard. RP_DAMAGED too where a file of the index turns out to have
 * been cut short by then, whatever fn made of it. */
rp_status rp__index_handle_guard(const rp_index *index, rp_status (*fn)(void *arg), void *arg);

#endif
