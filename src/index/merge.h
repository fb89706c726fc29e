/* index/merge.h: interior of index: all runs into one segment. */
#ifndef RP_INDEX_MERGE_H
#define RP_INDEX_MERGE_H

#include "index/run.h"
#include "index/segment_writer.h"

typedef struct rp__merge {
    const rp__run *runs;
    size_t n_runs;
    const rp__folder *folder;
    size_t buffer; /* bytes of window for each run in a file */
    bool has_positions;
    /* a term has one list, which only rp__run.open carries into another run */
    bool has_whole_lists;
    bool (*on_progress)(void *arg, uint64_t done, uint64_t of); /* may be NULL; false: stop */
    void *progress_arg;
} rp__merge;

rp_status rp__merge_run(const rp__merge *merge, rp__segment_writer *w, rp_error *err);

#endif
