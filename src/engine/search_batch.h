/* engine/search_batch.h: interior of engine: the threads of a searcher that answer many queries at
 * once. */
#ifndef RP_ENGINE_SEARCH_BATCH_H
#define RP_ENGINE_SEARCH_BATCH_H

/* What rp_searcher_batch keeps from one call to the next. */
typedef struct rp__search_batch rp__search_batch;

void rp__search_batch_free(rp__search_batch *batch); /* NULL is fine */

#endif
