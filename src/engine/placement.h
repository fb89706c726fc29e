/* engine/placement.h: interior of engine: where a searcher of the processor `auto` has its queries
 * answered. */
#ifndef RP_ENGINE_PLACEMENT_H
#define RP_ENGINE_PLACEMENT_H

#include "plan/plan.h"
#include "riposte/search.h"

typedef enum rp__placement_stage {
    /* the searcher's processor was named, or there is no card: nothing to choose */
    RP_PLACEMENT_FIXED,
    RP_PLACEMENT_CLOSED, /* no card is open yet */
    RP_PLACEMENT_OPEN
} rp__placement_stage;

/* All zero: fixed. */
typedef struct rp__placement {
    rp__placement_stage stage;
    char *gpu; /* which cards, the searcher's own copy; NULL: the first */
    const rp__auto_tuning *tuning;
    /* of a core, estimated, for queries that suit a card that is not open */
    uint64_t missed_ns;
    bool is_asked; /* the card, by the query that is answered now */
    /* when the last query did that was the card's, or that a pause decided about, by rp__clock_now;
     * 0: there was none */
    uint64_t ended;
} rp__placement;

/* For a searcher of the processor `auto` whose options are not changed yet. Opens a card with the
 * option eager_gpu. */
rp_status rp__placement_init(rp_searcher *searcher, const rp_search_options *options);
void rp__placement_free(rp__placement *placement);

/* Before a query, outside the guard: opens a card once it pays. After it: remembers when it
 * ended. */
void rp__placement_begin(rp_searcher *searcher);
void rp__placement_end(rp_searcher *searcher);
/* Before many queries: opens a card where it pays for them. */
void rp__placement_begin_batch(rp_searcher *searcher, const rp_batch_query *queries, size_t n);

/* Whether the searcher's backend, not the plain one, is to answer a query. Counts what suits a card
 * that is not open. */
bool rp__placement_asks_device(rp_searcher *searcher, const rp__query *query);
/* Likewise of a batch of a searcher whose card is open; of one with a fixed processor always. */
bool rp__placement_is_for_batch(const rp_searcher *searcher, const rp__query *query);

#endif
