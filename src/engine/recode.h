/* engine/recode.h: interior of engine: what all do who make an index from an index. */
#ifndef RP_ENGINE_RECODE_H
#define RP_ENGINE_RECODE_H

#include "index/index.h"

/* Who is told how far the work is. */
typedef struct rp__recode_watch {
    const char *phase;
    rp_progress_fn *on_progress; /* NULL: nobody */
    void *arg;
} rp__recode_watch;

/* Tells a rp__recode_watch, given as `arg`; false: stop. */
bool rp__recode_report(void *arg, uint64_t done, uint64_t of);
/* All that is left to do once the order of documents, if it changes, is set. */
rp_status rp__recode_finish(rp__recoder *recoder, rp__recode_watch *watch, rp_build_stats *stats,
                            rp_error *err);

#endif
