/* cli/timeline.h: where a query was sent and why, what was expected of it there and what came. */
#ifndef RP_CLI_TIMELINE_H
#define RP_CLI_TIMELINE_H

#include "base/json.h"
#include "cli/console.h"
#include "riposte/executor.h"

typedef struct rp__timeline {
    const char *policy;
    const rp_outcome *outcome;
    const rp_hits *hits;
    const rp_query_lists *lists; /* of the query's terms */
} rp__timeline;

/* A line on standard error for each step. */
void rp__timeline_note(const rp__console *console, const rp__timeline *timeline);
/* The member "timeline" of the object that is open. */
void rp__timeline_write(rp__json_writer *w, const rp__timeline *timeline);

#endif
